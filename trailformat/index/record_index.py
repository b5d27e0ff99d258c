"""Rows of a file by number and by RBA: checkpoints, metadata records, damage; extended as the file grows."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from threading import Lock
from typing import Any, NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import BadRecord, TrailError
from trailformat.records.record_header import METADATA
from trailformat.scan.batch import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, Batch
from trailformat.scan.position import ScanPosition, first_position
from trailformat.scan.scanning import Scan
from trailformat.trail.file import TrailFile

_LITTLE, _BIG, _LITTLE_SEEN = 1, 2, 4


class IncrementalScan:
    """A scan of every row of a file, once, from the first on; subclasses collect their results in ``_take``.

    Several threads may extend and read one, each with a TrailFile of its own.

    Attributes:
        covered: RBA up to which rows were added.
        records: the number of these rows; an incomplete record at the end of the file does not count.
        end: RBA at which the next scan starts: ``covered``, or the start of damage that ends there, which more bytes
            may turn into a record.
        partial: number of bytes of the incomplete record at ``covered``; 0 without one.
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
        self._records_before = self._arriving = 0
        self._tail: Batch | None = None

    def _take(self, batch: Batch, orders: ArrivalOrders) -> None:
        """Add rows that follow the first ``_records_before`` rows."""
        raise NotImplementedError

    def position(self, trail: TrailFile) -> ScanPosition:
        """Return the position at which the next scan must start."""
        return position_of(trail, self.end, self._arriving)

    def extend(self, batch: Batch) -> None:
        """Add the next batch of a scan, without the rows already added.

        A batch that leaves a gap is ignored, and so are rows after an incomplete record.
        """
        with self._lock:
            row = self._first_new(batch)
            if row is not None:
                self._extend(batch, row)

    def _first_new(self, batch: Batch) -> int | None:
        """Return the row of the batch that comes next: at ``end``, or after damage there; None if it has none."""
        for start in (self.end, self.covered):
            row = bisect_left(batch.rba, start)
            if row < len(batch) and batch.rba[row] == start:
                return row
        return None

    def _extend(self, batch: Batch, first: int) -> None:
        tail, self._tail = self._tail, None
        if tail is not None and batch.rba[first] != self.end:
            self._take_all(tail)
        partial = next((row for row in batch.spans() if row >= first and batch.kind[row] == PARTIAL), None)
        stop = len(batch) if partial is None else partial
        ends_bad = bool(stop > first and batch.kind[stop - 1] == BAD_SPAN)
        if stop - ends_bad > first:
            self._take_all(batch.part(first, stop - ends_bad))
        self._tail = batch.part(stop - 1, stop) if ends_bad else None
        self.partial = int(batch.length[partial]) if partial is not None else 0
        self.records = self._records_before + ends_bad
        self.covered = self.end + (int(batch.length[stop - 1]) if ends_bad else 0)

    def _take_all(self, batch: Batch) -> None:
        orders = ArrivalOrders(batch, self._arriving)
        self._take(batch, orders)
        self._arriving = orders.before(len(batch))
        self._records_before += len(batch)
        self.end = batch.end


class ArrivalOrders:
    """The byte order with which a scan reaches each row of a batch, as bits; 0: the initial order."""

    def __init__(self, batch: Batch, arriving: int) -> None:
        orders, kinds = (bytes(memoryview(column)) for column in (batch.order, batch.kind))  # type: ignore[arg-type]
        if batch.rba[0] == 0:  # the record at RBA 0 does not change the order
            orders, kinds = b"\0" + orders[1:], bytes([BAD_SPAN]) + kinds[1:]
        self._orders, self._kinds, self._arriving = orders, kinds, arriving
        self._first_little = orders.find(1)
        self._is_uniform = max(map(kinds.find, range(RECORD + 1, PARTIAL + 1))) < 0 > orders.find(1 - orders[0])

    def at(self, rows: range) -> list[int]:
        """Return the order of arrival at each of these rows."""
        if not rows or not self._is_uniform:
            return [self.before(row) for row in rows]
        return [self.before(rows[0])] + [self.before(rows[-1])] * (len(rows) - 1)

    def before(self, row: int) -> int:
        """Return the order of arrival at a row, or at the end of the batch."""
        sound = row - 1
        while sound >= 0 and self._kinds[sound] > FILE_HEADER:
            sound -= 1
        order = self._arriving & ~_LITTLE_SEEN if sound < 0 else (_LITTLE if self._orders[sound] else _BIG)
        return order | (_LITTLE_SEEN if 0 <= self._first_little < row else self._arriving & _LITTLE_SEEN)


