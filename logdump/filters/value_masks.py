"""VALUE applied to the rows of a batch: the values of all rows are found at once, each different one decoded once.

A row is asked as a record where its data are no plain list of columns: a full image, one that goes on in the records
behind it, one that does not come apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from logdump.filters.value_criteria import ColumnValue
from trailformat import ByteOrder, Column, TableDefinition
from trailformat.codec.mapped_file import copied
from trailformat.records.framing import Buffer
from trailformat.records.images import PREFIX_SIZES, ROW_TYPES
from trailformat.records.record_header import CONTINUED_AT
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows.chunks import chunks
from trailformat.scan.rows.definitions import metadata_rows
from trailformat.scan.rows.fields import Fields
from trailformat.scan.rows.headers import header_positions, indexes_at
from trailformat.scan.rows.image_parts import ImageFields, RowData, images_in
from trailformat.trail.row_definitions import RowDefinition
from trailformat.values import decode_value

Array = np.ndarray[Any, Any]
_MOST_BYTES = 32 << 20
_MOST_KEPT, _LONGEST_KEPT = 1 << 16, 256
_HAS_IMAGES = np.array([number in ROW_TYPES or number in PREFIX_SIZES for number in range(256)])
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_ABSENT, _UNCLEAR = -1, -2
"""In place of a column's index: the table has no such column; its rows are to be asked."""


class Values(NamedTuple):
    """The rows with such a value, and the rows that only the record itself can decide."""

    held: Array
    asked: Array


class ValueSearch:
    """Looks for the rows of one trail whose column holds a value.

    Args:
        criterion: says which.
        definition_at: the definition of the row at an RBA.
    """

    def __init__(self, criterion: ColumnValue, definition_at: Callable[[int], RowDefinition]) -> None:
        self._criterion = criterion
        self._definition_at = definition_at
        self._columns: dict[tuple[int, ByteOrder, str], _OneColumn] = {}

    def values(self, batch: Batch, buffer: Buffer) -> Values:
        """The rows of a batch.

        Raises:
            NotATrail: the file has become shorter.
        """
        found = Values(np.zeros(len(batch), np.bool_), np.zeros(len(batch), np.bool_))
        for stretch in _stretches(batch, buffer):
            columns = _Columns(stretch, self._told)
            held, asked = _held(stretch, columns)
            found.held[stretch.rows] = held
            found.asked[stretch.rows] = asked
        return found

    def _told(self, rba: int, order: ByteOrder) -> _OneColumn | int:
        """The column in the definition of the row at ``rba``; ABSENT, or UNCLEAR where several may be meant."""
        known, criterion = self._definition_at(rba), self._criterion
        if known.table is None:
            return _ABSENT
        fitting = [index for index, one in enumerate(known.table.columns) if criterion.fits(one.name)]
        if len(fitting) != 1:
            return _UNCLEAR if fitting else _ABSENT
        key = id(known.table), order, known.charset
        if key not in self._columns:
            self._columns[key] = _OneColumn(criterion, known.table, fitting[0], order, known.charset)
        return self._columns[key]


class _OneColumn:
    """A column of a definition: which of its values hold, each different one decoded once."""

    def __init__(
        self, criterion: ColumnValue, table: TableDefinition, index: int, order: ByteOrder, charset: str
    ) -> None:
        self.index = index
        self._criterion = criterion
        self._table, self._order, self._charset = table, order, charset
        self._holding: dict[bytes, bool] = {}

    def holds(self, raw: bytes) -> bool:
        """Whether the bytes of a column, its indicator first, hold."""
        holds = self._holding.get(raw)
        if holds is None:
            definition = self._table.columns[self.index]
            value = decode_value(Column(self.index, raw), definition, self._order, self._charset)
            holds = self._criterion.holds(value)
            if len(raw) <= _LONGEST_KEPT:
                if len(self._holding) >= _MOST_KEPT:
                    self._holding.clear()
                self._holding[raw] = holds
        return holds


