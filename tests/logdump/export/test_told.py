"""What EXPORT tells: its progress as NOTIFY wants it, and what it has written, left out and not understood."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.arrow.tables.layout import ALL
from logdump.display.text import render
from logdump.features.export import batch_walk
from logdump.features.export.target import ExportTally, FileTally
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Failure, Notice, Progress
from logdump.session.settings import Settings
from tests.logdump.line import Line
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import BadRecord, TrailFile
from trailformat.trail.sequence import FilePosition

SHOP = TRAILS / "et000000000"


def _told(line: Line, trail: Path, words: str, target: Path) -> list[str]:
    """What is told behind the line that names the trail."""
    return line(f"open {trail}; export {words.replace('T', str(target), 1)}")[1:]


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("csv to T", [(5, 2008), (10, 3260), (15, 3987), (20, 4989)]),
        ("jsonl to T by table", [(5, 2008), (10, 3260), (15, 3987), (20, 4989)]),
        ("parquet to T", [(5, 2008), (10, 3260), (15, 3987), (20, 4989)]),
        ("arrow to T by table 18 records", [(5, 2008), (10, 3260), (15, 3987)]),
        ("sql to T", [(5, 3260), (10, 3987), (15, 4989)]),
        ("sql to T undo", [(5, 5453), (10, 5453), (18, 5453)]),
    ],
)
def test_progress_comes_as_often_as_notify_says(
    words: str, places: list[tuple[int, int]], line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", 4)
    line("notify 5")
    _told(line, SHOP, words, tmp_path / "out")
    assert [(progress.records, progress.rba) for progress in line.events if isinstance(progress, Progress)] == places


@pytest.mark.parametrize("words", ["parquet to T", "sql to T"])
def test_progress_has_the_time_of_its_record_and_the_size_of_the_file(
    words: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", 4)
    line("notify 10")
    _told(line, SHOP, words, tmp_path / "out")
    first = next(progress for progress in line.events if isinstance(progress, Progress))
    shown = {"parquet to T": "Scanned 10 records, RBA 3260,2024/03/14 09:33", "sql to T": "RBA 3987,2024/03/14 09:35"}
    assert first.size == SHOP.stat().st_size
    assert any(shown[words] in text for text in _told(line, SHOP, words, tmp_path / "again"))


@pytest.mark.parametrize("words", ["csv to T", "parquet to T"])
def test_progress_has_the_time_of_the_record_at_its_rba(
    words: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", 4)
    line("notify 2")
    _told(line, SHOP, words, tmp_path / "out")
    found = {progress.rba: progress.time for progress in line.events if isinstance(progress, Progress)}
    with TrailFile(SHOP) as trail:
        records = [trail.record_at(rba) for rba in found]
    assert list(found.values()) == [record.header.io_time for record in records if record is not None]


def test_progress_counts_on_behind_damage(line: Line, tmp_path: Path) -> None:
    line("notify 5")
    _told(line, TRAILS / "gt000000000", "csv to T", tmp_path / "out")
    found = [(progress.records, progress.rba) for progress in line.events if isinstance(progress, Progress)]
    assert found == [(5, 2008), (10, 3260), (15, 4096), (20, 5098)]


def test_a_script_tells_its_statements_and_what_could_not_be_written(line: Line, tmp_path: Path) -> None:
    target = tmp_path / "out"
    assert _told(line, SHOP, "sql to T", target) == [f"Exported 17 statements of 10 transactions to {target}"]
    assert _told(line, SHOP, "sql to T undo !", target) == [
        f"Exported 15 statements of 10 transactions to {target}",
        "2 changes could not be written: a comment says why.",
    ]
    assert [notice.status for notice in line.events if isinstance(notice, Notice)] == [ExitStatus.BAD_DATA]


def test_a_script_tells_how_many_transactions_were_left_out_and_what_it_lacks(line: Line, tmp_path: Path) -> None:
    trail = tmp_path / "et000000000"
    trail.write_bytes(SHOP.read_bytes()[:2700])
    incomplete = f"{trail}, RBA 2170: the file ends inside the record; expected 552 bytes; found 530 bytes"
    assert _told(line, trail, "sql to T", tmp_path / "out") == [
        f"Exported 0 statements of 0 transactions to {tmp_path / 'out'}",
        "1 transaction left out: a comment says why.",
        f"{incomplete}: it is not in the answer.",
    ]
    assert [notice.status for notice in line.events if isinstance(notice, Notice)] == [
        ExitStatus.OK,
        ExitStatus.BAD_DATA,
    ]


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_what_is_no_row_and_what_is_no_record_is_told(format_: str, line: Line, tmp_path: Path) -> None:
    trail, target = TRAILS / "gt000000000", tmp_path / "out"
    damage = f"{trail}, RBA 3522: no record starts here; expected header token x47 'G'; found x54"
    assert _told(line, trail, f"{format_} to T by table", target) == [
        f"{damage}: 109 bytes are not exported",
        f"TEAHOUSE.TEAS.{format_}: 11 rows of TEAHOUSE.TEAS",
        f"TEAHOUSE.SALES.{format_}: 7 rows of TEAHOUSE.SALES",
        f"Exported 18 records to 2 files in {target}",
        "Left out 4 records that are not rows: FileHeader 1, Metadata 3",
    ]
    assert not [failure for failure in line.events if isinstance(failure, Failure)]
    assert _told(line, trail, f"{format_} to T", tmp_path / "all")[0].endswith("109 bytes are not exported")


def _of_two_tables(folder: Path, *rows: tuple[int, bytes]) -> Path:
    """Rows of TEA.T1 and TEA.T2 by table number and value; both are defined before the first."""
    tables = [table_record(number, f"TEA.T{number}") for number in (1, 2)]
    return trail_of(folder, *tables, *(row(text, number) for number, text in rows))


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet", "arrow"])
def test_tables_are_told_in_the_order_of_their_first_rows(format_: str, line: Line, tmp_path: Path) -> None:
    trail = _of_two_tables(tmp_path, (2, bytes(8)), (1, bytes(8)), (2, bytes(8)))
    tables = _told(line, trail, f"{format_} to T by table", tmp_path / "out")[:2]
    assert tables == [f"TEA.T2.{format_}: 2 rows of TEA.T2", f"TEA.T1.{format_}: 1 row of TEA.T1"]


@pytest.mark.parametrize("format_", ["jsonl", "parquet"])
def test_the_first_value_that_does_not_decode_is_that_of_the_first_record(
    format_: str, line: Line, tmp_path: Path
) -> None:
    trail = _of_two_tables(tmp_path, (1, bytes(8)), (2, b"leaf"), (1, b"leaf"))
    told = _told(line, trail, f"{format_} to T by table", tmp_path / "out")[-1]
    assert told.startswith("2 values or parts do not decode; the first: RBA 384, C0")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("csv to T", "7 values or parts do not decode; the first: RBA 1957: {no_table}"),
        ("jsonl to T by table", "6 values or parts do not decode; the first: RBA 1957: no definition of its columns"),
        ("parquet to T by table", "6 values or parts do not decode; the first: RBA 1957: no definition of its columns"),
    ],
)
def test_what_does_not_decode_is_counted_and_the_first_is_named(
    words: str, told: str, line: Line, tmp_path: Path
) -> None:
    no_table = "no table definition 2 before it: the name is not known"
    assert _told(line, TRAILS / "ml000000000", words, tmp_path / "out")[-1] == told.format(no_table=no_table)


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_damage_is_told_with_its_place_and_length(format_: str, line: Line, tmp_path: Path) -> None:
    trail = TRAILS / "gt000000000"
    _told(line, trail, f"{format_} to T", tmp_path / "out")
    (bad,) = [notice.bad for notice in line.events if isinstance(notice, Notice)]
    assert bad is not None
    assert (bad.error.path, bad.error.rba, bad.error.problem, bad.length) == (trail, 3522, "no record starts here", 109)


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_damage_behind_the_last_record_that_is_asked_for_is_left_to_the_next_export(
    format_: str, line: Line, tmp_path: Path
) -> None:
    told = _told(line, TRAILS / "gt000000000", f"{format_} to T 11 records", tmp_path / "first")
    assert line.session.cursor.next == 3522
    assert not [text for text in told if "are not exported" in text]
    told = line(f"export {format_} to {tmp_path / 'second'}")
    assert len([text for text in told if "are not exported" in text]) == 1


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_damage_behind_the_last_record_that_passes_is_told(format_: str, line: Line, tmp_path: Path) -> None:
    line("filter csn = 41882317")
    trail = TRAILS / "gt000000000"
    assert _told(line, trail, f"{format_} to T", tmp_path / "out")[0].endswith("109 bytes are not exported")
    assert line.session.cursor.next == trail.stat().st_size


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_a_position_inside_a_record_is_damage_up_to_the_next_one(format_: str, line: Line, tmp_path: Path) -> None:
    told = line(f"open {SHOP}; pos 1812; export {format_} to {tmp_path / 'out'}")
    (damage,) = [text for text in told if "are not exported" in text]
    assert damage.startswith(f"{SHOP}, RBA 1812: no record starts here")
    assert damage.endswith(": 196 bytes are not exported")
    assert told.index(damage) < next(at for at, text in enumerate(told) if text.startswith("Exported "))


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_the_position_is_at_damage_that_ends_the_last_file(format_: str, line: Line, tmp_path: Path) -> None:
    files = [trail_of(tmp_path, SHOP.read_bytes(), more, name=f"xx{n:09}") for n, more in enumerate((b"", bytes(9)))]
    line("across on")
    told = _told(line, files[0], f"{format_} to T", tmp_path / "out")
    assert len([text for text in told if text.endswith(": 9 bytes are not exported")]) == 1
    assert (line.session.trail.path, line.session.cursor.next) == (files[1], SHOP.stat().st_size)


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_one_byte_between_records_is_damage_too(format_: str, line: Line, tmp_path: Path) -> None:
    trail = trail_of(tmp_path, row(), b"x", row(), row())
    told = _told(line, trail, f"{format_} to T", tmp_path / "out")
    assert told[0].endswith(": 1 bytes are not exported")
    assert told[1] == f"Exported 3 records to {tmp_path / 'out'}"


def _shown(events: Iterable[Event]) -> list[str]:
    return [text for event in events for text in render(event, Settings())]


def _tally(rows: int, *, selected: int) -> ExportTally:
    tally = ExportTally()
    tally.selected, tally.end = selected, FilePosition(Path("lt000000"), 100 * selected)
    tally.files = [FileTally(f"part-{rows}", ALL, rows)]
    return tally


def test_the_tallies_of_pieces_come_to_one() -> None:
    whole, second = _tally(2, selected=3), _tally(5, selected=7)
    whole.leave_out(None)
    whole.add_problem(200, "", "it is the first")
    whole.note_damage(BadRecord("no record starts here", rba=250), 4)
    second.leave_out(None)
    second.leave_out(170, 2)
    second.add_problem(700, "PRICE", "it is a test", 2)
    second.add_problem(800, "", "it is another")
    second.note_damage(BadRecord("no record starts here", rba=900), 8)
    whole.add(second)
    assert (whole.selected, whole.problems, whole.left_out.total()) == (10, 4, 4)
    assert whole.end == second.end
    assert _shown(whole.report("/x", by_table=False, parts=2)) == [
        "RBA 250: no record starts here: 4 bytes are not exported",
        "RBA 900: no record starts here: 8 bytes are not exported",
        "Exported 7 records to 2 parts in /x",
        "Left out 4 records that are not rows: FileHeader 2, Metadata 2",
        "4 values or parts do not decode; the first: RBA 200: it is the first",
    ]


def test_a_table_that_has_no_name_is_told_as_such() -> None:
    tally = ExportTally()
    tally.files = [FileTally("undefined.csv", ALL._replace(name=""), 4)]
    assert _shown(tally.report("/x", by_table=True)) == [
        "undefined.csv: 4 rows of a table without a name",
        "Exported 4 records to 1 file in /x",
    ]
