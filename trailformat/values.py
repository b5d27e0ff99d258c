"""What the bytes of a column mean, by its definition.

    0000 0003 434152                 VARCHAR: 2-byte length in file order, then the text
    0000 00000000001abbc0            64-bit integer, big-endian always, over 10^scale: 17520.00
    0000 313939342d30392d33303a…     DATETIME as text

The type codes are those of definitions files: 0 CHAR, 64 VARCHAR, 130 132 134 integers of 2, 4, 8 bytes, 192 DATETIME.
"""

from __future__ import annotations

from decimal import Decimal

from trailformat.byte_order import ByteOrder
from trailformat.column_definition import ColumnDefinition
from trailformat.columns import Column

Value = str | Decimal | bytes | None

CHAR = 0
VARCHAR = 64
DATETIME = 192
INTEGERS = {130: 2, 132: 4, 134: 8}


def decode_value(column: Column, definition: ColumnDefinition, order: ByteOrder) -> Value:
    """The value of a column: text, number, None for NULL; the bytes as they are when they do not fit the definition."""
    if column.is_null:
        return None
    value = column.value
    if size := INTEGERS.get(definition.data_type):
        return _scaled(value, definition.scale) if len(value) == size else value
    if definition.data_type == VARCHAR:
        text = value[2:]
        return _text(text) if len(value) >= 2 and order.decode(value[:2]) == len(text) else value
    if definition.data_type in (CHAR, DATETIME):
        return _text(value)
    return value


def _scaled(value: bytes, scale: int) -> Decimal:
    return Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-scale)


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
