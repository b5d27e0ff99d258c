"""VALUE applied to the rows of a batch: a kernel compares values in place, by :mod:`.value_conditions`.

What it is not sure of is decoded, each different value once; without kernels that is every value. A row is decided as a
record where its data are no plain list of columns: a full image, one that goes on in the records behind it, one that
does not come apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from logdump.filters.value_comparison import ValueComparison
from logdump.filters.value_conditions import condition
from trailformat import ByteOrder, Column, TableDefinition
from trailformat.records.framing import Buffer
from trailformat.records.images import PREFIX_SIZES, ROW_TYPES
from trailformat.scan import RECORD, Batch
from trailformat.scan.kernels.arguments import DECODES
from trailformat.scan.rows import NO_INDEX, RowBytes, by_definition, grouped, headers_of, metadata_rows
from trailformat.scan.rows.conditions import Condition, verdicts_on
from trailformat.trail.row_definitions import RowDefinition
from trailformat.values import decode_value

Array = np.ndarray[Any, Any]
_MOST_BYTES = 32 << 20
"""Of rows that are looked at together."""
_MOST_KEPT, _LONGEST_KEPT = 1 << 16, 256
_HAS_IMAGES = np.array([number in ROW_TYPES or number in PREFIX_SIZES for number in range(256)])
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_ANYTHING = Condition(0, DECODES)
_ABSENT, _UNCLEAR = -1, -2
"""In place of a column's index: the table has no such column; its rows are decided as records."""


class Values(NamedTuple):
    """The rows with such a value, and the rows that only the record itself can decide."""

    held: Array
    undecided: Array


class ValueSearch:
    """The rows of one trail whose column holds a value.

    Args:
        fits: whether a column of this name is meant.
        comparison: what its values are compared with.
        definition_at: the definition of the row at an RBA.
    """

    def __init__(
        self,
        fits: Callable[[str], bool],
        comparison: ValueComparison,
        definition_at: Callable[[int], RowDefinition],
    ) -> None:
        self._fits, self._comparison = fits, comparison
        self._definition_at = definition_at
        self._columns: dict[tuple[int, ByteOrder, str], _OneColumn] = {}
        self._by_index: dict[tuple[int, ByteOrder], _OneColumn | int] = {}
        self._end = -1

    def values(self, batch: Batch, buffer: Buffer, among: Array | None = None) -> Values:
        """The rows of a batch, or those of a mask.

        Raises:
            NotATrail: the file has become shorter.
        """
        values = Values(np.zeros(len(batch), np.bool_), np.zeros(len(batch), np.bool_))
        is_metadata = metadata_rows(batch)
        has_metadata = bool(is_metadata.any())
        if has_metadata or int(batch.rba[0]) != self._end:
            self._by_index.clear()
        column_at = self._column_at if has_metadata else self._column_of
        is_row = (np.asarray(batch.kind) == RECORD) & ~is_metadata
        records = np.flatnonzero(is_row if among is None else is_row & among)
        for rows in RowBytes.chunks(buffer, batch, records, _MOST_BYTES):
            values.held[rows.rows], values.undecided[rows.rows] = _held(rows, column_at)
        self._end = batch.end
        return values

    def _column_of(self, rba: int, order: ByteOrder, table_index: int) -> _OneColumn | int:
        """The same as ``_column_at``, where no definition has come since a row of this table was looked up."""
        if table_index == NO_INDEX:
            return self._column_at(rba, order)
        key = table_index, order
        if key not in self._by_index:
            self._by_index[key] = self._column_at(rba, order)
        return self._by_index[key]

    def _column_at(self, rba: int, order: ByteOrder, _table_index: int = NO_INDEX) -> _OneColumn | int:
        """The column in the definition of the row at ``rba``; ABSENT, or UNCLEAR where several may be meant."""
        known = self._definition_at(rba)
        if known.table is None:
            return _ABSENT
        fitting = [index for index, column in enumerate(known.table.columns) if self._fits(column.name)]
        if len(fitting) != 1:
            return _UNCLEAR if fitting else _ABSENT
        key = id(known.table), order, known.charset
        if key not in self._columns:
            self._columns[key] = _OneColumn(self._comparison, known.table, fitting[0], order, known.charset)
        return self._columns[key]


