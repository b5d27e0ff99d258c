"""Lines that were made in parts, and their merging in the order of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from trailformat.arrays.runs import joined_runs
from trailformat.scan.rows.row_bytes import Array


class LinePart(NamedTuple):
    """Lines of rows: the numbers of these, the bytes, where the line of each row ends."""

    rows: Array
    data: memoryview
    ends: Array


def count(parts: Iterable[LinePart]) -> int:
    """The number of lines."""
    return sum(int(np.count_nonzero(np.diff(part.ends, prepend=0))) for part in parts)


def merged(parts: list[LinePart]) -> bytes | memoryview:
    """The lines of all parts in the order of their rows; none of two parts belongs to one row."""
    if len(parts) == 1:
        return parts[0].data
    of_part = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
    order = np.argsort(np.concatenate([part.rows for part in parts]), kind="stable")
    ends = np.concatenate([part.ends for part in parts])[order]
    begins = np.concatenate([np.concatenate(([0], part.ends))[:-1] for part in parts])[order]
    filled = begins < ends
    begins, ends, of_part = begins[filled], ends[filled], of_part[order][filled]
    if not len(ends):
        return b""
    is_break = (np.diff(of_part) != 0) | (begins[1:] != ends[:-1])
    is_first, is_last = np.append(True, is_break), np.append(is_break, True)
    sources = [np.frombuffer(part.data, np.uint8) for part in parts]
    return joined_runs(sources, of_part[is_first], begins[is_first], ends[is_last]).data
