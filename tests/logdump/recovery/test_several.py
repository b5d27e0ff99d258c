"""Of several restarts, gaps, order breaks and places of damage each is told where it belongs, not with a neighbour."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.features.recovery.model import KeepShown, TrailFileShown
from logdump.features.recovery.versions import release_number
from logdump.session.errors import ExitStatus
from logdump.session.events import Progress
from tests.logdump.line import Line
from tests.logdump.recovery.surveys import report, surveyed
from tests.searching import Random, examples
from tests.trailformat.samples import header, row, table_record, trail_of
from tests.trailformat.small_batches import in_batches
from tests.trailformat.test_applied import transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Record, TrailFile, make_file_header_record, make_record, make_token
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record_header import (
    FIELD_COMP,
    FIRST,
    INSERT,
    LARGE_OBJECT,
    LAST,
    MIDDLE,
    RECORD_FRAGMENT,
    RESTART_ABEND,
    UPDATE_COMP,
)
from trailformat.scan import scan
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import extents, whole_trail
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.restart_places import restart_places
from trailformat.transactions.whole_trail import WholeTrail

_APPEND, _OVERWRITE = 1, 0
_MARKER = row(b"", io_type=RESTART_ABEND)
_MIDDLE, _LAST = row(trans_ind=MIDDLE), row(trans_ind=LAST)


def _first(csn: str, table: str = "TEA.LEAVES") -> Record:
    tokens = [make_token("L", csn.encode()), make_token("6", b"1.1")]
    return make_record(header(table, trans_ind=FIRST), b"leaf", tokens)


def _head(group: str, **values: Value) -> Record:
    """The file header of a fixture with other values."""
    with TrailFile(TRAILS / "at000000000") as trail:
        own = trail.file_header
    assert own is not None
    return make_file_header_record(replace_values(own, group, values))


def _file(folder: Path, number: int, *records: Record | bytes) -> Path:
    return trail_of(folder, *records, name=f"tt{number:09}")


def _lengths(*records: Record | bytes) -> int:
    return sum(len(record.raw if isinstance(record, Record) else record) for record in records)


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("places", [1, 2, 3])
def test_of_several_places_of_damage_before_old_data_the_first_is_told(
    places: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    before = [*transaction("10", "1.1"), *transaction("20", "1.2")]
    path = _file(tmp_path, 0, *before, *(GARBAGE, _MIDDLE) * places, *transaction("10", "1.1"))
    told = [(shown.position.rba, shown.csn, shown.was_passed) for shown in report([path]).overwritten()]
    assert told == [(_lengths(*before), "10", True)]


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_of_the_damage_before_each_of_several_old_transactions_the_first_is_told(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three old transactions, the middle one not the oldest, after one to three places of damage each."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    random = Random(rows)
    records: list[Record | bytes] = [record for csn in ("10", "20", "30", "40") for record in transaction(csn, "1.1")]
    expected = []
    for csn in random.sample(("10", "20", "30"), 3):
        expected.append((_lengths(*records), csn, True))
        records += [*(GARBAGE, _MIDDLE) * random.randint(1, 3), *transaction(csn, "1.1")]
    records += transaction("50", "1.5")
    told = [
        (shown.position.rba, shown.csn, shown.was_passed)
        for shown in report([_file(tmp_path, 0, *records)]).overwritten()
    ]
    assert told == expected


@pytest.mark.parametrize("modes", [(_APPEND, _OVERWRITE, _APPEND), (_OVERWRITE, _APPEND, _OVERWRITE)])
@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_the_mode_of_the_file_that_is_damaged_decides_whether_data_may_be_old(
    damaged: int, modes: tuple[int, ...], tmp_path: Path
) -> None:
    """The next whole transaction is in the file behind it."""
    paths = [
        _file(
            tmp_path,
            number,
            _head("ContinunityInfo", RecoveryMode=mode),
            *transaction(f"1{number}", f"1.{number}"),
            *([GARBAGE] if number == damaged else []),
        )
        for number, mode in enumerate((*modes, _APPEND))
    ]
    told = [shown.position.path for shown in report(paths).overwritten()]
    assert told == ([paths[damaged]] if modes[damaged] == _OVERWRITE else [])


@pytest.mark.parametrize(("numbers", "missing"), [((0, 2, 4), 0), ((0, 1, 3), 0), ((0, 2, 3), 1), ((0, 1, 2), 1)])
def test_a_begin_is_missing_if_something_is_before_it_behind_the_last_gap(
    numbers: tuple[int, int, int], missing: int, tmp_path: Path
) -> None:
    """The last file begins with the end of a transaction; what is before an earlier gap says nothing of it."""
    first, second, last = numbers
    paths = [_file(tmp_path, number, *transaction(f"1{number}", f"1.{number}")) for number in (first, second)]
    shown = report([*paths, _file(tmp_path, last, _LAST)]).shown("", None, is_partial=False)
    assert shown.state.begins_missing == missing


@pytest.mark.parametrize("no_trail", [1, 2])
def test_a_file_that_is_no_trail_is_where_a_stretch_ends(no_trail: int, tmp_path: Path) -> None:
    paths = [_file(tmp_path, number, *transaction(f"1{number}", f"1.{number}")) for number in range(3)]
    paths[no_trail].write_bytes(b"no trail")
    shown = report([*paths, _file(tmp_path, 3, _LAST)]).shown("", None, is_partial=False)
    assert (shown.state.begins_missing, shown.has_earlier) == (int(no_trail == 1), False)


def test_each_order_break_has_the_transactions_below_it(tmp_path: Path) -> None:
    csns = ("50", "10", "20", "60", "30", "70", "35", "36", "37")
    path = _file(tmp_path, 0, *(record for csn in csns for record in transaction(csn, f"1.{csn}")))
    told = [(shown.csn, shown.greatest, shown.transactions) for shown in report([path]).order_breaks()]
    assert told == [("10", "50", 2), ("30", "60", 1), ("35", "70", 3)]


def test_of_several_restarts_each_has_the_transaction_before_it_and_a_reader_needs_the_last(tmp_path: Path) -> None:
    """Two transactions behind each of three restarts, each in a file of its own."""
    csns = [("10", "11"), ("20", "21"), ("30", "31")]
    files = [
        [_MARKER, *transaction(first, f"1.{first}"), *transaction(second, f"1.{second}")] for first, second in csns
    ]
    paths = [_file(tmp_path, number, *records) for number, records in enumerate(files)]
    told = report(paths)
    before = [shown.last_complete for shown in told.restarts()]
    assert [ref.csn if ref else None for ref in before] == [None, "11", "21"]
    keep = told.keep()
    assert keep is not None
    assert keep.position == FilePosition(paths[1], _lengths(*files[1]))
    assert keep.free == (paths[0],)


def test_of_three_cuts_each_has_the_copy_of_its_own(tmp_path: Path) -> None:
    """The first and the last are written again, in the other order; that in the middle is lost."""
    cut = [record for csn in ("10", "20", "30") for record in (_first(csn), _MARKER)]
    again = [record for csn in ("30", "10") for record in (_first(csn), _LAST)]
    told = report([_file(tmp_path, 0, *cut, *again)])
    copies = [(shown.cut.csn, shown.again.ref.csn if shown.again else None) for shown in told.cuts(is_alone=True)]
    assert copies == [("10", "10"), ("20", None), ("30", "30")]
    assert [(shown.cut.csn if shown.cut else None) for shown in told.restarts()] == ["10", "20", "30"]
    assert told.shown("", None, is_partial=False).state.lost == 1


def test_one_copy_of_three_cuts_is_that_of_all(tmp_path: Path) -> None:
    shown = report([_file(tmp_path, 0, *(_first("10"), _MARKER) * 3, _first("10"), _LAST)]).shown(
        "", None, is_partial=False
    )
    assert (shown.cut, shown.state.lost) == (3, 0)


@pytest.mark.parametrize("differs", [None, 0, 1, 2])
def test_a_copy_is_compared_with_each_record_of_the_cut_transaction(differs: int | None, tmp_path: Path) -> None:
    """Three records were written before the cut, and the copy has another after these."""
    texts = [b"one", b"two", b"three"]
    before = [_first("10"), *(row(text, trans_ind=MIDDLE) for text in texts)]
    cut = [*before, _MARKER, *transaction("05", "1.5")]
    if differs is not None:
        texts[differs] = b"another"
    copy = [_first("10"), *(row(text, trans_ind=MIDDLE) for text in texts), _LAST]
    path = _file(tmp_path, 0, *cut, *copy)
    (shown,) = report([path]).cuts(is_alone=True)
    assert shown.again is not None
    assert shown.again.likeness == ("prefix" if differs is None else "differs")
    if differs is not None:
        places = _lengths(*before[: differs + 1]), _lengths(*cut, *copy[: differs + 1])
        assert shown.again.difference == tuple(FilePosition(path, rba) for rba in places)


@pytest.mark.parametrize("no_trails", [{0}, {1}, {2}, {0, 2}, {1, 3}])
def test_files_that_are_no_trails_count_from_the_place_on(no_trails: set[int], tmp_path: Path) -> None:
    """Of four files, from each that can be read on."""
    paths = [
        _file(tmp_path, number, b"no trail" * 9)
        if number in no_trails
        else _file(tmp_path, number, *transaction("10", "1.1"))
        for number in range(4)
    ]
    survey = surveyed(paths)
    for number in {*range(4)} - no_trails:
        assert survey.damaged_from(FilePosition(paths[number], 0)) == sum(other > number for other in no_trails)


@pytest.mark.parametrize("lengths", [(2, 3, 4), (4, 2, 3)])
def test_the_records_of_copies_are_all_of_theirs(lengths: tuple[int, ...], tmp_path: Path) -> None:
    """Of three transactions the second comes twice more, the third once."""
    records, two, three = ([_first(f"{at}0"), *[_MIDDLE] * length, _LAST] for at, length in enumerate(lengths, 1))
    shown = report([_file(tmp_path, 0, *records, *two, *three, *two, *three, *two)]).shown("", None, is_partial=False)
    assert (shown.state.twice, shown.twice_records) == (3, 2 * len(two) + len(three))


@pytest.mark.parametrize("ill", [None, "damaged", "no trail", "missing"])
@pytest.mark.parametrize("at", [0, 1])
def test_what_is_free_is_said_only_after_all_was_read(at: int, ill: str | None, line: Line, tmp_path: Path) -> None:
    """Three files: in one of the first two is what the reading lacks."""
    for number in range(3):
        records = list[Record | bytes](transaction(f"{number + 1}0", f"1.{number}"))
        if number == at and ill in ("damaged", "no trail"):
            records = [*records, GARBAGE, *records] if ill == "damaged" else [GARBAGE]
        _file(tmp_path, number + (ill == "missing" and number > at), *records)
    line(f'recovery over "{tmp_path}/tt*" keep')
    shown = [event for event in line.events if isinstance(event, KeepShown)]
    assert len(shown) == (ill is None)


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize("copies", [0, 1, 2, 3])
def test_cuts_of_one_transaction_are_lost_until_the_first_of_its_copies(
    copies: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three cuts, between others, and up to three whole copies: of each only the first is no copy of another."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    cut, whole = [_first("20"), _MARKER], [_first("20"), _MIDDLE, _LAST]
    records = [*transaction("10", "1.5"), *cut, *cut, *cut, *whole * copies, *transaction("30", "1.6")]
    told = report([_file(tmp_path, 0, *records)])
    state = told.shown("", None, is_partial=False).state
    assert (state.lost, state.twice) == (0 if copies else 3, max(0, copies - 1))
    begin = _lengths(*transaction("10", "1.5"), *cut * 3)
    positions = [
        shown.again.ref.begin.rba if shown.again and shown.again.ref.begin else None
        for shown in told.cuts(is_alone=True)
    ]
    assert positions == [begin if copies else None] * 3


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("shape", ["x", "xwx", "xwxwx", "wx", "xwr", "xr"])
def test_rows_without_a_begin_are_damaged_if_the_last_thing_before_them_is(
    shape: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damage, whole transactions and restarts before them: a restart or a transaction between shows that none is."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    parts: list[Record | bytes] = [*transaction("10", "1.1")]
    for at, what in enumerate(shape):
        parts += transaction(f"2{at}", f"2.{at}") if what == "w" else [GARBAGE if what == "x" else _MARKER]
    path = _file(tmp_path, 0, *parts, _MIDDLE, _LAST, *transaction("90", "1.9"))
    survey = surveyed([path])
    assert survey.begins_missing.number == (shape[-1] != "x")
    (lost,) = (item for item in transactions_of(WholeTrail([path])) if isinstance(item, Extent) and item.begin is None)
    assert len(lost.damage) == (shape[-1] == "x")


@pytest.mark.parametrize("between", [0, 1, 2, 3])
def test_what_is_lost_after_other_transactions_does_not_move_the_place_to_leave_out(
    between: int, tmp_path: Path
) -> None:
    """The others have lower CSNs; then come rows whose begin is lost."""
    asked = [_first("50"), _LAST]
    others = [record for at in range(between) for record in transaction(f"1{at}", f"1.{at}")]
    path = _file(tmp_path, 0, *asked, *others, _MIDDLE, _LAST, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    end = _lengths(*asked) if between else _lengths(*asked, _MIDDLE, _LAST)
    assert places.leave_out == FilePosition(path, end)


def test_each_file_is_compared_with_the_one_before_it(tmp_path: Path) -> None:
    hosts = ("a", "b", "b", "a")
    paths = [
        _file(tmp_path, number, _head("MachineInfo", Nodename=host), *transaction(f"1{number}", f"1.{number}"))
        for number, host in enumerate(hosts)
    ]
    told = [(shown.path, shown.before, shown.after) for shown in report(paths).producer_changes()]
    assert told == [(paths[1], "a", "b"), (paths[3], "b", "a")]


@pytest.mark.parametrize("ends", [0, 1, 2])
def test_damage_is_counted_from_a_place_on(ends: int, tmp_path: Path) -> None:
    """Three places of damage; from the end of the one on, those behind it are left."""
    before: list[Record | bytes] = [*transaction("10", "1.1"), GARBAGE]
    path = _file(tmp_path, 0, *before * 3, *transaction("20", "1.2"))
    survey = surveyed([path])
    places = list(survey.damage)
    assert survey.damaged_from(FilePosition(path, places[ends].after)) == 2 - ends
    assert survey.damaged_from(FilePosition(path, places[ends].after - 1)) == 3 - ends
    assert survey.damaged_from(None) == 3


@pytest.mark.parametrize(("release", "version"), [("12", 6), ("12.2", 5), ("12.2.0.1", 5), ("19c", 7), ("20", None)])
def test_a_release_reads_up_to_the_highest_version_of_its_name(release: str, version: int | None) -> None:
    assert release_number(release) == version


@pytest.mark.parametrize(("begun", "number", "free"), [(0, 0, 0), (0, 2, 0), (1, 1, 1), (1, 2, 1), (2, 2, 2)])
def test_a_reader_inside_a_transaction_needs_the_file_in_which_it_begins(
    begun: int, number: int, free: int, line: Line, tmp_path: Path
) -> None:
    """Three files; the transaction goes on to the end of the last one."""
    lengths = []
    for at in range(3):
        before = transaction(f"1{at}", f"1.{at}") if at <= begun else []
        inside = [_first("20")] if at == begun else [_MIDDLE] if at > begun else []
        _file(tmp_path, at, *before, *inside, *([_MIDDLE, _LAST if at == 2 else _MIDDLE] if at >= begun else []))
        lengths.append(_lengths(*before, *inside))
    line(f"open {tmp_path / 'tt000000000'}; recovery keep {number} {lengths[number]}")
    (keep,) = (event for event in line.events if isinstance(event, KeepShown))
    assert [path.name for path in keep.free] == [f"tt{at:09}" for at in range(free)]
    assert keep.size == sum(path.stat().st_size for path in keep.free)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_reader_at_the_end_of_a_file_needs_it_though_rows_without_a_begin_follow(
    number: int, line: Line, tmp_path: Path
) -> None:
    paths = [_file(tmp_path, at, _named(f"{at}", f"1.{at}")) for at in range(number + 1)]
    paths.append(_file(tmp_path, number + 1, _MIDDLE, _LAST, _named("9", "9.9")))
    line(f"open {paths[0]}; recovery keep {number} {paths[number].stat().st_size}")
    (keep,) = (event for event in line.events if isinstance(event, KeepShown))
    assert (keep.first, list(keep.free)) == (paths[number], paths[:number])


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_transaction_is_listed_if_any_of_its_records_passes(at: int, line: Line, tmp_path: Path) -> None:
    """The table of the filter is that of one of three records, of a transaction in the second file."""
    names = ["TEA.LEAVES", "TEA.LEAVES", "TEA.LEAVES"]
    names[at] = "TEA.POTS"
    inside = [_first("10", names[0]), *(row(name=name, trans_ind=MIDDLE) for name in names[1:])]
    _file(tmp_path, 0, *transaction("9", "1.0"), _first("8"), _MARKER)
    _file(tmp_path, 1, *inside, _MARKER, *transaction("11", "1.2"))
    line(f"open {tmp_path / 'tt000000000'}; filter include filename TEA.POTS")
    told = line("recovery cut filtered")
    assert [text for text in told if text.startswith("Cut at")] == ["Cut at RBA 0 of tt000000001: by a restart"]


@pytest.mark.parametrize("restarts", [0, 1])
def test_half_a_record_at_the_end_is_damage_where_nothing_else_is(restarts: int, tmp_path: Path) -> None:
    """A restart that cut nothing is no finding either."""
    path = _file(tmp_path, 0, *transaction("10", "1.1"), *[_MARKER] * restarts, _first("11").raw[:20])
    shown = report([path]).shown("", None, is_partial=False)
    assert (shown.half_record is not None, shown.state.status, shown.status) == (
        True,
        ExitStatus.OK,
        ExitStatus.BAD_DATA,
    )


def test_half_a_record_at_the_end_leaves_a_finding_what_it_is(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, *transaction("11", "1.2"), *transaction("10", "1.1"), _first("12").raw[:20])
    assert report([path]).shown("", None, is_partial=False).status is ExitStatus.FINDINGS


def test_files_are_listed_where_they_are_asked_for_alone(line: Line, tmp_path: Path) -> None:
    for number in range(3):
        _file(tmp_path, number, *transaction(f"1{number}", f"1.{number}"))
    line(f"open {tmp_path / 'tt000000000'}; recovery")
    assert not [event for event in line.events if isinstance(event, TrailFileShown)]
    line("recovery files")
    assert len([event for event in line.events if isinstance(event, TrailFileShown)]) == 3


def test_progress_is_told_at_each_multiple_of_notify_over_all_files(line: Line, tmp_path: Path) -> None:
    """Four files of three records, told every four."""
    for number in range(4):
        csns = range(3 * number + 10, 3 * number + 13)
        _file(tmp_path, number, *(record for csn in csns for record in transaction(str(csn), f"1.{csn}")))
    line(f"open {tmp_path / 'tt000000000'}; notify 4; recovery")
    assert [event.records for event in line.events if isinstance(event, Progress)] == [6, 9, 12]


def _named(csn: str, xid: str) -> Record:
    return transaction(csn, xid)[0]


@pytest.mark.parametrize("others", [(0, 0), (1, 0), (0, 1), (1, 2), (2, 1)])
def test_transactions_before_each_of_several_copies_are_missed(others: tuple[int, int], tmp_path: Path) -> None:
    """Two copies, before each so many other transactions of the same CSN."""
    records = [_named("20", "1.1")]
    for copy, number in enumerate(others):
        records += [*(_named("20", f"{copy + 2}.{other}") for other in range(number)), _named("20", "1.1")]
    path = _file(tmp_path, 0, *records, _named("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert (len(places.again), places.others) == (2, sum(others))
    assert places.leave_out == FilePosition(path, _lengths(*records))


@pytest.mark.parametrize("asked", [0, 1])
def test_of_two_places_of_damage_the_first_from_the_position_on_is_told(asked: int, tmp_path: Path) -> None:
    """A definition is between them, no transaction."""
    before, between = _named("10", "1.1"), table_record(1, "TEA.CUPS")
    path = _file(tmp_path, 0, before, GARBAGE, between, GARBAGE, _named("20", "1.2"))
    rbas = [_lengths(before), _lengths(before, GARBAGE, between)]
    with TrailFile(path) as trail:
        places = restart_places(trail, rbas[asked])
    assert places.damage is not None
    assert places.damage.rba == rbas[asked]
    assert not places.is_safe


def test_the_first_of_several_whole_occurrences_is_named(tmp_path: Path) -> None:
    """Of a transaction that was cut there are two whole copies."""
    cut, whole = [_first("20"), _MARKER], [_first("20"), _LAST]
    path = _file(tmp_path, 0, *cut, *whole, *whole, _named("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert places.whole is not None
    assert places.whole.begin == FilePosition(path, _lengths(*cut))
    assert places.leave_out == FilePosition(path, _lengths(*cut, *whole, *whole))


@pytest.mark.parametrize("later", [1, 2, 3])
def test_behind_the_whole_copy_of_a_cut_transaction_a_later_one_makes_another_copy_late(
    later: int, tmp_path: Path
) -> None:
    cut, whole = [_first("20"), _MARKER], [_first("20"), _LAST]
    path = _file(tmp_path, 0, *cut, *whole, *(_named(f"3{at}", f"3.{at}") for at in range(later)), *whole)
    with TrailFile(path) as trail:
        places = restart_places(trail, 0, looks_for_copies=True)
    assert [copy.is_late for copy in places.copies] == [False, True]
    assert (places.leave_out, places.others) == (FilePosition(path, _lengths(*cut, *whole)), 0)


@pytest.mark.parametrize("copies", [0, 1, 2])
@pytest.mark.parametrize("is_behind_damage", [False, True])
def test_a_copy_between_two_others_is_not_missed(is_behind_damage: bool, copies: int, tmp_path: Path) -> None:
    """Between both occurrences is another transaction, and so many copies of that; damage is before them or not."""
    before: list[Record | bytes] = [_named("10", "0.1"), *([GARBAGE] if is_behind_damage else [])]
    other = [_named("20", "2.2")] * (copies + 1)
    path = _file(tmp_path, 0, *before, _named("20", "1.1"), *other, _named("20", "1.1"), _named("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, _lengths(*before))
    assert (len(places.again), places.others) == (1, 1)


def test_the_bytes_lost_are_those_of_all_damage_in_a_transaction(tmp_path: Path) -> None:
    inside: list[Record | bytes] = [_first("20"), GARBAGE, _MIDDLE, GARBAGE * 2, _LAST]
    path = _file(tmp_path, 0, *inside, _named("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert places.leave_out == FilePosition(path, _lengths(*inside))
    assert places.lost_bytes == 3 * len(GARBAGE)


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_an_order_break_is_listed_if_its_transaction_passes(broken: int, line: Line, tmp_path: Path) -> None:
    """Of three order breaks that of one table."""
    records = []
    for number in range(3):
        name = "TEA.POTS" if number == broken else "TEA.LEAVES"
        records += [*transaction(f"{number + 5}0", f"1.{number}"), _first(f"1{number}", name), row(trans_ind=LAST)]
    path = _file(tmp_path, 0, *records)
    line(f"open {path}; filter include filename TEA.POTS")
    told = [text for text in line("recovery order filtered") if text.startswith("Order: ")]
    assert [text.partition(" CSN ")[2].split()[0] for text in told] == [f"1{broken}"]


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
    skipped = [_named("20", "1.1")]
    others = [_named("20", f"2.{number}") for number in range(between)] if isinstance(between, int) else [_MARKER]
    path = _file(tmp_path, 0, *skipped, *others, GARBAGE, _first("20"), _MARKER, _named("30", "9.9"))
    with TrailFile(path) as trail:
        places = restart_places(trail, 0)
    assert places.leave_out == FilePosition(path, _lengths(*skipped) if between else _lengths(*skipped, GARBAGE))


@pytest.mark.parametrize("files", [1, 2, 3])
@pytest.mark.parametrize("asked", [0, 1])
def test_half_a_record_is_no_damage_in_whatever_file_the_trail_ends(asked: int, files: int, tmp_path: Path) -> None:
    """A transaction goes on to the end of the trail: its begin is safe, the place after its first record is not."""
    half = _LAST.raw[:-3]
    begun: list[Record | bytes] = [_first("50"), _MIDDLE]
    for number in range(files):
        parts = [*(begun if not number else [_MIDDLE]), *([half] if number == files - 1 else [])]
        path = _file(tmp_path, number, *parts)
    path = tmp_path / "tt000000000"
    with TrailFile(path) as trail:
        places = restart_places(trail, _lengths(*begun[:asked]), looks_for_copies=True)
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
    damaged: list[Record | bytes] = [_MIDDLE, GARBAGE]
    begun = [_first("50"), *damaged * (spans - 1), _MIDDLE]
    _file(tmp_path, 0, *begun, GARBAGE, *([_first("51"), _LAST] if goes_on else []))
    with TrailFile(tmp_path / "tt000000000") as trail:
        places = restart_places(trail, _lengths(*begun[:asked]), looks_for_copies=True)
    assert (places.leave_out is not None) == goes_on
    assert places.lost_bytes == (spans * len(GARBAGE) if goes_on else 0)


@pytest.mark.parametrize("places", [{0}, {1}, {2}, {3}, {0, 2}, {1, 3}, {0, 1, 2, 3}])
def test_all_damage_before_the_place_to_leave_out_is_lost_and_none_behind_it(places: set[int], tmp_path: Path) -> None:
    """A transaction, one with a lower CSN, another, its copy, one with a lower CSN, with damage behind some of them."""
    parts = [transaction("50", "1.1"), transaction("10", "1.2"), transaction("11", "1.3"), transaction("50", "1.1")]
    content: list[Record | bytes] = []
    for number, part in enumerate(parts):
        content += [*part, *([GARBAGE * (number + 1)] if number in places else [])]
    path = _file(tmp_path, 0, *content, *transaction("12", "1.4"), GARBAGE, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0, looks_for_copies=True)
    assert told.leave_out == FilePosition(path, _lengths(*content))
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
        damaged: list[Record | bytes] = [_MIDDLE, GARBAGE * random.randint(1, 3)]
        end = [GARBAGE, *damaged * random.randint(1, 2), _LAST]
        other = _named(*{"copy": ("50", "1.1"), "other": ("10", f"2.{number}")}.get(kind, ("", "")))
        content += end if kind == "end" else [GARBAGE if kind == "damage" else other]
        is_behind = kind == "copy" or (is_behind and kind != "other")
        passed = len(content) if is_behind else passed
    path = _file(tmp_path, 0, *content, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0)
    assert told.leave_out == FilePosition(path, _lengths(*content[:passed])), kinds
    assert told.lost_bytes == sum(len(part) for part in content[:passed] if isinstance(part, bytes)), kinds


@pytest.mark.parametrize("rest", [[], [_MIDDLE], [_MIDDLE, _LAST]])
def test_a_copy_with_damage_moves_the_place_to_leave_out_as_little_as_what_follows_it(
    rest: list[Record], tmp_path: Path
) -> None:
    asked = transaction("50", "1.1")
    path = _file(tmp_path, 0, *asked, _first("50"), GARBAGE, _LAST, *rest, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0, looks_for_copies=True)
    assert told.leave_out == FilePosition(path, _lengths(*asked))
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
    path = _file(tmp_path, 0, *records, *transaction("90", "1.9"))
    with TrailFile(path) as trail:
        told = restart_places(trail, 0, looks_for_copies=True)
    assert sum(types.total() for types in told.skipped.values()) == _CHANGES[kind] + 1
