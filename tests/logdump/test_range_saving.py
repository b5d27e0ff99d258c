"""SAVE by columns writes the file that SAVE record by record writes.

What the file header of a saved trail tells: its own name, number and beginning, not how another file ends.
"""

from __future__ import annotations

import errno
import os
import string
from functools import partial
from mmap import mmap
from pathlib import Path

import numpy as np
import pytest

from fixtures import TRAILS
from logdump.features.save import ranges
from logdump.features.save import saver as saving
from logdump.features.save.ranges import CopyRows, RangeCopy, RowsOfFile, WrittenDefinitions
from logdump.notation.text import amount
from logdump.session import passing
from logdump.session import scan as session_scan
from logdump.session.events import Progress
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random, examples, in_turn, part_of, some_trails
from tests.trailformat.samples import BOTH, IO_TIME, row, table_record, trail_of
from tests.trailformat.scan.drawn_definitions import drawn_trail
from trailformat import ByteOrder, CannotRead, Record, TrailFile, make_file_header, make_file_header_record
from trailformat.records.file_header import Value
from trailformat.scan import parallel, scan
from trailformat.scan.rows import NO_INDEX, definitions, row_bytes
from trailformat.trail.whole_file import early

OLD, SHOP = TRAILS / "ot000000", TRAILS / "et000000000"


def _told(path: Path, *names: str) -> list[Value]:
    """Values of TrailInfo."""
    with TrailFile(path) as trail:
        header = trail.file_header
    assert header is not None
    return [header.get("TrailInfo", name) for name in names]


def test_it_begins_with_the_first_row_and_its_end_is_not_known(line: Line, tmp_path: Path) -> None:
    names = ("FirstCSN", "FirstIOTime", "FileSize", "LastCSN", "LastIOTime")
    assert _told(OLD, *names) == ["41882317", 212577168600000000, OLD.stat().st_size, "41882402", 212577168900000000]
    line(f"open {OLD}; pos 1742; save {tmp_path / 'xx000000007'}")
    assert _told(tmp_path / "xx000000007", *names) == ["41882368", 212577168840000000, None, None, None]


@pytest.mark.parametrize("before", ["pos 1261", "filter include filename no.such"], ids=["a definition", "nothing"])
def test_where_no_row_is_first_the_beginning_is_not_known(before: str, shop: Line, tmp_path: Path) -> None:
    shop(f"{before}; save {tmp_path / 'xx000000007'}")
    assert _told(tmp_path / "xx000000007", "FirstCSN", "FirstIOTime") == [None, None]


def test_the_rest_is_as_in_the_source(shop: Line, tmp_path: Path) -> None:
    shop(f"pos 3391; save {tmp_path / 'xx000000007'}")
    names = ("Signature", "Compatibility", "Charset", "CreationTime", "URI", "MultiPart", "BITFLAGS")
    assert _told(tmp_path / "xx000000007", *names) == _told(SHOP, *names)


@pytest.mark.parametrize(("name", "seqno"), [("xx000000007", 7), ("xx000012", 12), ("saved", 0)])
def test_its_number_is_that_in_its_name(name: str, seqno: int, shop: Line, tmp_path: Path) -> None:
    shop(f"save {tmp_path / name}")
    assert _told(tmp_path / name, "FileName", "Seqno") == [str(tmp_path / name), seqno]


def test_its_first_time_is_the_one_that_committs_gives(shop: Line, tmp_path: Path) -> None:
    shop(f"pos 1811; save {tmp_path / 'xx000000007'} committs 212577168000000000")
    assert _told(tmp_path / "xx000000007", "FirstCSN", "FirstIOTime") == ["41882317", 212577168000000000]


FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
COMMANDS = [
    "save T !",
    "save T ! 7 records",
    "save T ! 900 bytes",
    "save T ! comment",
    "skip 7; save T !",
    "filter rectype insert; save T !",
    "filter filename *sales; save T !",
    "filter exclude rectype metadata; save T !",
    "filter exclude rectype metadata; skip 5; save T ! 6 records",
    "filter csn > 41882320; save T !",
    "filter csn > 41882320; skip 6; save T ! 9 records",
    "filter ggstoken orarowid; filter exclude csn 41882334; save T !",
    "save T ! transind only",
    "save T ! committs 212577168660000001",
]


