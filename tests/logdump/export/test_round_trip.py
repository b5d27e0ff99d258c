"""What is exported and read back is what each record decodes to, whatever the format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS, CORRUPT
from logdump.arrow.tables.arrow_rows import FIXED_TYPES
from logdump.display.json_lines import render
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from tests.logdump.export.rows import (
    arrow_rows,
    check_values,
    csv_rows,
    expected_rows,
    json_rows,
    sound_records,
    table_of,
)
from tests.logdump.line import Line
from tests.searching import in_turn, some_trails
from trailformat import TrailFile
from trailformat.changes.transaction_context import TransactionContext

FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
IDS = [path.name for path in FILES]


def _export(path: Path, words: str) -> Line:
    line = Line()
    line(f"open {path}")
    line(f"export {words}")
    line.session.close()
    assert not line.failures
    return line


@pytest.mark.parametrize(
    ("format_", "path"), in_turn(["parquet", "arrow"], FILES), ids=lambda one: getattr(one, "name", None)
)
def test_arrow_rows_hold_what_records_decode_to(format_: str, path: Path, tmp_path: Path) -> None:
    _export(path, f"{format_} to {tmp_path / 'out'} by table")
    found, expected = arrow_rows(tmp_path / "out"), expected_rows(path)
    assert found.keys() == expected.keys()
    for rba, row in found.items():
        assert {name: row[name] for name in expected[rba].fixed} == expected[rba].fixed
        check_values(row, expected[rba])


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_lines_of_json_hold_what_records_decode_to(path: Path, tmp_path: Path) -> None:
    _export(path, f"jsonl to {tmp_path / 'out'} by table")
    found, expected = json_rows(tmp_path / "out"), expected_rows(path)
    assert found.keys() == expected.keys()
    for rba, row in found.items():
        values = {name: shown for name, shown in row.items() if name.startswith(("before_", "after_"))}
        assert values == {
            name: None if value.is_null or value.problem else value.text for name, value in expected[rba].values.items()
        }


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_csv_holds_what_records_decode_to(path: Path, tmp_path: Path) -> None:
    _export(path, f"csv to {tmp_path / 'out'} by table")
    found, expected = csv_rows(tmp_path / "out"), expected_rows(path)
    assert found.keys() == expected.keys()
    for rba, row in found.items():
        values = {name: shown for name, shown in row.items() if name.startswith(("before_", "after_")) and shown}
        assert values == {
            name: value.text
            for name, value in expected[rba].values.items()
            if not value.is_null and not value.problem and value.text
        }
        nulls = {name for name, value in expected[rba].values.items() if value.is_null}
        assert set(json.loads(row["nulls"] or "[]")) == nulls


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_both_ways_to_rows_tell_the_same_problems(path: Path, tmp_path: Path) -> None:
    _export(path, f"parquet to {tmp_path / 'columns'} by table")
    _export(path, f"jsonl to {tmp_path / 'records'} by table")
    by_columns, by_records = arrow_rows(tmp_path / "columns"), json_rows(tmp_path / "records")
    for rba, row in by_columns.items():
        told = [one | {"bytes": one["bytes"].hex()} for one in row["problems"] or ()]
        assert sorted(told, key=str) == sorted(by_records[rba]["problems"], key=str)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_both_ways_write_the_same_files(path: Path, tmp_path: Path) -> None:
    by_columns = _export(path, f"parquet to {tmp_path / 'columns'} by table")
    by_records = _export(path, f"jsonl to {tmp_path / 'records'} by table")
    names = [sorted(one.stem for one in (tmp_path / which).iterdir()) for which in ("columns", "records")]
    assert names[0] == names[1]
    assert _counts(by_columns) == _counts(by_records)


def _counts(line: Line) -> list[str]:
    """What EXPORT told, but for the names of its files."""
    texts = [text for event in line.events for text in getattr(event, "lines", ())]
    return [re.sub(r"^[^ ]*: | in /.*", "", text) for text in texts]


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_records_are_those_that_next_prints(path: Path, tmp_path: Path) -> None:
    _export(path, f"jsonl to {tmp_path / 'out'}")
    exported = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    line = Line()
    line(f"open {path}")
    line("next 10000")
    shown = [event for event in line.events if isinstance(event, KnownRecord)]
    line.session.close()
    assert [json.loads(text)["rba"] for text in exported][: len(shown)] == [one.record.rba for one in shown]


def test_a_record_is_spelled_as_next_spells_it(tmp_path: Path) -> None:
    _export(TRAILS / "et000000000", f"jsonl to {tmp_path / 'out'}")
    line = Line()
    line(f"format jsonl; open {TRAILS / 'et000000000'}")
    line("next 10000")
    printed = [text for event in line.events if isinstance(event, KnownRecord) for text in render(event, Settings())]
    line.session.close()
    assert (tmp_path / "out").read_text(encoding="utf-8").splitlines() == printed


@pytest.mark.parametrize(
    ("format_", "path"), in_turn(["parquet", "arrow"], FILES), ids=lambda one: getattr(one, "name", None)
)
def test_records_are_rows_with_the_columns_of_the_spark_source(format_: str, path: Path, tmp_path: Path) -> None:
    _export(path, f"{format_} to {tmp_path / 'out'}")
    found = table_of(tmp_path / "out", format_)
    assert found.column_names == [column.name for column in COLUMNS if column.name not in (CORRUPT, "file_order")]
    with TrailFile(path) as trail:
        records = list(sound_records(trail))
        context = TransactionContext(trail)
        expected = [
            (one.rba, one.raw, trail.name_of(one) or None, None if one.is_file_header else context.of(one).csn)
            for one in records
        ]
    columns = (found[name].to_pylist() for name in ("rba", "raw", "table", "csn"))
    assert list(zip(*columns, strict=True)) == expected


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
def test_images_of_records_have_values_by_the_definitions_file(format_: str, tmp_path: Path) -> None:
    definitions = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
    line = Line()
    line(f"open {TRAILS / 'ot000000'}; sourcedefs {definitions}; export {format_} to {tmp_path / 'out'}")
    line.session.close()
    images = table_of(tmp_path / "out", format_)["after"].to_pylist()
    values = {one["name"]: one["value"] for one in next(filter(None, images))}
    assert (values["TEA_CODE"], values["NAME"]) == ("SEN01", "Sencha Fukamushi")


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
def test_the_schema_is_that_of_the_table(format_: str, tmp_path: Path) -> None:
    _export(TRAILS / "et000000000", f"{format_} to {tmp_path / 'out'} by table")
    for path in (tmp_path / "out").iterdir():
        schema = table_of(path, format_).schema
        assert schema.names[:7] == list(FIXED_TYPES)
        assert {name: schema.field(name).type for name in FIXED_TYPES} == FIXED_TYPES
        assert (schema.metadata or {})[b"table"].decode() == path.stem
        assert json.loads((schema.metadata or {})[b"key"])
