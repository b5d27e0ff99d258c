"""Transactions as columns: begin and end, the way they ended, their CSNs.

for batch in transaction_batches(WholeTrail.around("dirdat/lt000000000")):
    for row in range(batch.rows):
        print(batch.begin(row), batch.ended(row), batch.csns[row])
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

from trailformat.changes.transactions import is_transactional
from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import CannotRead, TrailError
from trailformat.records.record import Record
from trailformat.records.record_header import RESTART_ABEND, RESTARTS
from trailformat.scan import BatchColumn, StringColumn
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Ended
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_MOST_OPEN = 4
_CHUNK = 1 << 20


class TransactionRecord(NamedTuple):
    """A record of a transaction with its file, while that is open, and the definitions of the file's rows."""

    place: TrailPosition
    trail: TrailFile
    record: Record
    definitions: RowDefinitions

    @property
    def position(self) -> FilePosition:
        """Position of the record."""
        return FilePosition(self.trail.path, self.place.rba)

    def is_same(self, other: TransactionRecord, *, with_columns: bool = False) -> bool:
        """Return True if two records have equal bytes and the same table; ``with_columns``: and equal definitions."""
        record, like = self.record, other.record
        if record.order is not like.order or not record.has_bytes_of(like):
            return False
        if self.trail.name_of(record) != other.trail.name_of(like):
            return False
        return not with_columns or self.definitions.of(record) == other.definitions.of(like)


