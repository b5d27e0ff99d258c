"""Stretches of a whole trail whose transactions tasks read side by side, and find together what one walk finds.

    stretches   |-----------|-----------|-----------|
    records     F M L O F M M M M M M M M M M L O F M L
    read        |-----------------------------|-----|

A transaction is of the stretch in which it begins, and is read to its end. Whatever is open ends where one begins, so
that a walk may start there. That the stretches fit together is proved as for the data source: the walk over one meets
the record with which the next one starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.arrow.records.errors import place
from logdump.spark.errors import SplitMismatch
from trailformat.transactions.batches import TrailMark, TransactionBatch
from trailformat.transactions.tracker import first_begin
from trailformat.transactions.walk import transactions_in
from trailformat.transactions.whole_trail import FIRST_PLACE, FileBatch, TrailPosition, WholeTrail


class TrailStretch(NamedTuple):
    """From the record at ``start`` to before the one at ``stop``; None: to the end of the trail."""

    start: TrailPosition
    stop: TrailPosition | None = None

    def holds(self, one: TrailPosition) -> bool:
        """Whether a place is in it."""
        return self.start <= one and (self.stop is None or one < self.stop)


class StretchBatch(NamedTuple):
    """Transactions of a stretch: the first rows of a batch, and what stands among them."""

    batch: TransactionBatch
    rows: int
    marks: list[TrailMark]


class StretchWalk:
    """A walk over the transactions of one stretch.

    Args:
        whole: the trail.
        stretch: of it.
    """

    def __init__(self, whole: WholeTrail, stretch: TrailStretch) -> None:
        self._whole, self._stretch = whole, stretch

    def batches(self) -> Iterator[StretchBatch]:
        """The transactions of the stretch.

        Raises:
            SplitMismatch: the next stretch does not start with a record that this walk meets.
            NotATrail: a file cannot be read any more.
        """
        start, stop = self._stretch
        first = FIRST_PLACE if start == FIRST_PLACE else self._first_begin()
        if first is None:
            return
        behind = _first_begin(self._whole.batches(stop)) if stop is not None else None
        for one in transactions_in(self._checked(first, behind)):
            rows = one.rows
            while behind is not None and rows and one.first(rows - 1) >= behind:
                rows -= 1
            yield StretchBatch(one, rows, [mark for mark in one.marks if behind is None or mark.place < behind])

    def unreadable(self) -> list[Path]:
        """The files of the stretch that are no trail, when it has been read."""
        whole = self._whole
        return [path for path in whole.unreadable if self._stretch.holds(TrailPosition(whole.ordinals[path], 0))]

    def _first_begin(self) -> TrailPosition | None:
        """Where the first transaction of the stretch begins; None where none does."""
        found = _first_begin(self._checked(self._stretch.start, self._stretch.stop))
        return found if found is not None and self._stretch.holds(found) else None

    def _checked(self, first: TrailPosition, last: TrailPosition | None) -> Iterator[FileBatch]:
        """The batches from a place up to the one that reaches another, seen to meet the start of the next stretch."""
        for found in self._whole.batches(first):
            self._check(found)
            yield found
            if last is not None and _end(found) > last:
                return

    def _check(self, found: FileBatch) -> None:
        stop = self._stretch.stop
        if stop is None or stop.ordinal != found.ordinal or not found.batch.rba[0] <= stop.rba < _end(found).rba:
            return
        if stop.rba not in np.asarray(found.batch.rba):
            where = place(self._whole.paths[stop.ordinal], stop.rba)
            raise SplitMismatch(
                f"{where}: no record begins here, where a file was split; option maxPartitionBytes 0 reads whole files"
            )


def _first_begin(batches: Iterator[FileBatch]) -> TrailPosition | None:
    """Where a transaction begins first."""
    for found in batches:
        rba = first_begin(found.batch)
        if rba is not None:
            return TrailPosition(found.ordinal, rba)
    return None


def _end(found: FileBatch) -> TrailPosition:
    batch, last = found.batch, len(found.batch) - 1
    return TrailPosition(found.ordinal, int(batch.rba[last]) + int(batch.length[last]))
