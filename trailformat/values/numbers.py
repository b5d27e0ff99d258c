"""Numbers: integers, floats, packed and zoned decimals, and numbers stored as text (NUMBER without a precision).

    0000 0003 313434     144

The sub data type marks the text as a number. Text that is not a number of a reasonable size is not decoded.
"""

from __future__ import annotations

import enum
import math
import struct
from decimal import Decimal, InvalidOperation

from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.values.value import Plain, plain_text

MOST_EXPONENT = 1000
"""Maximum power of ten, beyond that of any database; the text of a larger one in a few bytes could fill the memory."""
_NOT_FINITE = frozenset({"INF", "+INF", "-INF", "INFINITY", "+INFINITY", "-INFINITY", "NAN"})


def parse_number(text: str) -> Decimal | float:
    """Parse a number; a float for infinity and NaN.

    Raises:
        BadData: it is not a number, or is beyond 10^1000 or 10^-1000.
    """
    written = text.strip(" \0")
    if written.upper() in _NOT_FINITE:
        return float(written)
    try:
        number = Decimal(written) if "_" not in written else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise BadData("not a number", found=repr(text[:20]))
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and abs(exponent) > MOST_EXPONENT and abs(number.adjusted()) > MOST_EXPONENT:
        raise BadData("number out of range", found=repr(text[:20]))
    return number


def is_finite(number: object) -> bool:
    """Return True if ``number`` is a finite number."""
    if isinstance(number, float):
        return math.isfinite(number)
    return isinstance(number, int) or (isinstance(number, Decimal) and number.is_finite())


_MOST_DIGITS = 4000
"""Maximum number of digits; Python refuses to parse integers with some more (4300)."""


def decode(
    size: int, data: bytes, definition: ColumnDefinition, _order: ByteOrder, _codec: str, *, signed: bool
) -> int | Decimal:
    """Decode a big-endian integer of ``size`` bytes; a Decimal if the column has a scale."""
    check_size(data, size)
    number, scale = int.from_bytes(data, "big", signed=signed), definition.scale
    return scaled(number, scale) if scale else number


def encode(
    size: int, value: Plain, definition: ColumnDefinition, _order: ByteOrder, _codec: str, *, signed: bool
) -> bytes:
    """Encode an integer, or a decimal of the column's scale. Raises CannotWrite if it does not fit."""
    try:
        return unscaled(value, definition.scale).to_bytes(size, "big", signed=signed)
    except OverflowError:
        raise CannotWrite(f"number does not fit into {size} bytes", found=plain_text(value)) from None


def check_size(data: bytes, size: int) -> None:
    """Raise BadData if ``data`` is not ``size`` bytes long."""
    if len(data) != size:
        raise BadData("wrong size of the value", expected=f"{size} bytes", found=f"{len(data)} bytes")


def scaled(number: int, scale: int) -> int | Decimal:
    """Return ``number`` divided by 10^scale; an int if the scale is 0.

    Raises:
        BadData: the scale is beyond that of any database.
    """
    if abs(scale) > MOST_EXPONENT:
        raise BadData("impossible scale", found=str(scale))
    return Decimal(f"{number}e{-scale}") if scale else number


def unscaled(value: Plain, scale: int) -> int:
    """Return the integer stored for ``value`` in a column of this scale.

    Raises:
        CannotWrite: it is not a number, or has more decimals than the column or more digits than any type.
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


_LAYOUTS = {4: struct.Struct(">f"), 8: struct.Struct(">d")}
TANDEM_EXPONENT_BITS, _BIAS = 9, 256
_ALL_WHOLE = 1 << 24
"""Single-precision numbers from this one on have no fraction."""
_DIGITS = range(6, 10)
"""Numbers of digits that are tried: 9 always identify a single-precision number."""


def decode_ieee(size: int, data: bytes, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> float:
    """Decode an IEEE number of 4 or 8 bytes; one of 4 bytes as the shortest decimal number that it represents."""
    check_size(data, size)
    number: float = _LAYOUTS[size].unpack(data)[0]
    return number if size == 8 else _shortest(number)


def _shortest(number: float) -> float:
    """Return 0.1 for the single-precision number that a double shows as 0.10000000149011612; see decode_ieee."""
    if not abs(number) < _ALL_WHOLE:
        return number
    single = _LAYOUTS[4]
    shorter = (float(f"{number:.{digits}g}") for digits in _DIGITS)
    return next((candidate for candidate in shorter if single.unpack(single.pack(candidate))[0] == number), number)


def encode_ieee(size: int, value: Plain, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """Encode an IEEE number of 4 or 8 bytes. Raises CannotWrite if it is too large or not a number."""
    try:
        return _LAYOUTS[size].pack(_number(value))
    except OverflowError:
        raise CannotWrite(f"number does not fit into {size} bytes", found=str(value)[:40]) from None


def decode_tandem(size: int, data: bytes, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> float:
    """Decode a Tandem number of 4 or 8 bytes, rounded to a Python float."""
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
    """Encode a Tandem number of 4 or 8 bytes. Raises CannotWrite if it has no such number."""
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
        return float(value)  # type: ignore[arg-type]  # other types raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise CannotWrite("not a number", found=str(value)[:40]) from None


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
"""The bytes of a digit that includes a sign, in ASCII and EBCDIC: the digit, and True for minus."""
DIGITS = {zone | digit: digit for zone in (0x30, 0xF0) for digit in range(10)}
"""The bytes of a digit without a sign, in ASCII and EBCDIC."""
SIGNS = {ord("+"): False, ord("-"): True, 0x4E: False, 0x60: True, ord(" "): False}
"""The bytes of a separate sign, in ASCII and EBCDIC: True for minus."""


def decode_zoned(
    sign: Sign, data: bytes, definition: ColumnDefinition, _order: ByteOrder, _codec: str
) -> int | Decimal:
    """Decode a zoned number, whose sign is at ``sign``.

    Raises:
        BadData: it has no digits, too many, or other bytes.
    """
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
    """Split zoned digits from their sign; return the digits, and True for minus."""
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
    """Encode a zoned number in ASCII, with the length of the column. Raises CannotWrite if it does not fit."""
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
    index = 0 if sign is Sign.LEADING else len(digits) - 1
    signed = digits[index] | (_MINUS_BIT if number < 0 else 0)
    return digits[:index] + bytes([signed]) + digits[index + 1 :]


def _digits(number: int, count: int) -> bytes:
    digits = str(abs(number)).encode().rjust(max(count, 1), b"0")
    if len(digits) > count:
        raise CannotWrite(f"number has more than {count} digits", found=str(number))
    return digits


def decode_packed(data: bytes, definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> int | Decimal:
    """Decode a packed number: two digits per byte, the last one a sign from a to f. Raises BadData."""
    digits = data.hex()
    if not digits[:-1].isdecimal() or digits[-1:] not in "abcdef" or len(data) > _MOST_BYTES:
        raise BadData("not a packed number", expected="digits, then a sign of a to f", found=digits[:40])
    number = int(digits[:-1])
    return scaled(-number if digits[-1] in "bd" else number, definition.scale)


def encode_packed(value: Plain, definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """Encode a packed number with the length of the column. Raises CannotWrite if it does not fit."""
    number = unscaled(value, definition.scale)
    digits = _digits(number, 2 * definition.internal_length - 1).decode()
    return bytes.fromhex(digits + ("d" if number < 0 else "c"))
