"""The totals of one batch that the sums of an index add up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trailformat.records.io_types import METADATA
from trailformat.records.record_header import ENDS
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch
from trailformat.totals.transaction_spans import MOST_NAMES, MOST_TRANSACTIONS, TransactionSpan


class BatchTotals(NamedTuple):
    """The totals of one batch.

    Attributes:
        tables: records and data bytes by key of the table's name.
        times: the least and the greatest IO Time; None without a row whose time counts.
        transactions: the first of the batch, the last, and between them those above ``least``; an ``end`` of None for
            the last if it is open.
        ended: number of transactions that end in the batch.
    """

    tables: dict[int, tuple[int, int]]
    times: tuple[int, int] | None
    transactions: list[TransactionSpan]
    ended: int


class Run(NamedTuple):
    """The rows of a batch that belong to one transaction: the first, the last, their number, their bytes."""

    first: int
    last: int
    records: int
    data_bytes: int


def batch_totals(batch: Batch, least: int) -> BatchTotals:
    """The totals of a batch; of transactions that end in it, those above ``least`` bytes."""
    spans, ended = _transactions(batch, least)
    return BatchTotals(_tables(batch), _times(batch), spans, ended)


def _times(batch: Batch) -> tuple[int, int] | None:
    times = np.asarray(batch.io_time)
    if excluded := _without_time(batch):
        times = np.delete(times, excluded)
    return (int(times.min()), int(times.max())) if len(times) else None


def _tables(batch: Batch) -> dict[int, tuple[int, int]]:
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
        spans.append(_span_of(batch, run, _distinct(tables[first:stop]), has_ended=at != last or not is_open))
    return spans, len(starts) - is_open


def _distinct(keys: Any) -> list[int]:
    distinct: list[int] = np.unique(keys).tolist()
    return distinct


def _kept(totals: Any, least: int) -> list[int]:
    """The first, the last, and those between them above ``least``, of too many the largest."""
    middle = np.flatnonzero(totals[1:-1] > least) + 1
    if len(middle) > MOST_TRANSACTIONS:
        largest_first = np.argsort(-totals[middle], kind="stable")
        middle = np.sort(middle[largest_first[:MOST_TRANSACTIONS]])
    return sorted({0, len(totals) - 1, *middle.tolist()})


def _without_time(batch: Batch) -> list[int]:
    """The rows whose time does not count: metadata, which carries a later one, and what has none."""
    kinds, types = (bytes(memoryview(column)) for column in (batch.kind, batch.io_type))  # type: ignore[arg-type]
    rows = batch.spans()
    for wanted, column in ((FILE_HEADER, kinds), (METADATA, types)):
        at = -1
        while (at := column.find(wanted, at + 1)) >= 0:
            rows.append(at)
    return rows


def _span_of(batch: Batch, run: Run, keys: list[int], *, has_ended: bool) -> TransactionSpan:
    """The transaction of a run; ``keys`` are the distinct keys of its tables."""
    return TransactionSpan(
        begin=int(batch.rba[run.first]),
        end=int(batch.rba[run.last]) if has_ended else None,
        records=run.records,
        data_bytes=run.data_bytes,
        tables=frozenset(batch.names[key] for key in keys[:MOST_NAMES]),
        first_time=int(batch.io_time[run.first]),
        last_time=int(batch.io_time[run.last]),
    )
