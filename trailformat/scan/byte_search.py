"""Search for bytes in a file: by a kernel where there is one, which lets other threads run meanwhile."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator

from trailformat.codec.mapped_file import copied
from trailformat.records.framing import Buffer
from trailformat.scan.engines import Engine, is_available

WINDOW = 1 << 16


def occurrences(value: bytes, buffer: Buffer, start: int, end: int, *, any_case: bool = False) -> Iterator[int]:
    """The offsets in a buffer where ``value`` stands between ``start`` and ``end``, in order, overlapping ones too.

    With ``any_case`` ASCII letters of either case match. The buffer is looked at in copies of a part at a time.

    Raises:
        NotATrail: the file of the buffer was cut, or cannot be read any more.
    """
    places = _by_kernel if is_available(Engine.NUMBA) else _by_pattern
    overlap = len(value) - 1
    while start + overlap < end:
        part = copied(buffer, start, min(start + WINDOW + overlap, end))
        for place in places(value, part, any_case=any_case):
            yield start + place
        start += WINDOW


def _by_kernel(value: bytes, part: bytes, *, any_case: bool) -> Iterator[int]:
    from trailformat.scan.kernels.loaded import kernels  # noqa: PLC0415 - it needs the library

    find = kernels()["find"]
    sought = value.lower() if any_case else value
    folds = bytes(0x20 * (any_case and byte in b"abcdefghijklmnopqrstuvwxyz") for byte in sought)
    addresses = [address_of(data) for data in (part, sought, folds)]
    at = -1
    while (at := find(addresses[0], at + 1, len(part), *addresses[1:], len(value))) >= 0:
        yield at


def address_of(data: bytes) -> int:
    """The address of bytes, valid as long as they are referred to."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def _by_pattern(value: bytes, part: bytes, *, any_case: bool) -> Iterator[int]:
    pattern = re.compile(re.escape(value), re.IGNORECASE if any_case else 0)
    at = 0
    while match := pattern.search(part, at):
        yield match.start()
        at = match.start() + 1
