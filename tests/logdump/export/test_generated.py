"""Rows that hypothesis makes: columns of every type, values that fit or do not, lists of columns or full images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.logdump.export.rows import arrow_rows, check_values, expected_rows, json_rows
from tests.logdump.line import Line
from tests.trailformat.samples import header, metadata_record, row, table_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Column, ColumnDefinition, Images, Record, TableDefinition, encode_value, make_record
from trailformat.io_types import DELETE, FIELD_COMP, INSERT, PURGE_DATA, UNIFIED_UPDATE, UPDATE, UPDATE_COMP
from trailformat.metadata import build_table
from trailformat.record_header import COMPRESSED, NAME_IS_INDEX

_ROW = COMPRESSED | NAME_IS_INDEX


def _raw(definition: ColumnDefinition, order: ByteOrder) -> st.SearchStrategy[bytes]:
    kind = next(one for one in KINDS.values() if one.definition == definition._replace(name=one.definition.name))
    good = kind.values.map(lambda value: b"\0\0" + encode_value(value, definition, order))
    return st.one_of(good, st.just(b"\xff\xff\0\0"), st.binary(max_size=12), st.binary(max_size=9).map(b"\0\0".__add__))


@st.composite
def _trails(draw: st.DrawFn) -> list[Record]:
    order = draw(st.sampled_from(ByteOrder))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6))
    columns = tuple(KINDS[kind].definition._replace(name=f"C{at}") for at, kind in enumerate(kinds))
    records = [metadata_record(2, 1, "TEA.LEAVES", build_table(TableDefinition(1, 1, columns), order), order)]
    return [*records, *draw(st.lists(_row(columns, order), min_size=1, max_size=8))]


@st.composite
def _row(draw: st.DrawFn, columns: tuple[ColumnDefinition, ...], order: ByteOrder) -> Record:
    def image() -> tuple[Column, ...]:
        wanted = draw(st.lists(st.integers(0, len(columns)), unique=True, max_size=len(columns) + 1))
        return tuple(
            Column(index, draw(_raw(columns[index], order) if index < len(columns) else st.binary(max_size=5)))
            for index in sorted(wanted)
        )

    io_type = draw(st.sampled_from([INSERT, DELETE, FIELD_COMP, UPDATE, UPDATE_COMP, UNIFIED_UPDATE, PURGE_DATA]))
    fields: dict[str, Any] = {"io_type": io_type, "before_after": ord(draw(st.sampled_from("BA"))), "partition": _ROW}
    fields["trans_ind"] = draw(st.integers(0, 3))
    data: bytes | Images = b""
    if io_type == UNIFIED_UPDATE:
        data = Images(image(), image(), 4)
    elif io_type != PURGE_DATA and draw(st.integers(0, 4)):
        before = fields["before_after"] == ord("B")
        data = Images(image(), None) if before else Images(None, image())
    elif io_type != PURGE_DATA:
        data = draw(st.binary(max_size=60))
        fields["partition"] = draw(st.sampled_from([_ROW, NAME_IS_INDEX]))
    if isinstance(data, Images) and io_type == UPDATE_COMP:
        data = b"\0\1"
    return make_record(header(1, order, **fields), data, order=order)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=_trails())
def test_every_row_is_there_with_all_that_decodes(records: list[Record], tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records)
    by_columns, by_records = (_exported(path, format_) for format_ in ("parquet", "jsonl"))
    found, told, expected = arrow_rows(by_columns), json_rows(by_records), expected_rows(path)
    assert found.keys() == told.keys() == expected.keys()
    for rba, one in found.items():
        check_values(one, expected[rba])
        problems = {(str(part["column"]), str(part["image"]), part["bytes"].hex()) for part in one["problems"] or ()}
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
        path.name: [one["rba"] for one in pq.read_table(path).to_pylist()] for path in (tmp_path / "parquet").iterdir()
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
        one.name: [json.loads(text)["rba"] for text in one.read_text().splitlines()]
        for one in (tmp_path / "jsonl").iterdir()
    }
    assert lines == {name.replace("parquet", "jsonl"): found for name, found in by_file.items()}
