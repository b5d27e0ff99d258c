"""Parquet and Arrow files from within: their row groups, what filters gain by, and how they are compressed."""

from __future__ import annotations

import gc
import io
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from fixtures.shop import ORACLE_SALES
from logdump.features.export import arrow_export, batch_walk
from logdump.features.export.arrow_export import FORMATS, ArrowFile, Schemas
from logdump.features.export.files import Place, StandardOutput, Waiting
from tests.logdump.export.rows import table_of
from tests.logdump.line import Line
from tests.trailformat.samples import metadata_record, row, trail_of
from trailformat import ByteOrder, TableDefinition
from trailformat.definitions.metadata import build_table

SHOP = TRAILS / "et000000000"
TEAS, SALES = [1, 1, 4, 2, 2, 1], [2, 2, 2, 1]
"""The rows of both tables in each batch of four records."""


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", 4)


def _export(line: Line, words: str, target: Path) -> Path:
    line(f"open {SHOP}; export {words.replace('T', str(target), 1)}")
    assert not line.failures
    return target


def _rows_by_group(path: Path) -> list[int]:
    found = pq.read_metadata(path)
    return [found.row_group(number).num_rows for number in range(found.num_row_groups)]


@pytest.mark.parametrize(
    ("module", "limit", "number", "teas", "sales"),
    [
        (arrow_export, "_ROWS", 1 << 17, [11], [7]),
        (arrow_export, "_ROWS", 1, TEAS, SALES),
        (arrow_export, "_ROWS", 6, [6, 5], [6, 1]),
        (arrow_export, "_ROWS", 7, [8, 3], [7]),
        (arrow_export, "_BYTES", 1, TEAS, SALES),
        (arrow_export, "_MOST_WAITING", 0, TEAS, SALES),
    ],
)
def test_a_row_group_is_written_when_enough_waits(
    module: ModuleType,
    limit: str,
    number: int,
    teas: list[int],
    sales: list[int],
    line: Line,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, limit, number)
    folder = _export(line, "parquet to T by table", tmp_path / "out")
    assert _rows_by_group(folder / "TEAHOUSE.TEAS.parquet") == teas
    assert _rows_by_group(folder / "TEAHOUSE.SALES.parquet") == sales


def _batch() -> pa.RecordBatch:
    """Sixteen bytes."""
    return pa.record_batch({"rba": pa.array([1, 2])})


def _arrow_file(path: Place, pool: Executor, format_: str = "PARQUET", waiting: Waiting | None = None) -> ArrowFile:
    schema = _batch().schema
    return ArrowFile(path, Schemas(schema, schema), FORMATS[format_], "NONE", pool, waiting)


@pytest.mark.parametrize(("most", "waiting"), [(33, [16, 32, 0]), (32, [16, 0, 0])])
def test_what_waits_is_counted_until_it_is_written(
    most: int, waiting: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_export, "_BYTES", most)
    found, waits = [], Waiting()
    with ThreadPoolExecutor(1) as pool:
        file = _arrow_file(tmp_path / "out", pool, waiting=waits)
        for act in (partial(file.write, _batch()), partial(file.write, _batch()), file.flush):
            act()
            found.append(waits.bytes)
        assert file.close() == 4
    assert found == waiting


@pytest.mark.parametrize(("format_", "magic"), [("PARQUET", b"PAR1"), ("ARROW", b"ARROW1")])
def test_what_is_abandoned_on_standard_output_never_looks_whole(format_: str, magic: bytes) -> None:
    stream = io.BytesIO()
    with ThreadPoolExecutor(1) as pool:
        file = _arrow_file(StandardOutput(stream), pool, format_)
        file.write(_batch())
        file.flush()
    file.abandon()
    del file
    gc.collect()
    assert stream.getvalue().startswith(magic)
    assert not stream.getvalue().endswith(magic)


def test_a_number_of_records_holds_over_batches(line: Line, tmp_path: Path) -> None:
    assert table_of(_export(line, "parquet to T 6 records", tmp_path / "out"), "parquet").num_rows == 6


def _columns(path: Path) -> list[pq.ColumnChunkMetaData]:
    group = pq.read_metadata(path).row_group(0)
    return [group.column(number) for number in range(group.num_columns)]


