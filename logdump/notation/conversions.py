"""Logdump's conversions of times, syskeys and floating-point numbers, which need no open trail.

    COMPUTETIMESTAMP 2005-01-01 12:00:00    2005-01-01 12:00:00 is JulianTimestamp 211971340800000000
    INTERPRETINTERVAL 1234567               Interval 1234567 is 0-00:00:01.234.567
    FLOAT 2.2 FMT %g                        400199999999999a  2.2

Each function returns the lines that Logdump prints, without line ends, and raises ValueError with a reason for an
argument it cannot use. The layouts are those of the manual's examples.
"""

from __future__ import annotations

import math
import re
import struct
import time

from logdump.notation.times import GMT, LOCAL, format_timestamp, parse_datetime

_SIGNED_64 = range(-(2**63), 2**63)
_UNSIGNED_64 = range(2**64)
_RECORD_BITS = 12

_WORD = re.compile(r"%[-+ #0]*\S*|\S+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEX = re.compile(r"(?:0x|%h|x|h)([0-9a-f]+)", re.IGNORECASE)
_SPECIFIER = re.compile(
    r"%(?P<flags>[-+ #0]{0,5})(?P<width>[0-9]{0,3})(?P<precision>\.[0-9]{0,3})?l?(?P<kind>[efgaEFGA])",
)
_SIZES = {
    **dict.fromkeys(("IEEE", "TDM", "TANDEM", "NSK", "64BIT", "64-BIT", "F64"), 64),
    **dict.fromkeys(("32BIT", "32-BIT", "F32"), 32),
}
_LAYOUTS = {64: ">d", 32: ">f"}


def compute_timestamp(text: str, now: int | None = None) -> str:
    """COMPUTETIMESTAMP: return the Julian timestamp (microseconds) of a date-time string in GMT.

    If the string has no date, it is that of ``now`` (Julian microseconds).
    """
    return f"{text.strip()} is JulianTimestamp {parse_datetime(text, GMT, now)}"


def interpret_timestamp(number: int) -> list[str]:
    """INTERPRETTIMESTAMP: return a Julian timestamp (microseconds) in GMT and in LCT, the machine's local time."""
    _check(number, _SIGNED_64, "timestamp")
    return [f"{format_timestamp(number, GMT)} GMT", f"{format_timestamp(number, LOCAL)} LCT"]


def interpret_interval(number: int) -> str:
    """INTERPRETINTERVAL: return microseconds as ``days-hh:mm:ss.mmm.uuu``, with a minus sign in front if negative."""
    _check(number, _SIGNED_64, "interval")
    milliseconds, microseconds = divmod(abs(number), 1000)
    seconds, milliseconds = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}.{microseconds:03}"
    return f"Interval {number} is {'-' if number < 0 else ''}{days}-{clock}"


def ctime_lines(number: int) -> list[str]:
    """CTIME: return a C ``time_t`` (seconds since 1970) in hex, local time and GMT; years 1 to 9999.

    A negative value is shown in hex as its 64 bits; the manual has a positive example only.
    """
    _check(number, _SIGNED_64, "C timestamp")
    try:
        moments = [time.localtime(number), time.gmtime(number)]
    except (OverflowError, OSError):
        moments = []
    if not moments or not all(1 <= fields.tm_year <= 9999 for fields in moments):
        raise ValueError(f"C timestamp {number} is outside the years 1 to 9999")
    local, gmt = moments
    return [
        f"timestamp  = {number} (0x{number % 2**64:x})",
        f"localtime  = {time.asctime(local)}",
        f"gmtime     = {time.asctime(gmt)}",
    ]


def esblock_lines(number: int) -> list[str]:
    """ESBLOCK: return the 64-bit syskey of an entry-sequenced file as block and record number.

    Derived from the only example known (manual ESBLOCK, a NonStop command): the upper 32 bits are the block, the lower
    32 the record, and the relative byte address is block * 4096 + record. Its hex numbers have 17 digits, the
    value in 16 and a zero after them (4102 is ``0x00000000000010060``), as they are printed here. A record number above
    4095, which does not fit into such an address, is an error here; Logdump's treatment of it is unknown.
    """
    _check(number, _UNSIGNED_64, "syskey")
    block, record = divmod(number, 2**32)
    if record >= 2**_RECORD_BITS:
        raise ValueError(f"syskey {number} is block {block}, record {record}: a record number goes up to 4095")
    address = block << _RECORD_BITS | record
    rows = {"Interpreted": number, "64-bit Syskey": number, "ES64_TO_RBA64": address, "RBA64_TO_ES64": number}
    lines = [f"{label:<16}{value:>20}   0x{value:016x}0" for label, value in rows.items()]
    lines[0] += f"   {block}.{record}"
    return lines


