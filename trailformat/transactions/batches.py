"""Transactions as columns: where each begins and ends, how it ended, its CSN.

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
from trailformat.trail.sequence import Spot
from trailformat.transactions.extent import Ended
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_MOST_OPEN = 4
_CHUNK = 1 << 20


class TransactionRecord(NamedTuple):
    """A record of a transaction, its file while that is open, and the definitions of the rows there."""

    place: TrailPosition
    trail: TrailFile
    record: Record
    definitions: RowDefinitions

    @property
    def spot(self) -> Spot:
        """Its position."""
        return Spot(self.trail.path, self.place.rba)

    def is_same(self, other: TransactionRecord, *, with_columns: bool = False) -> bool:
        """Whether two records have the same bytes, which mean the same table; with the same columns where wanted."""
        record, like = self.record, other.record
        if record.order is not like.order or not record.has_bytes_of(like):
            return False
        if self.trail.name_of(record) != other.trail.name_of(like):
            return False
        return not with_columns or self.definitions.of(record) == other.definitions.of(like)


class TransactionRecords:
    """Reads records of transactions; few files are open at a time. Used as a context manager.

    Args:
        whole: the trail.
        definitions_of: gives the definitions of the rows of a file.
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
        """Close the files; they are opened again when they are needed."""
        while self._open:
            self._open.popitem()[1][0].close()

    def at(self, place: TrailPosition) -> TransactionRecord:
        """The record at a place where one is.

        Raises:
            TrailError: there is none any more.
        """
        trail, definitions = self._file(place.ordinal)
        record = trail.record_at(place.rba)
        if record is None:
            raise CannotRead("the file ends here now", path=trail.path, rba=place.rba)
        return TransactionRecord(place, trail, record, definitions)

    def with_file(self, place: TrailPosition, record: Record) -> TransactionRecord:
        """A record that was read before, with its file, which may have been closed meanwhile."""
        trail, definitions = self._file(place.ordinal)
        return TransactionRecord(place, trail, record, definitions)

    def of(self, first: TrailPosition, records: int) -> Iterator[TransactionRecord]:
        """The first ``records`` records of a transaction, over its files; damage is skipped."""
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
        """What bytes from a place on depend on: byte order and character set, and the definitions in force there."""
        trail, definitions = self._file(place.ordinal)
        return trail.order, definitions.charset_at(place.rba), trail.tables.meaning_at(place.rba)

    def run(self, first: TrailPosition, after: TrailPosition) -> Iterator[bytes]:
        """The bytes from one place of a file to another in it, in chunks.

        Raises:
            TrailError: they are not there any more.
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
"""What the numbers in the column ``endings`` mean."""
LAST = ENDINGS.index(Ended.LAST)
NOWHERE = -1
"""In place of an RBA that is not there."""


class TrailMark(NamedTuple):
    """What stands between transactions or in them: a restart record, a file's beginning, or damage.

    Attributes:
        place: where it begins.
        after: the RBA behind it.
        io_type: of a restart record; 0 for a file's beginning, -1 for damage, -2 for half a record at the very end.
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
        first_file, first_rba: its first record that was found.
        has_begin: whether that is where it begins.
        after_file, after_rba: the first place behind it, and behind the marker that cut it; NOWHERE while it is open.
        records, sizes: how many records it has, and their bytes.
        endings: how it ended, by ENDINGS.
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
    """How far a walk has come with a batch: its records, and place and IO Time (Julian) of the last one."""

    records: int
    place: TrailPosition
    time: int


class TransactionSummary(NamedTuple):
    """One transaction of a batch, kept beyond it."""

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
        """Whether its first and its last record are there, and nothing between was lost."""
        return self.has_begin and self.ended is Ended.LAST


class TransactionBatch(NamedTuple):
    """Transactions in the order in which they ended, and what stands among them.

    Attributes:
        columns: of them.
        csns, xids: LOGCSN and TRANID of the first record of each.
        marks: in the order of the trail; a transaction that has ended before one is in this batch or an earlier one.
        carried: number of the first transactions that began in an earlier batch.
        texts: LOGCSN of the others, where they are a column.
        reached: how far the walk has come; None where no record was read for the batch.
        commit: the latest IO Time (Julian) of the records, which is that of a commit; 0 where there are none.
    """

    columns: TransactionBatchColumns
    csns: Sequence[str | None]
    xids: Sequence[str | None]
    marks: Sequence[TrailMark]
    carried: int = 0
    texts: StringColumn | None = None
    reached: BatchProgress | None = None
    commit: int = 0

    @property
    def rows(self) -> int:
        """Number of transactions."""
        return len(self.csns)

    def transaction(self, row: int) -> TransactionSummary:
        """The transaction in a row."""
        records, size = int(self.columns.records[row]), int(self.columns.sizes[row])
        has_begin = bool(self.columns.has_begin[row])
        first, after, ended = self.first(row), self.after(row), self.ended(row)
        return TransactionSummary(self.csns[row], self.xids[row], first, has_begin, after, records, size, ended)

    def first(self, row: int) -> TrailPosition:
        """The first record of a transaction that was found."""
        return TrailPosition(int(self.columns.first_file[row]), int(self.columns.first_rba[row]))

    def begin(self, row: int) -> TrailPosition | None:
        """Its first record; None when that is not there."""
        return self.first(row) if self.columns.has_begin[row] else None

    def after(self, row: int) -> TrailPosition | None:
        """The first place behind it; None while it is open."""
        rba = int(self.columns.after_rba[row])
        return TrailPosition(int(self.columns.after_file[row]), rba) if rba != NOWHERE else None

    def ended(self, row: int) -> Ended:
        """How it ended."""
        return ENDINGS[self.columns.endings[row]]

    def is_whole(self, row: int) -> bool:
        """Whether its first and its last record are there, and nothing between was lost."""
        return bool(self.columns.has_begin[row]) and self.columns.endings[row] == LAST

    def whole(self) -> Sequence[int]:
        """The rows of the whole transactions, in order."""
        return self._are_whole.nonzero()[0].tolist()  # type: ignore[no-any-return]

    def not_whole(self) -> list[int]:
        """The rows of the transactions that are not whole."""
        return (~self._are_whole).nonzero()[0].tolist()  # type: ignore[no-any-return]

    @property
    def _are_whole(self) -> Any:
        endings: Any = self.columns.endings
        has_begin: Any = self.columns.has_begin
        return (endings == LAST) & (has_begin != 0)