class TransactionRecords:
    """Reads records of transactions; at most _MOST_OPEN files are open at a time. Used as a context manager.

    Args:
        whole: the trail.
        definitions_of: returns the definitions of the rows of a file.
    """

    def __init__(
        self, whole: WholeTrail, definitions_of: Callable[[TrailFile], RowDefinitions] = RowDefinitions
    ) -> None:
        self._whole = whole
        self._definitions_of = definitions_of
        self._open: OrderedDict[int, tuple[TrailFile, RowDefinitions]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; they are reopened when needed."""
        while self._open:
            self._open.popitem()[1][0].close()

    def at(self, place: TrailPosition) -> TransactionRecord:
        """Return the record at a position at which one was found.

        Raises:
            TrailError: it is no longer there.
        """
        trail, definitions = self._file(place.ordinal)
        record = trail.record_at(place.rba)
        if record is None:
            raise CannotRead("the file ends here now", path=trail.path, rba=place.rba)
        return TransactionRecord(place, trail, record, definitions)

    def with_file(self, place: TrailPosition, record: Record) -> TransactionRecord:
        """Return a record that was read before, with its file, which is reopened if necessary."""
        trail, definitions = self._file(place.ordinal)
        return TransactionRecord(place, trail, record, definitions)

    def of(self, first: TrailPosition, records: int) -> Iterator[TransactionRecord]:
        """Yield the first ``records`` records of a transaction, over its files, skipping damage."""
        for ordinal in range(first.ordinal, len(self._whole)):
            rba: int | None = first.rba if ordinal == first.ordinal else self._file(ordinal)[0].first_rba
            while rba is not None:
                trail, definitions = self._file(ordinal)
                try:
                    record = trail.record_at(rba)
                except TrailError:
                    rba = trail.next_good_header(rba + 1)
                    continue
                if record is None:
                    break
                if is_transactional(record):
                    yield TransactionRecord(TrailPosition(ordinal, rba), trail, record, definitions)
                    records -= 1
                    if not records:
                        return
                rba += record.length

    def meaning_at(self, place: TrailPosition) -> tuple[ByteOrder | None, str, int]:
        """Return the context of bytes at a position: byte order, codec, ``meaning_at`` of the definitions in force."""
        trail, definitions = self._file(place.ordinal)
        meaning = trail.tables.meaning_at(place.rba)  # looks ahead, and so comes before the character set
        return trail.order, definitions.charset_at(place.rba), meaning

    def same_meaning_to(self, place: TrailPosition, stop: int) -> int:
        """Return the RBA, at most ``stop``, up to which ``meaning_at`` is that of a position in the same file."""
        return self._file(place.ordinal)[0].tables.unchanged_to(place.rba, stop)

    def run(self, first: TrailPosition, after: TrailPosition) -> Iterator[bytes]:
        """Yield the bytes between two positions of one file, in chunks.

        Raises:
            TrailError: they are no longer there.
        """
        for start in range(first.rba, after.rba, _CHUNK):
            yield self._file(first.ordinal)[0].bytes[start : min(start + _CHUNK, after.rba)]

    def _file(self, ordinal: int) -> tuple[TrailFile, RowDefinitions]:
        if ordinal not in self._open:
            trail = TrailFile(self._whole.paths[ordinal])
            self._open[ordinal] = trail, self._definitions_of(trail)
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1][0].close()
        self._open.move_to_end(ordinal)
        return self._open[ordinal]


ENDINGS = tuple(Ended)
"""Values of the column ``endings``, by number."""
LAST = ENDINGS.index(Ended.LAST)
NOWHERE = -1
"""In place of an RBA that does not exist."""


class TrailMark(NamedTuple):
    """A restart record, the beginning of a file, or damage, between transactions or inside them.

    Attributes:
        place: its position.
        after: the RBA after it.
        io_type: of a restart record; 0 for the beginning of a file, -1 for damage, -2 for an incomplete record at the
            end of the trail.
        time: IO Time of a restart record (Julian).
    """

    place: TrailPosition
    after: int
    io_type: int
    time: int = 0

    @property
    def is_restart(self) -> bool:
        """True for RestartAbend and RestartOK."""
        return self.io_type in RESTARTS

    @property
    def has_abended(self) -> bool:
        """True for RestartAbend."""
        return self.io_type == RESTART_ABEND


BEGIN_OF_FILE, DAMAGE, HALF_A_RECORD = 0, -1, -2


class TransactionBatchColumns(NamedTuple):
    """One row for each transaction of a batch.

    Attributes:
        first_file, first_rba: the position of the first record that was found.
        has_begin: True if that is the first record of the transaction.
        after_file, after_rba: the first position after it and after the marker that cut it; NOWHERE while it is open.
        records, sizes: the number of its records, and their bytes.
        endings: the way it ended, an index into ENDINGS.
    """

    first_file: BatchColumn
    first_rba: BatchColumn
    has_begin: BatchColumn
    after_file: BatchColumn
    after_rba: BatchColumn
    records: BatchColumn
    sizes: BatchColumn
    endings: BatchColumn


class BatchProgress(NamedTuple):
    """Progress of a walk by a batch: the number of its records, and position and IO Time (Julian) of the last one."""

    records: int
    place: TrailPosition
    time: int


class TransactionSummary(NamedTuple):
    """A transaction of a batch, independent of the batch."""

    csn: str | None
    xid: str | None
    first: TrailPosition
    has_begin: bool
    after: TrailPosition | None
    records: int
    size: int
    ended: Ended

    @property
    def is_whole(self) -> bool:
        """True if it has its first and its last record, and no damage or missing file is between them."""
        return self.has_begin and self.ended is Ended.LAST


class TransactionBatch(NamedTuple):
    """Transactions in the order in which they ended, and the marks between them.

    Attributes:
        columns: one row per transaction.
        csns, xids: LOGCSN and TRANID of the first record of each.
        marks: in trail order; a transaction that ended before a mark is in this batch or an earlier one.
        carried: number of transactions, the first ones, that began in an earlier batch.
        texts, xid_texts: LOGCSN and TRANID of the others as columns, or None.
        progress: how far the walk is; None if no record was read for the batch.
        commit: the latest IO Time (Julian) of the records, which is that of a commit; 0 without records.
    """

    columns: TransactionBatchColumns
    csns: Sequence[str | None]
    xids: Sequence[str | None]
    marks: Sequence[TrailMark]
    carried: int = 0
    texts: StringColumn | None = None
    progress: BatchProgress | None = None
    commit: int = 0
    xid_texts: StringColumn | None = None

    @property
    def rows(self) -> int:
        """Number of transactions."""
        return len(self.csns)

    def transaction(self, row: int) -> TransactionSummary:
        """Return the transaction of a row."""
        records, size = int(self.columns.records[row]), int(self.columns.sizes[row])
        has_begin = bool(self.columns.has_begin[row])
        first, after, ended = self.first(row), self.after(row), self.ended(row)
        return TransactionSummary(self.csns[row], self.xids[row], first, has_begin, after, records, size, ended)

    def first(self, row: int) -> TrailPosition:
        """Return the position of the first record that was found."""
        return TrailPosition(int(self.columns.first_file[row]), int(self.columns.first_rba[row]))

    def begin(self, row: int) -> TrailPosition | None:
        """Return the position of the transaction's first record; None if that is missing."""
        return self.first(row) if self.columns.has_begin[row] else None

    def after(self, row: int) -> TrailPosition | None:
        """Return the first position after the transaction; None while it is open."""
        rba = int(self.columns.after_rba[row])
        return TrailPosition(int(self.columns.after_file[row]), rba) if rba != NOWHERE else None

    def ended(self, row: int) -> Ended:
        """Return the way the transaction ended."""
        return ENDINGS[self.columns.endings[row]]

    def is_whole(self, row: int) -> bool:
        """True if it has its first and its last record, and no damage or missing file is between them."""
        return bool(self.columns.has_begin[row]) and self.columns.endings[row] == LAST

    def whole(self) -> Sequence[int]:
        """Return the rows of the whole transactions, ascending."""
        return self._are_whole.nonzero()[0].tolist()  # type: ignore[no-any-return]

    def not_whole(self) -> list[int]:
        """Return the rows of the transactions that are not whole, ascending."""
        return (~self._are_whole).nonzero()[0].tolist()  # type: ignore[no-any-return]

    @property
    def _are_whole(self) -> Any:
        endings: Any = self.columns.endings
        has_begin: Any = self.columns.has_begin
        return (endings == LAST) & (has_begin != 0)
