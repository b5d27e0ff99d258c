"""Memory that ends in a page which nothing may touch, before it and behind it, and copies of arguments there."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

_PAGE = mmap.PAGESIZE
_PLENTY = 1 << 20
_PROT_NONE = 0


class Slot:
    """Memory between two pages that cannot be touched."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // _PAGE) * _PAGE
        self._map = mmap.mmap(-1, self.size + 2 * _PAGE)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self._map)) + _PAGE
        for page in (self.start - _PAGE, self.start + self.size):
            if ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), ctypes.c_size_t(_PAGE), _PROT_NONE):
                raise OSError("mprotect failed")

    def place(self, size: int, *, at_end: bool) -> int:
        """The address of so many bytes at one of the ends."""
        return self.start + (self.size - size if at_end else 0)


class Guard:
    """The memory of one call after the other.

    Args:
        at_end: whether all stands at the end of its memory, else at the beginning.

    Attributes:
        kept_back: so many bytes at the end of each part are not given.
    """

    def __init__(self, *, at_end: bool) -> None:
        self.kept_back = 0
        self._at_end = at_end
        self._slots: list[Slot] = []
        self._used = 0
        self._back: list[tuple[int, int, int]] = []

    def given(self, address: int, size: int, *, is_table: bool = False) -> int:
        """The address of a copy of so many bytes; one of a table of addresses is not copied back."""
        if self._used == len(self._slots) or self._slots[self._used].size < size:
            self._slots.insert(self._used, Slot(max(size, _PLENTY)))
        shown = size if is_table else max(0, size - self.kept_back)
        copy = self._slots[self._used].place(shown, at_end=self._at_end)
        self._used += 1
        ctypes.memmove(copy, address, shown)
        if not is_table:
            self._back.append((address, copy, shown))
        return copy

    def table(self, address: int, sizes: dict[int, int], count: int) -> int:
        """A copy of a table of words, and of what stands at the addresses in it, by their places."""
        copy = self.given(address, 8 * count, is_table=True)
        words = longs(copy, count)
        for place, size in sizes.items():
            words[place] = self.given(words[place], size)
        return copy

    def take_back(self) -> None:
        """Copy back what was written."""
        for address, copy, size in self._back:
            ctypes.memmove(address, copy, size)
        self._back.clear()
        self._used = 0


def longs(address: int, count: int) -> Any:
    """So many words of 64 bits at an address."""
    return (ctypes.c_int64 * count).from_address(address)


def ints(address: int, count: int) -> Any:
    """So many words of 32 bits at an address."""
    return (ctypes.c_int32 * count).from_address(address)


def octets(address: int, count: int) -> Any:
    """So many bytes at an address."""
    return (ctypes.c_uint8 * count).from_address(address)
