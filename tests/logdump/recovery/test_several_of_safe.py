"""SAFE of several copies, changes and places of damage: what is left out, skipped and lost, each counted once."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.recovery.small_files import LAST_ROW, MIDDLE_ROW, RESTART, first_row, only_row, size_of, trail_file
from tests.searching import Random, examples
from tests.trailformat.samples import header, table_record
from tests.trailformat.test_applied import transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Record, TrailFile, make_record, make_token
from trailformat.records.record_header import (
    FIELD_COMP,
    FIRST,
    INSERT,
    LARGE_OBJECT,
    LAST,
    MIDDLE,
    RECORD_FRAGMENT,
    UPDATE_COMP,
)
from trailformat.scan import scan
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import extents
from trailformat.transactions.restart_places import restart_places


@pytest.mark.parametrize("between", [0, 1, 2, 3])
def test_what_is_lost_after_other_transactions_does_not_move_the_place_to_leave_out(
    between: int, tmp_path: Path
) -> None:
    """The others have lower CSNs; then come rows whose begin is lost."""
    asked = [first_row("50"), LAST_ROW]
    others = [record for at in range(between) for record in transaction(f"1{at}", f"1.{at}")]
    path = trail_file(tmp_path, 0, *asked, *others, MIDDLE_ROW, LAST_ROW, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    end = size_of(*asked) if between else size_of(*asked, MIDDLE_ROW, LAST_ROW)
    assert places.leave_out == FilePosition(path, end)


@pytest.mark.parametrize("others", [(0, 0), (1, 0), (0, 1), (1, 2), (2, 1)])
def test_transactions_before_each_of_several_copies_are_missed(others: tuple[int, int], tmp_path: Path) -> None:
    """Two copies, before each so many other transactions of the same CSN."""
    records = [only_row("20", "1.1")]
    for copy, number in enumerate(others):
        records += [*(only_row("20", f"{copy + 2}.{other}") for other in range(number)), only_row("20", "1.1")]
    path = trail_file(tmp_path, 0, *records, only_row("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert (len(places.again), places.others) == (2, sum(others))
    assert places.leave_out == FilePosition(path, size_of(*records))


@pytest.mark.parametrize("asked", [0, 1])
def test_of_two_places_of_damage_the_first_from_the_position_on_is_told(asked: int, tmp_path: Path) -> None:
    """A definition is between them, no transaction."""
    before, between = only_row("10", "1.1"), table_record(1, "TEA.CUPS")
    path = trail_file(tmp_path, 0, before, GARBAGE, between, GARBAGE, only_row("20", "1.2"))
    rbas = [size_of(before), size_of(before, GARBAGE, between)]
    with TrailFile(path) as trail:
        places = restart_places(trail, rbas[asked])
    assert places.damage is not None
    assert places.damage.rba == rbas[asked]
    assert not places.is_safe


def test_the_first_of_several_whole_occurrences_is_named(tmp_path: Path) -> None:
    """Of a transaction that was cut there are two whole copies."""
    cut, whole = [first_row("20"), RESTART], [first_row("20"), LAST_ROW]
    path = trail_file(tmp_path, 0, *cut, *whole, *whole, only_row("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert places.whole is not None
    assert places.whole.begin == FilePosition(path, size_of(*cut))
    assert places.leave_out == FilePosition(path, size_of(*cut, *whole, *whole))


@pytest.mark.parametrize("later", [1, 2, 3])
def test_behind_the_whole_copy_of_a_cut_transaction_a_later_one_makes_another_copy_late(
    later: int, tmp_path: Path
) -> None:
    cut, whole = [first_row("20"), RESTART], [first_row("20"), LAST_ROW]
    path = trail_file(tmp_path, 0, *cut, *whole, *(only_row(f"3{at}", f"3.{at}") for at in range(later)), *whole)
    with TrailFile(path) as trail:
        places = restart_places(trail, 0, looks_for_copies=True)
    assert [copy.is_late for copy in places.copies] == [False, True]
    assert (places.leave_out, places.others) == (FilePosition(path, size_of(*cut, *whole)), 0)


@pytest.mark.parametrize("copies", [0, 1, 2])
@pytest.mark.parametrize("is_behind_damage", [False, True])
def test_a_copy_between_two_others_is_not_missed(is_behind_damage: bool, copies: int, tmp_path: Path) -> None:
    """Between both occurrences is another transaction, and so many copies of that; damage is before them or not."""
    before: list[Record | bytes] = [only_row("10", "0.1"), *([GARBAGE] if is_behind_damage else [])]
    other = [only_row("20", "2.2")] * (copies + 1)
    path = trail_file(tmp_path, 0, *before, only_row("20", "1.1"), *other, only_row("20", "1.1"), only_row("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, size_of(*before))
    assert (len(places.again), places.others) == (1, 1)


def test_the_bytes_lost_are_those_of_all_damage_in_a_transaction(tmp_path: Path) -> None:
    inside: list[Record | bytes] = [first_row("20"), GARBAGE, MIDDLE_ROW, GARBAGE * 2, LAST_ROW]
    path = trail_file(tmp_path, 0, *inside, only_row("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert places.leave_out == FilePosition(path, size_of(*inside))
    assert places.lost_bytes == 3 * len(GARBAGE)


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("name", "rba", "table", "changes"),
    [
        ("kt000000000", 1811, "TEAHOUSE.TEAS", {5: 1}),
        ("kt000000000", 2853, "TEAHOUSE.TEAS", {5: 1}),
        ("pt000000000", 1811, "TEAHOUSE.TEAS", {5: 1}),
        ("et000000000", 3391, "TEAHOUSE.TEAS", {15: 1}),
    ],
)
def test_pieces_of_a_row_and_halves_of_an_update_are_one_change(
    name: str, rba: int, table: str, changes: dict[int, int], rows: int, trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LOBs of a row, each in pieces; an update in two records; a batch may end between any of them."""
    monkeypatch.setattr(extents, "scan", lambda trail, start, **_: scan(trail, start, batch_size=rows))
    with TrailFile(trails / name) as trail:
        places = restart_places(trail, rba, looks_for_copies=True)
    assert {table: dict(counted) for table, counted in places.skipped.items()} == {table: changes}


