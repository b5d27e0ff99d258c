"""The totals of a batch of arrays, row by row."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import cast

from trailformat.changes.transactions import ENDS
from trailformat.scan.batch import RECORD, Batch
from trailformat.totals.batch_totals import BatchTotals, Run, span_of, without_time


def batch_totals(batch: Batch, least: int) -> BatchTotals:
    """The totals of a batch whose columns are arrays; of transactions that end in it, those above ``least`` bytes."""
    runs, is_open = _runs(batch)
    last = len(runs) - 1
    kept = [number for number, run in enumerate(runs) if number in {0, last} or run.data_bytes > least]

    def keys(run: Run) -> list[int]:
        ordinal, rows = batch.transaction[run.first], slice(run.first, run.last + 1)
        tables, ordinals = cast("array[int]", batch.table)[rows], cast("array[int]", batch.transaction)[rows]
        return sorted({key for key, one in zip(tables, ordinals, strict=True) if one == ordinal})

    spans = [span_of(batch, runs[at], keys(runs[at]), has_ended=at != last or not is_open) for at in kept]
    return BatchTotals(_tables(batch), _times(batch), spans, len(runs) - is_open)


def _tables(batch: Batch) -> dict[int, tuple[int, int]]:
    records: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for kind, key, size in zip(batch.kind, batch.table, batch.record_length, strict=True):
        if kind == RECORD:
            records[key] = records.get(key, 0) + 1
            sizes[key] = sizes.get(key, 0) + size
    return {key: (number, sizes[key]) for key, number in records.items()}


def _times(batch: Batch) -> tuple[int, int] | None:
    times: Iterable[int] = batch.io_time
    if excluded := frozenset(without_time(batch)):
        times = [one for row, one in enumerate(times) if row not in excluded]
    return (min(times), max(times)) if len(excluded) < len(batch) else None


def _runs(batch: Batch) -> tuple[list[Run], bool]:
    """The transactions of a batch, and whether the last of them goes on after it."""
    runs: list[Run] = []
    ordinal, first, last, records, size = -1, 0, 0, 0, 0
    for row, (one, length) in enumerate(zip(batch.transaction, batch.record_length, strict=True)):
        if one == ordinal:
            if one >= 0:
                last, records, size = row, records + 1, size + length
        elif one >= 0:
            if records:
                runs.append(Run(first, last, records, size))
            ordinal, first, last, records, size = one, row, row, 1, length
    if records:
        runs.append(Run(first, last, records, size))
    return runs, bool(runs) and batch.trans_ind[last] not in ENDS
