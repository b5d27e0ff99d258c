"""Rows of tables as Arrow record batches: what :mod:`logdump.export.table_rows` makes one by one, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.export.batch_walk import Array, Piece
from logdump.export.table_layout import DATA, FIXED, NULLS, PROBLEMS, ROW_OPERATIONS, SIDES, Layouts, TableLayout
from logdump.export.table_rows import NO_DEFINITION, RowProblem, columns_of, data_of, time_problem
from logdump.export.tally import Tally
from logdump.range_saving import header_positions, indexes_at
from trailformat import ByteOrder, ColumnDefinition, Record, TrailFile, Value
from trailformat.arrays import Image, Problem, Spans, array_type, column_array, has_columns, locate_columns
from trailformat.arrays.kernels import ABSENT, GOOD, NULL
from trailformat.changes import row_images
from trailformat.columns import build_columns
from trailformat.row_definitions import RowDefinition, RowDefinitions
from trailformat.scan import FILE_HEADER, Owners
from trailformat.segments import joined
from trailformat.timestamps import JULIAN_UNIX_EPOCH

PROBLEM = pa.struct([("column", pa.string()), ("image", pa.string()), ("bytes", pa.binary()), ("reason", pa.string())])
_FIXED_TYPES = {
    "file": pa.string(),
    "rba": pa.int64(),
    "op": pa.string(),
    "csn": pa.string(),
    "xid": pa.string(),
    "time": pa.timestamp("us", "UTC"),
    "trans_ind": pa.uint8(),
}
_FIRST_TIME = JULIAN_UNIX_EPOCH - 62_135_596_800_000_000
_LAST_TIME = JULIAN_UNIX_EPOCH + 253_402_300_799_999_999
"""The years 1 to 9999 in Julian microseconds."""
_OPS = pa.array([ROW_OPERATIONS.get(number) for number in range(256)], pa.string())
_IS_ROW = np.array([number in ROW_OPERATIONS for number in range(256)])
_MOST_KEYS = 1 << 16
_CONTINUED = 32
"""Where in the header the flag stands."""
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


class Texts(NamedTuple):
    """LOGCSN and TRANID of the transactions of a batch, by their numbers."""

    csns: pa.Array
    xids: pa.Array


Problems = list[tuple[int, RowProblem]]
"""By the number of the row."""


@cache
def schema_of(layout: TableLayout) -> pa.Schema:
    """The schema of a table's batches; its metadata tell the table and its key."""
    fields = [pa.field(name, _FIXED_TYPES[name]) for name in FIXED]
    if layout.columns is None:
        fields.append(pa.field(DATA, pa.binary()))
    columns = layout.columns or ()
    types = [array_type(column, layout.codec).type for column in columns]
    for side in SIDES:
        names = zip(layout.column_names, types, strict=True)
        fields += [pa.field(f"{side}_{name}", kind) for name, kind in names]
    fields += [pa.field(NULLS, pa.list_(pa.string())), pa.field(PROBLEMS, pa.list_(PROBLEM))]
    keys = [name for name, column in zip(layout.column_names, columns, strict=True) if column.is_key]
    return pa.schema(fields, {"table": layout.name, "key": ",".join(keys)})


class Built(NamedTuple):
    """What a piece has come to: the batches of its tables, and what does not decode (RBA, column, reason)."""

    batches: list[tuple[TableLayout, pa.RecordBatch]]
    problems: list[tuple[int, str, str]]


