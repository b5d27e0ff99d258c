"""The bytes that are read of files: a counter of what the system is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from trailformat.codec import mapped_file


class BytesRead:
    """How many there were."""

    def __init__(self) -> None:
        self.number = 0


class _Counting:
    """The module ``os`` whose reads at a place are counted."""

    def __init__(self, read: BytesRead) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def pread(self, file: int, size: int, start: int) -> bytes:
        data = os.pread(file, size, start)
        self._read.number += len(data)
        return data

    def preadv(self, file: int, targets: list[memoryview], start: int) -> int:
        count = os.preadv(file, targets, start)
        self._read.number += count
        return count


@contextmanager
def counted() -> Iterator[BytesRead]:
    """Count what is read of trails meanwhile."""
    read = BytesRead()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped_file, "os", _Counting(read))
        yield read
