"""Binary integers, big-endian in any file, divided by 10 to the power of their scale.

    0000 00000000001abbc0     64 bits, scale 2: 17520.00

(Real 12.2 trail, big-endian; MySQL and PostgreSQL transcripts of 21c, little-endian.)
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.column import ColumnDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.values.numbers import MOST_EXPONENT
from trailformat.values.value import Plain, plain_text

_MOST_DIGITS = 4000
"""Python refuses to make an integer of some more digits than these."""


def decode(
    size: int, data: bytes, definition: ColumnDefinition, _order: ByteOrder, _codec: str, *, signed: bool
) -> int | Decimal:
    """An integer of ``size`` bytes: an int, or a Decimal when the column has a scale."""
    check_size(data, size)
    number, scale = int.from_bytes(data, "big", signed=signed), definition.scale
    return scaled(number, scale) if scale else number


def encode(
    size: int, value: Plain, definition: ColumnDefinition, _order: ByteOrder, _codec: str, *, signed: bool
) -> bytes:
    """The bytes of such an integer."""
    try:
        return unscaled(value, definition.scale).to_bytes(size, "big", signed=signed)
    except OverflowError:
        raise CannotWrite(f"number does not fit into {size} bytes", found=plain_text(value)) from None


def check_size(data: bytes, size: int) -> None:
    """Raises BadData when ``data`` is not ``size`` bytes long."""
    if len(data) != size:
        raise BadData("value of another size", expected=f"{size} bytes", found=f"{len(data)} bytes")


def scaled(number: int, scale: int) -> int | Decimal:
    """``number`` over 10^scale: an int where there is no scale.

    Raises:
        BadData: a scale that no database has.
    """
    if abs(scale) > MOST_EXPONENT:
        raise BadData("impossible scale", found=str(scale))
    return Decimal(f"{number}e{-scale}") if scale else number


def unscaled(value: Plain, scale: int) -> int:
    """Return the integer stored for ``value`` in a column of this scale.

    Raises:
        CannotWrite: it is no number, has more decimals, or more digits than any type.
    """
    try:
        sign, digits, exponent = Decimal(plain_text(value)).as_tuple()
    except InvalidOperation:
        raise CannotWrite("not a number", found=plain_text(value)[:40]) from None
    if not isinstance(exponent, int) or abs(exponent) > MOST_EXPONENT or len(digits) > _MOST_DIGITS:
        raise CannotWrite("not a number of this column", found=plain_text(value)[:40])
    number, power = int("".join(map(str, digits))), exponent + scale
    size: int
    size, rest = divmod(number * 10 ** max(power, 0), 10 ** max(-power, 0))
    if rest:
        raise CannotWrite(f"number has more than {scale} decimals", found=plain_text(value)[:40])
    return -size if sign else size
