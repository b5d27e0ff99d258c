"""What is exported and read back is what each record decodes to, whatever the format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

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


EACH_FILE = pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
_expected_rows = cache(expected_rows)


class Exported(NamedTuple):
    """The target of an export, and what EXPORT has told."""

    target: Path
    told: list[str]


Export = Callable[[Path, str], Exported]


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Exports a trail as the words say behind the target, each once: tests read the same files."""

    def exported(path: Path, words: str) -> Exported:
        target = tmp_path_factory.mktemp("exported") / "out"
        line = Line()
        line(f"open {path}")
        format_, _, rest = words.partition(" ")
        told = line(f"export {format_} to {target} {rest}")
        line.session.close()
        assert not line.failures
        return Exported(target, told)

    return cache(exported)


@pytest.mark.parametrize(
    ("format_", "path"), in_turn(["parquet", "arrow"], FILES), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_arrow_rows_hold_what_records_decode_to(format_: str, path: Path, export: Export) -> None:
    found, expected = arrow_rows(export(path, f"{format_} by table").target), _expected_rows(path)
    assert found.keys() == expected.keys()
    for rba, row in found.items():
        assert {name: row[name] for name in expected[rba].fixed} == expected[rba].fixed
        check_values(row, expected[rba])


@EACH_FILE
def test_lines_of_json_hold_what_records_decode_to(path: Path, export: Export) -> None:
    found, expected = json_rows(export(path, "jsonl by table").target), _expected_rows(path)
    assert found.keys() == expected.keys()
    for rba, row in found.items():
        values = {name: shown for name, shown in row.items() if name.startswith(("before_", "after_"))}
        assert values == {
            name: None if value.is_null or value.problem else value.text for name, value in expected[rba].values.items()
        }


@EACH_FILE
def test_csv_holds_what_records_decode_to(path: Path, export: Export) -> None:
    found, expected = csv_rows(export(path, "csv by table").target), _expected_rows(path)
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


@EACH_FILE
def test_both_ways_to_rows_write_the_same_files_and_tell_the_same(path: Path, export: Export) -> None:
    both = export(path, "parquet by table"), export(path, "jsonl by table")
    names = [sorted(file.stem for file in exported.target.iterdir()) for exported in both]
    assert names[0] == names[1]
    told = [[re.sub(r"^[^ ]*: | in /.*", "", text) for text in exported.told] for exported in both]
    assert told[0] == told[1]
    by_columns, by_records = arrow_rows(both[0].target), json_rows(both[1].target)
    for rba, row in by_columns.items():
        problems = [problem | {"bytes": problem["bytes"].hex()} for problem in row["problems"] or ()]
        assert sorted(problems, key=str) == sorted(by_records[rba]["problems"], key=str)


@EACH_FILE
def test_records_are_those_that_next_prints(path: Path, export: Export) -> None:
    exported = export(path, "jsonl").target.read_text(encoding="utf-8").splitlines()
    line = Line()
    line(f"open {path}")
    line("next 10000")
    shown = [event for event in line.events if isinstance(event, KnownRecord)]
    line.session.close()
    assert [json.loads(text)["rba"] for text in exported][: len(shown)] == [known.record.rba for known in shown]


def test_a_record_is_spelled_as_next_spells_it(export: Export) -> None:
    exported = export(TRAILS / "et000000000", "jsonl").target.read_text(encoding="utf-8")
    line = Line()
    line(f"format jsonl; open {TRAILS / 'et000000000'}")
    line("next 10000")
    printed = [text for event in line.events if isinstance(event, KnownRecord) for text in render(event, Settings())]
    line.session.close()
    assert exported.splitlines() == printed


@pytest.mark.parametrize(
    ("format_", "path"), in_turn(["parquet", "arrow"], FILES), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_records_are_rows_with_the_columns_of_the_spark_source(format_: str, path: Path, export: Export) -> None:
    found = table_of(export(path, format_).target, format_)
    assert found.column_names == [column.name for column in COLUMNS if column.name not in (CORRUPT, "file_order")]
    with TrailFile(path) as trail:
        records = list(sound_records(trail))
        context = TransactionContext(trail)
        expected = [
            (
                record.rba,
                record.raw,
                trail.name_of(record) or None,
                None if record.is_file_header else context.of(record).csn,
            )
            for record in records
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
    values = {column["name"]: column["value"] for column in next(filter(None, images))}
    assert (values["TEA_CODE"], values["NAME"]) == ("SEN01", "Sencha Fukamushi")


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
def test_the_schema_is_that_of_the_table(format_: str, export: Export) -> None:
    for path in export(TRAILS / "et000000000", f"{format_} by table").target.iterdir():
        schema = table_of(path, format_).schema
        assert schema.names[:7] == list(FIXED_TYPES)
        assert {name: schema.field(name).type for name in FIXED_TYPES} == FIXED_TYPES
        assert (schema.metadata or {})[b"table"].decode() == path.stem
        assert json.loads((schema.metadata or {})[b"key"])