@pytest.mark.parametrize("between", [0, 1, 2, "a restart"])
def test_damage_is_passed_over_only_directly_behind_what_is_skipped(between: int | str, tmp_path: Path) -> None:
    """So many other transactions of the same CSN before the damage, or a restart, and a cut copy behind it."""
    skipped = [only_row("20", "1.1")]
    others = [only_row("20", f"2.{number}") for number in range(between)] if isinstance(between, int) else [RESTART]
    path = trail_file(tmp_path, 0, *skipped, *others, GARBAGE, first_row("20"), RESTART, only_row("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert places.leave_out == FilePosition(path, size_of(*skipped) if between else size_of(*skipped, GARBAGE))


@pytest.mark.parametrize("files", [1, 2, 3])
@pytest.mark.parametrize("asked", [0, 1])
def test_half_a_record_is_no_damage_in_whatever_file_the_trail_ends(asked: int, files: int, tmp_path: Path) -> None:
    """A transaction goes on to the end of the trail: its begin is safe, the place after its first record is not."""
    half = LAST_ROW.raw[:-3]
    begun: list[Record | bytes] = [first_row("50"), MIDDLE_ROW]
    for number in range(files):
        parts = [*(begun if not number else [MIDDLE_ROW]), *([half] if number == files - 1 else [])]
        path = trail_file(tmp_path, number, *parts)
    path = tmp_path / "tt000000000"
    with TrailFile(path) as trail:
        places = restart_places(trail, size_of(*begun[:asked]), looks_for_copies=True)
    assert places.damage is None
    assert places.is_safe == (not asked)
    assert places.extent is not None
    assert [(damage.path.name, damage.is_partial) for damage in places.extent.damage] == [(f"tt{files - 1:09}", True)]
    assert (places.leave_out, places.lost_bytes) == (None, 0)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("asked", [0, 1])
@pytest.mark.parametrize("spans", [1, 2])
def test_damage_is_lost_only_where_something_follows_to_start_at(
    spans: int, asked: int, goes_on: bool, tmp_path: Path
) -> None:
    """One or two spans of damage in a transaction that does not end, and nothing or a whole one after it."""
    damaged: list[Record | bytes] = [MIDDLE_ROW, GARBAGE]
    begun = [first_row("50"), *damaged * (spans - 1), MIDDLE_ROW]
    trail_file(tmp_path, 0, *begun, GARBAGE, *([first_row("51"), LAST_ROW] if goes_on else []))
    with TrailFile(tmp_path / "tt000000000") as trail:
        places = restart_places(trail, size_of(*begun[:asked]), looks_for_copies=True)
    assert (places.leave_out is not None) == goes_on
    assert places.lost_bytes == (spans * len(GARBAGE) if goes_on else 0)


@pytest.mark.parametrize("places", [{0}, {1}, {2}, {3}, {0, 2}, {1, 3}, {0, 1, 2, 3}])
def test_all_damage_before_the_place_to_leave_out_is_lost_and_none_behind_it(places: set[int], tmp_path: Path) -> None:
    """A transaction, one with a lower CSN, another, its copy, one with a lower CSN, with damage behind some of them."""
    parts = [transaction("50", "1.1"), transaction("10", "1.2"), transaction("11", "1.3"), transaction("50", "1.1")]
    content: list[Record | bytes] = []
    for number, part in enumerate(parts):
        content += [*part, *([GARBAGE * (number + 1)] if number in places else [])]
    path = trail_file(tmp_path, 0, *content, *transaction("12", "1.4"), GARBAGE, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0, looks_for_copies=True)
    assert told.leave_out == FilePosition(path, size_of(*content))
    assert told.lost_bytes == sum(len(GARBAGE) * (number + 1) for number in places)
    assert told.others == 2


@pytest.mark.parametrize("case", range(examples(24)))
def test_ends_of_transactions_with_damage_are_passed_over_with_all_of_it(case: int, tmp_path: Path) -> None:
    """Behind a transaction are the end of another, drawn damage, ends of others, others and copies."""
    random, content = Random(f"lost {case}"), list[Record | bytes](transaction("50", "1.1"))
    drawn = [random.choices(["damage", "end", "other", "copy"], k=random.randint(0, 3)) for _ in range(2)]
    kinds = ["end", *drawn[0], "other", "damage", "copy", "end", *drawn[1]]
    passed, is_behind = 0, True
    for number, kind in enumerate(kinds):
        damaged: list[Record | bytes] = [MIDDLE_ROW, GARBAGE * random.randint(1, 3)]
        end = [GARBAGE, *damaged * random.randint(1, 2), LAST_ROW]
        other = only_row(*{"copy": ("50", "1.1"), "other": ("10", f"2.{number}")}.get(kind, ("", "")))
        content += end if kind == "end" else [GARBAGE if kind == "damage" else other]
        is_behind = kind == "copy" or (is_behind and kind != "other")
        passed = len(content) if is_behind else passed
    path = trail_file(tmp_path, 0, *content, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0)
    assert told.leave_out == FilePosition(path, size_of(*content[:passed])), kinds
    assert told.lost_bytes == sum(len(part) for part in content[:passed] if isinstance(part, bytes)), kinds


@pytest.mark.parametrize("rest", [[], [MIDDLE_ROW], [MIDDLE_ROW, LAST_ROW]])
def test_a_copy_with_damage_moves_the_place_to_leave_out_as_little_as_what_follows_it(
    rest: list[Record], tmp_path: Path
) -> None:
    asked = transaction("50", "1.1")
    path = trail_file(tmp_path, 0, *asked, first_row("50"), GARBAGE, LAST_ROW, *rest, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0, looks_for_copies=True)
    assert told.leave_out == FilePosition(path, size_of(*asked))
    assert [copy.is_whole for copy in told.copies] == [False]


_PIECES = {
    "insert": [(INSERT, "A")],
    "update": [(UPDATE_COMP, "B"), (UPDATE_COMP, "A")],
    "two updates": [(UPDATE_COMP, "B"), (UPDATE_COMP, "A"), (UPDATE_COMP, "B"), (UPDATE_COMP, "A")],
    "halves of two kinds": [(FIELD_COMP, "B"), (UPDATE_COMP, "A")],
    "LOB": [(INSERT, "A"), (LARGE_OBJECT, "A"), (LARGE_OBJECT, "A")],
    "fragment": [(INSERT, "A"), (RECORD_FRAGMENT, "A")],
}

_CHANGES = {"insert": 1, "update": 1, "two updates": 2, "halves of two kinds": 2, "LOB": 1, "fragment": 1}


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize("kind", _PIECES)
def test_what_is_skipped_counts_each_change_once(
    kind: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the records of a change, and where a batch of them ends."""
    monkeypatch.setattr(extents, "scan", partial(scan, batch_size=rows))
    monkeypatch.setattr(extents, "NEARBY", rows)
    pieces = [*_PIECES[kind], (INSERT, "A")]
    records = []
    for number, (io_type, side) in enumerate(pieces):
        trans_ind = FIRST if not number else LAST if number == len(pieces) - 1 else MIDDLE
        tokens = [make_token("L", b"50"), make_token("6", b"1.1")] if not number else []
        fields: dict[str, Any] = {"io_type": io_type, "before_after": ord(side), "trans_ind": trans_ind}
        records.append(make_record(header("TEA.LEAVES", **fields), b"leaf", tokens))
    path = trail_file(tmp_path, 0, *records, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0, looks_for_copies=True)
    assert sum(types.total() for types in told.skipped.values()) == _CHANGES[kind] + 1
