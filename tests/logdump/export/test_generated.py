"""Rows that hypothesis makes: columns of every type, values that fit or do not, lists of columns or full images."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from tests.logdump.export.rows import arrow_rows, check_values, expected_rows, json_rows
from tests.logdump.export.strategies import records_of_a_table
from tests.logdump.line import Line
from tests.searching import examples
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import ByteOrder, Record


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=records_of_a_table())
def test_every_row_is_there_with_all_that_decodes(records: list[Record], tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records)
    by_columns, by_records = (_exported(path, format_) for format_ in ("parquet", "jsonl"))
    found, told, expected = arrow_rows(by_columns), json_rows(by_records), expected_rows(path)
    assert found.keys() == told.keys() == expected.keys()
    for rba, found_row in found.items():
        check_values(found_row, expected[rba])
        problems = {
            (str(part["column"]), str(part["image"]), part["bytes"].hex()) for part in found_row["problems"] or ()
        }
        also = {(str(part["column"]), str(part["image"]), part["bytes"]) for part in told[rba]["problems"]}
        assert also <= problems


def _exported(path: Path, format_: str) -> Path:
    target = path.parent / format_
    line = Line()
    line(f"open {path}; export {format_} to {target} by table replace")
    line.session.close()
    assert not line.failures
    return target


@pytest.mark.parametrize("order", ByteOrder)
def test_rows_stand_in_files_by_their_definitions(order: ByteOrder, tmp_path: Path) -> None:
    path = trail_of(
        tmp_path,
        table_record(1, "TEA.LEAVES", order, columns=1),
        row(b"\0\0\0\1", 1, order),
        table_record(2, "TEA.LEAVES", order, columns=2),
        row(b"\0\0\0\2", 1, order),
        row(b"\0\0\0\3", 2, order),
        table_record(1, "TEA.LEAVES", order, columns=2),
        row(b"\0\0\0\4", 1, order),
        table_record(1, "TEA.LEAVES", order, columns=1),
        row(b"\0\0\0\5", 1, order),
        row(b"\0\0\0\6", "tea/leaves", order),
        row(b"\0\0\0\7", 9, order),
    )
    for format_ in ("parquet", "jsonl"):
        _exported(path, format_)
    with_columns = arrow_rows(tmp_path / "parquet")
    by_file = {
        path.name: [found_row["rba"] for found_row in pq.read_table(path).to_pylist()]
        for path in (tmp_path / "parquet").iterdir()
    }
    rbas = sorted(with_columns)
    assert by_file == {
        "TEA.LEAVES.parquet": [rbas[0], rbas[1], rbas[4]],
        "TEA.LEAVES.2.parquet": [rbas[2], rbas[3]],
        "tea%2Fleaves.undefined.parquet": [rbas[5]],
        "tdr_9.undefined.parquet": [rbas[6]],
    }
    assert [with_columns[rba]["data"][-1] for rba in rbas[5:]] == [6, 7]
    lines = {
        file.name: [json.loads(text)["rba"] for text in file.read_text().splitlines()]
        for file in (tmp_path / "jsonl").iterdir()
    }
    assert lines == {name.replace("parquet", "jsonl"): found for name, found in by_file.items()}
