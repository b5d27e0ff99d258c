"""Full record images: rows of records that are not compressed, taken apart by the offsets of a definition.

    offset  what                              where there is room for it
    0       2-byte indicator, 0 or -1 NULL    when the column takes 2 bytes or more beyond its value
    2       2-byte length                     when its type is variable
    4       the value                         internal length

A column's room goes from its fetch offset to that of the next one, the last one's to the end of the record; a system
key of NonStop comes first. A record of another length than the definition gives was written by another
definition, and is not decoded. (Inferred: the offsets of definitions files, of trails and of transcripts leave
this room; no full image with a definition was seen.)
"""

from __future__ import annotations

from itertools import pairwise

from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.column import ColumnDefinition
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.records.columns import NULL, PRESENT, Column
from trailformat.values.data_types import data_type_of

_PREFIX = 2
_INDICATOR = 2
_PADDING, _ROUNDED = 2, 1
"""A final NUL, and the byte that makes a length even; without indicators that byte alone."""


def split_full_image(
    data: bytes, table: TableDefinition, order: ByteOrder, syskey_length: int = 0
) -> tuple[Column, ...]:
    """The columns of a full record image; none of no bytes.

    Raises:
        BadData: the image has another length than the definition gives, or the offsets overlap.
    """
    ordered = sorted(enumerate(table.columns), key=lambda numbered: numbered[1].fetch_offset)
    if not (data and ordered):
        return ()
    data = data[syskey_length:]
    rooms = [after.fetch_offset - column.fetch_offset for (_, column), (_, after) in pairwise(ordered)]
    _check_length(len(data), [column for _, column in ordered], rooms)
    columns = [
        _column(index, column, data[column.fetch_offset : column.fetch_offset + room], order)
        for (index, column), room in zip(ordered, [*rooms, len(data)], strict=True)
    ]
    return tuple(sorted(columns, key=lambda column: column.index))


def _check_length(length: int, ordered: list[ColumnDefinition], rooms: list[int]) -> None:
    """Refuse an image that does not end where its last column does."""
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


def build_full_image(columns: tuple[Column, ...], table: TableDefinition, length: int) -> bytes:
    """The full record image of all columns of a table, ``length`` bytes; values go to their offsets.

    Raises:
        CannotWrite: a column that the table does not have, or one that does not fit.
    """
    image = bytearray(length)
    offsets = {column.fetch_offset for column in table.columns} | {length}
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
