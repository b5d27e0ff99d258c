"""The totals of a batch of numpy columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.changes.transactions import ENDS
from trailformat.scan.batch import RECORD, Batch
from trailformat.totals.batch_totals import BatchTotals, Run, span_of, without_time
from trailformat.totals.transaction_spans import MOST_TRANSACTIONS, TransactionSpan

_MANY = 1 << 8
"""From so many numbers on numpy is faster than a set."""


def batch_totals(batch: Batch, least: int) -> BatchTotals:
    """The totals of a batch whose columns are ndarrays; of transactions that end in it, those above ``least`` bytes."""
    spans, ended = _transactions(batch, least)
    return BatchTotals(_tables(batch), _times(batch), spans, ended)


def _times(batch: Batch) -> tuple[int, int] | None:
    times = np.asarray(batch.io_time)
    if excluded := without_time(batch):
        times = np.delete(times, excluded)
    return (int(times.min()), int(times.max())) if len(times) else None


def _tables(batch: Batch) -> dict[int, tuple[int, int]]:
    keys, sizes, kinds = np.asarray(batch.table), np.asarray(batch.record_length), np.asarray(batch.kind)
    if kinds.any():
        is_record = kinds == RECORD
        keys, sizes = keys[is_record], sizes[is_record]
    if not len(keys):
        return {}
    found = None
    if keys.max() > 2 * len(keys):
        found, keys = np.unique(keys, return_inverse=True)
    records = np.bincount(keys)
    totals = np.bincount(keys, weights=sizes)
    used = np.flatnonzero(records)
    numbers = (used if found is None else found[used]).tolist()
    pairs = zip(records[used].tolist(), totals[used].tolist(), strict=True)
    return {key: (number, int(total)) for key, (number, total) in zip(numbers, pairs, strict=True)}


def _transactions(batch: Batch, least: int) -> tuple[list[TransactionSpan], int]:
    ordinals, sizes, tables = np.asarray(batch.transaction), np.asarray(batch.record_length), np.asarray(batch.table)
    rows = None
    if ordinals.min() < 0:
        rows = np.flatnonzero(ordinals >= 0)
        ordinals, sizes, tables = ordinals[rows], sizes[rows], tables[rows]
    if not len(ordinals):
        return [], 0
    starts = np.concatenate(([0], np.flatnonzero(ordinals[1:] != ordinals[:-1]) + 1))
    stops = np.concatenate((starts[1:], [len(ordinals)]))
    totals = np.add.reduceat(sizes, starts)
    last = len(starts) - 1

    def row_of(at: int) -> int:
        return int(at if rows is None else rows[at])

    is_open = int(batch.trans_ind[row_of(int(stops[last]) - 1)]) not in ENDS
    spans = []
    for at in _kept(totals, least):
        first, stop = int(starts[at]), int(stops[at])
        run = Run(row_of(first), row_of(stop - 1), stop - first, int(totals[at]))
        spans.append(span_of(batch, run, _distinct(tables[first:stop]), has_ended=at != last or not is_open))
    return spans, len(starts) - is_open


def _distinct(keys: Any) -> list[int]:
    if len(keys) < _MANY:
        return sorted(set(keys.tolist()))
    found: list[int] = (np.unique(keys) if keys.max() > 2 * len(keys) else np.flatnonzero(np.bincount(keys))).tolist()
    return found


def _kept(totals: Any, least: int) -> list[int]:
    """The first, the last, and those between them above ``least``, of too many the largest."""
    middle = np.flatnonzero(totals[1:-1] > least) + 1
    if len(middle) > MOST_TRANSACTIONS:
        largest_first = np.argsort(-totals[middle], kind="stable")
        middle = np.sort(middle[largest_first[:MOST_TRANSACTIONS]])
    return sorted({0, len(totals) - 1, *middle.tolist()})
