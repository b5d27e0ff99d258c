"""ROW over several files, rows and keys: each change belongs to the row that had its key then."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from fixtures import TRAILS
from fixtures.changes import (
    Change,
    delete,
    insert,
    key_update,
    truncate,
    unified_key_update,
    unified_update,
    update_pair,
)
from fixtures.shop import Row
from logdump.features.row import command
from logdump.features.row import story as row_story
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.notation.values import ColumnOperand
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.pairs import TEAS, Copier
from trailformat import TrailFile, Value, change_of
from trailformat.records.record_header import RESTART_ABEND
from trailformat.values.comparing import Operand


class Step(NamedTuple):
    """A change of a row by its number: its key before (None: an insert) and after (None: a delete)."""

    row: int
    before: str | None
    after: str | None


def _values(key: str, stock: int) -> Row:
    return (key, "Sencha", "Uji", "A ", Decimal("9.50"), Decimal(stock))


def _change(step: Step, number: int, *, is_unified: bool) -> Change:
    before = _values(step.before, number) if step.before is not None else None
    after = _values(step.after, number + 1) if step.after is not None else None
    if before is None:
        assert after is not None
        return insert(TEAS, after)
    if after is None:
        return delete(TEAS, before)
    if step.before == step.after:
        return unified_update(TEAS, before, after)
    return (unified_key_update if is_unified else key_update)(TEAS, before, after)


def _written(folder: Path, steps: list[Step], *, roll: float, is_unified: bool) -> list[tuple[str, int]]:
    """Write a trail of a transaction for each step; return the file and the RBA of each."""
    folder.mkdir()
    copier = Copier(folder, Random(7), roll_chance=roll, tables=(TEAS,))
    for number, step in enumerate(steps, 1):
        copier.begin(number)
        copier.rows([_change(step, number, is_unified=is_unified)], 1)
    copier.close()
    places = []
    for path in sorted(folder.iterdir()):
        with TrailFile(path) as trail:
            places += [(path.name, record.rba) for record in trail.records(trail.first_rba) if not record.is_metadata]
    return places


STEPS = [
    Step(1, None, "A"),
    Step(2, None, "X"),
    Step(1, "A", "B"),
    Step(3, None, "A"),
    Step(1, "B", "B"),
    Step(1, "B", "C"),
    Step(3, "A", "B"),
    Step(2, "X", "X"),
    Step(1, "C", "D"),
    Step(3, "B", None),
    Step(4, None, "B"),
]
"""Four rows; A is the key of two of them, B of three."""


def _told(line: Line, folder: Path, key: str) -> list[tuple[str, int]]:
    line(f"open {min(folder.iterdir())}; across on; row TEAHOUSE.TEAS TEA_CODE={key}")
    return [(event.path.name, event.row.rba) for event in line.events if isinstance(event, RowChangeShown)]


@pytest.mark.parametrize(("roll", "is_unified"), [(0, True), (1, False)])
def test_the_changes_are_those_of_the_rows_that_had_the_key(roll: float, is_unified: bool, tmp_path: Path) -> None:
    """In one file, and in one for each transaction."""
    places = _written(tmp_path / "trail", STEPS, roll=roll, is_unified=is_unified)
    for key in "ABCDX":
        wanted = {step.row for step in STEPS if key in (step.before, step.after)}
        expected = [place for place, step in zip(places, STEPS, strict=True) if step.row in wanted]
        assert _told(Line(), tmp_path / "trail", key) == expected, key


@pytest.mark.parametrize(
    ("names", "column"), [(("tea", "TEA", "Tea"), "TEA"), (("Tea", "tea"), "Tea"), (("POT", "tea", "Tea"), "tea")]
)
def test_of_columns_whose_names_differ_by_case_that_in_capitals_is_meant(names: tuple[str, ...], column: str) -> None:
    """Without one in capitals the first."""
    columns: list[Any] = [SimpleNamespace(name=name) for name in names]
    found: Any = row_story._named(ColumnOperand("TEA", False, Operand("1")), columns)
    assert found.name == column


@pytest.mark.parametrize(("most", "is_told"), [(3, False), (4, True), (5, True)])
def test_so_many_keys_of_a_row_are_followed(
    most: int, is_told: bool, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row has had four: one of them is asked for."""
    monkeypatch.setattr(row_story, "_MOST_KEYS", most)
    steps = [Step(1, None, "A"), Step(1, "A", "B"), Step(1, "B", "C"), Step(1, "C", "D")]
    places = _written(tmp_path / "trail", steps, roll=0, is_unified=True)
    assert _told(line, tmp_path / "trail", "A") == places[: None if is_told else 3]


