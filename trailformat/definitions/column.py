"""One column of a table definition: its name, 44 fixed bytes, and the bytes after them, by ``spec.column_definition``.

Flags: ``01`` key, ``02`` null, ``20`` elementary item (inferred from what DEFGEN prints for Oracle tables).
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import BadData

KEY = 0x01
NULLABLE = 0x02
ELEMENTARY = 0x20
TAIL_12_2 = bytes(14)


class ColumnDefinition(NamedTuple):
    """A column as a definitions file describes it; lengths in bytes, ``tail`` what follows the 44 bytes or None."""

    name: str
    data_type: int
    internal_length: int
    external_length: int
    binary_length: int
    table_length: int
    character_length: int
    fetch_offset: int
    charset: int
    native_type: int
    sub_data_type: int
    most_significant: int
    least_significant: int
    scale: int
    reserved: int
    flags: int
    tail: bytes | None = TAIL_12_2

    @property
    def is_key(self) -> bool:
        """True if the column belongs to the key."""
        return bool(self.flags & KEY)


def parse_column(data: bytes, order: ByteOrder) -> ColumnDefinition:
    """The definition in ``data``.

    Raises:
        BadData: too short, or bytes left over that no source explains.
    """
    if (usual := _usual(data, order)) is not None:
        return usual
    from trailformat import spec

    parsed = layout.parse_whole(spec.column_definition(order.value), data, BadData, "column definition")
    if parsed.rest or parsed.fixed.rest:
        raise BadData("column definition is longer than any seen", found=(parsed.rest or parsed.fixed.rest).hex())
    name = parsed.fixed.name.decode("utf-8", "backslashreplace")
    values = [getattr(parsed.fixed, field) for field in ColumnDefinition._fields[1:-1]]
    return ColumnDefinition._make((name, *values, parsed.tail))


_FIXED = {each: struct.Struct(each.value + "H6Ii2h2Hh2H") for each in ByteOrder}


def _usual(data: bytes, order: ByteOrder) -> ColumnDefinition | None:
    """Parse a definition in the form that Extract writes; None leaves it to the layout."""
    size = order.decode(data[:2])
    fixed, tail = layout.read_prefixed(data[: 2 + size], 2, order.word), data[2 + size :]
    last = layout.read_prefixed(tail, 2, order.word) if tail else None
    if fixed is None or (last is None and tail):
        return None
    name = layout.read_prefixed(fixed[: -_FIXED[order].size], 2, order.word)
    if name is None:
        return None
    numbers = _FIXED[order].unpack(fixed[-_FIXED[order].size :])
    return ColumnDefinition._make((name.decode("utf-8", "backslashreplace"), *numbers, last))


def build_column(column: ColumnDefinition, order: ByteOrder) -> bytes:
    """The bytes of a definition, without the size in front of it."""
    from trailformat import spec

    fixed = {**column._asdict(), "name": layout.encode_text(column.name, "column name"), "rest": b""}
    value = {"fixed": fixed, "tail": column.tail, "rest": b""}
    return layout.build(spec.column_definition(order.value), value, f"column definition {column.name}")
