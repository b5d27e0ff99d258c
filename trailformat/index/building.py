"""The scans that build an index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trailformat.index.record_index import RecordIndex
from trailformat.index.trail_index import TrailIndex, index_of
from trailformat.records.transaction import NO_TRANSACTION, Transaction
from trailformat.scan.batch import Batch
from trailformat.scan.scanning import Scan
from trailformat.trail.file import TrailFile

if TYPE_CHECKING:
    from trailformat.transactions.tracker import TransactionTracker

_STEP = 1 << 8
_ROWS = 1 << 14
"""Rows to a batch: some hundredths of a second, so that progress can be shown and the scan stopped."""


def build(trail: TrailFile, index: TrailIndex | RecordIndex, *, stop: int | None = None) -> Iterator[int]:
    """Extend an index, or its places alone, to the end of the file, or to the first row at or after ``stop``.

    It yields ``covered`` after each batch. An index that no longer fits the file is cleared first.

    Raises:
        NotATrail: while iterating, when the file is closed or cannot be read any more.
    """
    if not index.fits(trail):
        index.clear()
    position = index.position(trail)
    marker = _TransactionMarker(trail, index.open_transactions) if isinstance(index, TrailIndex) else None
    for batch in Scan(trail, position, stop, _ROWS):
        if marker is not None:
            marker.extend(batch)
        index.extend(batch)
        yield index.covered
        if index.partial:
            return


def reach(trail: TrailFile, rba: int) -> RecordIndex | None:
    """The places of the file, extended to ``rba``; None if they end before."""
    index = index_of(trail)
    places = index.places
    if not places.fits(trail):
        index.clear()
    if places.covered < rba:
        for _ in build(trail, places, stop=rba):
            pass
    return places if places.covered >= rba else None


class _TransactionMarker:
    """Notes the transaction at every 256th row of long ones, so that no walk back to a beginning is long.

    Shorter transactions are left out: the walk back to their beginning is short.

    Args:
        trail: where the batches come from.
        transactions: takes LOGCSN and TRANID by the RBA of the record.
    """

    def __init__(self, trail: TrailFile, transactions: dict[int, Transaction]) -> None:
        self._trail = trail
        self._transactions = transactions
        self._carrier: TransactionTracker | None = None

    def extend(self, batch: Batch) -> None:
        """Take in the next batch. Raises as TransactionTracker.of."""
        rows = _inside(batch)
        if not rows:
            return
        if self._carrier is None:
            from trailformat.transactions.tracker import TransactionTracker  # noqa: PLC0415 - it needs numpy

            self._carrier = TransactionTracker(self._trail)
        owners = self._carrier.of(batch)
        for row in rows:
            transaction = owners.of_row(row)
            if transaction != NO_TRANSACTION:
                self._transactions[int(batch.rba[row])] = transaction


def _inside(batch: Batch) -> list[int]:
    """Every 256th row whose transaction holds the row 256 before it too."""
    numbers = batch.transaction
    steps = range(_STEP, len(batch), _STEP)
    return [row for row in steps if numbers[row] >= 0 and numbers[row] == numbers[row - _STEP]]
