"""Texts as columns: values of tokens, copied out of the file's bytes and decoded when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from trailformat.scan.batch import BatchColumn


class StringColumn:
    """A column of texts, some of them absent.

    Attributes:
        data: bytes of all texts.
        starts, sizes: int64; where the bytes of each text begin in ``data``, and how many there are; below 0: no text.
        known: texts that are given as they are; their sizes are below 0 too.
    """

    def __init__(self, data: bytes, starts: BatchColumn, sizes: BatchColumn, known: Mapping[int, str | None]) -> None:
        self.data = data
        self.starts = starts
        self.sizes = sizes
        self.known = known

    def part(self, first: int, stop: int | None = None) -> StringColumn:
        """Those from ``first`` to before ``stop``."""
        part = slice(first, stop)
        starts, sizes = (cast("Any", column)[part] for column in (self.starts, self.sizes))
        known = {number - first: text for number, text in self.known.items() if first <= number < first + len(sizes)}
        return StringColumn(self.data, starts, sizes, known)

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: int) -> str | None:
        r"""The text, bytes that are not UTF-8 written as ``\xNN``; None where there is none; -1 is the last."""
        start, size = int(self.starts[number]), int(self.sizes[number])
        if size < 0:
            return self.known.get(int(number) if number >= 0 else int(number) + len(self))
        return self.data[start : start + size].decode("utf-8", "backslashreplace")

    def __iter__(self) -> Iterator[str | None]:
        data, known = self.data, self.known
        places = zip(memoryview(self.starts).tolist(), memoryview(self.sizes).tolist(), strict=True)  # type: ignore[arg-type]
        for number, (start, size) in enumerate(places):
            if size < 0:
                yield known.get(number)
            else:
                yield data[start : start + size].decode("utf-8", "backslashreplace")
