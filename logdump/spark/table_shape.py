"""Rows of any definition of a table in the one shape of a read: columns by name, values in the types of its schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.spark.rows import OpenSlice
from logdump.spark.schema import Selected
from logdump.tables.group import Group
from logdump.tables.layout import DATA, PROBLEMS, SIDES
from logdump.tables.rows import RowProblem
from logdump.tables.schema import PROBLEM_LIST, schema_of
from trailformat import BadData
from trailformat.values import plain_text

_PREFIXES = tuple(f"{side}_" for side in SIDES)


class Shape:
    """The columns of a read, filled from groups of rows.

    Args:
        source: takes what does not decode where the column ``problems`` is not read.
        selected: the columns asked for.
        schema: theirs in Arrow.
    """

    def __init__(self, source: OpenSlice, selected: Sequence[Selected], schema: pa.Schema) -> None:
        self._source = source
        self._schema = schema
        self._names = [one.column.name.lower() if one.is_wanted else "" for one in selected]

    def of_group(self, group: Group) -> pa.RecordBatch:
        """The rows of a group.

        Raises:
            BadTrail: something does not decode, under FAILFAST and without the column ``problems``.
        """
        own = {name.lower(): name for name in schema_of(group.layout).names}
        built, told = group.build({own[name] for name in self._names if name in own})
        misfits: list[tuple[int, RowProblem]] = []
        arrays = [
            _filled(group, built, own.get(name), field.type, misfits)
            for name, field in zip(self._names, self._schema, strict=True)
        ]
        if PROBLEMS in self._names:
            at = self._names.index(PROBLEMS)
            arrays[at] = _problems(built, misfits).cast(self._schema.field(at).type)
        else:
            rbas = built["rba"]
            told += [(rbas[row].as_py(), one.column or "", one.reason) for row, one in misfits]
            for rba, column, reason in told:
                error = BadData(f"{column}: {reason}" if column else reason)
                self._source.undecodable(error.at(self._source.trail.path, rba))
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def _filled(
    group: Group, built: pa.RecordBatch, name: str | None, kind: pa.DataType, misfits: list[tuple[int, RowProblem]]
) -> pa.Array:
    """One column in its type; values that it does not hold go to ``misfits``."""
    if name is None or (name == PROBLEMS):
        return pa.nulls(len(built), kind)
    array = built[name]
    if not name.startswith(_PREFIXES):
        return array.cast(kind)
    fitting, rows = fitted(array, kind)
    side, _, column = name.partition("_")
    for row in rows:
        reason = f"{plain_text(array[row].as_py())} is no {kind}"
        misfits.append((row, RowProblem(column, side, group.stored(row, side, column), reason)))
    return fitting


def fitted(array: pa.Array, kind: pa.DataType) -> tuple[pa.Array, list[int]]:
    """An array in another type, null where a value has none in it; and the rows of these values."""
    if array.type == kind or array.null_count == len(array):
        return array.cast(kind), []
    if pa.types.is_string(kind):
        return pa.array([None if one is None else plain_text(one) for one in array.to_pylist()], kind), []
    try:
        return pc.cast(array, kind), []
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        scalars = [_cast(one, kind) for one in array]
    found = pa.array([one.as_py() for one in scalars], kind)
    lost = found.is_null().to_numpy(zero_copy_only=False) & array.is_valid().to_numpy(zero_copy_only=False)
    return found, np.flatnonzero(lost).tolist()


def _cast(value: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    try:
        return value.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.scalar(None, kind)


def _problems(built: pa.RecordBatch, misfits: list[tuple[int, RowProblem]]) -> pa.Array:
    """What does not decode, misfits too; rows without a definition with the bytes of their data."""
    undefined = DATA in built.schema.names
    if not misfits and not undefined:
        return built[PROBLEMS]
    lists: list[list[dict[str, Any]] | None] = built[PROBLEMS].to_pylist()
    for row, problem in misfits:
        lists[row] = [*(lists[row] or ()), problem._asdict()]
    if undefined:
        for one, data in zip(lists, built[DATA].to_pylist(), strict=True):
            for about in one or ():
                about["bytes"] = about["bytes"] or data
    return pa.array(lists, PROBLEM_LIST)
