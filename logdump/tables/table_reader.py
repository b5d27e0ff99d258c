"""Rows of one table, which tasks read under option ``rowsOf``.

Rows of all definitions of the table get the columns and types of the read's schema, which is made of the definitions in
the files when the read begins. A definition found later, as by a stream after ALTER TABLE, is compared with these.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.arrow.records.columns import batch_of_rows
from logdump.arrow.records.columns.header import distinct
from logdump.arrow.records.errors import place
from logdump.arrow.records.rows import Array, Rows
from logdump.arrow.records.schema import CORRUPT, Selected
from logdump.arrow.tables.arrow_rows import all_problems, batch_of, schema_of
from logdump.arrow.tables.group import Group, TableBatches, pieces
from logdump.arrow.tables.layout import CHANGES_OF_TABLES, PROBLEMS, SIDES, RowProblem, TableLayout
from logdump.arrow.tables.row_lobs import with_lobs
from logdump.tables.errors import SchemaChanged, report
from logdump.tables.slices import MOST_ROWS, OpenSlice, check_named, cut, wanted_rows
from logdump.tables.table_columns import spark_type
from trailformat import BadData
from trailformat.arrays import array_type
from trailformat.arrays.arrow import arrow_type, in_type, nulls
from trailformat.scan import FILE_HEADER, RECORD, Batch
from trailformat.scan.rows import learn_definitions
from trailformat.transactions.tracker import RowTransactions
from trailformat.values import plain_text

if TYPE_CHECKING:
    from logdump.tables.slices import Request


class AlterationKind(enum.Enum):
    """Kinds of differences between a definition and the schema of a read."""

    NEW = "a column that the schema lacks"
    TYPE = "a column of another type"
    GONE = "a column that is read and no longer there"
    KEY = "a column that has come into the key, or gone out of it"


class Alteration(NamedTuple):
    """A difference: the column, its kind, and a description."""

    column: str
    kind: AlterationKind
    words: str


class Alterations:
    """Compares definitions with the schema of a read.

    Args:
        foreseen: the definitions used for the schema, oldest first; empty if the user has given the schema, with which
            no definition is compared.
        wanted: names of the columns that are read, in lower case, with their types in Arrow.
        takes_all: whether these are all columns of the table.
    """

    def __init__(self, foreseen: Sequence[TableLayout], wanted: Mapping[str, pa.DataType], *, takes_all: bool) -> None:
        self._foreseen = foreseen
        self._wanted = wanted
        self._takes_all = takes_all
        self._known: dict[TableLayout, tuple[Alteration, ...]] = dict.fromkeys(foreseen, ())

    def of(self, layout: TableLayout) -> tuple[Alteration, ...]:
        """Return the differences of a definition from the schema; none for a definition used for the schema."""
        if not self._foreseen or layout.columns is None:
            return ()
        if layout not in self._known:
            self._known[layout] = (*self._columns(layout), *self._gone(layout), *self._key(layout))
        return self._known[layout]

    def _columns(self, layout: TableLayout) -> Iterator[Alteration]:
        for name, definition in zip(layout.column_names, layout.columns or (), strict=True):
            kind = spark_type(arrow_type(array_type(definition, layout.codec).type))
            types = {self._wanted[column] for side in SIDES if (column := f"{side}_{name}".lower()) in self._wanted}
            if not types and self._takes_all:
                yield Alteration(name, AlterationKind.NEW, f"column {name} ({kind.ddl}) is new")
            elif types - {kind.arrow(pa)}:
                expected = ", ".join(sorted(map(str, types)))
                yield Alteration(
                    name, AlterationKind.TYPE, f"column {name} is {kind.ddl}, and {expected} in the schema"
                )

    def _gone(self, layout: TableLayout) -> Iterator[Alteration]:
        """Yield columns that are read but no longer exist: a renamed one would otherwise be lost silently."""
        there = {name.lower() for name in layout.column_names}
        for name in self._names if not self._takes_all else ():
            if name.lower() not in there:
                yield Alteration(name, AlterationKind.GONE, f"column {name} is no longer there")

    @cached_property
    def _names(self) -> list[str]:
        """Names of the table's columns that are read."""
        names = {name.lower(): name for layout in self._foreseen for name in layout.column_names}
        return [name for low, name in names.items() if any(f"{side}_{low}" in self._wanted for side in SIDES)]

    def _key(self, layout: TableLayout) -> Iterator[Alteration]:
        before, after = _key_of(self._foreseen[-1]), _key_of(layout)
        if list(before) != list(after):
            now, then = (", ".join(key.values()) or "no column" for key in (after, before))
            for low in dict.fromkeys([*after, *before]):
                if low not in after or low not in before:
                    name = after.get(low) or before[low]
                    yield Alteration(
                        name, AlterationKind.KEY, f"the key is {now}, and was {then} in the schema's definitions"
                    )


def _key_of(layout: TableLayout) -> dict[str, str]:
    """Return the names of the key columns by their lower-case spelling."""
    columns = zip(layout.column_names, layout.columns or (), strict=True)
    return {name.lower(): name for name, column in columns if column.is_key}


