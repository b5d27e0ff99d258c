"""A scan taken in batch by batch: in file order, from several producers, and on as the file grows."""

from __future__ import annotations

from bisect import bisect_left
from threading import Lock

from trailformat.codec.byte_order import ByteOrder
from trailformat.scan.batch import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, Batch
from trailformat.scan.position import ScanPosition, first_position
from trailformat.trail.file import TrailFile

_LITTLE, _BIG, _LITTLE_SEEN = 1, 2, 4


class IncrementalScan:
    """A scan of every row of a file, once, from the first on; subclasses collect their results in ``_take``.

    Several threads may extend and read one, each with a TrailFile of its own.

    Attributes:
        covered: RBA up to which rows were taken.
        records: the number of these rows; an incomplete record at the end of the file does not count.
        end: where the next scan starts: ``covered``, or the start of damage that ends there, which more bytes
            may turn into a record.
        partial: bytes of the half-written record found at ``covered``; 0 without one.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._forget()

    def clear(self) -> None:
        """Discard all results."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self.covered = self.end = self.records = self.partial = 0
        self._taken = self._arriving = 0
        self._tail: Batch | None = None

    def _take(self, batch: Batch, orders: ArrivalOrders) -> None:
        """Take in rows that follow the ``_taken`` rows before them."""
        raise NotImplementedError

    def position(self, trail: TrailFile) -> ScanPosition:
        """The position where the next scan has to start."""
        return position_of(trail, self.end, self._arriving)

    def extend(self, batch: Batch) -> None:
        """Take in the next batch of a scan, without the rows taken already.

        A batch that leaves a gap is ignored, and so are rows after a half-written record.
        """
        with self._lock:
            at = self._first_new(batch)
            if at is not None:
                self._extend(batch, at)

    def _first_new(self, batch: Batch) -> int | None:
        """The row of the batch that comes next: at ``end``, or after damage there."""
        for start in (self.end, self.covered):
            at = bisect_left(batch.rba, start)
            if at < len(batch) and batch.rba[at] == start:
                return at
        return None

    def _extend(self, batch: Batch, at: int) -> None:
        tail, self._tail = self._tail, None
        if tail is not None and batch.rba[at] != self.end:
            self._take_all(tail)
        partial = next((row for row in batch.spans() if row >= at and batch.kind[row] == PARTIAL), None)
        stop = len(batch) if partial is None else partial
        ends_bad = bool(stop > at and batch.kind[stop - 1] == BAD_SPAN)
        if stop - ends_bad > at:
            self._take_all(batch.part(at, stop - ends_bad))
        self._tail = batch.part(stop - 1, stop) if ends_bad else None
        self.partial = int(batch.length[partial]) if partial is not None else 0
        self.records = self._taken + ends_bad
        self.covered = self.end + (int(batch.length[stop - 1]) if ends_bad else 0)

    def _take_all(self, batch: Batch) -> None:
        orders = ArrivalOrders(batch, self._arriving)
        self._take(batch, orders)
        self._arriving = orders.before(len(batch))
        self._taken += len(batch)
        self.end = batch.end


class ArrivalOrders:
    """The byte order in which a scan arrives at rows of a batch, as one small number each; 0: as it began."""

    def __init__(self, batch: Batch, arriving: int) -> None:
        orders, kinds = (bytes(memoryview(column)) for column in (batch.order, batch.kind))  # type: ignore[arg-type]
        if batch.rba[0] == 0:  # the record at RBA 0 leaves the order as it is
            orders, kinds = b"\0" + orders[1:], bytes([BAD_SPAN]) + kinds[1:]
        self._orders, self._kinds, self._arriving = orders, kinds, arriving
        self._first_little = orders.find(1)
        self._is_uniform = max(map(kinds.find, range(RECORD + 1, PARTIAL + 1))) < 0 > orders.find(1 - orders[0])

    def at(self, rows: range) -> list[int]:
        """The order of arrival at each of some rows."""
        if not rows or not self._is_uniform:
            return [self.before(row) for row in rows]
        return [self.before(rows[0])] + [self.before(rows[-1])] * (len(rows) - 1)

    def before(self, row: int) -> int:
        """The order of arrival at a row, or after the last one."""
        sound = row - 1
        while sound >= 0 and self._kinds[sound] > FILE_HEADER:
            sound -= 1
        order = self._arriving & ~_LITTLE_SEEN if sound < 0 else (_LITTLE if self._orders[sound] else _BIG)
        return order | (_LITTLE_SEEN if 0 <= self._first_little < row else self._arriving & _LITTLE_SEEN)


def position_of(trail: TrailFile, rba: int, arriving: int) -> ScanPosition:
    """The position of a scan that arrives at ``rba`` in this order."""
    first = first_position(trail, rba)
    if not arriving:
        return first
    order = ByteOrder.LITTLE if arriving & _LITTLE else ByteOrder.BIG
    return ScanPosition(rba, order, first.order_known or bool(arriving & _LITTLE_SEEN))
