"""The hex dump of data: 20 bytes a line in ten pairs, a bar, and the printable characters.

' 0000 0600 0000 0000 000a 0100 0700 0000 0300 6161 | ..................aa'
"""

from __future__ import annotations

from functools import cache
from typing import cast

from logdump.notation.text import Harmless
from trailformat.codec.on_demand import on_demand

with on_demand:
    from trailformat.codec import charsets


def _printable(characters: str) -> str:
    return "".join(character if " " <= character <= "~" else "." for character in characters)


ASCII = _printable("".join(map(chr, range(256))))
"""256 characters, one for each byte: itself for 20 to 7e, a dot for any other."""


@cache
def _ebcdic() -> str:
    """Return 256 characters, one for each byte: its character in EBCDIC if that is printable ASCII, else a dot."""
    return _printable(charsets.EBCDIC_1047)


def gutter_table(*, ebcdic: bool) -> str:
    """Return the table for the text column under ASCIIDUMP or EBCDICDUMP: 256 characters, all printable ASCII."""
    return _ebcdic() if ebcdic else ASCII


def decode_ebcdic(data: bytes) -> str:
    """Return the text of bytes in EBCDIC, one character for each byte, control characters included."""
    return charsets.decode(data, charsets.CODE_PAGE_1047)


BYTES_PER_LINE = 20
_ASCII_TABLE = ASCII.encode()
_LINES = 64
"""Number of lines that are made together."""
_DIGITS = 50
"""Width of the hex digits of a line, including the blank after them."""
_PLACES = [
    (slice(_DIGITS * line, _DIGITS * line + _DIGITS - 1), slice(BYTES_PER_LINE * line, BYTES_PER_LINE * (line + 1)))
    for line in range(_LINES)
]
"""Slices of the digits and of the characters of each line in those of all lines."""


def hexdump(data: bytes, limit: int | None = None, gutter: str = ASCII) -> list[Harmless]:
    """Return the lines of ``data``, cut at ``limit`` bytes; ``gutter`` is a table of ``gutter_table``."""
    shown = data if limit is None else data[:limit]
    table = _ASCII_TABLE if gutter is ASCII else gutter.encode()
    if 0 < len(shown) <= BYTES_PER_LINE:
        return [Harmless(f" {shown.hex(' ', -2):<49} | {shown.translate(table).decode()}")]
    lines: list[str] = []
    for start in range(0, len(shown), _LINES * BYTES_PER_LINE):
        part = shown[start : start + _LINES * BYTES_PER_LINE]
        count = -(-len(part) // BYTES_PER_LINE)
        digits, text = part.hex(" ", -2).ljust(_DIGITS * count), part.translate(table).decode()
        lines += [f" {digits[pairs]} | {text[characters]}" for pairs, characters in _PLACES[:count]]
    # digits, and characters from a table of printable ones
    return cast("list[Harmless]", lines)
