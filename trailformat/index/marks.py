"""Marks: the place of every 256th row, and the latest IO Time before it; 17 bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from trailformat.byte_order import ByteOrder
from trailformat.scan.batch import FILE_HEADER, Batch
from trailformat.scan.place import Place, first_place
from trailformat.trail_file import TrailFile

ROWS_PER_MARK = 256
NO_TIME = -(1 << 63)
"""Before the first row with a time."""
_LITTLE, _BIG, _LITTLE_SEEN = 1, 2, 4


class Marks:
    """Columns of equal length; mark ``n`` is that of row ``n * ROWS_PER_MARK``.

    Attributes:
        rba: where the row stands, ascending.
        latest: the latest IO Time of the rows before it (Julian microseconds; NO_TIME without any), never falling.
        order: the byte order in which the walk arrives there.
    """

    def __init__(self) -> None:
        self.rba = array("Q")
        self.latest = array("q")
        self.order = array("B")
        self.arriving = 0
        """The byte order behind the last row that was taken in."""

    def __len__(self) -> int:
        return len(self.rba)

    def place(self, number: int, trail: TrailFile) -> Place:
        """Where a walk stands that arrives at a mark."""
        return place_of(trail, self.rba[number], self.order[number])

    def before(self, rba: int) -> int:
        """The number of the last mark at or before ``rba``; -1 for none."""
        return bisect_right(self.rba, rba) - 1

    def add(self, batch: Batch, rows: range, latest: list[int]) -> None:
        """Take in the marks of a batch, which stand at these rows, and the byte order behind the batch."""
        orders, kinds = (bytes(memoryview(one)) for one in (batch.order, batch.kind))  # type: ignore[arg-type]
        if batch.rba[0] == 0:  # the record at RBA 0 leaves the order as it is
            orders, kinds = b"\0" + orders[1:], bytes([FILE_HEADER + 1]) + kinds[1:]
        first_little = orders.find(1) % (1 << 62)
        before = self.arriving

        def arriving_at(row: int) -> int:
            sound = row - 1
            while sound >= 0 and kinds[sound] > FILE_HEADER:
                sound -= 1
            order = before & ~_LITTLE_SEEN if sound < 0 else (_LITTLE if orders[sound] else _BIG)
            return order | (before & _LITTLE_SEEN) | (_LITTLE_SEEN if first_little < row else 0)

        self.order.extend([arriving_at(row) for row in rows])
        self.latest.extend(latest)
        self.rba.extend([int(batch.rba[row]) for row in rows])
        self.arriving = arriving_at(len(batch))


def place_of(trail: TrailFile, rba: int, arriving: int) -> Place:
    """The place of a walk at ``rba``; ``arriving`` tells the byte order as the column ``order`` does."""
    first = first_place(trail, rba)
    if not arriving:
        return first
    order = ByteOrder.LITTLE if arriving & _LITTLE else ByteOrder.BIG
    return Place(rba, order, first.order_known or bool(arriving & _LITTLE_SEEN))
