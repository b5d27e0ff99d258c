"""Sums of the rows of a batch, with numpy: of those that have the same numbers in some columns, of each table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from trailformat.records.io_types import METADATA
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch

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


def bounds_of_time(batch: Batch) -> tuple[int, int] | None:
    """The least and the greatest IO Time of a batch; None without a row whose time counts."""
    times = np.asarray(batch.io_time)
    if excluded := _without_time(batch):
        times = np.delete(times, excluded)
    return (int(times.min()), int(times.max())) if len(times) else None


def tables_of(batch: Batch) -> dict[int, tuple[int, int]]:
    """The number of records of each table in a batch and the bytes of their data, by the key of its name."""
    keys, sizes, kinds = np.asarray(batch.table), np.asarray(batch.record_length), np.asarray(batch.kind)
    if kinds.any():
        is_record = kinds == RECORD
        keys, sizes = keys[is_record], sizes[is_record]
    if not len(keys):
        return {}
    distinct = None
    if keys.max() > 2 * len(keys):
        distinct, keys = np.unique(keys, return_inverse=True)
    records = np.bincount(keys)
    totals = np.bincount(keys, weights=sizes)
    used = np.flatnonzero(records)
    numbers = (used if distinct is None else distinct[used]).tolist()
    pairs = zip(records[used].tolist(), totals[used].tolist(), strict=True)
    return {key: (number, int(total)) for key, (number, total) in zip(numbers, pairs, strict=True)}


def _without_time(batch: Batch) -> list[int]:
    """The rows whose time does not count: metadata, which carries a later one, and what has none."""
    kinds, types = (bytes(memoryview(column)) for column in (batch.kind, batch.io_type))  # type: ignore[arg-type]
    rows = batch.spans()
    for wanted, column in ((FILE_HEADER, kinds), (METADATA, types)):
        at = -1
        while (at := column.find(wanted, at + 1)) >= 0:
            rows.append(at)
    return rows
