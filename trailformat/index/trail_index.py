"""The index of one open file: its places, sums and open transactions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from trailformat.codec.on_demand import on_demand
from trailformat.errors import PartialRecord, TrailError
from trailformat.index.record_index import ArrivalOrders, IncrementalScan, RecordIndex
from trailformat.records.record_header import NO_TRANSACTION, Transaction
from trailformat.scan.batch import BAD_SPAN, Batch
from trailformat.scan.position import ScanPosition
from trailformat.scan.scanning import Scan
from trailformat.trail.file import TrailFile
from trailformat.transactions.spans import TransactionSpans

with on_demand:
    from trailformat.totals import row_groups
    from trailformat.transactions import tracker

if TYPE_CHECKING:
    from trailformat.transactions.tracker import TransactionTracker


MOST_TABLES = 1 << 16


class TableTotals(NamedTuple):
    """The totals of one table in a file, metadata records included; the bytes are those of the data."""

    records: int
    data_bytes: int

    def plus(self, records: int, data_bytes: int) -> TableTotals:
        """Return the totals with these added."""
        return TableTotals(self.records + records, self.data_bytes + data_bytes)


NOTHING = TableTotals(0, 0)


class Sums(IncrementalScan):
    """Totals over the rows, bounded in number.

    Attributes:
        tables: by name; rows without a name are under "". Names beyond the first MOST_TABLES are counted in
            ``other_tables``. Each batch replaces the mapping.
        times: least and greatest IO Time of all records but metadata (Julian microseconds); None if there are none.
        transactions: the largest transactions, and the open one.
    """

    def _forget(self) -> None:
        super()._forget()
        self.tables: dict[str, TableTotals] = {}
        self.other_tables = NOTHING
        self.times: tuple[int, int] | None = None
        self.transactions = TransactionSpans()

    def _take(self, batch: Batch, orders: ArrivalOrders) -> None:  # noqa: ARG002 - sums need no order
        tables = self.tables.copy()
        for key, totals in row_groups.tables_of(batch).items():
            name = batch.names[key]
            if name in tables or len(tables) < MOST_TABLES:
                tables[name] = tables.get(name, NOTHING).plus(*totals)
            else:
                self.other_tables = self.other_tables.plus(*totals)
        self.tables = tables
        bounds = row_groups.bounds_of_time(batch)
        if bounds is not None:
            times = *(self.times or ()), *bounds
            self.times = min(times), max(times)
        self.transactions.add(batch)


class TrailIndex:
    """The results of scans of one file, from its beginning on: 17 bytes per 256 rows, and a bounded number of others.

    Rows are numbered from 0: the file header if there is one, records, damage; an incomplete record at the end of the
    file does not count yet. Several threads may extend and read an index, each with a TrailFile of its own.

    Attributes:
        places: rows by number and by RBA, the metadata, the damage. They are cheap: a scan for another purpose can
            extend them alone, so they may cover more than the sums.
        sums: tables, times, transactions.
        open_transactions: for long transactions, the transaction open at some records, by RBA, as far as ``build``
            went.
    """

    def __init__(self) -> None:
        self.places = RecordIndex()
        self.sums = Sums()
        self.open_transactions: dict[int, Transaction] = {}

    def clear(self) -> None:
        """Discard all results."""
        self.sums.clear()
        self.places.clear()
        self.open_transactions.clear()

    def extend(self, batch: Batch) -> None:
        """Add the next batch of a scan in file order, as ``IncrementalScan.extend`` does."""
        self.places.extend(batch)
        self.sums.extend(batch)

    def fits(self, trail: TrailFile) -> bool:
        """Return True if the file is the scanned one, possibly grown."""
        return self.places.fits(trail)

    def position(self, trail: TrailFile) -> ScanPosition:
        """Return the position at which the next scan must start."""
        return self.sums.position(trail)

    @property
    def metadata_end(self) -> int:
        """RBA up to which all metadata records are known."""
        return self.places.metadata_end

    def metadata_between(self, start: int, stop: int) -> tuple[list[int], int]:
        """See RecordIndex.metadata_between."""
        return self.places.metadata_between(start, stop)

    @property
    def covered(self) -> int:
        """RBA up to which all parts of the index were scanned."""
        return self.sums.covered

    @property
    def partial(self) -> int:
        """Number of bytes of the incomplete record at ``covered``; 0 without one."""
        return self.sums.partial


_INDEXES: WeakKeyDictionary[TrailFile, TrailIndex] = WeakKeyDictionary()
"""Indexes by open file; an index is freed with its file."""


def attach(trail: TrailFile, index: TrailIndex) -> None:
    """Make ``index`` the index of an open file, which uses it to find table names and transactions."""
    _INDEXES[trail] = index
    trail.known = index


def known_index(trail: TrailFile) -> TrailIndex | None:
    """Return the index attached to an open file; None without one."""
    return _INDEXES.get(trail)


def index_of(trail: TrailFile) -> TrailIndex:
    """Return the index attached to an open file; attach a new, empty one if there is none."""
    index = _INDEXES.get(trail)
    if index is None:
        index = TrailIndex()
        attach(trail, index)
    return index


_STEP = 1 << 8
_ROWS = 1 << 14
"""Rows per batch: takes some hundredths of a second, so that progress can be shown and the scan stopped."""


def build(trail: TrailFile, index: TrailIndex | RecordIndex, *, stop: int | None = None) -> Iterator[int]:
    """Extend an index, or its places alone, to the end of the file, or to the first row at or after ``stop``.

    Yield ``covered`` after each batch. An index that no longer fits the file is cleared first.

    Raises:
        NotATrail: the file is closed; raised while iterating.
        CannotRead: the file can no longer be read; raised while iterating.
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
    """Return the places of the file, extended to ``rba``; None if the file ends before."""
    index = index_of(trail)
    places = index.places
    if not places.fits(trail):
        index.clear()
    if places.covered < rba:
        for _ in build(trail, places, stop=rba):
            pass
    return places if places.covered >= rba else None


