"""Long files which the disk begins to take while more of them is written: fsync at their end waits for little."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import BinaryIO

_PART = 1 << 23
"""Bytes for which writing is started at a time."""
_BEGIN_WRITING = 2
"""SYNC_FILE_RANGE_WRITE: begin, do not wait."""


class EarlyWriting:
    """Starts the writing of an open file to disk early; only fsync confirms that it is there.

    Args:
        file: the file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._told = 0

    def reach(self, size: int) -> None:
        """Start the writing of the bytes up to ``size``, if there are enough."""
        if size - self._told >= _PART:
            _begin_writing(self._file.fileno(), self._told, size - self._told)
            self._told = size


def parts(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a range for which writing is started at a time."""
    for begin in range(start, stop, _PART):
        yield begin, min(begin + _PART, stop)


def _begin_writing(file: int, start: int, length: int) -> None:
    call = _system_call()
    if call is not None:
        call(file, start, length, _BEGIN_WRITING)


@cache
def _system_call() -> Callable[[int, int, int, int], int] | None:
    """Linux' sync_file_range, which does not touch what the system keeps of the file, as posix_fadvise does."""
    import ctypes  # noqa: PLC0415 - long files only

    with contextlib.suppress(AttributeError, OSError, TypeError):
        call = ctypes.CDLL(None).sync_file_range
        call.argtypes = ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint
        return call
    return None
