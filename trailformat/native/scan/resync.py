"""The next sound record among bytes that are none, as machine code."""

from __future__ import annotations

from trailformat.native.constants import TOKEN_F, TOKEN_G
from trailformat.native.loads import u8
from trailformat.native.scan.frames import frame_in_either


def next_frame(data: int, start: int, stop: int, limit: int, end: int) -> int:
    """The first place from ``start`` to before ``stop`` where a sound record starts in either byte order; -1: none.

    ``data`` is the address where the byte at RBA 0 would stand; the bytes from ``start`` to before ``limit`` are there.
    A place whose record claims more than these is not decided here: -2 - place. The file ends at ``end``.
    """
    for rba in range(start, stop):
        kind = u8(data, rba)
        if (kind != TOKEN_G) & (kind != TOKEN_F):
            continue
        _, found = frame_in_either(data, rba, limit, end, 0)
        if found[0] >= 0:
            return rba
        if found[0] != -1:
            return -2 - rba
    return -1