class _TransactionMarker:
    """Records the transaction at every 256th row of long transactions, so that walks back to a beginning are short.

    Shorter transactions are left out: the walk to their beginning is short anyway.

    Args:
        trail: the file of the batches.
        transactions: receives LOGCSN and TRANID by the RBA of the record.
    """

    def __init__(self, trail: TrailFile, transactions: dict[int, Transaction]) -> None:
        self._trail = trail
        self._transactions = transactions
        self._carrier: TransactionTracker | None = None

    def extend(self, batch: Batch) -> None:
        """Add the next batch. Raises like TransactionTracker.of."""
        rows = _inside(batch)
        if not rows:
            return
        if self._carrier is None:
            self._carrier = tracker.TransactionTracker(self._trail)
        owners = self._carrier.of(batch)
        for row in rows:
            transaction = owners.of_row(row)
            if transaction != NO_TRANSACTION:
                self._transactions[int(batch.rba[row])] = transaction


def _inside(batch: Batch) -> list[int]:
    """Return every 256th row whose transaction also has the row 256 before it."""
    numbers = batch.transaction
    steps = range(_STEP, len(batch), _STEP)
    return [row for row in steps if numbers[row] >= 0 and numbers[row] == numbers[row - _STEP]]


_FAR = 32 << 20
"""Maximum number of bytes searched to either side outside of the index."""


class Neighbours(NamedTuple):
    """The RBAs of the records before and after a place; None if none was found.

    ``is_inside`` is True if the place is inside the record that starts before it.
    """

    before: int | None
    after: int | None
    is_inside: bool = False


def neighbours_of(trail: TrailFile, rba: int, *, backwards: bool = False) -> Neighbours | None:
    """Return the records around ``rba``; None if reading can continue from there.

    Reading can continue where a record starts, even an incomplete one, or the file ends; ``backwards`` also where a
    record ends. Beyond the index the bytes are searched for records, 32 MB to either side.

    Raises:
        CannotRead: the file can no longer be read.
    """
    size = trail.size
    if rba > size:
        return Neighbours(_before(trail, size), None)
    if _starts(trail, rba) or (backwards and _ends(trail, rba)):
        return None
    index = known_index(trail)
    row = index.places.row_at(trail, rba) if index is not None and index.fits(trail) else None
    if row is None:
        return _neighbours_at(trail, rba)
    end = row.rba + row.length
    if row.kind == BAD_SPAN:
        return Neighbours(_before(trail, row.rba), end if end < size else None)
    return Neighbours(row.rba, _after(trail, end), is_inside=True)


def _starts(trail: TrailFile, rba: int) -> bool:
    error = trail.error_at(rba)
    return error is None or isinstance(error, PartialRecord)


def _ends(trail: TrailFile, rba: int) -> bool:
    try:
        trail.record_before(rba)
    except TrailError:
        return False
    return True


def _neighbours_at(trail: TrailFile, rba: int) -> Neighbours:
    """Return the records before and after a place by searching the bytes around it."""
    before = _before(trail, rba)
    if before is not None and (end := before + trail.record_length(before)) > rba:
        return Neighbours(before, _after(trail, end), is_inside=True)
    return Neighbours(before, trail.next_good_header(rba, _FAR))


def _before(trail: TrailFile, rba: int) -> int | None:
    return trail.previous_good_header(rba, _FAR)


def _after(trail: TrailFile, rba: int) -> int | None:
    return trail.next_good_header(rba, _FAR)