def position_of(trail: TrailFile, rba: int, arriving: int) -> ScanPosition:
    """Return the position of a scan that reaches ``rba`` with this order of arrival."""
    first = first_position(trail, rba)
    if not arriving:
        return first
    order = ByteOrder.LITTLE if arriving & _LITTLE else ByteOrder.BIG
    return ScanPosition(rba, order, first.order_known or bool(arriving & _LITTLE_SEEN))


ROWS_PER_CHECKPOINT = 256


class Checkpoints:
    """Columns of equal length; checkpoint ``n`` is that of row ``n * ROWS_PER_CHECKPOINT``.

    Attributes:
        rba: RBA of the row, ascending.
        io_time: its IO Time (Julian microseconds); 0 for the file header and damage.
        order: the order of arrival there.
    """

    def __init__(self) -> None:
        self.rba = array("Q")
        self.io_time = array("q")
        self.order = array("B")

    def __len__(self) -> int:
        return len(self.rba)

    def position(self, number: int, trail: TrailFile) -> ScanPosition:
        """Return the position of a scan that starts at a checkpoint."""
        return position_of(trail, self.rba[number], self.order[number])

    def before(self, rba: int) -> int:
        """Return the number of the last checkpoint at or before ``rba``; -1 if there is none."""
        return bisect_right(self.rba, rba) - 1

    def add(self, batch: Batch, first: int, orders: ArrivalOrders) -> None:
        """Add the checkpoints of a batch; row ``first`` is the first of them."""
        rbas: Any = batch.rba
        times: Any = batch.io_time
        self.order.extend(orders.at(range(first, len(batch), ROWS_PER_CHECKPOINT)))
        self.io_time.extend(times[first::ROWS_PER_CHECKPOINT].tolist())
        self.rba.extend(rbas[first::ROWS_PER_CHECKPOINT].tolist())


MOST_METADATA = 1 << 20
MOST_BAD_SPANS = 1 << 12
MOST_RESTARTS = 1 << 10
_MOST_BAD_BYTES = 1 << 24


class BadSpan(NamedTuple):
    """A span of damage; ``TrailFile.error_at`` gives the reason."""

    rba: int
    length: int


class RestartRow(NamedTuple):
    """A RestartAbend or RestartOK record: its RBA, type and time."""

    rba: int
    io_type: int
    io_time: int


class IndexRow(NamedTuple):
    """A row of a file: its number, RBA and length; ``kind`` as in :mod:`trailformat.scan.batch`."""

    number: int
    rba: int
    length: int
    kind: int


