"""The next sound record after damage, by a kernel: bytes that are made to look like records take their time in it."""

from __future__ import annotations

from trailformat.codec.mapped_file import Source, copied
from trailformat.records import far
from trailformat.records.framing import detect_order
from trailformat.scan.byte_search import address_of
from trailformat.scan.kernels.loaded import kernels

_WINDOW = 1 << 22
_OVERLAP = 1 << 17
"""Bytes behind a window: what begins in it with a length of two bytes ends there."""


def next_sound(buffer: Source, start: int, stop: int, end: int) -> int | None:
    """The first place from ``start`` to before ``stop`` where a sound record starts in either byte order, or None.

    ``end`` is the end of the buffer. The bytes are copied window by window.

    Raises:
        NotATrail: the file of the buffer was cut, or cannot be read any more.
    """
    next_frame = kernels()["next_frame"]
    while start < stop:
        window = copied(buffer, start, min(min(start + _WINDOW, stop) + _OVERLAP, end))
        base, limit, here = address_of(window) - start, start + len(window), min(start + _WINDOW, stop)
        while (at := next_frame(base, start, here, limit, end)) != -1:
            if at >= 0:
                return at
            start = -2 - at
            if detect_order(buffer, start, end) is not None:
                return start
            start += 1
        start = here
        far.report(start)
    return None
