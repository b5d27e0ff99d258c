"""The hex dump of data: 20 bytes a line in ten pairs, a bar, and the printable characters.

' 0000 0600 0000 0000 000a 0100 0700 0000 0300 6161 | ..................aa'
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.ebcdic import ASCII

BYTES_PER_LINE = 20


def hexdump(data: bytes, limit: int | None = None, gutter: str = ASCII) -> Iterator[str]:
    """The lines of ``data``, cut at ``limit`` bytes; ``gutter`` gives the character of each byte (see charsets)."""
    shown = data if limit is None else data[:limit]
    for start in range(0, len(shown), BYTES_PER_LINE):
        line = shown[start : start + BYTES_PER_LINE]
        text = "".join(gutter[byte] for byte in line)
        yield f" {line.hex(' ', -2):<49} | {text}"