class TableBatches:
    """Takes the pieces of one trail apart by table.

    Args:
        trail: the file.
        definitions: what tells the columns.
        tally: takes what is left out.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions, tally: Tally) -> None:
        self._trail = trail
        self._definitions = definitions
        self._tally = tally
        self._layouts = Layouts()
        self._texts: tuple[Owners, Texts] | None = None

    def groups(self, piece: Piece) -> list[Group]:
        """The rows of a piece by their tables; the records that are no rows are left out and counted."""
        batch, at = piece.batch, piece.rows
        is_header = np.asarray(batch.kind)[at] == FILE_HEADER
        io_type = np.asarray(batch.io_type)[at]
        is_row = _IS_ROW[io_type] & ~is_header
        if is_header.any():
            self._tally.leave_out(None, int(is_header.sum()))
        for number, records in enumerate(np.bincount(io_type[~is_row & ~is_header], minlength=1).tolist()):
            if records:
                self._tally.leave_out(number, records)
        texts = self._texts_of(piece.owners)
        return [self._group(piece, rows, texts) for rows in _by_definition(piece, np.flatnonzero(is_row))]

    def _group(self, piece: Piece, rows: Array, texts: Texts) -> Group:
        path = self._trail.path
        first = record_of(piece, int(rows[0]), path)
        known = self._definitions.of(first)
        goes_on = np.flatnonzero(_is_continued(piece, rows)).tolist()
        wholes = {row: joined(self._trail, record_of(piece, int(rows[row]), path)) for row in goes_on}
        return Group(piece, rows, known, self._layouts.of(first, known), path, texts, wholes)

    def _texts_of(self, owners: Owners) -> Texts:
        if self._texts is None or self._texts[0] is not owners:
            self._texts = owners, Texts(pa.array(owners.csns, pa.string()), pa.array(owners.xids, pa.string()))
        return self._texts[1]


def build(groups: list[Group]) -> Built:
    """The batches of groups; needs nothing but what they hold, so that threads can do it."""
    built = Built([], [])
    for group in groups:
        batch, problems = group.build()
        built.batches.append((group.layout, batch))
        built.problems.extend(problems)
    return built


def record_of(piece: Piece, row: int, path: Path) -> Record:
    """The record of a row of a piece, from the bytes of the piece."""
    at = piece.rows[row]
    start = int(piece.batch.rba[at]) - piece.base
    raw = piece.data[start : start + int(piece.batch.length[at])]
    return Record(raw, rba=start + piece.base, order=_ORDERS[piece.batch.order[at]], path=path)


def _by_definition(piece: Piece, rows: Array) -> Iterator[Array]:
    """Rows of a piece in groups whose columns one definition tells: a table's, between two metadata records."""
    if not len(rows):
        return
    at = piece.rows[rows]
    table = np.asarray(piece.batch.table)[at]
    index = indexes_at(*_bytes_of(piece, at), np.asarray(piece.batch.order)[at] == 1)
    definition = piece.segment[rows].astype(np.int64) << 17 | (index + 1)
    small = table.astype(np.uint16) if int(table.max()) < _MOST_KEYS else table
    order = np.argsort(small, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(table[order])) + 1):
        mine = definition[part]
        if (mine == mine[0]).all():
            yield rows[part]
        else:
            yield from (rows[part[mine == one]] for one in np.unique(mine))


def _is_continued(piece: Piece, rows: Array) -> Array:
    """Which rows go on in the records behind them."""
    view, starts = _bytes_of(piece, piece.rows[rows])
    found: Array = view[header_positions(view, starts) + _CONTINUED] != 0
    return found


def _bytes_of(piece: Piece, at: Array) -> tuple[Array, Array]:
    """The bytes of a piece, and where in them rows of its batch begin."""
    return np.frombuffer(piece.data, np.uint8), np.asarray(piece.batch.rba)[at] - piece.base


