"""Detection of encrypted rows, from the first rows of a file; the result is kept as long as the file is open.

Headers, names and tokens stay readable in a trail whose data is encrypted. docs/robustness.md has the rule in figures.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import ColumnDefinition, TableDefinition
from trailformat.errors import BadData, TrailError
from trailformat.records.columns import NULL, PRESENT, Column
from trailformat.records.record import Record
from trailformat.records.record_header import PREFIX_SIZES, ROW_TYPES
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.values.data_types import data_type_of

_PREFIX = 2
_INDICATOR = 2
_PADDING, _ROUNDED = 2, 1
"""A final NUL, and the byte that makes a length even. An image without indicators has the latter only."""


class PlacedColumn(NamedTuple):
    """A column of a full record image, and where it is stored: its indicator if it has one, else its value."""

    column: Column
    at: int
    has_indicator: bool


def split_full_image(
    data: bytes, table: TableDefinition, order: ByteOrder, syskey_length: int = 0
) -> tuple[Column, ...]:
    """Return the columns of a full record image; empty if there are no bytes. Raises like placed_in_full_image."""
    return tuple(placed.column for placed in placed_in_full_image(data, table, order, syskey_length))


def placed_in_full_image(
    data: bytes, table: TableDefinition, order: ByteOrder, syskey_length: int = 0
) -> tuple[PlacedColumn, ...]:
    """Return the columns of a full record image with their places; empty if there are no bytes.

    Raises:
        BadData: the image has another length than the definition gives, or the offsets overlap.
    """
    ordered = sorted(enumerate(table.columns), key=lambda numbered: numbered[1].fetch_offset)
    if not (data and ordered):
        return ()
    data = data[syskey_length:]
    rooms = [after.fetch_offset - column.fetch_offset for (_, column), (_, after) in pairwise(ordered)]
    _check_length(len(data), [column for _, column in ordered], rooms)
    columns = []
    for (index, column), room in zip(ordered, [*rooms, len(data)], strict=True):
        stored = data[column.fetch_offset : column.fetch_offset + room]
        at = syskey_length + column.fetch_offset
        columns.append(PlacedColumn(_column(index, column, stored, order), at, _has_indicator(column, len(stored))))
    return tuple(sorted(columns, key=lambda placed: placed.column.index))


def _check_length(length: int, ordered: list[ColumnDefinition], rooms: list[int]) -> None:
    """Raise BadData for an image that does not end with its last column."""
    last = ordered[-1]
    indicated = [_has_indicator(column, room) for column, room in zip(ordered, rooms, strict=False)] or [False, True]
    least = most = last.fetch_offset + _stored_size(last)
    least += _INDICATOR * all(indicated)
    most += _INDICATOR + _PADDING if any(indicated) else _ROUNDED
    if not least <= length <= most:
        raise BadData(f"the row has {length} bytes, its definition {least} to {most}")


def _column(index: int, column: ColumnDefinition, room: bytes, order: ByteOrder) -> Column:
    indicator, value = (room[:_INDICATOR], room[_INDICATOR:]) if _has_indicator(column, len(room)) else (PRESENT, room)
    is_variable = data_type_of(column).is_variable
    size = _PREFIX + order.decode(value[:_PREFIX]) if is_variable else column.internal_length
    if len(value) < size and not is_variable:
        raise BadData(f"column {column.name} does not fit between its offset and the next", expected=f"{size} bytes")
    return Column(index, indicator + value[:size])


def _stored_size(column: ColumnDefinition) -> int:
    return column.internal_length + (_PREFIX if data_type_of(column).is_variable else 0)


def _has_indicator(column: ColumnDefinition, room: int) -> bool:
    """Return True if a column that takes ``room`` bytes of the image begins with an indicator."""
    return room - _stored_size(column) >= _INDICATOR


ROWS = 200
"""Number of rows of a complete sample."""
MOST_RECORDS = 1000
"""Number of records searched for these rows."""
FEWEST_ROWS, FEWEST_BYTES = 10, 1000
"""Minimum number of rows, and of bytes, for a decision."""
MOST_APART = 0.05
"""Maximum fraction of the rows of an encrypted file that happen to split into columns."""
INCOMPRESSIBLE = 1.05
"""Compression ratio below which bytes count as incompressible."""

LEAST_ZEROS = 0.02
"""Minimum fraction of zeros in the bytes of rows that are not encrypted; encrypted ones have 0.004."""

_ROW_BYTES = 1024
_LARGEST = 1 << 16
_TYPES = ROW_TYPES | PREFIX_SIZES.keys()


class RowSample(NamedTuple):
    """The first rows of a file, up to the number needed for a decision.

    Attributes:
        rows: the number of rows.
        apart: the number of rows whose data can be split into columns.
        other: the data of the other rows, of each at most 1 KiB.
    """

    rows: int
    apart: int
    other: bytes

    @property
    def ratio(self) -> float:
        """The size of the other rows divided by that of their Huffman code: above 1 if some bytes are more frequent."""
        coder = zlib.compressobj(wbits=-zlib.MAX_WBITS, strategy=zlib.Z_HUFFMAN_ONLY)
        return len(self.other) / len(coder.compress(self.other) + coder.flush())

    @property
    def looks_encrypted(self) -> bool:
        """True if almost no row can be split, and the others do not compress."""
        is_enough = self.rows >= FEWEST_ROWS and len(self.other) >= FEWEST_BYTES
        return is_enough and self.apart <= MOST_APART * self.rows and self.ratio < INCOMPRESSIBLE

    @property
    def may_be_encrypted(self) -> bool:
        """True if no row can be split, and they have fewer zeros than columns: their heads alone have more."""
        is_any = self.rows > 0 and not self.apart
        return is_any and self.other.count(0) < LEAST_ZEROS * len(self.other)

    @property
    def is_whole(self) -> bool:
        """True if more rows would not change the result."""
        return self.rows == ROWS or self.apart > MOST_APART * ROWS


_known: WeakKeyDictionary[TrailFile, bool] = WeakKeyDictionary()
"""Results of complete samples; a file that grows may still get more rows for an incomplete one."""


def looks_encrypted(trail: TrailFile) -> bool:
    """Return True if the record data of a file looks encrypted; False if there are too few rows."""
    if (known := _known.get(trail)) is not None:
        return known
    sample = row_sample(trail)
    if sample.is_whole:
        _known[trail] = sample.looks_encrypted
    return sample.looks_encrypted


def may_be_encrypted(trail: TrailFile) -> bool:
    """Return True if the record data of a file looks encrypted, or the first rows are too few but look so."""
    return looks_encrypted(trail) or row_sample(trail).may_be_encrypted


def row_sample(trail: TrailFile) -> RowSample:
    """Return the first rows of a file, up to damage, or until enough could be split to decide."""
    definitions, sample = RowDefinitions(trail), RowSample(0, 0, b"")
    for record in _rows(trail):
        is_apart = _comes_apart(record, definitions)
        other = sample.other if is_apart else sample.other + record.data[:_ROW_BYTES]
        sample = RowSample(sample.rows + 1, sample.apart + is_apart, other)
        if sample.is_whole:
            break
    return sample


def _rows(trail: TrailFile) -> Iterator[Record]:
    """Yield the rows among the first records: with data, neither large nor continued in other records."""
    rba, is_part = trail.first_rba, False
    for _ in range(MOST_RECORDS):
        try:
            length = trail.record_length(rba)
            if not length:
                return
            record = trail.record_at(rba) if length <= _LARGEST else None
            if record is None or record.is_file_header:
                is_part = record is None
            else:
                header = record.header
                if not is_part and not header.continued and header.io_type in _TYPES and record.data:
                    yield record
                is_part = bool(header.continued)
        except TrailError:
            return
        rba += length


def _comes_apart(record: Record, definitions: RowDefinitions) -> bool:
    """Return True if the data of a row are columns, each with an indicator in a full image."""
    try:
        if record.images is not None:
            return True
        table = definitions.of(record).table
        return table is not None and _is_full_image(record, table)
    except TrailError:
        return False


def _is_full_image(record: Record, table: TableDefinition) -> bool:
    columns = split_full_image(record.data, table, record.order, record.header.syskey_len)
    return bool(columns) and all(column.raw[:2] in (NULL, PRESENT) for column in columns)
