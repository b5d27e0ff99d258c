"""Strings one after the other in one array of bytes: the memory of an Arrow array of strings, without its package."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trailformat.errors import BadData
from trailformat.native.arrays.arguments import SPARE
from trailformat.native.loaded import kernels
from trailformat.scan.rows.row_bytes import Array

MOST_BYTES = (1 << 31) - 1 - SPARE
"""The most bytes of the strings of one array: offsets have 32 bits."""
_LEADING, _CONTINUES = 0xC0, 0x80
"""The bits of a byte in UTF-8 that tell whether it continues a character, and how they are then."""


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """Strings of bytes, in UTF-8 where they are texts; some may be null.

    Attributes:
        data: uint8.
        offsets: int32, one more than strings: string n has the bytes from ``offsets[n]`` to before ``offsets[n + 1]``.
        valid: uint8, one bit for each string, the lowest first, 0 for null; None where no string is null.
    """

    data: Array
    offsets: Array
    valid: Array | None = None

    @classmethod
    def of(cls, texts: Iterable[str | bytes | None]) -> Strings:
        """Those texts; raises BadData where they are too large for one array."""
        listed = list(texts)
        stored = [text.encode() if isinstance(text, str) else text or b"" for text in listed]
        present = np.array([text is not None for text in listed], bool)
        return cls(np.frombuffer(b"".join(stored), np.uint8), _offsets([*map(len, stored)]), _bits(present))

    @classmethod
    def nulls(cls, count: int) -> Strings:
        """Strings that are all null."""
        return cls(np.empty(0, np.uint8), np.zeros(count + 1, np.int32), np.zeros((count + 7) >> 3, np.uint8))

    @classmethod
    def at(cls, data: Array, starts: Array, sizes: Array) -> Strings:
        """The bytes at these places of ``data``; raises BadData where they are too large for one array."""
        offsets = _offsets(sizes)
        return cls(joined_runs([data], np.zeros(len(sizes), np.int64), starts, starts + sizes), offsets)

    @classmethod
    def joined(cls, parts: list[Strings]) -> Strings:
        """The strings of all parts; raises BadData where they are too large for one array."""
        data = np.concatenate([part.data[part.offsets[0] : part.offsets[-1]] for part in parts])
        offsets = _offsets(np.concatenate([part.sizes for part in parts]))
        return cls(data, offsets, _bits(np.concatenate([part.present for part in parts])))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Array:
        """The bytes of each."""
        sizes: Array = np.diff(self.offsets)
        return sizes

    @property
    def present(self) -> Array:
        """A mask of those that are not null."""
        if self.valid is None:
            return np.ones(len(self), bool)
        return np.unpackbits(self.valid, count=len(self), bitorder="little").view(bool)

    @property
    def nbytes(self) -> int:
        """The bytes of all."""
        return int(self.offsets[-1]) - int(self.offsets[0])

    def take(self, numbers: Array) -> Strings:
        """The strings with these numbers; raises BadData where they are too large for one array."""
        taken = Strings.at(self.data, self.offsets[numbers].astype(np.int64), self.sizes[numbers])
        return taken if self.valid is None else Strings(taken.data, taken.offsets, _bits(self.present[numbers]))

    def replaced(self, rows: Array, others: Strings, numbers: Array | None = None) -> Strings:
        """These, but in each of ``rows`` one of others: that with its number, or as many as rows in their order.

        Raises:
            BadData: they are too large for one array.
        """
        numbers = np.arange(len(others)) if numbers is None else numbers
        source, present = np.zeros(len(self), np.int64), self.present
        source[rows], present[rows] = 1, others.present[numbers]
        begins, ends = (self.offsets[part].astype(np.int64) for part in (slice(None, -1), slice(1, None)))
        begins[rows], ends[rows] = others.offsets[:-1][numbers], others.offsets[1:][numbers]
        data = joined_runs([self.data, others.data], source, begins, ends)
        return Strings(data, _offsets(ends - begins), _bits(present))

    def distinct(self) -> tuple[list[bytes], Array]:
        """The different strings, in the order of their first places, and the number among them of each string."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        known: dict[bytes, int] = {}
        numbers = [known.setdefault(data[begin:end], len(known)) for begin, end in pairwise(ends)]
        return [*known], np.array(numbers, np.int64)

    def are_in(self, texts: Collection[bytes]) -> Array:
        """A mask of the strings that equal one of a few; null equals none."""
        mask, sizes = np.zeros(len(self), bool), self.sizes
        for text in texts:
            rows = np.flatnonzero(sizes == len(text))
            for at, byte in enumerate(text):
                rows = rows[self.data[self.offsets[rows] + at] == byte]
            mask[rows] = True
        return mask & self.present

    def are_utf_8(self) -> bool:
        """Whether each string is a text in UTF-8."""
        data = self.data[self.offsets[0] : self.offsets[-1]]
        begins = self.offsets[:-1][self.sizes > 0]
        if (self.data[begins] & _LEADING == _CONTINUES).any():
            return False
        try:
            codecs.utf_8_decode(data.data, "strict", True)  # noqa: FBT003 - the arguments have no names
        except UnicodeDecodeError:
            return False
        return True

    def to_list(self) -> list[str | None]:
        """The strings as texts."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        pairs = zip(pairwise(ends), self.present.tolist(), strict=True)
        return [data[begin:end].decode() if is_there else None for (begin, end), is_there in pairs]


def check_size(size: int) -> None:
    """Raise BadData where one array does not hold so many bytes."""
    if size > MOST_BYTES:
        raise BadData("too much text for one array", expected=f"at most {MOST_BYTES} bytes", found=f"{size} bytes")


def _offsets(sizes: Array | list[int]) -> Array:
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    check_size(int(ends[-1]))
    return ends.astype(np.int32)


def _bits(present: Array) -> Array | None:
    return None if present.all() else np.packbits(present, bitorder="little")


def joined_runs(sources: list[Array], of_source: Array, begins: Array, ends: Array) -> Array:
    """The bytes from ``begins`` to ``ends`` of the sources, uint8 all, that ``of_source`` numbers; in this order."""
    addresses = np.array([source.ctypes.data for source in sources], np.int64)
    runs = np.stack((addresses[of_source] + begins, ends - begins), 1)
    out = np.empty(int(runs[:, 1].sum()), np.uint8)
    kernels()["join_runs"](runs.ctypes.data, len(runs), out.ctypes.data)
    return out