class RecordIndex(IncrementalScan):
    """Rows by number and by RBA; about 400 KB for a 2 GB file.

    Attributes:
        metadata: RBAs of the DDRs, TDRs and references, ascending, the first MOST_METADATA of them.
        metadata_end: RBA up to which ``metadata`` is complete: ``end``, or less if there are more.
        bad_spans: the first MOST_BAD_SPANS of them; ``bad_span_count`` counts all.
        restarts: the first MOST_RESTARTS restart records of Extract; ``restart_count`` counts all.
    """

    def _forget(self) -> None:
        super()._forget()
        self.checkpoints = Checkpoints()
        self.metadata = array("Q")
        self.metadata_end = 0
        self.bad_spans: list[BadSpan] = []
        self.bad_span_count = 0
        self.restarts: list[RestartRow] = []
        self.restart_count = 0
        self._last: tuple[int, int, int] | None = None
        self._fitted_size = -1

    @property
    def damaged_places(self) -> int:
        """The number of places of damage, that included which ends at ``covered``."""
        return self.bad_span_count + (self.covered > self.end)

    @property
    def sound_records(self) -> int:
        """The number of rows that are records, not damage."""
        return self.records - self.damaged_places

    def _take(self, batch: Batch, orders: ArrivalOrders) -> None:
        self.checkpoints.add(batch, -self._records_before % ROWS_PER_CHECKPOINT, orders)
        self._take_metadata(batch)
        self._take_restarts(batch)
        for row in batch.spans():
            self.bad_span_count += 1
            if len(self.bad_spans) < MOST_BAD_SPANS:
                self.bad_spans.append(BadSpan(int(batch.rba[row]), int(batch.length[row])))
        kinds = bytes(memoryview(batch.kind))  # type: ignore[arg-type]
        sound = max(kinds.rfind(RECORD), kinds.rfind(FILE_HEADER))
        if sound >= 0:
            self._last = int(batch.rba[sound]), int(batch.length[sound]), int(batch.io_time[sound])

    def _take_metadata(self, batch: Batch) -> None:
        if self.metadata_end < self.end:
            return
        for row in batch.rows_of((METADATA,)):
            if len(self.metadata) == MOST_METADATA:
                self.metadata_end = int(batch.rba[row])
                return
            self.metadata.append(batch.rba[row])
        self.metadata_end = batch.end

    def _take_restarts(self, batch: Batch) -> None:
        rows = batch.restarts()
        self.restart_count += len(rows)
        for row in rows[: MOST_RESTARTS - len(self.restarts)]:
            self.restarts.append(RestartRow(int(batch.rba[row]), int(batch.io_type[row]), int(batch.io_time[row])))

    def fits(self, trail: TrailFile) -> bool:
        """Return True if the file is the scanned one, possibly grown: its last record and damage are unchanged.

        A file that was truncated or replaced does not fit, nor one in which damage became a record as more bytes
        arrived.
        """
        size = trail.size
        if size < self.covered or not self._last_stands(trail):
            return False
        if size != self._fitted_size:
            if not self._damage_stands(trail):
                return False
            self._fitted_size = size
        return True

    def _damage_stands(self, trail: TrailFile) -> bool:
        """Return True if the damage is unchanged; with too much to check, only a file that has not grown fits."""
        if self.bad_span_count > len(self.bad_spans) or sum(span.length for span in self.bad_spans) > _MOST_BAD_BYTES:
            return trail.size == self.covered
        return all(
            isinstance(trail.error_at(rba), BadRecord) and trail.next_good_header(rba + 1) == rba + length
            for rba, length in self.bad_spans
        )

    def _last_stands(self, trail: TrailFile) -> bool:
        if self._last is None:
            return True
        rba, length, io_time = self._last
        try:
            record = trail.record_at(rba)
        except TrailError:
            return False
        if record is None or record.length != length:
            return False
        return record.is_file_header or record.header.io_time == io_time

    def rows(self, trail: TrailFile, number: int, count: int) -> list[IndexRow]:
        """Return the rows from ``number`` on, at most ``count``, read from the nearest checkpoint."""
        last = min(number + count, self.records)
        if not 0 <= number < last:
            return []
        checkpoint, skipped = divmod(number, ROWS_PER_CHECKPOINT)
        if checkpoint == len(self.checkpoints):  # damage at the end may still grow and has no checkpoint yet
            return [IndexRow(number, self.end, self.covered - self.end, BAD_SPAN)]
        start = self.checkpoints.position(checkpoint, trail)
        return _read_rows(trail, start, number - skipped, last, self.covered)[skipped:]

    def rba_of(self, trail: TrailFile, number: int) -> int | None:
        """Return the RBA of row ``number``; None beyond the known rows."""
        rows = self.rows(trail, number, 1)
        return rows[0].rba if rows else None

    def row_at(self, trail: TrailFile, rba: int) -> IndexRow | None:
        """Return the row that holds the byte at ``rba``; None beyond ``covered``."""
        if not 0 <= rba < self.covered:
            return None
        if rba >= self.end:
            return IndexRow(self.records - 1, self.end, self.covered - self.end, BAD_SPAN)
        known = self.rows(trail, self.checkpoints.before(rba) * ROWS_PER_CHECKPOINT, ROWS_PER_CHECKPOINT)
        return next((row for row in known if row.rba <= rba < row.rba + row.length), None)

    def sound_before(self, trail: TrailFile, rba: int) -> int | None:
        """Return the RBA of the last record that begins before ``rba``; None without one, or beyond ``covered``."""
        row = self.row_at(trail, rba - 1)
        if row is not None and row.kind == BAD_SPAN:
            row = next(iter(self.rows(trail, row.number - 1, 1)), None)
        return row.rba if row is not None else None

    def metadata_between(self, start: int, stop: int) -> tuple[list[int], int]:
        """Return the RBAs of metadata records from ``start`` to before ``stop``; and the next, or ``metadata_end``."""
        first, last = bisect_left(self.metadata, start), bisect_left(self.metadata, stop)
        end = self.metadata[last] if last < len(self.metadata) else self.metadata_end
        return self.metadata[first:last].tolist(), end


def _read_rows(trail: TrailFile, start: ScanPosition, first: int, last: int, stop: int) -> list[IndexRow]:
    """Return the rows from ``first``, at ``start``, to before ``last``, as far as they begin before ``stop``."""
    rows: list[IndexRow] = []
    for batch in Scan(trail, start, stop, min(last - first, 1 << 12)):
        columns = zip(*(memoryview(column).tolist() for column in (batch.rba, batch.length, batch.kind)), strict=True)  # type: ignore[arg-type]
        rows += [IndexRow(first + len(rows) + number, *fields) for number, fields in enumerate(columns)]
        if len(rows) >= last - first:
            break
    return rows[: last - first]
