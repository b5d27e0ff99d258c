"""Long files whose writing to disk starts while they are still being written, so that the final fsync is short."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import BinaryIO

from trailformat.codec.on_demand import on_demand

with on_demand:
    import ctypes

_PART = 1 << 23
"""Bytes after which writing to disk is started."""
_BEGIN_WRITING = 2
"""SYNC_FILE_RANGE_WRITE: start writing, do not wait."""


class EarlyWriting:
    """Starts the writing of an open file to disk early; only fsync guarantees that it is on disk."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._told = 0

    def reach(self, size: int) -> None:
        """Start the writing of the bytes up to ``size``, if at least _PART of them have not been started."""
        if size - self._told >= _PART:
            _begin_writing(self._file.fileno(), self._told, size - self._told)
            self._told = size


def parts(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Split a range into the parts for which writing is started."""
    for begin in range(start, stop, _PART):
        yield begin, min(begin + _PART, stop)


def _begin_writing(file: int, start: int, length: int) -> None:
    call = _system_call()
    if call is not None:
        call(file, start, length, _BEGIN_WRITING)


@cache
def _system_call() -> Callable[[int, int, int, int], int] | None:
    """Return Linux's sync_file_range, or None; unlike posix_fadvise it leaves the page cache of the file alone."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        call = ctypes.CDLL(None).sync_file_range
        call.argtypes = ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint
        return call
    return None
