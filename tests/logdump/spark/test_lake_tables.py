"""A stream of changes into tables of deltalake and pyiceberg, batch after batch: equal to a model of the trail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from logdump.spark.source.data_source import TrailSource
from tests.logdump.export.strategies import TABLE
from tests.logdump.spark.applied import Model, latest
from tests.logdump.spark.test_changes import DEFINED, _changed, _columns, _key_update, changes_in
from tests.logdump.tables.test_tables import _inserted
from tests.trailformat.samples import header, trail_of
from tests.trailformat.test_lobs import TEXT, pieces
from trailformat import ByteOrder, Record, make_record
from trailformat.records import record_header

SCHEMA = pa.schema([pa.field("ID", pa.int64(), nullable=False), ("BODY", pa.string())])
Values = Mapping[Any, Mapping[str, Any] | None]


def _records() -> list[Record]:
    """Inserts, partial updates, NULLs, LOBs, deletes, updates of the key, a truncate."""
    truncate = make_record(header(1, io_type=record_header.PURGE_DATA), b"", order=ByteOrder.BIG)
    made: list[Record] = [DEFINED]
    for round_ in range(3):
        base = round_ * 100
        made += [_inserted(("INT32", base + n), ("VARCHAR", f"row {n}")) for n in range(20)]
        made += [_changed(record_header.FIELD_COMP, None, _columns(base + n, f"new {n}")) for n in range(0, 20, 3)]
        made += [_changed(record_header.FIELD_COMP, None, _columns(base + 1, "")), _inserted(("INT32", base + 50))]
        made += pieces(1, TEXT)
        made += [_changed(record_header.FIELD_COMP, None, _columns(base + 2, None))]
        made += [
            _changed(record_header.DELETE, _columns(base + 4), None, before_after=ord("B")),
            _key_update(base + 5, base + 60),
        ]
        made += [truncate] if round_ == 1 else []
    return made


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    return trail_of(tmp_path, *_records(), name="lt000000000")


def _micro_batches(trail: Path) -> Iterable[list[dict[str, Any]]]:
    """The batches of a stream, each restarted from its checkpoint and given twice, as after a kill of the driver."""
    given = {"path": str(trail), "changesOf": TABLE, "maxBytesPerTrigger": "2000"}
    at: dict[str, int] | None = None
    while True:
        source: Any = TrailSource(given)
        reader = source.streamReader(source.schema())
        at = at or reader.initialOffset()
        end = reader.latestOffset(at, object())
        if end == at:
            return
        for _ in range(2):
            parts = reader.partitions(at, end)
            yield [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
        at = end


def _model(trail: Path) -> list[dict[str, Any]]:
    model = Model("ID")
    model.apply(changes_in(trail, TABLE))
    return sorted(({"BODY": None, **row} for row in model.rows.values()), key=lambda row: int(row["ID"]))


def _merged(rows: Values, there: Mapping[Any, Mapping[str, Any]]) -> pa.Table:
    """Rows that are set, with what the table has in columns that the changes do not have."""
    full = [{"BODY": None, **there.get(key, {}), **row} for key, row in rows.items() if row is not None]
    return pa.Table.from_pylist(full, SCHEMA)


def _sorted(table: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.select(["ID", "BODY"]).sort_by("ID").to_pylist()
    return rows


def test_deltalake(trail: Path, tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    target = str(tmp_path / "delta")
    deltalake.write_deltalake(target, pa.table({"ID": [], "BODY": []}, SCHEMA))
    for batch in _micro_batches(trail):
        is_truncated, rows = latest(batch, "ID")
        table = deltalake.DeltaTable(target)
        if is_truncated:
            table.delete()
        there = {row["ID"]: row for row in pa.table(table.to_pyarrow_table()).to_pylist()}
        gone = [key for key, row in rows.items() if row is None]
        if gone:
            table.delete(f"ID IN ({', '.join(map(str, gone))})")
        merged = _merged(rows, there)
        if len(merged):
            merge = deltalake.DeltaTable(target).merge(merged, "t.ID = s.ID", source_alias="s", target_alias="t")
            merge.when_matched_update_all().when_not_matched_insert_all().execute()
    assert _sorted(deltalake.DeltaTable(target).to_pyarrow_table()) == _model(trail)


def test_pyiceberg(trail: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.expressions import In

    catalog = SqlCatalog("local", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/lake")
    catalog.create_namespace("tea")
    table = catalog.create_table("tea.leaves", SCHEMA)
    for batch in _micro_batches(trail):
        is_truncated, rows = latest(batch, "ID")
        if is_truncated:
            table.delete()
        there = {row["ID"]: row for row in table.scan().to_arrow().to_pylist()}
        gone = [key for key, row in rows.items() if row is None and key in there]
        if gone:
            table.delete(In("ID", gone))
        merged = _merged(rows, there)
        if len(merged):
            table.upsert(merged, ["ID"])
    assert _sorted(table.scan().to_arrow()) == _model(trail)