class _OneColumn:
    """A column of a definition: which of its values hold, each different one decoded once.

    Attributes:
        index: its number in the table, from 0.
        condition: what the kernels take for it.
    """

    def __init__(
        self, comparison: ValueComparison, table: TableDefinition, index: int, order: ByteOrder, charset: str
    ) -> None:
        self.index = index
        self.condition = condition(comparison, index, table.columns[index], charset)
        self._comparison = comparison
        self._table, self._order, self._charset = table, order, charset
        self._holding: dict[bytes, bool] = {}

    def holds(self, raw: bytes) -> bool:
        """Whether the bytes of a column, its indicator first, hold."""
        holds = self._holding.get(raw)
        if holds is None:
            definition = self._table.columns[self.index]
            value = decode_value(Column(self.index, raw), definition, self._order, self._charset)
            holds = self._comparison.holds(value)
            if len(raw) <= _LONGEST_KEPT:
                if len(self._holding) >= _MOST_KEPT:
                    self._holding.clear()
                self._holding[raw] = holds
        return holds


_ColumnAt = Callable[[int, ByteOrder, int], _OneColumn | int]
"""By the RBA of a row, its byte order, and the index of its table or NO_INDEX."""


class _Columns:
    """The column that the criterion means in each row.

    Attributes:
        columns: the columns, or ABSENT, or UNCLEAR.
        of_row: for each row which of them.
        index: for each row the index of the column, or ABSENT, or UNCLEAR.
        conditions: what the kernels take for each column.
    """

    def __init__(self, rows: RowBytes, table_index: Array, column_at: _ColumnAt) -> None:
        self.of_row, first = by_definition(rows, table_index)
        if 0 < np.count_nonzero(rows.is_little) < len(rows):
            # a value is decoded in the byte order of its row
            self.of_row, first = grouped(np.zeros_like(self.of_row), 2 * self.of_row + rows.is_little)
        firsts = rows.of("rba")[first].tolist(), rows.is_little[first].tolist(), table_index[first].tolist()
        self.columns = [column_at(rba, _ORDERS[little], index) for rba, little, index in zip(*firsts, strict=True)]
        self.conditions = [_ANYTHING if isinstance(column, int) else column.condition for column in self.columns]
        indexes = [column if isinstance(column, int) else column.index for column in self.columns]
        self.index = np.array(indexes, np.int64)[self.of_row]


def _held(rows: RowBytes, column_at: _ColumnAt) -> tuple[Array, Array]:
    """The rows that hold such a value, and those whose records have to be read."""
    headers = headers_of(rows)
    columns = _Columns(rows, headers.table_index, column_at)
    wanted = (columns.index >= 0) & _HAS_IMAGES[rows.of("io_type")]
    if not wanted.any():
        return np.zeros(len(rows), np.bool_), columns.index == _UNCLEAR
    held, is_plain = _held_by_kernel(rows, columns, wanted)
    is_plain &= ~headers.is_continued
    return held & is_plain & wanted, (columns.index == _UNCLEAR) | (wanted & ~is_plain)


def _held_by_kernel(rows: RowBytes, columns: _Columns, wanted: Array) -> tuple[Array, Array]:
    """The rows that hold, and those that come apart."""
    found = verdicts_on(rows.view, rows.row_data, columns.conditions, np.where(wanted, columns.of_row, -1))
    held = found.images[0].held | found.images[1].held
    for image in found.images:
        _note_held(rows.data, (image.starts, image.sizes), image.values, columns, held)
    return held, ~found.of_record


def _note_held(data: Buffer, places: tuple[Array, Array], rows: Array, columns: _Columns, held: Array) -> None:
    """Note which rows hold, by the places and sizes of their columns."""
    starts, sizes = places
    of_row = columns.of_row[rows]
    for row, which, start, size in zip(rows.tolist(), of_row.tolist(), starts.tolist(), sizes.tolist(), strict=True):
        column = columns.columns[which]
        if not isinstance(column, int) and not held[row] and column.holds(data[start : start + size]):
            held[row] = True