class Group:
    """Rows of a piece, ``at``, with one definition.

    Attributes:
        layout: of their file.
    """

    def __init__(
        self,
        piece: Piece,
        at: Array,
        known: RowDefinition,
        layout: TableLayout,
        path: Path,
        texts: Texts,
        wholes: dict[int, Record],
    ) -> None:
        self.layout = layout
        self._piece = piece
        self._at = at
        self._rows = piece.rows[at]
        self._known = known
        self._path = path
        self._texts = texts
        self._wholes = wholes
        self._problems: Problems = []
        self._nulls: list[tuple[Array, str]] = []

    def build(self) -> tuple[pa.RecordBatch, list[tuple[int, str, str]]]:
        """The batch, and what does not decode: RBA, column, reason."""
        rbas = self._of("rba")
        numbers = pa.array(np.asarray(self._piece.owners.index)[self._rows])
        arrays = [
            pa.repeat(str(self._path), len(rbas)),
            pa.array(rbas),
            _OPS.take(pa.array(self._of("io_type"))),
            *(one.take(numbers) for one in self._texts),
            self._times(),
            pa.array(self._of("trans_ind")),
            *(self._images() if self.layout.columns is not None else (self._undefined(),)),
        ]
        arrays += [_listed_nulls(len(rbas), self._nulls), _listed_problems(len(rbas), self._problems)]
        problems = [(int(rbas[row]), one.column or "", one.reason) for row, one in self._problems]
        return pa.RecordBatch.from_arrays(arrays, schema=schema_of(self.layout)), problems

    def _of(self, column: str) -> Array:
        return np.asarray(getattr(self._piece.batch, column))[self._rows]

    def _record(self, row: int) -> Record:
        """The record of a row, with what it goes on in."""
        return self._wholes.get(row) or record_of(self._piece, int(self._at[row]), self._path)

    def _times(self) -> pa.Array:
        julian = self._of("io_time")
        valid = (julian >= _FIRST_TIME) & (julian <= _LAST_TIME)
        for row in np.flatnonzero(~valid).tolist():
            self._problems.append((row, time_problem(int(julian[row]))))
        unix = np.where(valid, julian, JULIAN_UNIX_EPOCH) - JULIAN_UNIX_EPOCH
        return pa.array(unix, mask=None if valid.all() else ~valid).cast(_FIXED_TYPES["time"])

    def _undefined(self) -> pa.Array:
        """The data of rows without a definition."""
        found = [data_of(self._record(row)) for row in range(len(self._rows))]
        self._problems += [(row, RowProblem(None, None, b"", NO_DEFINITION)) for row, data in enumerate(found) if data]
        return pa.array(found, pa.binary())

    def _images(self) -> Iterator[pa.Array]:
        piece, count = self._piece, len(self._columns)
        instead = dict(self._rewritten())
        spans = locate_columns(piece.data, piece.base, piece.batch, self._rows, count, instead)
        for row in np.flatnonzero(spans.states != GOOD).tolist():
            self._note_states(row, count)
        for side in SIDES:
            for index, name in enumerate(self.layout.column_names):
                yield self._column(spans, side, index, name)

    def _column(self, spans: Spans, side: str, index: int, name: str) -> pa.Array:
        image: Image = getattr(spans, side)
        sizes, definition, codec = image.sizes[index], self._columns[index], self.layout.codec
        is_null = sizes == NULL
        if is_null.any():
            self._nulls.append((np.flatnonzero(is_null), f"{side}_{name}"))
        if (is_null | (sizes == ABSENT)).all():
            return pa.nulls(len(sizes), array_type(definition, codec).type)
        found = column_array(spans, image, index, definition, codec)
        for problem in found.problems:
            self._problems.append((problem.row, self._value_problem(problem, side, index, name)))
        return found.array

    def _value_problem(self, problem: Problem, side: str, index: int, name: str) -> RowProblem:
        """What is wrong with a value; one with a strange indicator is looked at again for its bytes."""
        if not problem.data:
            for column in columns_of(self._record(problem.row), self._known)[0]:
                value: Value | None = getattr(column, side)
                if column.index == index and value is not None and value.problem is not None:
                    return RowProblem(name, side, value.data, value.problem)
        return RowProblem(name, side, problem.data, problem.reason)

    @property
    def _columns(self) -> tuple[ColumnDefinition, ...]:
        return self.layout.columns or ()

    def _rewritten(self) -> Iterator[tuple[int, bytes]]:
        """The data of rows that go on in others, lists of columns for rows whose data is none; or a problem."""
        listed = has_columns(self._piece.batch, self._rows)
        yield from ((row, data_of(record)) for row, record in self._wholes.items() if listed[row])
        odd = ~listed & (self._of("data_size") > 0)
        for row in np.flatnonzero(odd).tolist():
            record = self._record(row)
            _, problem = columns_of(record, self._known)
            if problem is None:
                before, after, _ = row_images(record, self._known)
                yield row, build_columns(before or after or (), record.order)
            else:
                self._problems.append((row, problem))

    def _note_states(self, row: int, count: int) -> None:
        """Data that is no list of columns, or columns that the definition has not."""
        columns, problem = columns_of(self._record(row), self._known)
        if problem is not None:
            self._problems.append((row, problem))
        for side in SIDES:
            for column in columns:
                value: Value | None = getattr(column, side)
                if column.index >= count and value is not None and value.problem is not None:
                    self._problems.append((row, RowProblem(f"#{column.index}", side, value.data, value.problem)))


def _listed_nulls(rows: int, found: list[tuple[Array, str]]) -> pa.Array:
    """For each row the names of its NULLs, null where there are none."""
    if not found:
        return pa.nulls(rows, pa.list_(pa.string()))
    of_row = np.concatenate([at for at, _ in found])
    names = np.repeat(np.arange(len(found)), [len(at) for at, _ in found])[np.argsort(of_row, kind="stable")]
    counts = np.bincount(of_row, minlength=rows)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    texts = pa.array([name for _, name in found], pa.string()).take(pa.array(names))
    return pa.ListArray.from_arrays(pa.array(offsets), texts, mask=pa.array(counts == 0))


def _listed_problems(rows: int, found: Problems) -> pa.Array:
    """For each row what does not decode, null where everything does."""
    if not found:
        return pa.nulls(rows, pa.list_(PROBLEM))
    lists: list[list[dict[str, Any]] | None] = [None] * rows
    for row, problem in found:
        lists[row] = [*(lists[row] or ()), problem._asdict()]
    return pa.array(lists, pa.list_(PROBLEM))
