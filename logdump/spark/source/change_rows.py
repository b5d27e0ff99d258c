"""Rows of option ``changesOf``: what a task makes of the rows of the tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.arrow.records.rows import Array
from logdump.arrow.records.schema import Selected, arrow_schema
from logdump.arrow.tables.batches import TableBatches
from logdump.arrow.tables.group import Group
from logdump.arrow.tables.layout import SIDES
from logdump.arrow.tables.piece import pieces
from logdump.spark.source.change_columns import BEFORE, KEY_BEFORE, ChangedTable, changed_tables, key_as_json
from logdump.spark.source.open_slice import OpenSlice
from logdump.spark.source.request import cut
from logdump.spark.source.slices import wanted_rows
from logdump.spark.source.table_columns import table_columns
from logdump.spark.source.table_shape import RowShape
from trailformat.native.scan.arguments import ABSENT
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows import learn_definitions

if TYPE_CHECKING:
    from logdump.spark.source.request import Request

_SEQUENCE = "{:010d}.{:016d}.{}"
_OPS = {"INSERT": "insert", "DELETE": "delete", "TRUNCATE": "truncate"}


def change_batches(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    """The changes of the tables in a slice, as record batches. Raises like reading."""
    tables = changed_tables(request.foreseen, request.options)
    makers = {table.name: _Changes(source, request, schema, table, is_only=len(tables) == 1) for table in tables}
    batches = TableBatches(source.trail, source.definitions, lambda _io_type, _records: None)
    for batch, at in wanted_rows(source):
        learn_definitions(source.trail, batch)
        for rows in cut(batch, at[_are_of(makers.keys(), batch, at)], request.options):
            for piece in pieces(source.trail, batch, rows, source.owners(batch)):
                for group in batches.groups(piece):
                    yield makers[group.layout.name].of_group(group)


def _are_of(names: Any, batch: Batch, at: Array) -> Array:
    """A mask of the records of these tables."""
    keys = np.asarray(batch.table)[at]
    wanted = [key for key in np.unique(keys).tolist() if batch.names[key] in names]
    mask: Array = (np.asarray(batch.kind)[at] == RECORD) & np.isin(keys, wanted)
    return mask


class _Changes:
    """The changes of one table.

    Args:
        is_only: whether its columns stand by themselves.
    """

    def __init__(self, source: OpenSlice, request: Request, schema: Any, table: ChangedTable, *, is_only: bool) -> None:
        columns = table_columns(table.layouts, request.options)
        self._table = table
        self._source = source
        self._schema = schema
        self._is_only = is_only
        self._is_split = request.options.key_update == "split"
        selected = tuple(Selected(name, column) for name, column in columns.items())
        self._shape = RowShape(source, selected, arrow_schema(selected), table.layouts)
        newest = table.layouts[-1]
        keys = zip(newest.column_names, newest.columns or (), strict=True)
        self._keys = [name for name, column in keys if column.is_key]

    def of_group(self, group: Group) -> pa.RecordBatch:
        """The changes of some rows; a key update may be two, an image before one after it is none."""
        rows = self._shape.of_group(group)
        op = np.array(rows["op"].to_pylist())
        has = dict(zip(SIDES, self._has_images(group), strict=True))
        is_update, is_key = np.isin(op, ("UPDATE", "PK UPDATE")), (op == "PK UPDATE") & has["before"] & has["after"]
        kept = np.flatnonzero(~(is_update & has["before"] & ~has["after"]))
        counts = np.where(is_key[kept], 2 if self._is_split else 1, 1)
        at = np.repeat(kept, counts)
        part = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
        is_first = np.repeat(counts == 2, counts) & (part == 0)
        is_before = is_first | ((op[at] == "DELETE") & has["before"][at])
        taken = rows.take(pa.array(at))
        mask = pa.array(is_before)
        own = {name: pc.if_else(mask, *(taken[f"{side}_{name}"] for side in SIDES)) for name in self._table.columns}
        ops = [self._op(op[row], bool(is_key[row]), int(number)) for row, number in zip(at, part, strict=True)]
        is_update_now = np.char.endswith(np.array(ops, np.str_), "update")
        fixed = {
            "_table": pa.array([self._table.name] * len(at), pa.string()),
            "_op": pa.array(ops, pa.string()),
            "_sequence": pa.array(self._sequences(taken["rba"].to_pylist(), part), pa.string()),
            "_absent": self._absent(taken, is_before, has, at),
            KEY_BEFORE: self._keys_before(taken, ops),
            BEFORE: self._before(taken, pa.array(has["before"][at] & is_update_now)),
            **{f"_{name}": taken[name] for name in ("csn", "xid", "time", "file", "rba", "problems")},
        }
        return pa.RecordBatch.from_arrays(
            [self._column(field, own, fixed, len(at)) for field in self._schema], schema=self._schema
        )

    def _column(self, field: pa.Field, own: dict[str, Any], fixed: dict[str, Any], count: int) -> pa.Array:
        if field.name in fixed:
            return fixed[field.name].cast(field.type)
        if self._is_only:
            return own[field.name].cast(field.type)
        if field.name == self._table.name:
            return pa.StructArray.from_arrays([*own.values()], fields=[*field.type])
        return pa.nulls(count, field.type)

    def _op(self, op: str, is_key: bool, part: int) -> str:  # noqa: FBT001 - of a row
        if is_key:
            return ("delete", "insert")[part] if self._is_split else "key update"
        return _OPS.get(op, "update")

    def _sequences(self, rbas: list[int], parts: Array) -> list[str]:
        age = self._source.seqno or self._source.file_order or 0
        return [_SEQUENCE.format(age, rba, part) for rba, part in zip(rbas, parts.tolist(), strict=True)]

    def _has_images(self, group: Group) -> Iterator[Array]:
        """For each side a mask of the rows whose record has an image there."""
        for side in SIDES:
            sizes = getattr(group.spans, side).sizes if group.layout.columns else np.empty((0, len(group.rows)))
            yield (np.asarray(sizes) != ABSENT).any(axis=0)

    def _absent(self, taken: pa.RecordBatch, is_before: Array, has: dict[str, Array], at: Array) -> pa.Array:
        """The names of the columns that have no value and are no NULL, where there is an image."""
        empty = {
            name: [~np.asarray(taken[f"{side}_{name}"].is_valid()) for side in SIDES] for name in self._table.columns
        }
        nulls, problems = taken["nulls"].to_pylist(), taken["problems"].to_pylist()
        lists: list[list[str] | None] = []
        for row, before in enumerate(is_before.tolist()):
            side = SIDES[0] if before else SIDES[1]
            named = {*(nulls[row] or ()), *(f"{one['image']}_{one['column']}" for one in problems[row] or ())}
            number = 0 if before else 1
            absent = [name for name, masks in empty.items() if masks[number][row] and f"{side}_{name}" not in named]
            lists.append(absent if absent and has[side][at[row]] else None)
        return pa.array(lists, pa.list_(pa.string()))

    def _before(self, taken: pa.RecordBatch, has_image: pa.Array) -> pa.Array:
        names = [*self._table.columns]
        arrays = [taken[f"before_{name}"] for name in names]
        return pa.StructArray.from_arrays(arrays, names, mask=pc.invert(has_image))

    def _keys_before(self, taken: pa.RecordBatch, ops: list[str]) -> pa.Array:
        values = zip(*(taken[f"before_{name}"].to_pylist() for name in self._keys), strict=True)
        rows = [*values] if self._keys else [()] * len(ops)
        texts = [
            key_as_json(self._keys, row) if op == "key update" else None for op, row in zip(ops, rows, strict=True)
        ]
        return pa.array(texts, pa.string())