def float_line(args: str) -> str:
    """FLOAT: return a number's bits in hex, two blanks, and its value, in ``%f`` unless a format is given.

    ``args`` is the number, then at most one size and one format. The number is decimal, or hex after ``0x``, ``%H``,
    ``X`` or ``H``; fewer hex digits than the size has are the low ones. Sizes: IEEE, TDM, TANDEM, NSK, 64bit, 64-bit
    and F64 are 64 bits (the default), 32bit, 32-bit and F32 are 32 bits, 8 hex digits. Format: ``FMT`` (manual) or
    ``FORMAT`` (HELP) and one C99 specifier for a floating-point number, ``%[-+ #0][width][.precision][l]efgaEFGA``,
    width and precision below 1000. ``%lx``, which the manual also names, is for an integer and is refused. Nothing is
    converted between Tandem and IEEE. Sources: manual FLOAT, HELP 11.1.
    """
    words = _WORD.findall(args.strip())
    if not words:
        raise ValueError("FLOAT takes a number, decimal or in hex after 0x, %H, X or H")
    size, specifier = _float_options(words[1:])
    digits = _HEX.fullmatch(words[0])
    bits = int(digits[1], 16) if digits and len(digits[1].lstrip("0")) <= size // 4 else None
    if digits and bits is None:
        raise ValueError(f"{words[0]!r} has more than the {size // 4} hex digits of {size} bits")
    if bits is None:
        bits = _bits(words[0], size)
    data = bits.to_bytes(size // 8, "big")
    (value,) = struct.unpack(_LAYOUTS[size], data)
    return f"{data.hex()}  {_formatted(value, specifier)}"


def _check(number: int, allowed: range, what: str) -> None:
    if number not in allowed:
        raise ValueError(f"{what} {number} does not fit into 64 bits")


def _float_options(words: list[str]) -> tuple[int, re.Match[str]]:
    """Return the size in bits and the format, from the words after the number."""
    size: int | None = None
    form: str | None = None
    rest = iter(words)
    for word in rest:
        keyword = word.upper()
        if keyword in _SIZES and size is None:
            size = _SIZES[keyword]
        elif keyword in ("FMT", "FORMAT") and form is None:
            form = next(rest, "")
        else:
            raise ValueError(f"FLOAT takes a number, one size such as F64 or F32 and one FMT specifier, not {word!r}")
    specifier = _SPECIFIER.fullmatch("%f" if form is None else form)
    if specifier is None:
        raise ValueError(f"the format is %e, %f, %g or %a with flags, width and precision below 1000, not {form!r}")
    return size or 64, specifier


def _bits(text: str, size: int) -> int:
    """Return the bits of a decimal number, rounded to the nearest number of ``size`` bits."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{text!r} is not a number: decimal, or hex after 0x, %H, X or H")
    try:
        data = struct.pack(_LAYOUTS[size], float(text))
    except OverflowError:
        data = b""
    if not data or math.isinf(float(text)):
        raise ValueError(f"{text} is too large for a floating-point number of {size} bits")
    return int.from_bytes(data, "big")


def _formatted(value: float, specifier: re.Match[str]) -> str:
    """Return ``value`` as C's printf writes it."""
    flags, width, precision, kind = specifier.group("flags", "width", "precision", "kind")
    if not math.isfinite(value):  # printf pads these with blanks, never with zeros
        return f"%{flags.replace('0', '')}{width}{'F' if kind.isupper() else 'f'}" % value
    if kind in "aA":
        return _hex_float(value, flags, int(width or 0), precision, upper=kind == "A")
    return f"%{flags}{width}{precision or ''}{kind}" % value


def _hex_float(value: float, flags: str, width: int, precision: str | None, *, upper: bool) -> str:
    """Format ``%a``, ``0x1.0cccccccccccdp+1``: no trailing zeros, or rounded to even at ``precision`` hex digits."""
    whole, point, rest = abs(value).hex().partition(".")
    digits, _, exponent = rest.partition("p")
    mantissa = whole[-1] + digits.ljust(13, "0")
    if precision is None:
        mantissa = mantissa[0] + mantissa[1:].rstrip("0")
    else:
        wanted = int(precision[1:] or 0)
        dropped = 16 ** max(13 - wanted, 0)
        rounded, remainder = divmod(int(mantissa, 16), dropped)
        rounded += 2 * remainder > dropped or (2 * remainder == dropped and rounded % 2 == 1)
        mantissa = f"{rounded:0{min(wanted, 13) + 1}x}".ljust(wanted + 1, "0")
    sign = "-" if math.copysign(1, value) < 0 else "+" if "+" in flags else " " if " " in flags else ""
    point = "." if len(mantissa) > 1 or "#" in flags else ""
    head, tail = f"{sign}0x", f"{mantissa[0]}{point}{mantissa[1:]}p{exponent}"
    if "-" in flags:
        text = (head + tail).ljust(width)
    elif "0" in flags:
        text = head + tail.rjust(width - len(head), "0")
    else:
        text = (head + tail).rjust(width)
    return text.upper() if upper else text