def test_a_key_that_goes_to_two_rows_one_after_the_other_is_followed_to_both(line: Line, tmp_path: Path) -> None:
    """A became B, and later another A became C."""
    steps = [
        Step(1, None, "A"),
        Step(1, "A", "B"),
        Step(2, None, "A"),
        Step(2, "A", "C"),
        Step(1, "B", "B"),
        Step(2, "C", "C"),
    ]
    places = _written(tmp_path / "trail", steps, roll=0, is_unified=True)
    assert _told(line, tmp_path / "trail", "A") == places
    assert _told(Line(), tmp_path / "trail", "C") == [places[2], places[3], places[5]]


def test_a_key_that_was_given_up_is_that_of_a_row_of_which_the_trail_has_no_insert(line: Line, tmp_path: Path) -> None:
    steps = [Step(1, None, "A"), Step(1, "A", "B"), Step(2, "A", "C"), Step(1, "B", "B")]
    places = _written(tmp_path / "trail", steps, roll=0, is_unified=True)
    assert _told(line, tmp_path / "trail", "B") == [places[0], places[1], places[3]]
    assert _told(Line(), tmp_path / "trail", "C") == [places[2]]


def test_each_place_of_damage_is_told(line: Line, tmp_path: Path) -> None:
    places = _written(tmp_path / "trail", STEPS, roll=0, is_unified=True)
    path = min((tmp_path / "trail").iterdir())
    content = bytearray(path.read_bytes())
    for _, rba in (places[1], places[3], places[5]):
        content[rba] ^= 0xFF
    path.write_bytes(content)
    text = "\n".join(line(f"open {path}; row TEAHOUSE.TEAS TEA_CODE=D"))
    assert [f"RBA {rba}" in text for _, rba in (places[1], places[3], places[5])] == [True] * 3


def test_the_row_of_a_record_is_that_which_has_its_key_after_it(line: Line, tmp_path: Path) -> None:
    """A was the key of two rows, B of three; the record makes B of A."""
    places = _written(tmp_path / "trail", STEPS, roll=0, is_unified=True)
    path = min((tmp_path / "trail").iterdir())
    line(f"open {path}; position {places[2][1]}; list 1; row")
    told = [event.row.rba for event in line.events if isinstance(event, RowChangeShown)]
    assert told == [rba for _, rba in _told(Line(), tmp_path / "trail", "B")]


def test_an_update_in_two_records_is_taken_back_with_both(line: Line, tmp_path: Path) -> None:
    folder = tmp_path / "trail"
    folder.mkdir()
    copier = Copier(folder, Random(7), roll_chance=0, tables=(TEAS,))
    for number, changes in enumerate(
        ([insert(TEAS, _values("A", 1))], [*update_pair(TEAS, _values("A", 1), _values("A", 2))])
    ):
        copier.begin(number + 1)
        copier.rows(changes, len(changes))
    copier.close()
    text = "\n".join(line(f"open {min(folder.iterdir())}; row undo last 1 TEAHOUSE.TEAS TEA_CODE=A"))
    assert 'SET "STOCK_KG" = 1' in text


@pytest.mark.parametrize(("name", "is_exact"), [("TEA_CODE", False), ("Tea_code", True), ("tea_code", True)])
def test_the_case_of_a_name_counts_where_it_is_not_in_capitals(
    name: str, is_exact: bool, line: Line, tmp_path: Path
) -> None:
    (_, rba), *_ = _written(tmp_path / "trail", STEPS, roll=0, is_unified=True)
    line(f"open {min((tmp_path / 'trail').iterdir())}; position {rba}; list 1")
    session = line.session
    record = session.trail.record_at(rba)
    assert record is not None
    change = change_of(session.trail, record, session.row_definitions, session.cursor.transactions)
    assert change is not None
    assert command._asked(change, change.columns[0]._replace(name=name)).is_exact == is_exact


