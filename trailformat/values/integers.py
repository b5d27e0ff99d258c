"""Binary integers, big-endian in any file, divided by 10 to the power of their scale.

    0000 00000000001abbc0     64 bits, scale 2: 17520.00

(Real 12.2 trail, big-endian; MySQL and PostgreSQL transcripts of 21c, little-endian.)
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from trailformat.byte_order import ByteOrder
from trailformat.column_definition import ColumnDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.values.value import Plain

MOST_SCALE = 128
"""No database has more decimals; a definition that says so is damaged."""


def decoder(size: int, *, signed: bool = True) -> Callable[[bytes, ColumnDefinition, ByteOrder, str], int | Decimal]:
    """What reads integers of ``size`` bytes: an int, or a Decimal when the column has a scale."""

    def decode(data: bytes, definition: ColumnDefinition, _order: ByteOrder, _charset: str) -> int | Decimal:
        if len(data) != size:
            raise BadData("integer of another size", expected=f"{size} bytes", found=f"{len(data)} bytes")
        return scaled(int.from_bytes(data, "big", signed=signed), definition.scale)

    return decode


def encoder(size: int, *, signed: bool = True) -> Callable[[Plain, ColumnDefinition, ByteOrder, str], bytes]:
    """What writes them."""

    def encode(value: Plain, definition: ColumnDefinition, _order: ByteOrder, _charset: str) -> bytes:
        try:
            return unscaled(value, definition.scale).to_bytes(size, "big", signed=signed)
        except OverflowError:
            raise CannotWrite(f"number does not fit into {size} bytes", found=str(value)) from None

    return encode


def scaled(number: int, scale: int) -> int | Decimal:
    """``number`` over 10^scale: an int where there is no scale."""
    if not 0 <= scale <= MOST_SCALE:
        raise BadData("impossible scale", expected=f"0 to {MOST_SCALE}", found=str(scale))
    return Decimal(f"{number}e-{scale}") if scale else number


def unscaled(value: Plain, scale: int) -> int:
    """The integer that stands for ``value`` in a column of this scale.

    Raises:
        CannotWrite: it is no number, or has more decimals.
    """
    try:
        sign, digits, exponent = Decimal(str(value)).as_tuple()
    except InvalidOperation:
        raise CannotWrite("not a number", found=str(value)) from None
    if not isinstance(exponent, int) or exponent + scale > MOST_SCALE:
        raise CannotWrite("not a number of this column", found=str(value))
    number = int("".join(map(str, digits)) or "0")
    power = exponent + scale
    if power < 0 and number % 10**-power:
        raise CannotWrite(f"number has more than {scale} decimals", found=str(value))
    size: int = number * 10**power if power >= 0 else number // 10**-power
    return -size if sign else size
