"""Transactions as columns: where each begins and ends, how it ended, its CSN.

for batch in transaction_batches(WholeTrail.around("dirdat/lt000000000")):
for row in range(batch.rows):
print(batch.begin(row), batch.ended(row), batch.csns[row])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from trailformat.records.io_types import RESTART_ABEND, RESTARTS
from trailformat.scan import BatchColumn, StringColumn
from trailformat.transactions.extent import Ended
from trailformat.transactions.whole_trail import TrailPosition

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