_PREFIXES = tuple(f"{side}_" for side in SIDES)


class RowShape:
    """The columns of a read, filled from groups of rows.

    Args:
        source: the open slice, which handles undecodable parts.
        selected: the columns of the read.
        schema: the Arrow schema of these columns.
        foreseen: the definitions used for the schema, as in Request.
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
        """Return the rows of a group as a batch.

        Raises:
            BadTrail: a value cannot be decoded, and option ``undecodable`` is ``fail``.
            SchemaChanged: the definition differs from the schema, and ``schemaEvolutionMode`` is ``fail``.
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
            index = self._names.index(PROBLEMS)
            arrays[index] = all_problems(built, misfits).cast(self._schema.field(index).type)
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _with_lobs(self, group: Group, built: pa.RecordBatch) -> tuple[pa.RecordBatch, list[tuple[int, RowProblem]]]:
        """Return a batch with the LOBs of its rows, and the problems of wanted LOBs that have no value."""
        built, lost = with_lobs(group, built, *self._source.lobs.of(group))
        return built, [(row, problem) for row, problem in lost if self._is_wanted(problem)]

    def _is_wanted(self, problem: RowProblem) -> bool:
        """Return whether a problem concerns a column that is read; with ``problems`` read, all do."""
        is_wanted = problem.column is None or f"{problem.image}_{problem.column}".lower() in self._names
        return is_wanted or PROBLEMS in self._names

    def _altered(self, rba: int, altered: Sequence[Alteration]) -> None:
        """Raise SchemaChanged, or report, that rows from ``rba`` on differ from the schema."""
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
    """Yield the problems of values without a place in the schema; casts report values that do not fit their type."""
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
    """Return one column in its type; values that do not fit are added to ``misfits``."""
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
    """Return an array in another type, null where a value would change, and the rows of these values."""
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
    import pyarrow.compute as pc  # noqa: PLC0415 - it is slow to load, and few columns need it

    return pc.if_else(pa.array(lost), pa.scalar(None, kind), cast), np.flatnonzero(lost).tolist()


def _cast(value: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    try:
        return value.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.scalar(None, kind)


def _is_same(was: Any, value: Any) -> bool:
    """Return whether a value is the same in another type, with all its digits or characters."""
    if isinstance(was, str) or isinstance(value, str):
        return value is not None and plain_text(value) == plain_text(was)
    if isinstance(was, Decimal) and isinstance(value, float):
        return Decimal(repr(value)) == was
    was, value = (_midnight(moment) for moment in (was, value))
    return bool(was == value)


def _midnight(value: Any) -> Any:
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    return datetime.combine(value, time()) if is_day else value


def table_batches(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    """Yield the rows of the table in a slice as record batches; under PERMISSIVE also damage.

    Raises:
        DefinedOtherwiseError: the table is not defined as the request foresees.
        SourceError: as from ``reader.read``.
    """
    name, shape = request.options.rows_of or "", RowShape(source, request.selected, schema, request.foreseen)
    tables = TableBatches(source.trail, source.definitions, lambda _io_type, _records: None, CHANGES_OF_TABLES)
    has_transactions = not _OF_TRANSACTIONS.isdisjoint(request.wanted)
    for batch, numbers in wanted_rows(source, MOST_ROWS, request.workers):
        if request.unproven is not None:
            request.unproven.check(batch, source.trail, source.definitions)
        else:
            learn_definitions(source.trail, batch)
        check_named(source, batch, numbers)
        for rows in cut(batch, numbers[_is_of(name, batch, numbers)], request.options):
            owners = source.owners(batch) if has_transactions else RowTransactions.unknown(len(batch))
            for piece in pieces(source.trail, batch, rows, owners):
                for group in tables.groups(piece):
                    yield shape.of_group(group)
        damage = numbers[np.asarray(batch.kind)[numbers] > FILE_HEADER]
        if len(damage):
            yield _damage(Rows(source, batch, damage), request, schema)
    if request.unproven is not None and source.part.is_read_to_its_end:
        request.unproven.note_read(source.part.path)


def _is_of(name: str, batch: Batch, rows: Array) -> Array:
    """Return a mask of the records of the table; those that are not rows are left out when they are grouped."""
    keys, places = distinct(np.asarray(batch.table)[rows])
    is_wanted = np.array([batch.names[key] == name for key in keys.tolist()], bool)
    mask: Array = (np.asarray(batch.kind)[rows] == RECORD) & is_wanted[places]
    return mask


def _damage(rows: Rows, request: Request, schema: Any) -> Any:
    """Return rows about damage, with its place and the reason."""
    shown = [
        chosen.column.name if chosen.is_wanted and chosen.column.name in _OF_DAMAGE else None
        for chosen in request.selected
    ]
    return batch_of_rows(rows, shown, schema)


_OF_TRANSACTIONS = frozenset({"csn", "xid"})
_OF_DAMAGE = ("file", "rba", CORRUPT)