def _over_files(folder: Path, transactions: list[list[Change]]) -> list[Path]:
    """Write transactions, each record in a file of its own; return the files."""
    folder.mkdir()
    copier = Copier(folder, Random(7), roll_chance=1, tables=(TEAS,))
    for number, changes in enumerate(transactions, 1):
        copier.begin(number)
        copier.rows(changes, len(changes))
    copier.close()
    return copier.paths


def test_a_transaction_over_files_is_taken_back_once(line: Line, tmp_path: Path) -> None:
    """With changes of the row in three files of it, and of others between them."""
    first, second, third, fourth = (_values("A", number) for number in range(1, 5))
    other = _values("B", 9)
    transactions = [
        [insert(TEAS, first), unified_update(TEAS, first, second), insert(TEAS, other)],
        [unified_update(TEAS, second, third), delete(TEAS, other), unified_update(TEAS, third, fourth)],
    ]
    transactions[1].append(delete(TEAS, fourth))
    paths = _over_files(tmp_path / "trail", transactions)
    line(f"open {paths[0]}; across on")
    undone = [text for text in line("row undo TEAS TEA_CODE=A") if not text.startswith("--")]
    words = [text.split()[0] for text in undone if text.endswith(";")]
    assert words == ["START", "INSERT", "UPDATE", "UPDATE", "COMMIT;", "START", "UPDATE", "DELETE", "COMMIT;"]
    stocks = [text.split('"STOCK_KG" = ')[1].split()[0] for text in undone if '"STOCK_KG" =' in text]
    assert stocks == ["3", "2", "1"]
    line(f"open {paths[0]}")
    last = [text for text in line("row undo last 3 TEAS TEA_CODE=A") if text.startswith(("INSERT", "UPDATE", "DELETE"))]
    assert [text.split()[0] for text in last] == ["INSERT", "UPDATE", "UPDATE"]


@pytest.mark.parametrize("unreadable", [(0,), (1,), (2,), (0, 2)])
def test_a_key_with_a_value_that_does_not_decode_is_not_followed_by_the_others(
    unreadable: tuple[int, ...], line: Line, trails: Path
) -> None:
    line(f"open {trails / 'et000000000'}")
    names = ("A", "B", "C")
    asked = tuple(ColumnOperand(name, False, Operand(name)) for name in names)
    search = row_story.RowSearch(line.session, row_story.RowQuestion("T", asked))
    values = tuple(
        Value(b"\xff", problem="no text") if number in unreadable else Value(name.encode(), name)
        for number, name in enumerate(names)
    )
    assert search._operands(row_story.RowKey((), values)) == ()
    assert list(search.unread) == ["The row has had a key that does not decode: it is not followed."]
    whole = row_story.RowKey((), tuple(Value(name.encode(), name) for name in names))
    assert len(search._operands(whole)) == 3


@pytest.mark.parametrize("places", [{0}, {1}, {2}, {0, 1}, {0, 1, 2}, set()])
@pytest.mark.parametrize("files", [1, 6])
def test_a_truncate_removes_the_row_only_behind_its_last_change(
    places: set[int], files: int, line: Line, tmp_path: Path
) -> None:
    """Truncates before, between and behind two changes, in one file or in one for each."""
    changes: list[list[Change]] = [[insert(TEAS, _values("A", 1))], [unified_update(TEAS, *_two())], []]
    transactions = [group for at in range(3) for group in ([truncate(TEAS)] if at in places else [], changes[at])]
    (folder := tmp_path / "trail").mkdir()
    copier = Copier(folder, Random(7), roll_chance=files - 1, tables=(TEAS,))
    for number, group in enumerate(filter(None, transactions), 1):
        copier.begin(number)
        copier.rows(group, len(group))
    copier.close()
    told = line(f"open {copier.paths[0]}; across on; row TEAS TEA_CODE=A")
    assert ("was deleted" in told[-1], "row exists" in told[-1]) == (2 in places, 2 not in places)
    assert sum(text.startswith("TRUNCATE of TEAHOUSE.TEAS") for text in told) == len(places)


