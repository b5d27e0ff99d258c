"""Rows and columns of a lake in Arrow: whole rows of a net effect, types without the differences between writers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from logdump.targets.net_effect import Key, NetEffect, RowEffect
from logdump.targets.target import ChangeRefused, SourceTable, TargetColumn

_COMPUTED = b"delta.generationExpression"
"""What Delta says about a column with it."""


def expect(table: SourceTable, net: NetEffect, keys: Sequence[Key], there: Collection[Key]) -> None:
    """Refuse changes of missing rows, and inserts of existing ones. Raises ChangeRefused."""
    if net.is_truncated:
        return
    for key, number in net.gone.items():
        if key not in there:
            raise ChangeRefused(f"{table.name} does not have the row {key}", number)
    for kind, key, number in zip(net.kinds, keys, net.changed_by, strict=True):
        if kind is RowEffect.UPDATE and key not in there:
            raise ChangeRefused(f"{table.name} does not have the row {key}", number)
        if kind is not RowEffect.UPDATE and key in there and key not in net.gone:
            raise ChangeRefused(f"{table.name} has a row {key} already", number)


def whole_rows(
    table: SourceTable,
    net: NetEffect,
    keys: Sequence[Key],
    there: Mapping[Key, Mapping[str, Any]],
    own: Collection[str] = (),
) -> pa.Table:
    """Return the rows, completed from the table by the columns that the trail lacks.

    A row that replaces another one has the values of that in the own columns of the target.
    """
    if not any(net.absent):
        return net.rows
    rows, whole_rows = net.rows.to_pylist(), []
    for row, kind, origin, key, absent in zip(rows, net.kinds, net.origins, keys, net.absent, strict=True):
        before = there.get(origin) or there.get(key) if origin is not None else None
        if absent and before is not None:
            row |= {name: before[name] for name in absent}
        elif own and key in there and key not in net.gone and not net.is_truncated:
            row |= {name: there[key][name] for name in own}
        if before is not None or absent <= table.former or kind is RowEffect.INSERT:
            whole_rows.append(row)
    return pa.Table.from_pylist(whole_rows, net.rows.schema)


def own_columns(schema: pa.Schema, columns: Collection[str]) -> dict[str, pa.DataType]:
    """Return the columns of a table beside those of its source, without those that are computed, and their types."""
    own = (field for field in schema if field.name not in columns)
    return {field.name: field.type for field in own if _COMPUTED not in (field.metadata or {})}


def in_schema(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows in the columns of a table, null in columns that the rows lack."""
    arrays = [
        rows[field.name] if field.name in rows.column_names else pa.nulls(len(rows), field.type) for field in schema
    ]
    return pa.table(arrays, schema.names).cast(schema)


def columns_of(schema: pa.Schema) -> dict[str, TargetColumn]:
    """Return the columns of a table by lower-case name."""
    columns = (TargetColumn(one.name, plain(one.type), str(one.type), None, not one.nullable) for one in schema)
    return {column.name.lower(): column._replace(is_plain=not column.is_needed) for column in columns}


def plain(kind: pa.DataType) -> str:
    """Return a type without the differences between writers of Arrow: views, large offsets, width of short integers."""
    text = str(kind).replace("large_", "").replace("_view", "")
    return (
        "int32" if text == "int16" else text.replace("decimal", "decimal128") if text.startswith("decimal(") else text
    )
