"""Marks: the place and the IO Time of every 256th row; 17 bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Any

from trailformat.index.following import ArrivalOrders, place_of
from trailformat.scan.batch import Batch
from trailformat.scan.position import ScanPosition
from trailformat.trail.file import TrailFile

ROWS_PER_MARK = 256


class Marks:
    """Columns of equal length; mark ``n`` is that of row ``n * ROWS_PER_MARK``.

    Attributes:
        rba: where the row stands, ascending.
        io_time: its IO Time (Julian microseconds); 0 for the file header and damage.
        order: the byte order in which a walk arrives there.
    """

    def __init__(self) -> None:
        self.rba = array("Q")
        self.io_time = array("q")
        self.order = array("B")

    def __len__(self) -> int:
        return len(self.rba)

    def place(self, number: int, trail: TrailFile) -> ScanPosition:
        """Where a walk stands that arrives at a mark."""
        return place_of(trail, self.rba[number], self.order[number])

    def before(self, rba: int) -> int:
        """The number of the last mark at or before ``rba``; -1 for none."""
        return bisect_right(self.rba, rba) - 1

    def add(self, batch: Batch, first: int, orders: ArrivalOrders) -> None:
        """Take in the marks of a batch, the first of which stands at row ``first``."""
        rbas: Any = batch.rba
        times: Any = batch.io_time
        self.order.extend(orders.at(range(first, len(batch), ROWS_PER_MARK)))
        self.io_time.extend(times[first::ROWS_PER_MARK].tolist())
        self.rba.extend(rbas[first::ROWS_PER_MARK].tolist())
