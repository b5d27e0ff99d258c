"""The index itself: fed with batches, asked for places."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import NamedTuple

from trailformat.errors import BadRecord, TrailError
from trailformat.index.digest import Digest, digest
from trailformat.index.marks import NO_TIME, ROWS_PER_MARK, Marks, place_of
from trailformat.index.owners import first_csn, own
from trailformat.index.transaction_spans import TransactionSpan, TransactionSpans
from trailformat.index.walking import Row, walk
from trailformat.io_types import METADATA
from trailformat.scan.batch import BAD_SPAN, FILE_HEADER, PARTIAL, Batch
from trailformat.scan.place import Place
from trailformat.trail_file import TrailFile
from trailformat.transactions import Transaction

MOST_TABLES = 1 << 16
MOST_BAD_SPANS = 1 << 12
SEARCHED = 1 << 12


class TableTotals(NamedTuple):
    """What a file holds of one table, metadata records included; the bytes are those of the data."""

    records: int
    data_bytes: int

    def plus(self, records: int, data_bytes: int) -> TableTotals:
        """The sum of both."""
        return TableTotals(self.records + records, self.data_bytes + data_bytes)


NOTHING = TableTotals(0, 0)


class BadSpan(NamedTuple):
    """Bytes that are no sound record; :meth:`TrailIndex.reason` tells why."""

    rba: int
    length: int


class TrailIndex:
    """What is known of one file, from its beginning to ``covered``; memory is bounded whatever the file holds.

    One thread may extend it while others read it, each with a TrailFile of its own. Rows are numbered from 0; a record
    that is half written at the end of the file is no row yet.

    Attributes:
        covered: RBA up to which the file is known.
        records: the rows up to there.
        partial: bytes of the half-written record that stood there when it was met last; 0 without one.
        tables: by name; rows without a name under the empty one. Of more than MOST_TABLES names those beyond are
            counted in ``other_tables``. A new mapping for every batch.
        metadata: where the DDRs and TDRs (and references) stand, ascending.
        bad_spans: the first MOST_BAD_SPANS of them; ``bad_span_count`` counts all.
        earliest, latest: bounds of the IO Time of all records but metadata (Julian microseconds); None without any.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.covered = 0
        self.records = 0
        self.partial = 0
        self.tables: dict[str, TableTotals] = {}
        self.other_tables = NOTHING
        self.metadata = array("Q")
        self.bad_spans: list[BadSpan] = []
        self.bad_span_count = 0
        self.earliest: int | None = None
        self.latest: int | None = None
        self.marks = Marks()
        self.transactions = TransactionSpans()
        self._last: tuple[int, int, int] | None = None
        self._end = 0
        self._rows = 0
        self._tail: Batch | None = None
        self._fitted_size = -1

    def __len__(self) -> int:
        """The number of rows, as ``records``."""
        return self.records

    def is_complete(self, size: int) -> bool:
        """Whether the index covers a file of ``size`` bytes up to its end, a half-written record there aside."""
        return self.covered + self.partial >= size

    def place(self, trail: TrailFile) -> Place:
        """Where a walk goes on that is to extend the index: in front of damage at the end, which may have grown."""
        return place_of(trail, self._end, self.marks.arriving)

    def extend(self, batch: Batch) -> None:
        """Take in the next batch of a walk in file order; rows that are known already are passed over.

        A batch that leaves a gap is ignored, and so is what follows a half-written record.
        """
        at = self._first_new(batch)
        if at is None:
            return
        if self._tail is not None:
            known, self._tail = self._tail, None
            if batch.rba[at] != self._end:
                self._take(known)
        stop = len(batch)
        spans = batch.spans()
        partial = next((row for row in spans if row >= at and batch.kind[row] == PARTIAL), None)
        if partial is not None:
            stop = partial
        ends_bad = stop > at and batch.kind[stop - 1] == BAD_SPAN
        tail = batch.part(stop - 1, stop) if ends_bad else None
        if stop - ends_bad > at:
            self._take(batch.part(at, stop - ends_bad))
        self._tail = tail
        self.partial = int(batch.length[partial]) if partial is not None else 0
        self.records = self._rows + ends_bad
        self.covered = self._end + (int(tail.length[0]) if tail is not None else 0)

    def _first_new(self, batch: Batch) -> int | None:
        """The first row of the batch that the index goes on with: one at its end, or behind damage there."""
        for start in (self._end, self.covered):
            at = bisect_left(batch.rba, start)
            if at < len(batch) and batch.rba[at] == start:
                return at
        return None

    def _take(self, batch: Batch) -> None:
        """Take in rows that follow those known; what is asked for by number or RBA comes last."""
        marked = range(-self._rows % ROWS_PER_MARK, len(batch), ROWS_PER_MARK)
        cuts = sorted({0, *marked})
        found = digest(batch, cuts, self.transactions.least)
        self._add_tables(batch, found)
        self._add_times(batch, marked, cuts, found)
        self.transactions.add(found.transactions, found.ended)
        self._add_spans(batch)
        types, at = bytes(memoryview(batch.io_type)), -1  # type: ignore[arg-type]
        while (at := types.find(METADATA, at + 1)) >= 0:
            self.metadata.append(int(batch.rba[at]))
        self._rows += len(batch)
        self._end = int(batch.rba[-1]) + int(batch.length[-1])

    def _add_tables(self, batch: Batch, found: Digest) -> None:
        tables = self.tables.copy()
        for key, totals in found.tables.items():
            name = batch.names[key]
            if name in tables or len(tables) < MOST_TABLES:
                tables[name] = tables.get(name, NOTHING).plus(*totals)
            else:
                self.other_tables = self.other_tables.plus(*totals)
        self.tables = tables

    def _add_times(self, batch: Batch, marked: range, cuts: list[int], found: Digest) -> None:
        latest = NO_TIME if self.latest is None else self.latest
        at_mark = {}
        for cut, bound in zip(cuts, found.latest, strict=True):
            at_mark[cut] = latest
            latest = max(latest, bound)
        self.marks.add(batch, marked, [at_mark[row] for row in marked])
        if latest != NO_TIME:
            self.latest = latest
            self.earliest = min(found.earliest) if self.earliest is None else min(self.earliest, *found.earliest)

    def _add_spans(self, batch: Batch) -> None:
        for row in batch.spans():
            self.bad_span_count += 1
            if len(self.bad_spans) < MOST_BAD_SPANS:
                self.bad_spans.append(BadSpan(int(batch.rba[row]), int(batch.length[row])))
        kinds = bytes(memoryview(batch.kind))  # type: ignore[arg-type]
        sound = max(kinds.rfind(kind) for kind in range(FILE_HEADER + 1))
        if sound >= 0:
            self._last = int(batch.rba[sound]), int(batch.length[sound]), int(batch.io_time[sound])

    def fits(self, trail: TrailFile) -> bool:
        """Whether the file is still the one that the index knows: as long, its last known record and damage in place.

        A file that has been cut or written anew does not fit, nor one in which what was damage has become a record
        because more of it is there.
        """
        size = trail.size
        if size < self.covered or not self._last_stands(trail):
            return False
        if size != self._fitted_size:
            if self.bad_span_count > len(self.bad_spans) and size > self.covered:
                return False
            if not all(isinstance(self.reason(trail, span.rba), BadRecord) for span in self.bad_spans):
                return False
            self._fitted_size = size
        return True

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

    def reason(self, trail: TrailFile, rba: int) -> TrailError | None:
        """Why no sound record starts at ``rba``; None where one does."""
        try:
            trail.record_length(rba)
        except TrailError as error:
            return error
        return None

    def rows(self, trail: TrailFile, number: int, count: int) -> list[Row]:
        """The rows from ``number`` on, ``count`` of them or as many as are known, read from the nearest mark."""
        last = min(number + count, self.records)
        if not 0 <= number < last:
            return []
        start = self.marks.place(number // ROWS_PER_MARK, trail)
        return walk(trail, start, number - number % ROWS_PER_MARK, last, self.covered)[number % ROWS_PER_MARK :]

    def rba_of(self, trail: TrailFile, number: int) -> int | None:
        """Where row ``number`` stands; None beyond the rows that are known."""
        found = self.rows(trail, number, 1)
        return found[0].rba if found else None

    def row_at(self, trail: TrailFile, rba: int) -> Row | None:
        """The row that holds the byte at ``rba``; None beyond ``covered``."""
        mark = self.marks.before(rba)
        if not 0 <= rba < self.covered or mark < 0:
            return None
        first = mark * ROWS_PER_MARK
        known = self.rows(trail, first, ROWS_PER_MARK)
        return next((row for row in known if row.rba <= rba < row.rba + row.length), None)

    def number_of(self, trail: TrailFile, rba: int) -> int | None:
        """The number of the row that holds the byte at ``rba``; None beyond ``covered``."""
        row = self.row_at(trail, rba)
        return row.number if row is not None else None

    def owner(self, trail: TrailFile, span: TransactionSpan) -> Transaction:
        """LOGCSN and TRANID of a transaction that begins in this file."""
        return own(trail, span.begin)

    def csn_at(self, trail: TrailFile, number: int) -> str | None:
        """The first LOGCSN from row ``number`` on; None when the next SEARCHED rows hold none."""
        return first_csn(trail, self.rows(trail, number, SEARCHED))

    def csn_bounds(self, trail: TrailFile) -> tuple[str | None, str | None]:
        """The first LOGCSN and the last, in the order of the file, each sought in SEARCHED rows from its end."""
        last = self.rows(trail, max(0, self.records - SEARCHED), SEARCHED)
        return self.csn_at(trail, 0), first_csn(trail, reversed(last))

    @property
    def open_transaction(self) -> TransactionSpan | None:
        """The transaction that has not ended where the index ends."""
        return self.transactions.open

    @property
    def largest_transactions(self) -> list[TransactionSpan]:
        """The largest that have ended, the largest first."""
        return self.transactions.largest
