"""Totals of the rows of a batch, with numpy: of rows that agree in some columns, and of each table.

The screen's index, its time line and Spark's summary go over batches because they need the rows themselves, and need
more than sums of a group: its first and last row, its extremes. COUNT needs neither, and its kernel makes no rows
(10 GB/s). Tests compare the sums of both, over all fixtures and generated trails, damaged ones too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from trailformat.records.record_header import METADATA
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch

_MOST_DENSE = 1 << 17
"""Range of values up to which they are counted in an array indexed by value."""


def group_keys(parts: Sequence[Any], rows: int) -> tuple[Any, int]:
    """Return for each row a small number for its combination of the parts, and the upper bound of these numbers."""
    if not rows:
        return np.zeros(0, dtype=np.int64), 1
    keys, width = _small(parts[0])
    for part in parts[1:]:
        places, number = _small(part)
        keys = keys + places * width
        width *= number
    return _dense(keys) if width > _MOST_DENSE else (keys, width)


def first_rows(keys: Any, width: int) -> Any:
    """Return the first row of each key."""
    first = np.zeros(width, dtype=np.int64)
    first[keys[::-1]] = np.arange(len(keys))[::-1]
    return first


def groups(parts: Sequence[Any], sizes: Any) -> Iterator[tuple[int, int, int]]:
    """Yield the first row, the number of rows and the sum of sizes of each combination of the parts."""
    keys, width = group_keys(parts, len(sizes))
    records = np.bincount(keys, minlength=width)
    used = np.flatnonzero(records)
    first = first_rows(keys, width)[used]
    sums = np.bincount(keys, weights=sizes, minlength=width)[used].astype(np.int64)
    yield from zip(first.tolist(), records[used].tolist(), sums.tolist(), strict=True)


def _small(values: Any) -> tuple[Any, int]:
    """Return numbers from 0 on, one for each distinct value, and an upper bound, about twice the rows at most."""
    low, high = int(values.min()), int(values.max())
    if high - low < 2 * len(values):
        return values.astype(np.int64) - low, high - low + 1
    return _dense(values)


def _dense(values: Any) -> tuple[Any, int]:
    """Return consecutive numbers from 0 on, one for each distinct value, and how many there are."""
    low, high = int(values.min()), int(values.max())
    if high - low < _MOST_DENSE:
        offsets = values.astype(np.int64) - low
        used = np.zeros(high - low + 1, dtype=bool)
        used[offsets] = True
        return (np.cumsum(used) - 1)[offsets], int(used.sum())
    distinct, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)


def bounds_of_time(batch: Batch) -> tuple[int, int] | None:
    """Return the least and the greatest IO Time of a batch; None if it has no row with a relevant time."""
    times = np.asarray(batch.io_time)
    if excluded := _without_time(batch):
        times = np.delete(times, excluded)
    return (int(times.min()), int(times.max())) if len(times) else None


def tables_of(batch: Batch) -> dict[int, tuple[int, int]]:
    """Return the number of records and the data bytes of each table in a batch, by the key of its name."""
    keys, sizes, kinds = np.asarray(batch.table), np.asarray(batch.record_length), np.asarray(batch.kind)
    if kinds.any():
        is_record = kinds == RECORD
        keys, sizes = keys[is_record], sizes[is_record]
    return {int(keys[first]): (records, size) for first, records, size in groups((keys,), sizes)}


def _without_time(batch: Batch) -> list[int]:
    """Return the rows without a relevant time: metadata, whose time is later, file headers and damage."""
    kinds, types = (bytes(memoryview(column)) for column in (batch.kind, batch.io_type))  # type: ignore[arg-type]
    rows = batch.spans()
    for wanted, column in ((FILE_HEADER, kinds), (METADATA, types)):
        row = -1
        while (row := column.find(wanted, row + 1)) >= 0:
            rows.append(row)
    return rows
