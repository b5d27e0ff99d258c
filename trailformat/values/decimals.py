"""Decimal numbers by digits, zoned (a byte each) and packed (half a byte each), over 10 to the power of the scale.

    0000 2d31323334      sign in front, on its own: -1234
    0000 313233b4        sign in the last digit: -1234
    0000 01234d          packed: -1234

A digit with a sign in it is written as NonStop does, the high bit set when negative; read are the others too: EBCDIC
zones (``c4`` + ``d4`` -) and the letters that some COBOLs use (``D`` + ``M`` -, ``{`` +0, ``}`` -0, ``t`` -4). Packed:
sign ``d`` or ``b`` is negative, any other of ``a`` to ``f`` positive. (Inferred: the codes are known by name, the
layouts from COBOL and NonStop; no trail with such a column was seen.)
"""

from __future__ import annotations

import enum
from decimal import Decimal

from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.column import ColumnDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.values.integers import scaled, unscaled
from trailformat.values.value import Plain, plain_text

_MOST_BYTES = 1000
_MINUS_BIT = 0x80


class Sign(enum.Enum):
    """The place of the sign of a zoned number."""

    NONE = enum.auto()
    LEADING_SEPARATE = enum.auto()
    LEADING = enum.auto()
    TRAILING_SEPARATE = enum.auto()
    TRAILING = enum.auto()


_ZONES = {0x30: False, 0xF0: False, 0xC0: False, 0xB0: True, 0xD0: True, 0x70: True}
SIGNED_DIGITS = {
    **{zone | digit: (digit, minus) for zone, minus in _ZONES.items() for digit in range(10)},
    **{byte: (digit, False) for digit, byte in enumerate(b"{ABCDEFGHI")},
    **{byte: (digit, True) for digit, byte in enumerate(b"}JKLMNOPQR")},
}
"""Every byte that is a digit with a sign in it: the digit, and whether it is negative."""
DIGITS = {zone | digit: digit for zone in (0x30, 0xF0) for digit in range(10)}
"""Every byte that is a digit without one."""
SIGNS = {ord("+"): False, ord("-"): True, 0x4E: False, 0x60: True, ord(" "): False}
"""A sign on its own, in ASCII and EBCDIC."""


def decode_zoned(
    sign: Sign, data: bytes, definition: ColumnDefinition, _order: ByteOrder, _codec: str
) -> int | Decimal:
    """A zoned number with its sign at this place."""
    digits, minus = _split(data, sign)
    if not digits or len(digits) > _MOST_BYTES:
        raise BadData("no digits, or too many", found=f"{len(data)} bytes")
    number = 0
    for byte in digits:
        if byte not in DIGITS:
            raise BadData("not a digit", found=f"x{byte:02x}")
        number = 10 * number + DIGITS[byte]
    return scaled(-number if minus else number, definition.scale)


def _split(data: bytes, sign: Sign) -> tuple[bytes, bool]:
    """The digits without their sign, and whether it is a minus."""
    if sign is Sign.NONE or not data:
        return data, False
    at_front = sign in (Sign.LEADING, Sign.LEADING_SEPARATE)
    byte, rest = (data[0], data[1:]) if at_front else (data[-1], data[:-1])
    if sign in (Sign.LEADING_SEPARATE, Sign.TRAILING_SEPARATE):
        if byte not in SIGNS:
            raise BadData("not a sign", found=f"x{byte:02x}")
        return rest, SIGNS[byte]
    if byte not in SIGNED_DIGITS:
        raise BadData("not a digit with a sign", found=f"x{byte:02x}")
    digit, minus = SIGNED_DIGITS[byte]
    plain = bytes([ord("0") + digit])
    return (plain + rest if at_front else rest + plain), minus


def encode_zoned(sign: Sign, value: Plain, definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """A zoned number in ASCII and in the length of the column."""
    number = unscaled(value, definition.scale)
    if sign is Sign.NONE and number < 0:
        raise CannotWrite("column has no sign", found=plain_text(value))
    is_separate = sign in (Sign.LEADING_SEPARATE, Sign.TRAILING_SEPARATE)
    digits = _digits(number, definition.internal_length - is_separate)
    minus = b"-" if number < 0 else b"+"
    if sign is Sign.LEADING_SEPARATE:
        return minus + digits
    if sign is Sign.TRAILING_SEPARATE:
        return digits + minus
    at = 0 if sign is Sign.LEADING else len(digits) - 1
    signed = digits[at] | (_MINUS_BIT if number < 0 else 0)
    return digits[:at] + bytes([signed]) + digits[at + 1 :]


def _digits(number: int, count: int) -> bytes:
    digits = str(abs(number)).encode().rjust(max(count, 1), b"0")
    if len(digits) > count:
        raise CannotWrite(f"number has more than {count} digits", found=str(number))
    return digits


def decode_packed(data: bytes, definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> int | Decimal:
    """Decode a packed number."""
    digits = data.hex()
    if not digits[:-1].isdecimal() or digits[-1:] not in "abcdef" or len(data) > _MOST_BYTES:
        raise BadData("not a packed number", expected="digits, then a sign of a to f", found=digits[:40])
    number = int(digits[:-1])
    return scaled(-number if digits[-1] in "bd" else number, definition.scale)


def encode_packed(value: Plain, definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """A packed number in the length of the column."""
    number = unscaled(value, definition.scale)
    digits = _digits(number, 2 * definition.internal_length - 1).decode()
    return bytes.fromhex(digits + ("d" if number < 0 else "c"))
