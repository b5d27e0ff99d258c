"""Binary floating-point numbers, big-endian: of IEEE 754, and of Tandem.

    0000 400199999999999a     IEEE, 64 bits: 2.2

Tandem: sign, fraction after an implied 1 (22 or 54 bits), exponent of 9 bits at the end, biased by 256; all zero is 0.
(Inferred: the codes are known by name, integers are big-endian in any file, and no trail with such a column was seen.)
"""

from __future__ import annotations

import math
import struct

from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.column import ColumnDefinition
from trailformat.errors import CannotWrite
from trailformat.values.integers import check_size
from trailformat.values.value import Plain

_LAYOUTS = {4: struct.Struct(">f"), 8: struct.Struct(">d")}
TANDEM_EXPONENT_BITS, _BIAS = 9, 256
_ALL_WHOLE = 1 << 24
"""From here on a single-precision number has no fraction."""
_DIGITS = range(6, 10)
"""The numbers of digits tried: one of them always identifies a single-precision number."""


def decode_ieee(size: int, data: bytes, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> float:
    """An IEEE number of 4 or 8 bytes; one of 4 as the shortest decimal number that it represents."""
    check_size(data, size)
    number: float = _LAYOUTS[size].unpack(data)[0]
    return number if size == 8 else _shortest(number)


def _shortest(number: float) -> float:
    """0.1 for the single-precision number that a double would show as 0.10000000149011612; whole numbers stay."""
    if not abs(number) < _ALL_WHOLE:
        return number
    single = _LAYOUTS[4]
    shorter = (float(f"{number:.{digits}g}") for digits in _DIGITS)
    return next((candidate for candidate in shorter if single.unpack(single.pack(candidate))[0] == number), number)


def encode_ieee(size: int, value: Plain, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """The bytes of an IEEE number."""
    try:
        return _LAYOUTS[size].pack(_number(value))
    except OverflowError:
        raise CannotWrite(f"number does not fit into {size} bytes", found=str(value)[:40]) from None


def decode_tandem(size: int, data: bytes, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> float:
    """A Tandem number of 4 or 8 bytes, rounded to a Python float."""
    check_size(data, size)
    fraction_bits = _fraction_bits(size)
    bits = int.from_bytes(data, "big")
    if not bits:
        return 0.0
    exponent = (bits & (1 << TANDEM_EXPONENT_BITS) - 1) - _BIAS
    fraction = bits >> TANDEM_EXPONENT_BITS & (1 << fraction_bits) - 1
    magnitude = math.ldexp(float(1 << fraction_bits | fraction), exponent - fraction_bits)
    return -magnitude if bits >> 8 * size - 1 else magnitude


def encode_tandem(size: int, value: Plain, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """The bytes of a Tandem number."""
    fraction_bits = _fraction_bits(size)
    number = _number(value)
    if not number:
        return bytes(size)
    if not math.isfinite(number):
        raise CannotWrite("Tandem numbers are finite", found=str(value))
    mantissa, exponent = math.frexp(abs(number))
    whole = round(math.ldexp(mantissa, fraction_bits + 1))
    if whole >> fraction_bits + 1:
        whole, exponent = whole >> 1, exponent + 1
    exponent += _BIAS - 1
    if not 0 <= exponent < 1 << TANDEM_EXPONENT_BITS:
        raise CannotWrite(f"number does not fit into {size} bytes", found=str(value))
    fraction = whole & (1 << fraction_bits) - 1
    bits = (number < 0) << 8 * size - 1 | fraction << TANDEM_EXPONENT_BITS | exponent
    if not bits:
        raise CannotWrite("Tandem has no such number: its bytes mean 0", found=str(value))
    return bits.to_bytes(size, "big")


def _fraction_bits(size: int) -> int:
    return 8 * size - 1 - TANDEM_EXPONENT_BITS


def _number(value: Plain) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # what is no number is refused below
    except (TypeError, ValueError, OverflowError):
        raise CannotWrite("not a number", found=str(value)[:40]) from None
