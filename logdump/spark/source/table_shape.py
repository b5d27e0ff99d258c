"""Rows of any definition of a table in the one shape of a read: columns by name, values in the types of its schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.errors import place
from logdump.arrow.records.schema import Selected
from logdump.arrow.tables.arrow_rows import all_problems, batch_of
from logdump.arrow.tables.group import Group
from logdump.arrow.tables.layout import PROBLEMS, SIDES, TableLayout
from logdump.arrow.tables.row_lobs import with_lobs
from logdump.arrow.tables.rows import RowProblem
from logdump.arrow.tables.schema import schema_of
from logdump.spark.errors import SchemaChanged
from logdump.spark.report import report
from logdump.spark.source.open_slice import OpenSlice
from logdump.spark.source.table_alterations import Alteration, AlterationKind, Alterations
from logdump.spark.source.table_columns import spark_type
from trailformat import BadData
from trailformat.arrays.arrow import in_type, nulls
from trailformat.values import plain_text

_PREFIXES = tuple(f"{side}_" for side in SIDES)


class RowShape:
    """The columns of a read, filled from groups of rows.

    Args:
        source: takes what does not decode.
        selected: the columns wanted.
        schema: theirs in Arrow.
        foreseen: the definitions that the schema was made of, as Request has them.
    """

    def __init__(
        self, source: OpenSlice, selected: Sequence[Selected], schema: pa.Schema, foreseen: Sequence[TableLayout] = ()
    ) -> None:
        self._source = source
        self._schema = schema
        self._names = [chosen.column.name.lower() if chosen.is_wanted else "" for chosen in selected]
        wanted = {name: field.type for name, field in zip(self._names, schema, strict=True) if name}
        self._alterations = Alterations(foreseen, wanted, takes_all=source.options.columns is None)

    def of_group(self, group: Group) -> pa.RecordBatch:
        """The rows of a group.

        Raises:
            BadTrail: something does not decode, and option ``undecodable`` is ``fail``.
            SchemaChanged: the definition has what the schema lacks, and ``schemaEvolutionMode`` is ``fail``.
        """
        altered = self._alterations.of(group.layout)
        own = {name.lower(): name for name in schema_of(group.layout).names}
        new = {
            f"{side}_{alteration.column}"
            for alteration in altered
            if alteration.kind is AlterationKind.NEW
            for side in SIDES
        }
        built, problems = batch_of(group, {own[name] for name in self._names if name in own} | new)
        built, lost = self._with_lobs(group, built)
        rbas = group.rows.of("rba")
        if altered:
            self._altered(int(rbas[0]), altered)
        misfits: list[tuple[int, RowProblem]] = []
        arrays = [
            _filled(group, built, own.get(name), field.type, misfits)
            for name, field in zip(self._names, self._schema, strict=True)
        ]
        if altered:
            misfits += _rescued(group, built, altered)
        else:
            problems += [(int(rbas[row]), misfit.column or "", misfit.reason) for row, misfit in misfits]
        problems += [(int(rbas[row]), misfit.column or "", misfit.reason) for row, misfit in lost]
        misfits += lost
        for rba, column, reason in problems:
            error = BadData(f"{column}: {reason}" if column else reason)
            self._source.undecodable(error.at(self._source.trail.path, rba))
        if PROBLEMS in self._names:
            at = self._names.index(PROBLEMS)
            arrays[at] = all_problems(built, misfits).cast(self._schema.field(at).type)
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _with_lobs(self, group: Group, built: pa.RecordBatch) -> tuple[pa.RecordBatch, list[tuple[int, RowProblem]]]:
        """A batch with the LOBs of its rows that are wanted, and why some have no value."""
        built, lost = with_lobs(group, built, *self._source.lobs.of(group))
        return built, [(row, problem) for row, problem in lost if self._is_wanted(problem)]

    def _is_wanted(self, problem: RowProblem) -> bool:
        """Whether a problem is of what is read."""
        is_wanted = problem.column is None or f"{problem.image}_{problem.column}".lower() in self._names
        return is_wanted or PROBLEMS in self._names

    def _altered(self, rba: int, altered: Sequence[Alteration]) -> None:
        """Handle rows with columns that the schema lacks, the one at ``rba`` being the first."""
        options = self._source.options
        words = "; ".join(dict.fromkeys(alteration.words for alteration in altered))
        text = f"{place(self._source.part.path, rba)}: {options.rows_of} was altered after the schema was made: {words}"
        if options.schema_evolution_mode == "fail":
            raise SchemaChanged(
                f"{text}; a new load() takes it into the schema, a stream continues from its checkpoint; with option "
                "schemaEvolutionMode rescue it is in column problems"
            )
        if not self._source.explains_nulls:
            report(text)


def _rescued(group: Group, built: pa.RecordBatch, altered: Sequence[Alteration]) -> Iterator[tuple[int, RowProblem]]:
    """The values that the schema has no place for, row by row; casts report values that do not fit their type."""
    for column, kind, words in altered:
        if kind is AlterationKind.NEW:
            for side in SIDES:
                array = built[f"{side}_{column}"]
                for row in np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False)).tolist():
                    reason = f"{plain_text(array[row].as_py())} is of a column that the schema does not have"
                    yield row, RowProblem(column, side, group.stored(row, side, column), reason)
        elif kind is not AlterationKind.TYPE:
            yield from ((row, RowProblem(column, None, b"", words)) for row in range(len(built)))


def _filled(
    group: Group, built: pa.RecordBatch, name: str | None, kind: pa.DataType, misfits: list[tuple[int, RowProblem]]
) -> pa.Array:
    """One column in its type; values that it does not hold go to ``misfits``."""
    if name is None or (name == PROBLEMS):
        return nulls(kind, len(built))
    array = built[name]
    if not name.startswith(_PREFIXES):
        array = in_type(array, kind)
        return array if array.type == kind else array.cast(kind)
    fitting, rows = fitted(array, kind)
    side, _, column = name.partition("_")
    for row in rows:
        reason = f"{plain_text(array[row].as_py())} is no {kind}"
        misfits.append((row, RowProblem(column, side, group.stored(row, side, column), reason)))
    return fitting


def fitted(array: pa.Array, kind: pa.DataType) -> tuple[pa.Array, list[int]]:
    """An array in another type, null where a value is not the same in it; and the rows of these values."""
    if array.type == kind:
        return array, []
    if array.null_count == len(array):
        return nulls(kind, len(array)), []
    if pa.types.is_string(kind):
        return pa.array([None if value is None else plain_text(value) for value in array.to_pylist()], kind), []
    if spark_type(array.type).arrow(pa) == kind:
        return array.cast(kind), []
    try:
        cast = array.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        cast = pa.array([_cast(value, kind).as_py() for value in array], kind)
    values = zip(array.to_pylist(), cast.to_pylist(), strict=True)
    lost = np.array([was is not None and not _is_same(was, value) for was, value in values])
    import pyarrow.compute as pc  # noqa: PLC0415 - it takes its time to load, and few columns come here

    return pc.if_else(pa.array(lost), pa.scalar(None, kind), cast), np.flatnonzero(lost).tolist()


def _cast(value: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    try:
        return value.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.scalar(None, kind)


def _is_same(was: Any, value: Any) -> bool:
    """Whether a value is still what it was in another type: all digits, all characters."""
    if isinstance(was, str) or isinstance(value, str):
        return value is not None and plain_text(value) == plain_text(was)
    if isinstance(was, Decimal) and isinstance(value, float):
        return Decimal(repr(value)) == was
    was, value = (_midnight(moment) for moment in (was, value))
    return bool(was == value)


def _midnight(value: Any) -> Any:
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    return datetime.combine(value, time()) if is_day else value
