"""The bytes that a scan looks at: a part of the file at a time, copied into one buffer that is used again and again.

Copied, not mapped: where a file is cut, touching the mapping of what is gone ends the process with SIGBUS, while
a read comes back short. The copy costs little, because a window stays in the processor's cache while it is looked at.

A record that is larger than a window has a buffer of its own, that holds only the bytes with the places of its
parts: memory that is not written to costs nothing.
"""

from __future__ import annotations

import ctypes
import mmap
from collections import deque
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.tokens import is_wide
from trailformat.errors import CannotRead
from trailformat.records.framing import MOST_BYTES, MOST_TOKENS
from trailformat.trail.file import TrailFile

T = TypeVar("T")
_MOST = 4


class Spare(Generic[T]):
    """A few buffers that are not in use, for any thread.

    Args:
        make: makes a buffer of a size.
    """

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make
        self._buffers: deque[tuple[int, T]] = deque(maxlen=_MOST)

    def take(self, size: int) -> T:
        """A buffer of this size, with whatever was in it."""
        try:
            spare, buffer = self._buffers.pop()
        except IndexError:
            return self._make(size)
        return buffer if spare == size else self._make(size)

    def give(self, size: int, buffer: T) -> None:
        """Leave a buffer of this size that nothing refers to any more."""
        self._buffers.append((size, buffer))


CAPACITY = 1 << 19
"""Large enough for many records, small enough for the cache of a core."""
_NEARBY = 64
_BEYOND = 1 << 12
"""Bytes behind the place where a scan ends: the last record may reach over it."""
_LENGTHS = 8


class Window(NamedTuple):
    """The bytes from ``base`` to before ``limit`` of a file; they begin at offset 0 of the buffer, at ``address``.

    ``is_whole``: they are all there; else those that tell whether a record of this length begins at ``base``.
    """

    buffer: mmap.mmap
    address: int
    base: int
    limit: int
    is_whole: bool = True


class Windows:
    """The windows of one scan."""

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._capacity = CAPACITY
        self._window = _SPARE.take(CAPACITY)
        self._usual = self._window

    def __del__(self) -> None:
        _SPARE.give(self._capacity, self._usual)

    def at(self, rba: int, need: int, size: int, stop: int) -> Window:
        """A window with ``need`` bytes from ``rba`` on, or those up to the end of the file of ``size`` bytes.

        It does not go far behind ``stop``, where the scan is going to end.

        Raises:
            CannotRead: the file has become smaller than ``size``.
        """
        window = self._window
        if window.base <= rba <= (window.limit if window.is_whole else window.base) and rba + need <= window.limit:
            return window
        if need > self._capacity and rba + self._capacity < size:
            self._window = self._of_large_record(rba, min(need, size - rba))
        else:
            limit = min(rba + self._capacity, size, max(rba + need, stop + _BEYOND))
            self._window = self._usual._replace(base=rba, limit=limit)
            self._copy(self._window, 0, self._window.limit - rba, min(stop + _BEYOND, size))
        return self._window

    def _of_large_record(self, rba: int, length: int) -> Window:
        window = _empty_window(length)._replace(base=rba, limit=rba + length, is_whole=False)
        self._copy(window, 0, min(length, self._capacity))
        self._copy(window, max(0, length - _LENGTHS), length)
        for order in ByteOrder:
            self._copy_tokens(window, order)
        return window

    def _copy_tokens(self, window: Window, order: ByteOrder) -> None:
        """Copy the beginnings of the tokens of the record that fills a window, and all of the first one."""
        buffer, length = window.buffer, window.limit - window.base
        at = 6 if is_wide(buffer[1]) else 4
        for number in range(MOST_TOKENS):
            if at + 4 > length:
                return
            self._copy(window, at, min(at + _NEARBY, length))
            start, size = (6, 4) if is_wide(buffer[at + 1]) else (4, 2)
            after = at + start + order.decode(buffer[at + 2 : at + 2 + size])
            if number == 0 and after <= length:
                self._copy(window, at, min(after, at + start + MOST_BYTES))
            at = after

    def _copy(self, window: Window, start: int, stop: int, until: int | None = None) -> None:
        """Copy what belongs between two offsets of a window; the scan goes on up to the place ``until``."""
        with memoryview(window.buffer) as view:
            read = self._trail.read_into(view[start:stop], window.base + start, until)
        if read < stop - start:
            rba = window.base + start + read
            raise CannotRead("the file was cut while it was read", path=self._trail.path, rba=rba)


def _empty_window(capacity: int) -> Window:
    buffer = mmap.mmap(-1, capacity)
    return Window(buffer, ctypes.addressof(ctypes.c_char.from_buffer(buffer)), 0, 0)


_SPARE = Spare(_empty_window)
