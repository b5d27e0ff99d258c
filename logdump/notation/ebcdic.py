"""The two character sets of displays, as tables: byte to character of the text column of a hex dump.

    c8 85 93 93 96    ASCII ``.....``    EBCDIC ``Hello``

EBCDIC is code page 1047, Latin-1 of z/OS; the manual names no code page.
"""

from __future__ import annotations

from trailformat.codec.charsets import CODE_PAGE_1047, EBCDIC_1047, decode


def _printable(characters: str) -> str:
    return "".join(character if " " <= character <= "~" else "." for character in characters)


ASCII = _printable("".join(map(chr, range(256))))
"""256 characters, one for each byte: itself for 20 to 7e, a dot for any other."""

EBCDIC = _printable(EBCDIC_1047)
"""256 characters, one for each byte: what it is in EBCDIC if that is a printable ASCII character, else a dot."""


def gutter_table(*, ebcdic: bool) -> str:
    """The table for the text column under ASCIIDUMP or EBCDICDUMP: 256 characters, all printable ASCII."""
    return EBCDIC if ebcdic else ASCII


def decode_ebcdic(data: bytes) -> str:
    """The text of bytes in EBCDIC, one character a byte; every byte has one, control characters included."""
    return decode(data, CODE_PAGE_1047)
