"""Full record images: rows of records that are not compressed, taken apart by the offsets of a definition.

    offset  what                              where there is room for it
    0       2-byte indicator, 0 or -1 NULL    when the column takes 2 bytes or more beyond its value
    2       2-byte length                     when its type is variable
    4       the value                         internal length

A column's room goes from its fetch offset to that of the next one, the last one's to the end of the record; a system
key of NonStop stands in front of all. (Inferred: the offsets of definitions files, of trails and of transcripts leave
this room; no full image with a definition was seen.)
"""

from __future__ import annotations

from itertools import pairwise

from trailformat.byte_order import ByteOrder
from trailformat.column_definition import ColumnDefinition
from trailformat.columns import NULL, PRESENT, Column
from trailformat.errors import BadData, CannotWrite
from trailformat.metadata import TableDefinition
from trailformat.values.data_types import DATA_TYPES

_PREFIX = 2
_INDICATOR = 2


def split_full_image(
    data: bytes, table: TableDefinition, order: ByteOrder, syskey_length: int = 0
) -> tuple[Column, ...]:
    """The columns of a full record image; those beyond its end are absent.

    Raises:
        BadData: no definition, or one whose offsets overlap.
    """
    data = data[syskey_length:]
    ordered = sorted(enumerate(table.columns), key=lambda one: one[1].fetch_offset)
    ends = [after.fetch_offset for _, (_, after) in pairwise(ordered)] + [len(data)] * bool(ordered)
    columns = []
    for (index, column), end in zip(ordered, ends, strict=True):
        if column.fetch_offset < len(data):
            columns.append(_column(index, column, data[column.fetch_offset : end], order))
    return tuple(sorted(columns, key=lambda one: one.index))


def _column(index: int, column: ColumnDefinition, room: bytes, order: ByteOrder) -> Column:
    data_type = DATA_TYPES.get(column.data_type)
    is_variable = data_type is not None and data_type.is_variable
    size = column.internal_length + (_PREFIX if is_variable else 0)
    has_indicator = len(room) - size >= _INDICATOR
    indicator, value = (room[:_INDICATOR], room[_INDICATOR:]) if has_indicator else (PRESENT, room)
    if len(value) < size and not is_variable:
        raise BadData(f"column {column.name} does not fit between its offset and the next", expected=f"{size} bytes")
    if is_variable and len(value) >= _PREFIX:
        size = min(_PREFIX + order.decode(value[:_PREFIX]), len(value))
    return Column(index, indicator + value[:size])


def build_full_image(columns: tuple[Column, ...], table: TableDefinition, length: int) -> bytes:
    """The full record image of all columns of a table, ``length`` bytes; values go to their offsets.

    Raises:
        CannotWrite: a column that the table does not have, or one that does not fit.
    """
    image = bytearray(length)
    offsets = sorted({one.fetch_offset for one in table.columns} | {length})
    for column in columns:
        if column.index >= len(table.columns):
            raise CannotWrite(f"table has no column {column.index}")
        definition = table.columns[column.index]
        start = definition.fetch_offset
        end = next((offset for offset in offsets if offset > start), length)
        stored = NULL if column.is_null else column.raw
        if start + len(stored) > end:
            stored = column.value
        if start + len(stored) > end:
            raise CannotWrite(f"column {definition.name} does not fit", expected=f"at most {end - start} bytes")
        image[start : start + len(stored)] = stored
    return bytes(image)