class _Stretch(NamedTuple):
    """Rows of a batch, by their numbers, with the bytes that hold them from the RBA ``base`` on."""

    batch: Batch
    rows: Array
    data: bytes
    base: int

    @property
    def view(self) -> Array:
        return np.frombuffer(self.data, np.uint8)

    def of(self, column: str) -> Array:
        values: Array = np.asarray(getattr(self.batch, column))[self.rows]
        return values

    @property
    def is_continued(self) -> Array:
        """A mask of the rows that continue in the records after them."""
        found: Array = self.view[header_positions(self.view, self.of("rba") - self.base) + CONTINUED_AT] != 0
        return found

    def images(self) -> ImageFields:
        starts = self.of("rba") - self.base + self.of("data_offset")
        about = (self.of("io_type"), self.of("partition"), self.of("before_after"), self.of("order") == 1)
        return images_in(self.view, RowData(starts, starts + self.of("data_size"), *about))


def _stretches(batch: Batch, buffer: Buffer) -> Iterator[_Stretch]:
    """The records of a batch but for metadata, some megabytes at a time."""
    rows = np.flatnonzero((np.asarray(batch.kind) == RECORD) & ~metadata_rows(batch))
    starts = np.asarray(batch.rba)[rows]
    ends = starts + np.asarray(batch.length)[rows]
    for at, stop in chunks(starts, ends, _MOST_BYTES):
        base = int(starts[at])
        yield _Stretch(batch, rows[at:stop], copied(buffer, base, int(ends[stop - 1])), base)


class _Columns:
    """The column that the criterion means in each row of a stretch.

    Attributes:
        told: the columns, or ABSENT, or UNCLEAR.
        of_row: for each row which of them.
        index: for each row the index of the column, or ABSENT, or UNCLEAR.
    """

    def __init__(self, stretch: _Stretch, tell: Callable[[int, ByteOrder], _OneColumn | int]) -> None:
        rbas, little = stretch.of("rba"), stretch.of("order") == 1
        segment = np.cumsum(metadata_rows(stretch.batch))[stretch.rows]
        table = indexes_at(stretch.view, rbas - stretch.base, little) + 1
        keys = np.stack([segment, table, stretch.of("table"), little])
        _, first, self.of_row = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        self.of_row = self.of_row.reshape(-1)
        self.told = [tell(int(rbas[row]), _ORDERS[int(little[row])]) for row in first.tolist()]
        indexes = [one if isinstance(one, int) else one.index for one in self.told]
        self.index = np.array(indexes, np.int64)[self.of_row]


def _held(stretch: _Stretch, columns: _Columns) -> tuple[Array, Array]:
    """The rows of a stretch that hold such a value, and those whose records have to be read."""
    held = np.zeros(len(stretch.rows), np.bool_)
    wanted = (columns.index >= 0) & _HAS_IMAGES[stretch.of("io_type")]
    if not wanted.any():
        return held, columns.index == _UNCLEAR
    parts = stretch.images()
    plain = wanted & ~stretch.is_continued & parts.is_sound & (parts.present[0] | parts.present[1])
    for image in parts.images:
        region = image.region
        is_mine = plain[region] & (image.number == columns.index[region])
        plain &= np.bincount(region[is_mine], minlength=len(plain)) <= 1
        chosen = np.flatnonzero(is_mine & plain[region])
        _hold(stretch.data, image, chosen, region[chosen], columns, held)
    return held & plain, (columns.index == _UNCLEAR) | (wanted & ~plain)


def _hold(data: bytes, image: Fields, chosen: Array, rows: Array, columns: _Columns, held: Array) -> None:
    """Note the rows whose part of an image holds."""
    starts, ends = image.start[chosen], image.start[chosen] + image.size[chosen]
    of_row, told = columns.of_row[rows], columns.told
    for row, which, start, end in zip(rows.tolist(), of_row.tolist(), starts.tolist(), ends.tolist(), strict=True):
        column = told[which]
        if not isinstance(column, int) and column.holds(data[start:end]):
            held[row] = True