def _saved(path: Path, commands: str, target: Path) -> tuple[bytes | None, list[str], int]:
    line = Line()
    target.unlink(missing_ok=True)
    line(f"open {path}")
    shown = [text for command in commands.replace("T", str(target)).split("; ") for text in line(command)]
    position = line.session.cursor.next
    line.session.close()
    return target.read_bytes() if target.exists() else None, shown, position


def _by_columns(monkeypatch: pytest.MonkeyPatch, nearby: int) -> None:
    """Have every trail copied by columns behind so many records."""
    monkeypatch.setattr(session_scan, "_LARGEST", nearby)


@pytest.mark.parametrize(("nearby", "commands"), in_turn([1, 3] if IS_LONG else [3], COMMANDS))
def test_the_same_file_is_written(nearby: int, commands: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "current_timestamp", lambda: 0)
    target, files = tmp_path / "xx000000000", part_of(FILES, COMMANDS.index(commands))
    expected = {path: _without_progress(_saved(path, commands, target)) for path in files}
    _by_columns(monkeypatch, nearby)
    for path in files:
        assert _without_progress(_saved(path, commands, target)) == expected[path], path.name


def _without_progress(outcome: tuple[bytes | None, list[str], int]) -> tuple[bytes | None, list[str], int]:
    data, shown, position = outcome
    return data, [text for text in shown if not text.startswith("Scanned ")], position


def _refusing(*_arguments: int) -> int:
    raise OSError(errno.EXDEV, "two file systems")


WAYS = {
    "in small batches, in threads": ((passing, "BATCH_SIZE", 4), (parallel, "PIECE", 700)),
    "from where it is mapped": ((row_bytes, "MOST_COPIED", 0),),
    "by sorting": ((definitions, "_MOST_KEYS", 0),),
    "by the system, which refuses": ((ranges, "_LONG", 1), (os, "copy_file_range", _refusing), (early, "_PART", 100)),
}


@pytest.mark.parametrize(("way", "name"), in_turn(WAYS, ["et000000000", "rl000000000", "gt000000000"]))
def test_how_it_is_done_does_not_matter(way: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "current_timestamp", lambda: 0)
    target = tmp_path / "xx000000000"
    expected = [_without_progress(_saved(TRAILS / name, commands, target)) for commands in COMMANDS]
    for what in WAYS[way]:
        monkeypatch.setattr(*what)
    _by_columns(monkeypatch, 1)
    assert [_without_progress(_saved(TRAILS / name, commands, target)) for commands in COMMANDS] == expected


