"""EXPORT SQL of a trail in several files: the statements of the same trail in one file, wherever it is cut."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from logdump.display.sql import blocks
from tests.logdump.export.drawn_transactions import TABLES, DrawnTransactions, definition
from tests.logdump.export.scripts import DIRECTIONS, EITHER, check, written
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random, all_in_turn, in_turn
from tests.trailformat.samples import BOTH, header, trail_of
from trailformat import ByteOrder, Images, Record, make_column, make_record
from trailformat.records.record_header import FIELD_COMP, LARGE_OBJECT

SEEDS = range(8 if IS_LONG else 1)
STEP = 1 if IS_LONG else 20
FILTERS = ("", "", "filter include filename TEA.POTS", "filter include rectype 5")
WORDS = ("", "include cut")


def _drawn(random: Random, order: ByteOrder, number: int) -> list[Record]:
    """The records of some transactions, a few without their last record."""
    drawn = DrawnTransactions(random, order)
    transactions = [drawn.transaction() for _ in range(number)]
    return [
        record
        for transaction in transactions
        for record in (transaction[:-1] if random.random() < 0.2 else transaction)
    ]


def _in_files(folder: Path, records: list[Record], cuts: Iterable[int], order: ByteOrder) -> Path:
    """Write records in files, each of which has the definitions; returns the first one."""
    folder.mkdir(exist_ok=True)
    tables = [definition(name, index, order) for index, name in enumerate(TABLES, 1)]
    bounds = sorted({0, *cuts, len(records)})
    paths = [
        trail_of(folder, *tables, *records[start:stop], name=f"tt{number:09}")
        for number, (start, stop) in enumerate(pairwise(bounds))
    ]
    return paths[0]


def _statements(script: str) -> list[str]:
    """The lines of a script without those that say where a record is."""
    return [line for line in script.split("\n") if not line.startswith(("-- Transaction", "-- Left out", "-- RBA"))]


@pytest.mark.parametrize(("seed", "order", "direction"), all_in_turn(SEEDS, BOTH, DIRECTIONS))
def test_a_trail_cut_in_three_has_the_statements_of_one_file(
    seed: int, order: ByteOrder, direction: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"{seed} {order} {direction}")
    records = _drawn(random, order, 6)
    dialects = ["oracle", "mysql", "postgresql", "ansi"]
    in_one = _in_files(tmp_path / "one", records, (), order)
    for first in range(random.randint(1, STEP), len(records) - 1, STEP):
        second = min(first + random.choice((1, 1, 2, 5)), len(records) - 1)
        words = f"{random.choice(dialects)} {direction} {random.choice(WORDS)}"
        before = f"across on; {random.choice(FILTERS)}"
        monkeypatch.setattr(blocks, "_MOST_BYTES", random.choice((300, 8 << 20)))
        in_three = _in_files(tmp_path / f"{first}", records, (first, second), order)
        script = check(in_three, words, before)
        assert _statements(script) == _statements((written(in_one, words, before, by_columns=True)[0] or b"").decode())


@pytest.mark.parametrize(("words", "order", "direction"), all_in_turn(WORDS, BOTH, DIRECTIONS))
def test_each_record_in_a_file_of_its_own(words: str, order: ByteOrder, direction: str, tmp_path: Path) -> None:
    random = Random(f"{words} {order} {direction}")
    records = _drawn(random, order, 6 if IS_LONG else 2)
    script = check(
        _in_files(tmp_path / "all", records, range(len(records)), order), f"{direction} {words}", "across on"
    )
    in_one = _in_files(tmp_path / "one", records, (), order)
    whole = written(in_one, f"{direction} {words}", "across on", by_columns=True)[0] or b""
    assert _statements(script) == _statements(whole.decode())


@pytest.mark.parametrize(("before", "command"), in_turn(FILTERS[1:], ["redo", "undo"]))
def test_redo_and_undo_over_files_print_what_export_writes(before: str, command: str, tmp_path: Path) -> None:
    random = Random(f"{before} {command}")
    records = _drawn(random, ByteOrder.BIG, 8 if IS_LONG else 3)
    first = _in_files(tmp_path / "cut", records, range(0, len(records), 3), ByteOrder.BIG)
    direction = "undo" if command == "undo" else ""
    exported = check(first, f"ansi {direction} include cut", f"across on; {before}")
    shown = []
    for takes_lines in (False, True):
        line = Line()
        line(f"open {first}; across on; {before}")
        line.session.takes_lines = takes_lines
        shown.append("\n".join(line(f"{command} 999 ansi include cut")))
        line.session.close()
    assert shown[0] == shown[1]
    # then the file of the position is named
    expected = _statements(exported.removesuffix("\n"))
    assert _statements(shown[0])[: len(expected)] == expected


@EITHER
def test_one_change_of_each_file_at_most_is_made_by_itself(
    direction: str, tmp_path: Path, singles: list[list[Record]]
) -> None:
    """It is the update in two records, or the row with large objects, that goes on in the next file."""
    order = ByteOrder.BIG
    image = tuple(make_column(at, b"\0\1x") for at in range(3))
    before = make_record(header(1, io_type=FIELD_COMP, before_after=ord("B"), trans_ind=1), Images(image, None))
    changed = (*image[:2], make_column(2, b"\0\1y"))
    after = make_record(header(1, io_type=FIELD_COMP, trans_ind=1), Images(None, changed))
    pair = [before, after]
    records = [record for _ in range(9) for record in pair]
    records[0] = make_record(before.header._replace(trans_ind=0), Images(image, None))
    records[-1] = make_record(after.header._replace(trans_ind=2), Images(None, changed))
    script = check(_in_files(tmp_path, records, (5, 12), order), f"ansi {direction}")
    singles.clear()
    written(tmp_path / "tt000000000", f"ansi {direction}", "", by_columns=True)
    assert (script.count("UPDATE"), [len(one) for one in singles]) == (9, [2])


@pytest.mark.parametrize(("damaged", "direction"), in_turn(range(3), DIRECTIONS))
def test_damage_in_a_transaction_over_files_ends_both_ways_alike(damaged: int, direction: str, tmp_path: Path) -> None:
    drawn = DrawnTransactions(Random(5), ByteOrder.BIG)
    records = [record for _ in range(12) for record in drawn.transaction()]
    middle = [record for record in records if record.header.io_type != LARGE_OBJECT]
    contents: list[list[Record | bytes]] = [list(middle[number::3]) for number in range(3)]
    for number, content in enumerate(contents):
        content[:] = [_placed(one, 0 if (number, at) == (0, 0) else 1) for at, one in enumerate(content)]
        if number == damaged:
            content.insert(1, b"\x00\x01damage\xff" * 3)
        trail_of(tmp_path, *content, name=f"tt{number:09}")
    for name in ("tt000000000", "tt000000002"):
        by_change, by_columns = (
            written(tmp_path / name, f"{direction} include cut", "across on", by_columns=is_so)
            for is_so in (False, True)
        )
        assert by_columns[0] == by_change[0]
        assert [_file_of(one) for one in by_columns[2]] == [_file_of(one) for one in by_change[2]]


def _file_of(failure: str) -> str:
    return failure.partition(", RBA")[0]


def _placed(record: Record | bytes, trans_ind: int) -> Record:
    assert isinstance(record, Record)
    return make_record(record.header._replace(trans_ind=trans_ind), record.images or record.data, order=record.order)
