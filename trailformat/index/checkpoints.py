"""Checkpoints: the RBA and the IO Time of every 256th row; 17 bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Any

from trailformat.index.incremental import ArrivalOrders, position_of
from trailformat.scan.batch import Batch
from trailformat.scan.position import ScanPosition
from trailformat.trail.file import TrailFile

ROWS_PER_CHECKPOINT = 256


class Checkpoints:
    """Columns of equal length; checkpoint ``n`` is that of row ``n * ROWS_PER_CHECKPOINT``.

    Attributes:
        rba: where the row starts, ascending.
        io_time: its IO Time (Julian microseconds); 0 for the file header and damage.
        order: the byte order in which a scan arrives there.
    """

    def __init__(self) -> None:
        self.rba = array("Q")
        self.io_time = array("q")
        self.order = array("B")

    def __len__(self) -> int:
        return len(self.rba)

    def position(self, number: int, trail: TrailFile) -> ScanPosition:
        """The position of a scan that starts at a checkpoint."""
        return position_of(trail, self.rba[number], self.order[number])

    def before(self, rba: int) -> int:
        """The number of the last checkpoint at or before ``rba``; -1 for none."""
        return bisect_right(self.rba, rba) - 1

    def add(self, batch: Batch, first: int, orders: ArrivalOrders) -> None:
        """Take in the checkpoints of a batch, the first of which is that of row ``first``."""
        rbas: Any = batch.rba
        times: Any = batch.io_time
        self.order.extend(orders.at(range(first, len(batch), ROWS_PER_CHECKPOINT)))
        self.io_time.extend(times[first::ROWS_PER_CHECKPOINT].tolist())
        self.rba.extend(rbas[first::ROWS_PER_CHECKPOINT].tolist())
