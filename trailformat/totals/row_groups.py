"""Rows that have the same numbers in some columns, brought together with numpy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

_MOST_DENSE = 1 << 17
"""The range of values up to which they are counted in an array of their own."""


def group_keys(parts: Sequence[Any], rows: int) -> tuple[Any, int]:
    """For each row a small number for its combination of the parts, and how many of them there may be."""
    keys = np.zeros(rows, dtype=np.int64)
    width = 1
    for part in parts:
        places, number = _dense(part)
        keys += places * width
        width *= number
    return _dense(keys) if width > _MOST_DENSE else (keys, width)


def first_rows(keys: Any, width: int) -> Any:
    """The first row of each key."""
    first = np.zeros(width, dtype=np.int64)
    first[keys[::-1]] = np.arange(len(keys))[::-1]
    return first


def groups(parts: Sequence[Any], sizes: Any) -> Iterator[tuple[int, int, int]]:
    """Yield for each combination of the parts: its first row, its number of rows, the sum of its sizes."""
    keys, width = group_keys(parts, len(sizes))
    records = np.bincount(keys, minlength=width)
    first = first_rows(keys, width)
    sums = np.bincount(keys, weights=sizes, minlength=width)
    for key in np.flatnonzero(records).tolist():
        yield int(first[key]), int(records[key]), int(sums[key])


def _dense(values: Any) -> tuple[Any, int]:
    """Small numbers, one for each value, and how many there may be."""
    if not len(values):
        return values.astype(np.int64), 1
    low, high = int(values.min()), int(values.max())
    if high - low < _MOST_DENSE:
        offsets = values.astype(np.int64) - low
        used = np.zeros(high - low + 1, dtype=bool)
        used[offsets] = True
        return (np.cumsum(used) - 1)[offsets], int(used.sum())
    distinct, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)
