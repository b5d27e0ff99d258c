"""Long files which the disk begins to take while more of them is written: fsync at their end waits for little."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import BinaryIO

_PART = 1 << 23
"""Bytes of which the disk is told at a time."""
_BEGIN_WRITING = 2
"""SYNC_FILE_RANGE_WRITE: begin, do not wait."""


class EarlyWriting:
    """How much of an open file the disk has been told to take; fsync alone says whether it has it.

    Args:
        file: the file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._told = 0

    def reach(self, size: int) -> None:
        """Tell the disk what there is up to ``size``, where that is worth it."""
        if size - self._told >= _PART:
            _begin_writing(self._file.fileno(), self._told, size - self._told)
            self._told = size


def parts(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The parts of which the disk is told, of what is written from one place to before another."""
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
