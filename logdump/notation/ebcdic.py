"""The two character sets of displays, as tables: byte to character of the text column of a hex dump.

    c8 85 93 93 96    ASCII ``.....``    EBCDIC ``Hello``

EBCDIC is code page 1047, Latin-1 of z/OS; the manual names no code page.
"""

from __future__ import annotations

from functools import cache


def _printable(characters: str) -> str:
    return "".join(character if " " <= character <= "~" else "." for character in characters)


ASCII = _printable("".join(map(chr, range(256))))
"""256 characters, one for each byte: itself for 20 to 7e, a dot for any other."""


@cache
def _ebcdic() -> str:
    """256 characters, one for each byte: what it is in EBCDIC if that is a printable ASCII character, else a dot."""
    from trailformat.codec.charsets import EBCDIC_1047  # noqa: PLC0415 - a session without EBCDIC starts faster

    return _printable(EBCDIC_1047)


def gutter_table(*, ebcdic: bool) -> str:
    """The table for the text column under ASCIIDUMP or EBCDICDUMP: 256 characters, all printable ASCII."""
    return _ebcdic() if ebcdic else ASCII


def decode_ebcdic(data: bytes) -> str:
    """The text of bytes in EBCDIC, one character a byte; every byte has one, control characters included."""
    from trailformat.codec.charsets import CODE_PAGE_1047, decode  # noqa: PLC0415 - for EBCDIC alone

    return decode(data, CODE_PAGE_1047)
