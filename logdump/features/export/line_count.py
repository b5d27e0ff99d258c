"""The lines in a file of text, counted where it is on disk; of a large one by a kernel, its parts side by side."""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Iterable
from itertools import pairwise
from typing import IO, TYPE_CHECKING

from trailformat.native.loaded import why_interpreted

if TYPE_CHECKING:
    from trailformat.arrays import LineBreaks

_MANY_BYTES = 1 << 22
"""Bytes from which on a kernel counts: to load it with pyarrow takes 280 ms, without it these take 210 ms."""
_CHUNK = 1 << 20


def count_lines(file: IO[bytes], *, is_quoted: bool) -> int:
    """Return the number of line breaks, without those in quotes if ``is_quoted``."""
    if isinstance(file, io.BufferedReader) and _pays(file):
        found = _breaks_in(file)
        return found.even if is_quoted else found.total
    if not is_quoted:
        chunks: Iterable[bytes] = iter(lambda: file.read(_CHUNK), b"")
        return sum(chunk.count(b"\n") for chunk in chunks)
    rows = quotes = 0
    for piece in file:
        quotes += piece.count(b'"')
        rows += piece.endswith(b"\n") and not quotes % 2
    return rows


def _pays(file: io.BufferedReader) -> bool:
    return os.fstat(file.fileno()).st_size >= _MANY_BYTES and why_interpreted() is None


def _breaks_in(file: io.BufferedReader) -> LineBreaks:
    from logdump.features.export.side_by_side import WORKERS, new_pool  # noqa: PLC0415 - few files are so large
    from trailformat.arrays import LineBreaks  # noqa: PLC0415 - it needs pyarrow

    size = os.fstat(file.fileno()).st_size
    bounds = [size * part // WORKERS for part in range(WORKERS + 1)]
    with new_pool() as pool:
        parts = pool.map(lambda bound: _breaks_between(file.name, *bound), pairwise(bounds))
        return functools.reduce(LineBreaks.then, parts)


def _breaks_between(path: str, begin: int, end: int) -> LineBreaks:
    """The line breaks from one byte to before another."""
    import numpy as np  # noqa: PLC0415 - only where kernels are

    from trailformat.arrays import LineBreaks, line_breaks  # noqa: PLC0415 - it needs pyarrow

    found, buffer = LineBreaks(), np.empty(_CHUNK, np.uint8)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - the name of a file that is open
        file.seek(begin)
        while begin < end and (count := file.readinto(buffer[: end - begin].data)):
            found = found.then(line_breaks(buffer[:count]))
            begin += count
    return found