def test_all_columns_have_a_dictionary_but_the_one_that_has_no_value_twice(line: Line, tmp_path: Path) -> None:
    path = _export(line, "parquet to T by table", tmp_path / "out") / "TEAHOUSE.TEAS.parquet"
    assert [column.path_in_schema for column in _columns(path) if "RLE_DICTIONARY" not in column.encodings] == ["rba"]


def test_statistics_tell_what_filters_ask_for(line: Line, tmp_path: Path) -> None:
    path = _export(line, "parquet to T by table", tmp_path / "out") / "TEAHOUSE.TEAS.parquet"
    with_statistics = [column.path_in_schema for column in _columns(path) if column.is_stats_set]
    fixed = ["file", "rba", "op", "csn", "xid", "time", "trans_ind"]
    assert with_statistics == fixed + [
        f"{side}_{name}" for side in ("before", "after") for name in ("TEA_CODE", "PRICE", "STOCK_KG")
    ]


def test_text_that_is_no_key_has_no_statistics_whatever_its_name(line: Line, tmp_path: Path) -> None:
    names = ("A_B", "C_A_B", "A_B_C", "B")
    columns = [
        column._replace(name=name)
        for column, name in zip(ORACLE_SALES.columns[:2] + ORACLE_SALES.columns[1:2] * 2, names, strict=True)
    ]
    order = ByteOrder.BIG
    definition = build_table(TableDefinition(1, 1, tuple(columns)), order)
    trail = trail_of(tmp_path, metadata_record(2, 1, "TEA.LEAVES", definition, order), row(b"\0\1x", 1, order))
    line(f"open {trail}; export parquet to {tmp_path / 'out'} by table")
    found = _columns(tmp_path / "out" / "TEA.LEAVES.parquet")
    assert [column.path_in_schema for column in found if column.is_stats_set][7:] == ["before_A_B", "after_A_B"]


def test_statistics_of_records_tell_what_filters_ask_for(line: Line, tmp_path: Path) -> None:
    path = _export(line, "parquet to T", tmp_path / "out")
    with_statistics = {column.path_in_schema for column in _columns(path) if column.is_stats_set}
    assert {"rba", "table", "op", "csn", "time"} <= with_statistics
    assert not {"raw", "problems.list.element"} & with_statistics


@pytest.mark.parametrize("words", ["T by table", "T"])
def test_both_formats_show_the_same_types_and_the_same_rows(words: str, line: Line, tmp_path: Path) -> None:
    parquet, arrow = (_export(line, f"{format_} to {words}", tmp_path / format_) for format_ in ("parquet", "arrow"))
    if "by table" in words:
        parquet, arrow = parquet / "TEAHOUSE.TEAS.parquet", arrow / "TEAHOUSE.TEAS.arrow"
    first, second = table_of(parquet, "parquet"), table_of(arrow, "arrow")
    assert (first.schema, first.schema.metadata) == (second.schema, second.schema.metadata)
    assert first.equals(second)
    assert not any(pa.types.is_dictionary(field.type) for field in first.schema)


@pytest.mark.parametrize(
    ("compression", "magic"), [("none", None), ("lz4", b"\x04\x22\x4d\x18"), ("zstd", b"\x28\xb5\x2f\xfd")]
)
def test_arrow_is_compressed_as_asked(compression: str, magic: bytes | None, line: Line, tmp_path: Path) -> None:
    content = _export(line, f"arrow to T compression {compression}", tmp_path / "out").read_bytes()
    assert [signature for signature in (b"\x04\x22\x4d\x18", b"\x28\xb5\x2f\xfd") if signature in content] == [
        magic
    ] * bool(magic)


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
def test_what_arrow_cannot_write_is_told_with_the_target(
    format_: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise pa.ArrowInvalid("it is a test")

    monkeypatch.setattr(arrow_export.ArrowFile, "write", fail)
    told = line(f"open {SHOP}; export {format_} to {tmp_path / 'out'}")
    assert f"{tmp_path / 'out'}" in told[-1]
    assert "it is a test" in told[-1]
    assert not list(tmp_path.iterdir())
