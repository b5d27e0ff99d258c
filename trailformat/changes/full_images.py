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

from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.column import ColumnDefinition
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.records.columns import NULL, PRESENT, Column
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
    indicator, value = (room[:_INDICATOR], room[_INDICATOR:]) if _has_indicator(column, len(room)) else (PRESENT, room)
    is_variable = _is_variable(column)
    size = _PREFIX + order.decode(value[:_PREFIX]) if is_variable else column.internal_length
    if len(value) < size and not is_variable:
        raise BadData(f"column {column.name} does not fit between its offset and the next", expected=f"{size} bytes")
    return Column(index, indicator + value[:size])


def _is_variable(column: ColumnDefinition) -> bool:
    data_type = DATA_TYPES.get(column.data_type)
    return data_type is not None and data_type.is_variable


def _has_indicator(column: ColumnDefinition, room: int) -> bool:
    """Whether a column that takes ``room`` bytes of the image begins with an indicator."""
    return room - column.internal_length - (_PREFIX if _is_variable(column) else 0) >= _INDICATOR


def build_full_image(columns: tuple[Column, ...], table: TableDefinition, length: int) -> bytes:
    """The full record image of all columns of a table, ``length`` bytes; values go to their offsets.

    Raises:
        CannotWrite: a column that the table does not have, or one that does not fit.
    """
    image = bytearray(length)
    offsets = {one.fetch_offset for one in table.columns} | {length}
    for column in columns:
        if column.index >= len(table.columns):
            raise CannotWrite(f"table has no column {column.index}")
        definition = table.columns[column.index]
        start = definition.fetch_offset
        room = min((offset for offset in offsets if offset > start), default=start) - start
        has_indicator = _has_indicator(definition, room)
        if column.is_null and not has_indicator:
            raise CannotWrite(f"column {definition.name} has no room for an indicator, so that it cannot be NULL")
        stored = NULL if column.is_null else column.raw if has_indicator else column.value
        if len(stored) > room:
            raise CannotWrite(f"column {definition.name} does not fit", expected=f"at most {room} bytes")
        image[start : start + len(stored)] = stored
    return bytes(image)
