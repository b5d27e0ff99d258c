"""All tasks of a read together read each byte of a file once, whatever they are asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import large_trail
from logdump.arrow.records.schema import Selected
from logdump.arrow.tables.layout import TableLayout
from logdump.spark.source.data_source import TrailSource
from logdump.spark.source.defined_tables import table_meant
from logdump.spark.source.options import Use, parse_options
from logdump.spark.source.planner import plan
from logdump.spark.source.reader import read
from logdump.spark.source.request import Request
from logdump.spark.source.schema import offered
from logdump.spark.source.table_columns import table_columns
from tests.logdump.spark.bytes_read import counted
from tests.trailformat.samples import header, table_record, trail_of
from trailformat import make_record
from trailformat.records.record_header import FIRST, MIDDLE

PIECES = 4
MOST = 1.02


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trail of some megabytes whose definitions stand at its beginning."""
    return large_trail(16, path=tmp_path_factory.mktemp("once") / "lt000000000").path


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
def test_each_byte_is_read_once(columns: tuple[str, ...], given: dict[str, str], trail: Path) -> None:
    assert _share_read(trail, columns, **given) <= MOST


def test_a_transaction_over_all_pieces_is_not_looked_for_by_each(tmp_path: Path) -> None:
    rows = [make_record(header(1, trans_ind=MIDDLE if number else FIRST), bytes(4000)) for number in range(4000)]
    path = trail_of(tmp_path, table_record(1, "TEA.LEAVES"), *rows, name="lt000000000")
    assert _share_read(path, ("csn", "xid", "table")) <= MOST