def test_truncates_are_told_in_the_order_of_the_trail(line: Line, tmp_path: Path) -> None:
    """So many that no other order of theirs is it by chance; of some the file changes between."""
    copier = Copier(tmp_path, Random(), roll_chance=0.3, tables=(TEAS,))
    for number in range(1, 25):
        copier.begin(number)
        copier.rows([truncate(TEAS) if number > 1 else insert(TEAS, _values("A", 1))], 1)
    copier.close()
    told = line(f"open {copier.paths[0]}; across on; row TEAS TEA_CODE=A")
    said = [text.split(" at RBA ")[1].split() for text in told if text.startswith("TRUNCATE of TEAHOUSE.TEAS")]
    places = [(words[2], int(words[0])) for words in said]
    assert len(places) == 23
    assert places == sorted(places)


@pytest.mark.parametrize("cut", [{0}, {1}, {0, 1}, set()])
def test_a_truncate_of_a_transaction_that_has_no_end_removes_no_row(cut: set[int], line: Line, tmp_path: Path) -> None:
    """Of two truncates after the row each stands in a transaction that ends, or in one that a restart cuts."""
    (folder := tmp_path / "trail").mkdir()
    copier = Copier(folder, Random(7), roll_chance=0.0, tables=(TEAS,))
    copier.begin(1)
    copier.rows([insert(TEAS, _values("A", 1))], 1)
    for at in range(2):
        copier.begin(2 + at)
        copier.rows([truncate(TEAS), insert(TEAS, _values(f"Z{at}", 1))], 1 if at in cut else 2)
        copier.marker(RESTART_ABEND)
    copier.close()
    told = line(f"open {copier.paths[0]}; row TEAS TEA_CODE=A")
    assert ("was deleted" in told[-1], "row exists" in told[-1]) == (len(cut) < 2, len(cut) == 2)
    said = [text.rsplit(" ", 8) for text in told if text.startswith("TRUNCATE of")]
    assert sum("not" in words for words in said) == len(cut)
    assert sum("removes" in words for words in said) == 2 - len(cut)


def _two() -> tuple[Row, Row]:
    return _values("A", 1), _values("A", 2)


@pytest.mark.parametrize("seed", range(examples(6)))
def test_files_after_the_last_one_that_was_read_are_counted_in_the_verdict(
    seed: int, line: Line, tmp_path: Path
) -> None:
    """A row that a later file deletes exists only as far as that file is not read."""
    draw = Random(f"later {seed}")
    with TrailFile(TRAILS / "et000000000") as trail:
        records = list(trail.records())
    head = b"".join(record.raw for record in records if record.is_file_header or record.is_metadata)
    rows = [record.raw for record in records[1:] if not record.is_metadata]
    bounds = [0, *sorted(draw.sample(range(1, len(rows)), 3)), len(rows)]
    paths = [tmp_path / f"tt{number:09}" for number in range(4)]
    for path, (first, stop) in zip(paths, pairwise(bounds), strict=True):
        path.write_bytes(head + b"".join(rows[first:stop]))
    opened = draw.randrange(3)
    line(f"open {paths[opened]}")
    for across in ("off", "on"):
        line(f"across {across}")
        del line.events[:]
        *_, verdict = line("row TEAHOUSE.TEAS TEA_CODE=SEN01")
        shown = [event for event in line.events if isinstance(event, RowStoryShown)]
        later = len(paths) - opened - 1 if across == "off" else 0
        if shown:
            assert shown[0].later_files == later
            said = f"{later} later file{'s' * (later > 1)} of the trail {'are' if later > 1 else 'is'} not read"
            assert (said in verdict) is bool(later)
            assert across == "off" or "after them the row was deleted." in verdict
