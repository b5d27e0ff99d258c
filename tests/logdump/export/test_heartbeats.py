"""EXPORT … HEARTBEATS: in every format the beats that HEARTBEAT HISTORY shows, a row each."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.display.json_lines import render
from logdump.features.heartbeat.model import BeatShown
from logdump.session.errors import ArgumentError
from tests.logdump.export.test_options import parsed
from tests.logdump.line import Line

TARGET = TRAILS / "yl000000000"
Row = dict[str, Any]


def told(line: Line, words: str = "") -> list[Row]:
    """The beats that HEARTBEAT HISTORY shows."""
    line(f"open {TARGET}; heartbeat history {words}")
    shown = [event for event in line.events if isinstance(event, BeatShown)]
    return [json.loads(text) for event in shown for text in render(event, line.session.settings)]


def exported(line: Line, format_: str, folder: Path, words: str = "") -> Path:
    target = folder / "beats"
    line(f"export {format_} to {target} heartbeats {words}")
    return target


def test_jsonl_has_the_objects(line: Line, tmp_path: Path) -> None:
    expected = told(line)
    lines = exported(line, "jsonl", tmp_path).read_text(encoding="utf-8").splitlines()
    assert len(expected) == 3
    assert [json.loads(text) for text in lines] == expected


def test_csv_has_their_members(line: Line, tmp_path: Path) -> None:
    expected = told(line)
    with exported(line, "csv", tmp_path).open(encoding="utf-8", newline="") as file:
        found = [*csv.DictReader(file)]
    assert found == [{name: as_field(value) for name, value in row.items() if name != "type"} for row in expected]


def as_field(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
def test_columns_have_types_and_the_same_values(format_: str, line: Line, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    expected = told(line)
    target = exported(line, format_, tmp_path)
    read = pq.read_table(target) if format_ == "parquet" else pa.ipc.open_file(target).read_all()
    assert read.schema.field("extract_ts").type == pa.timestamp("us")
    assert [{"type": "heartbeat"} | as_object(row) for row in read.to_pylist()] == expected


def as_object(row: Row) -> Row:
    texts = {
        name: f"{value.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
        for name, value in row.items()
        if isinstance(value, datetime)
    }
    return {**row, **texts, "other": dict(row["other"])}


@pytest.mark.parametrize(
    "words", ["start 2024-03-14T23:55Z", "end 2024-03-14T23:55Z", "path *PMP2*", "table OPS.PULSE", f"over {TRAILS}/y*"]
)
def test_beats_are_chosen_as_heartbeat_does(words: str, line: Line, tmp_path: Path) -> None:
    expected = told(line, words)
    lines = exported(line, "jsonl", tmp_path, words).read_text(encoding="utf-8").splitlines()
    assert [json.loads(text) for text in lines] == expected


def test_the_position_stays_and_the_number_is_told(line: Line, tmp_path: Path) -> None:
    line(f"open {TARGET}; next 3")
    before = line.session.cursor.current, line.session.cursor.next
    assert line(f"export csv to {tmp_path / 'beats'} heartbeats")[-1] == f"Exported 3 beats to {tmp_path / 'beats'}"
    assert (line.session.cursor.current, line.session.cursor.next) == before


def test_a_target_that_is_there_is_replaced_where_it_is_said(line: Line, tmp_path: Path) -> None:
    (tmp_path / "beats").write_text("old", encoding="utf-8")
    line(f"open {TARGET}")
    assert exported(line, "csv", tmp_path).read_text(encoding="utf-8") == "old"
    target = exported(line, "csv", tmp_path, "path * compression gzip replace")
    assert gzip.decompress(target.read_bytes()).startswith(b'"file","rba"')


def test_an_interrupted_export_leaves_nothing(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    line(f"open {TARGET}")
    monkeypatch.setattr("logdump.features.export.text_formats.CsvText.line_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        exported(line, "csv", tmp_path)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sql to x heartbeats", "SQL is statements: heartbeats are rows of the other formats."),
        ("csv to x heartbeats by table", "'by' is not one of OVER, TABLE, PATH, START, END and REPLACE."),
        ("csv to x 3 records heartbeats", "'heartbeats' is not an option of EXPORT or a number of RECORDS."),
        ("csv to x path *PMP1", "'path' is not an option of EXPORT or a number of RECORDS."),
    ],
)
def test_what_is_of_records_does_not_go_with_heartbeats(text: str, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parsed(text)
    assert str(caught.value) == message
