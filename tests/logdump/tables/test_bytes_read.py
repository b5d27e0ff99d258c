"""All tasks of a read together read each byte of a file once, whatever they are asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS, ENDING_COLUMNS, Reads, RowColumn, Selected
from logdump.arrow.tables.layout import TableLayout
from logdump.spark.source.data_source import TrailSource
from logdump.tables import before
from logdump.tables.defined_tables import table_meant
from logdump.tables.options import Use, parse_options
from logdump.tables.planner import plan
from logdump.tables.reader import read
from logdump.tables.schema import SUMMARY_COLUMNS, offered
from logdump.tables.slices import Request
from logdump.tables.table_columns import table_columns
from tests.logdump.tables.bytes_read import counted
from tests.searching import some_trails
from tests.trailformat.samples import header, table_record, trail_of
from trailformat import TrailFile, make_record
from trailformat.codec import mapped_file
from trailformat.codec.mapped_file import MappedFile
from trailformat.records.record_header import FIRST, MIDDLE
from trailformat.trail import file as trail_file

FILES = some_trails((path for path in TRAILS.iterdir() if path.name[0] in "akdot"), __name__)
PIECES = 4
MOST = 1.02


def _share_read(path: Path, columns: tuple[str, ...], **given: str) -> float:
    """What the tasks read of the file, as a share of its size."""
    os.utime(path, (0, 0))  # nobody is writing it
    size = path.stat().st_size
    texts = {"path": str(path), "maxPartitionBytes": str(size // PIECES), **given}
    if "changesOf" in given:
        return _shares_of_changes(texts, size)
    options = parse_options(texts, Use.READ)
    foreseen: tuple[TableLayout, ...] = ()
    offer = {column.name: column for column in offered(options)}
    if options.rows_of is not None:
        _, layouts = table_meant(options)
        offer, foreseen = table_columns(layouts, options), tuple(layouts)
    request = Request(tuple(Selected(name, offer[name]) for name in columns or offer), options, foreseen)
    lots = plan(options, request.wanted)
    assert len(lots) >= PIECES - 2
    with counted() as count:
        rows = sum(batch.num_rows for slices in lots for batch in read(slices, request))
    assert rows
    return count.number / size


def _shares_of_changes(given: dict[str, str], size: int) -> float:
    source: Any = TrailSource(given)
    reader = source.reader(source.schema())
    parts = reader.partitions()
    assert len(parts) >= PIECES - 2
    with counted() as count:
        rows = sum(batch.num_rows for part in parts for batch in reader.read(part))
    assert rows
    return count.number / size


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        (("rba",), {}),
        (("table", "op"), {}),
        (("csn", "xid"), {}),
        (("op", "after"), {}),
        (("op",), {"startCsn": "1"}),
        (("op",), {"where": "FILENAME *.*"}),
        (("table", "op", "records"), {"summary": "true"}),
        ((), {"summary": "true"}),
        ((), {"rowsOf": "TEAHOUSE.CUSTOMERS"}),
        (("before", "after", "raw", "problems"), {}),
        ((), {"changesOf": "TEAHOUSE.CUSTOMERS"}),
        ((), {"changesOf": "TEAHOUSE.CUSTOMERS,TEAHOUSE.ORDERS", "effective": "true"}),
        (("op", "csn", "xid"), {"effective": "true"}),
    ],
    ids=str,
)
def test_each_byte_is_read_once(columns: tuple[str, ...], given: dict[str, str], large: Path) -> None:
    assert _share_read(large, columns, **given) <= MOST


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        (("op", "after"), {}),
        ((), {"rowsOf": "TEAHOUSE.CUSTOMERS"}),
        ((), {"changesOf": "TEAHOUSE.CUSTOMERS,TEAHOUSE.ORDERS"}),
    ],
    ids=str,
)
def test_a_batch_has_no_more_bytes_than_are_kept(
    columns: tuple[str, ...], given: dict[str, str], large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are as large as these are for fewer bytes kept are read once, but for a look behind each batch."""
    for module in (mapped_file, trail_file):
        monkeypatch.setattr(module, "MOST_RECENT", 3 << 20)
    assert _share_read(large, columns, **given) <= MOST + 0.01


RBA = COLUMNS[3]
EITHER: list[tuple[RowColumn, dict[str, str]]] = [(column, {}) for column in (*COLUMNS, *ENDING_COLUMNS)]
EITHER += [(column, {"summary": "true"}) for column in SUMMARY_COLUMNS]


