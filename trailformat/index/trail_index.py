"""The index of one file: its places and its sums."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from trailformat.changes.transaction_search import KNOWN
from trailformat.changes.transactions import Transaction
from trailformat.index.owners import first_csn, owner_at
from trailformat.index.places import BadSpan, Places, reason
from trailformat.index.sums import Sums, TableTotals
from trailformat.index.transaction_spans import TransactionSpan
from trailformat.index.walking import Row
from trailformat.scan.batch import Batch
from trailformat.scan.position import ScanPosition
from trailformat.trail.file import TrailFile

SEARCHED = 1 << 12


class TrailIndex:
    """What is known of one file, from its beginning on: 17 bytes for 256 rows, and a bounded number of other things.

    Rows are numbered from 0: the file header where there is one, records, damage; a record that is half written at the
    end of the file is no row yet. Several threads may extend and read an index, each with a TrailFile of its own.

    Attributes:
        places: rows by number and by RBA, the metadata, the damage. They are cheap: a walk for another end can feed
            them alone, so that they may be ahead of the sums.
        sums: tables, times, transactions.
        open_transactions: by RBA, the transactions that go on in some records of long ones, as far as ``build`` went.
    """

    def __init__(self) -> None:
        self.places = Places()
        self.sums = Sums()
        self.open_transactions: dict[int, Transaction] = {}

    def clear(self) -> None:
        """Forget everything."""
        self.sums.clear()
        self.places.clear()
        self.open_transactions.clear()

    def extend(self, batch: Batch) -> None:
        """Take in the next batch of a walk in file order; rows that are known already are passed over.

        A batch that leaves a gap is ignored, and so is what follows a half-written record.
        """
        self.places.extend(batch)
        self.sums.extend(batch)

    def fits(self, trail: TrailFile) -> bool:
        """Whether the file is still the one that the index knows, or that one grown."""
        return self.places.fits(trail)

    def place(self, trail: TrailFile) -> ScanPosition:
        """Where a walk goes on that is to extend the index."""
        return self.sums.place(trail)

    @property
    def covered(self) -> int:
        """RBA up to which everything is known."""
        return self.sums.covered

    @property
    def partial(self) -> int:
        """Bytes of the half-written record that stood there; 0 without one."""
        return self.sums.partial

    @property
    def records(self) -> int:
        """Rows whose places are known."""
        return self.places.records

    def is_complete(self, size: int) -> bool:
        """Whether everything is known of a file of ``size`` bytes, a half-written record at its end aside."""
        return self.sums.is_complete(size)

    def rows(self, trail: TrailFile, number: int, count: int) -> list[Row]:
        """The rows from ``number`` on, ``count`` of them or as many as are known, read from the nearest mark."""
        return self.places.rows(trail, number, count)

    def rba_of(self, trail: TrailFile, number: int) -> int | None:
        """Where row ``number`` stands; None beyond the rows that are known."""
        return self.places.rba_of(trail, number)

    def number_of(self, trail: TrailFile, rba: int) -> int | None:
        """The number of the row that holds the byte at ``rba``; None beyond the rows that are known."""
        return self.places.number_of(trail, rba)

    @property
    def bad_spans(self) -> list[BadSpan]:
        """Damage, a bounded number of spans of it; ``places.bad_span_count`` counts all."""
        return self.places.bad_spans

    def reason(self, trail: TrailFile, rba: int) -> str:
        """Why no sound record starts at ``rba``; empty where one does."""
        error = reason(trail, rba)
        return error.problem if error is not None else ""

    @property
    def tables(self) -> dict[str, TableTotals]:
        """Records and data bytes by table; rows without a name under the empty one."""
        return self.sums.tables

    @property
    def times(self) -> tuple[int, int] | None:
        """Bounds of the IO Time of all records but metadata (Julian microseconds); None without any."""
        earliest, latest = self.sums.earliest, self.sums.latest
        return (earliest, latest) if earliest is not None and latest is not None else None

    @property
    def open_transaction(self) -> TransactionSpan | None:
        """The transaction that has not ended where the index ends."""
        return self.sums.transactions.open

    @property
    def largest_transactions(self) -> list[TransactionSpan]:
        """The largest that have ended, a bounded number, the largest first."""
        return self.sums.transactions.largest

    def owner(self, trail: TrailFile, span: TransactionSpan) -> Transaction:
        """LOGCSN and TRANID of a transaction; one that began in the file before is looked for there."""
        return owner_at(trail, span.begin)

    def csn_at(self, trail: TrailFile, number: int) -> str | None:
        """The first LOGCSN from row ``number`` on; None when the next SEARCHED rows hold none. Raises as record_at."""
        return first_csn(trail, self.rows(trail, number, SEARCHED))

    def csn_bounds(self, trail: TrailFile) -> tuple[str | None, str | None]:
        """The first LOGCSN and the last, in the order of the file, each sought in SEARCHED rows from its end."""
        last = self.rows(trail, max(0, self.records - SEARCHED), SEARCHED)
        return self.csn_at(trail, 0), first_csn(trail, reversed(last))


_INDEXES: WeakKeyDictionary[TrailFile, TrailIndex] = WeakKeyDictionary()
"""By open file; an index goes with its file."""


def attach(trail: TrailFile, index: TrailIndex) -> None:
    """Make ``index`` that of an open file: names of tables and transactions far into it are found by it."""
    _INDEXES[trail] = index
    trail.tables.known = index.places
    KNOWN[trail] = index.open_transactions


def known_index(trail: TrailFile) -> TrailIndex | None:
    """The index attached to an open file; None without one."""
    return _INDEXES.get(trail)


def index_of(trail: TrailFile) -> TrailIndex:
    """The index attached to an open file, if need be a new one, which is empty."""
    index = _INDEXES.get(trail)
    if index is None:
        index = TrailIndex()
        attach(trail, index)
    return index
