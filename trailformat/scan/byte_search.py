"""Search for bytes in a file by a kernel, which lets other threads run meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from trailformat.codec.mapped_file import FileBuffer, copied
from trailformat.native.loaded import address_of_bytes, kernels

WINDOW = 1 << 16


def occurrences(value: bytes, buffer: FileBuffer, start: int, end: int, *, any_case: bool = False) -> Iterator[int]:
    """The offsets in a buffer where ``value`` stands between ``start`` and ``end``, in order, overlapping ones too.

    With ``any_case`` ASCII letters of either case match. The buffer is looked at in copies of a part at a time.

    Raises:
        NotATrail: the file of the buffer was cut, or cannot be read any more.
    """
    overlap = len(value) - 1
    while start + overlap < end:
        part = copied(buffer, start, min(start + WINDOW + overlap, end))
        for place in _places(value, part, any_case=any_case):
            yield start + place
        start += WINDOW


def _places(value: bytes, part: bytes, *, any_case: bool) -> Iterator[int]:
    find = kernels()["find"]
    sought = value.lower() if any_case else value
    folds = bytes(0x20 * (any_case and byte in b"abcdefghijklmnopqrstuvwxyz") for byte in sought)
    addresses = [address_of_bytes(data) for data in (part, sought, folds)]
    at = -1
    while (at := find(addresses[0], at + 1, len(part), *addresses[1:], len(value))) >= 0:
        yield at