@pytest.mark.parametrize(("order", "piece", "long"), [(ByteOrder.BIG, 700, 600), (ByteOrder.LITTLE, 1 << 20, 1)])
def test_rows_have_the_definitions_that_they_had(
    order: ByteOrder, piece: int, long: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, target = Random(order.value), tmp_path / "xx000000000"
    drawn = [drawn_trail(chance, order, is_damaged=False) for _ in range(examples(1))]
    paths = [trail_of(tmp_path, *records, name=f"tt{number:09}") for number, records in enumerate(drawn)]
    commands = [
        "save T !",
        "skip 50; save T !",
        "filter exclude rectype metadata; save T !",
        "filter filename A; save T !",
    ]
    expected = [_without_progress(_saved(path, command, target)) for path in paths for command in commands]
    monkeypatch.setattr(parallel, "PIECE", piece)
    monkeypatch.setattr(ranges, "_LONG", long)
    monkeypatch.setattr(early, "_PART", 300)
    _by_columns(monkeypatch, 1)
    assert [_without_progress(_saved(path, command, target)) for path in paths for command in commands] == expected


def test_it_tells_how_far_it_is(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _by_columns(monkeypatch, 2)
    monkeypatch.setattr(passing, "BATCH_SIZE", 4)
    path = trail_of(tmp_path, *[row(io_time=IO_TIME + number) for number in range(11)])
    line(f"open {path}; save {tmp_path / 'xx000000000'}")
    told = [progress for progress in line.events if isinstance(progress, Progress)]
    rows = [(saved, (saved - 1) * row().length, IO_TIME + saved - 1) for saved in (5, 9, 11)]
    assert told == [Progress(*counts, path.stat().st_size) for counts in rows]


@pytest.mark.parametrize("nearby", [1, 2000], ids=["by columns", "by records"])
@pytest.mark.parametrize("room", [8, 7, 2])
@pytest.mark.parametrize("less", [0, 1])
def test_records_are_saved_up_to_so_many_bytes(
    less: int, room: int, nearby: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _by_columns(monkeypatch, nearby)
    monkeypatch.setattr(passing, "BATCH_SIZE", 2)
    target = tmp_path / "xx000000000"
    line(f"open {trail_of(tmp_path, *[row()] * 12)}")
    assert (
        line(f"save {target} {room * row().length - less} bytes")[-1]
        == f"Saved {amount(room - less, 'record')} to {target}"
    )
    assert target.read_bytes() == row().raw * (room - less)


@pytest.mark.parametrize("nearby", [1, 2000], ids=["by columns", "by records"])
def test_a_file_header_in_the_middle_is_left_out(
    nearby: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _by_columns(monkeypatch, nearby)
    header = make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 1}}))
    line(f"open {trail_of(tmp_path, row(), row(), header, row())}; save {tmp_path / 'xx000000000'}")
    assert (tmp_path / "xx000000000").read_bytes() == row().raw * 3


def _what_happens(rows: str, *, room: int | None = None, known: bool = False) -> list[str]:
    """What becomes of rows: a capital was looked at as a record, small letters were copied as one range.

    Where definitions are ``known``, each has one number, and rows come one by one, as in batches.

    Each row is a letter, which stands for its byte, and its table index, ``-`` for a name, or ``!`` for metadata; one
    with ``+`` begins a new file, as does one that does not fit in the ``room`` of a file.
    """
    letters = [word[0] for word in rows.split()]
    told: list[str] = []
    used = 0

    def write_record(record: Record) -> bool:
        nonlocal used
        used += 1
        is_new = rows.split()[record.rba].endswith("+") or (room is not None and used > room)
        used = 1 if is_new else used
        told.append(letters[record.rba].upper())
        return is_new

    def write_bytes(data: bytes | memoryview, records: int) -> None:
        nonlocal used
        assert len(data) == records
        used += records
        told.append(bytes(data).decode())

    def record_of(number: int) -> Record:
        record = row()
        record.rba = number
        return record

    is_metadata = np.array([word[1] == "!" for word in rows.split()])
    indexes = np.array([int(word[1]) if word[1].isdigit() else NO_INDEX for word in rows.split()])
    starts = np.array([string.ascii_lowercase.index(letter) for letter in letters])
    segment = np.cumsum(is_metadata)
    copy = RangeCopy(write_record, write_bytes, None if room is None else lambda: room - used)
    written = WrittenDefinitions() if known else None
    for selected in np.arange(len(letters)).reshape((-1, 1) if known else (1, -1)):
        data, record = string.ascii_lowercase.encode(), partial(lambda numbers, row: record_of(numbers[row]), selected)
        about = segment[selected], is_metadata[selected], indexes[selected]
        copy.copy(CopyRows(data, starts[selected], starts[selected] + 1, *about, record, written))
    return told


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a1 b1 c1 d2 e1 f2", ["A", "bc", "D", "ef"]),
        ("a- b- c-", ["abc"]),
        ("a- b1 c- d1", ["a", "B", "cd"]),
        ("a1 b1 c! d1 e1 f-", ["A", "b", "C", "D", "ef"]),
        ("a- b- d- g- h-", ["abdgh"]),
        ("a1 b1 c2+ d1 e2 f1", ["A", "b", "C", "D", "E", "f"]),
    ],
    ids=["the first of each table", "names", "names between", "metadata", "gaps", "a new file"],
)
def test_as_few_as_possible_are_looked_at(rows: str, told: list[str]) -> None:
    assert _what_happens(rows) == told