def _looks(column: RowColumn, given: dict[str, str]) -> tuple[int, int]:
    """How often tasks that read a column of some trails keep bytes, and how often they copy some for a closer look."""
    kept, copied = list[TrailFile](), list[int]()
    keep, copy, regions = TrailFile.keep_recent, MappedFile.copy, MappedFile.regions

    def keeping(trail: TrailFile) -> None:
        kept.append(trail)
        keep(trail)

    def copying(source: MappedFile, start: int, stop: int) -> bytes:
        copied.append(start)
        return copy(source, start, stop)

    def copying_regions(source: MappedFile, bounds: Sequence[tuple[int, int]]) -> Sequence[bytes | memoryview]:
        copied.extend(start for start, _ in bounds)
        return regions(source, bounds)

    for path in FILES:
        options = parse_options({"path": str(path), "mode": "PERMISSIVE", **given}, Use.READ)
        slices = plan(options, [column.name])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TrailFile, "keep_recent", keeping)
            patch.setattr(MappedFile, "copy", copying)
            patch.setattr(MappedFile, "regions", copying_regions)
            assert [*read(slices[0], Request((Selected(column.name, column),), options))]
    return len(kept), len(copied)


@pytest.fixture(scope="module")
def least() -> int:
    """How often bytes are copied where no record is looked at."""
    return _looks(RBA, {})[1]


@pytest.mark.parametrize(
    ("column", "given"), EITHER, ids=lambda parameter: getattr(parameter, "name", "summary" if parameter else "")
)
def test_bytes_are_kept_for_the_columns_that_read_them(column: RowColumn, given: dict[str, str], least: int) -> None:
    """A column says whether records are looked at; where none is, what a scan reads is not copied."""
    kept, copied = _looks(column, given)
    looks = column.reads is not Reads.NOTHING
    assert kept == (len(FILES) if looks else 0)
    assert copied > least if looks else copied == least


@pytest.mark.parametrize("given", [{"where": "RECTYPE INSERT"}, {"startCsn": "1"}, {"endCsn": "1"}], ids=str)
def test_bytes_are_kept_for_filters(given: dict[str, str]) -> None:
    request = Request((Selected("rba", RBA),), parse_options({"path": "x", **given}, Use.READ))
    assert request.reads_bytes
    assert not request._replace(options=parse_options({"path": "x", "table": "A.B"}, Use.READ)).reads_bytes


def test_a_transaction_over_all_pieces_is_not_looked_for_by_each(tmp_path: Path) -> None:
    rows = [make_record(header(1, trans_ind=MIDDLE if number else FIRST), bytes(4000)) for number in range(4000)]
    path = trail_of(tmp_path, table_record(1, "TEA.LEAVES"), *rows, name="lt000000000")
    assert _share_read(path, ("csn", "xid", "table")) <= MOST


def _slices(path: Path, given: dict[str, str]) -> list[Any]:
    source: Any = TrailSource({"path": str(path), "maxPartitionBytes": str(path.stat().st_size // PIECES), **given})
    return [part for partition in source.reader(source.schema()).partitions() for part in partition.value]


OF_TABLES = [{"changesOf": "TEAHOUSE.CUSTOMERS"}, {"changesOf": "TEAHOUSE.CUSTOMERS,TEAHOUSE.ORDERS"}]


@pytest.mark.parametrize("given", OF_TABLES, ids=str)
@pytest.mark.parametrize("near", [before._NEAR, 0])
def test_the_schema_of_tables_and_the_plan_go_over_a_file_once(
    given: dict[str, str], near: int, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(before, "_NEAR", near)
    size = large.stat().st_size
    with counted() as finding_places:
        plan(parse_options({"path": str(large), "maxPartitionBytes": str(size // PIECES)}, Use.READ))
    with counted() as count:
        slices = _slices(large, given)
    passes = 1 if near else 2  # over the metadata, and over all records where a transaction is large
    steps_back = (PIECES - 1) * (near << 10)
    assert count.number - 2 * finding_places.number <= MOST * passes * size + steps_back
    assert all(part.before.definitions and part.before.transaction for part in slices if part.start)


@pytest.mark.parametrize("given", OF_TABLES, ids=str)
def test_a_file_that_has_changed_since_the_schema_is_gone_over_again(
    given: dict[str, str], large: Path, tmp_path: Path
) -> None:
    """It has as many bytes, and slices begin at the same places, but other transactions are open there."""
    path, data = tmp_path / large.name, large.read_bytes()
    path.write_bytes(data)
    os.utime(path, (0, 0))
    source: Any = TrailSource({"path": str(path), "maxPartitionBytes": str(len(data) // PIECES), **given})
    schema = source.schema()
    [(csn, _), *_] = [part.before.transaction.last.transaction for part in _slices(path, given) if part.start]
    path.write_bytes(data.replace(csn.encode(), b"9" * len(csn)))
    os.utime(path, (1, 1))
    changed = [part for partition in source.reader(schema).partitions() for part in partition.value]
    assert changed == _slices(path, given)
    assert csn not in {part.before.transaction.last.transaction.csn for part in changed if part.start}