@pytest.mark.parametrize(
    ("rows", "room", "told"),
    [
        ("a- b- c- d- e- f- g- h-", 3, ["abc", "D", "ef", "G", "h"]),
        ("a1 b1 c1 d1 e1", 3, ["A", "bc", "D", "E"]),
        ("a- b- c-", 3, ["abc"]),
        ("a1 b1 c1 d1", 0, ["A", "B", "C", "D"]),
    ],
    ids=["names", "tables", "just enough", "no room"],
)
def test_what_does_not_fit_begins_the_next_file(rows: str, room: int, told: list[str]) -> None:
    assert _what_happens(rows, room=room) == told


@pytest.mark.parametrize(
    ("rows", "room", "told"),
    [
        ("a1 b1 c2 d1 e2 f1", None, ["A", "b", "C", "d", "e", "f"]),
        ("a1 b1+ c1 d2 e1 f2", None, ["A", "b", "c", "D", "e", "f"]),
        ("a1 b1 c2+ d1 e2 f1", None, ["A", "b", "C", "D", "e", "f"]),
        ("a1 b1 c2 d1 e1 f2", 3, ["A", "b", "C", "D", "e", "F"]),
        ("a1 b1 c1 d- e- f1", 2, ["A", "b", "C", "d", "E", "F"]),
        ("a1 b1 c! d3 e1 f3", None, ["A", "b", "C", "D", "e", "f"]),
    ],
    ids=["known", "no new file", "a new file", "full", "names", "metadata"],
)
def test_a_definition_is_looked_for_once_in_each_file(rows: str, room: int | None, told: list[str]) -> None:
    assert _what_happens(rows, room=room, known=True) == told


@pytest.mark.parametrize("most_read", [1 << 26, 0], ids=["read", "mapped"])
@pytest.mark.parametrize("order", BOTH)
def test_the_rows_of_a_batch(order: ByteOrder, most_read: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_bytes, "MOST_COPIED", most_read)
    records = [
        row(b"before", order=order),
        row(name=258, order=order),
        row(b"left out", name=3, order=order),
        table_record(1, "A.B", order),
        row(b"named", order=order),
        row(b"one", name=1, order=order),
    ]
    path = trail_of(tmp_path, *records)
    with TrailFile(path) as trail:
        (batch,) = scan(trail, records[0].length)
        (rows,) = RowsOfFile(trail).of(batch, np.array([0, 2, 3, 4]))
        taken = [records[number] for number in (1, 3, 4, 5)]
        parts = zip(rows.starts.tolist(), rows.ends.tolist(), strict=True)
        assert isinstance(rows.buffer, memoryview | mmap)
        assert [bytes(rows.buffer[start:end]) for start, end in parts] == [record.raw for record in taken]
        assert rows.is_metadata.tolist() == [False, True, False, False]
        names = ["" if key == NO_INDEX else batch.names[key] for key in rows.definition.tolist()]
        assert names == ["", "", "", "A.B"]
        found = [rows.record(number) for number in range(4)]
    assert [record.raw for record in found if record is not None] == [record.raw for record in taken]


def test_a_file_that_is_cut_while_it_is_copied_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_bytes, "MOST_COPIED", 0)
    path = trail_of(tmp_path, *[row(bytes(1000))] * 50)
    with TrailFile(path) as trail, (tmp_path / "target").open("wb") as target:
        (batch,) = scan(trail, 0)
        (rows,) = RowsOfFile(trail).of(batch, np.arange(50))
        path.write_bytes(b"")
        for copy_range in (None, lambda source, start, stop, _: source.copy_to(target.fileno(), start, stop)):
            with pytest.raises(CannotRead, match="the file was truncated while it was read"):
                RangeCopy(lambda _: None, lambda _data, _records: None, copy_range=copy_range).copy(rows)
