"""One of the two compared trails: its transactions in order, their alignment keys, and the comparison options."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffLevel, SideShown
from logdump.features.diff.rows import ComparedRows, RowOptions, every_record
from logdump.notation.text import matches
from trailformat.changes.csn import CsnKey, csn_key
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.applied import AppliedTransactions
from trailformat.transactions.batches import (
    BEGIN_OF_FILE,
    DAMAGE,
    HALF_A_RECORD,
    BatchProgress,
    TrailMark,
    TransactionBatch,
    TransactionRecord,
    TransactionRecords,
    TransactionSummary,
)
from trailformat.transactions.extent import Ended
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

NOT_FINISHED = (Ended.CUT, Ended.OVERTAKEN)


_NOWHERE = TrailPosition(1 << 62, 0)


class SideTransaction(NamedTuple):
    """A transaction of one side; for a copy, ``copy_of`` is the position of its first occurrence."""

    transaction: TransactionSummary
    key: Hashable
    copy_of: TrailPosition | None = None

    @property
    def has_name(self) -> bool:
        """True if the transaction has a CSN or a TRANID."""
        return self.transaction.csn is not None or self.transaction.xid is not None


class Bounds(Protocol):
    """The transactions that are compared."""

    def rows(self, batch: TransactionBatch, not_applied: Sequence[int]) -> Sequence[int]:
        """Return the rows of a batch that are compared; ``not_applied``: those that a Replicat does not apply."""


class CsnBounds(NamedTuple):
    """Transactions between two CSNs, both included; if ``is_effective``, only those that a Replicat applies."""

    first: CsnKey | None = None
    last: CsnKey | None = None
    is_effective: bool = False

    def rows(self, batch: TransactionBatch, not_applied: Sequence[int]) -> Sequence[int]:
        """Return the rows of a batch that are within the bounds; none with a CSN that is not comparable with them."""
        left_out = {*not_applied} if self.is_effective else set()
        if self.first is None and self.last is None and not left_out:
            return range(batch.rows)
        return [row for row in range(batch.rows) if row not in left_out and self._has_within(batch.csns[row])]

    def _has_within(self, csn: str | None) -> bool:
        """Return True if a CSN is within the bounds."""
        bounds = [bound for bound in (self.first, self.last) if bound is not None]
        key = csn_key(csn) if csn is not None and bounds else None
        if not bounds:
            return True
        if key is None or any(bound.kind != key.kind for bound in bounds):
            return False
        return (self.first or key) <= key <= (self.last or key)


class SideTransactions:
    """The transactions of a side that are compared, in trail order: an iterator whose next ones are known ahead.

    Args:
        side: the side.
        batches: the batches of its transactions, each with its copies and the rows that are compared.

    Attributes:
        batch: the batch in which the next transaction is, after ``is_ready``.
        rows: the rows of the batch that are compared, ``place`` is the index of the next one.
    """

    def __init__(self, side: Side, batches: Iterator[_JudgedBatch]) -> None:
        self.batch: TransactionBatch | None = None
        self.rows: Sequence[int] = ()
        self.place = 0
        self._side, self._batches = side, batches
        self._copies: Mapping[int, TrailPosition] = {}

    def __iter__(self) -> Iterator[SideTransaction]:
        return self

    def __next__(self) -> SideTransaction:
        if not self.is_ready() or self.batch is None:
            raise StopIteration
        row = self.rows[self.place]
        transaction = self.batch.transaction(row)
        self.advance(1)
        return SideTransaction(transaction, self._side.key(transaction), self._copies.get(row))

    def is_ready(self) -> bool:
        """Return True if there is another transaction; reads as far as the batch in which it is.

        Raises:
            NotATrail: none of the files is a readable trail file.
        """
        while self.place == len(self.rows):
            judged = next(self._batches, None)
            if judged is None:
                return False
            self.batch, self._copies, self.rows = judged
            self.place = 0
        return True

    def advance(self, number: int) -> None:
        """Pass over ``number`` transactions of the batch."""
        self._side.count_compared(number)
        self.place += number


class _JudgedBatch(NamedTuple):
    """A batch, the first occurrences of its copies by row, and the rows that are compared."""

    batch: TransactionBatch
    copies: Mapping[int, TrailPosition]
    rows: Sequence[int]


class Side:
    """One of the two trails.

    Args:
        letter: ``a`` or ``b``.
        title: its name, as entered.
        whole: its trail files.
        records: reads its records.
        options: options of the row comparison.
        bounds: the transactions that are compared.

    Attributes:
        rows: reads the rows of its transactions.
        progress: how far the reading is; None before it begins. ``read``: number of records read.
    """

    def __init__(
        self,
        letter: str,
        title: str,
        whole: WholeTrail,
        records: TransactionRecords,
        options: RowOptions,
        bounds: Bounds,
    ) -> None:
        self.letter, self.title, self.whole = letter, title, whole
        self.rows = ComparedRows(whole, records, options)
        self.progress: BatchProgress | None = None
        self.read = 0
        self._options, self._bounds = options, bounds
        self._judge = AppliedTransactions(whole, past_damage=True)
        self._transactions = self._restarts = 0
        self._versions: set[int] = set()
        self._damaged = 0
        self._damage: list[tuple[TrailPosition, int, DifferenceShown]] = []

    @property
    def is_unsure(self) -> bool:
        """True if some copies may be listed as other differences."""
        return self._judge.is_unsure

    def transactions(self) -> SideTransactions:
        """Return its transactions in trail order; raises as ``SideTransactions.is_ready``."""
        return SideTransactions(self, self._batches())

    def _batches(self) -> Iterator[_JudgedBatch]:
        for batch in transaction_batches(self.whole):
            self._note(batch)
            verdict = self._judge.judge(batch)
            yield _JudgedBatch(batch, verdict.copies, self._bounds.rows(batch, verdict.not_applied))
        if len(self.whole.unreadable) == len(self.whole):
            raise next(iter(self.whole.unreadable.values()))
        for path in self.whole.unreadable:
            self._add_damage(TrailPosition(self.whole.ordinals[path], 0), 0)

    def count_compared(self, number: int) -> None:
        """Add to the number of its transactions that are compared."""
        self._transactions += number

    @property
    def has_damage(self) -> bool:
        """True if ``damage`` will return some of the damage that is known so far."""
        return bool(self._damage)

    def key(self, transaction: TransactionSummary) -> Hashable:
        """Return CSN and TRANID, and whether the transaction is cut; without CSN and TRANID, a digest of its rows."""
        if transaction.csn is None and transaction.xid is None:
            digest = blake2b(digest_size=16)
            for row in self.rows.of(transaction):
                digest.update(repr(row.keys[0]).encode())
            return digest.digest()
        csn = csn_key(transaction.csn) or transaction.csn if transaction.csn is not None else None
        return csn, transaction.xid, transaction.ended in NOT_FINISHED

    def _note(self, batch: TransactionBatch) -> None:
        for mark in batch.marks:
            if mark.is_restart:
                self._restarts += 1
            elif mark.io_type == BEGIN_OF_FILE:
                self._begin_file(mark)
            elif mark.io_type in (DAMAGE, HALF_A_RECORD):
                self._note_damage(mark)
        if batch.progress is not None:
            self.progress = batch.progress
            self.read += batch.progress.records

    def _begin_file(self, mark: TrailMark) -> None:
        trail = self.whole.open(mark.place.ordinal)
        if trail is not None:
            with trail:
                header = trail.file_header
            version = header.get("TrailInfo", "Compatibility") if header is not None else None
            self._versions |= {version} if isinstance(version, int) else set()

    def _note_damage(self, mark: TrailMark) -> None:
        """Note damage; an incomplete record at the end of a trail that is still written is none."""
        if mark.io_type == DAMAGE:
            self._add_damage(mark.place, mark.after - mark.place.rba)

    def _add_damage(self, place: TrailPosition, size: int) -> None:
        # the number breaks ties between damage at one position
        self._damaged += 1
        heappush(self._damage, (place, self._damaged, self.damaged(self.position(place), size)))

    def damaged(self, position: FilePosition, size: int) -> DifferenceShown:
        """Return a difference for damage of ``size`` bytes."""
        is_a = self.letter == "a"
        a, b = (position, None) if is_a else (None, position)
        return DifferenceShown(DifferenceKind.DAMAGE, a, b, records=size, side=self.letter)

    def damage(self, before: TrailPosition = _NOWHERE) -> list[DifferenceShown]:
        """Return the damage before a position that no earlier call returned."""
        damage = []
        while self._damage and self._damage[0][0] < before:
            damage.append(heappop(self._damage)[-1])
        return damage

    def position(self, place: TrailPosition) -> FilePosition:
        """Return a position of the trail as file and RBA."""
        return FilePosition(self.whole.paths[place.ordinal], place.rba)

    def shown(self) -> SideShown:
        """Return the summary of this trail."""
        versions = tuple(sorted(self._versions))
        return SideShown(self.title, len(self.whole), versions, self._transactions, self._restarts, self.whole.gaps)


_CUT, _ABSENT = "CUT", "ABSENT"
_PARTS = {
    "TIME": "time",
    "POSITION": "position",
    "ROWID": "row_id",
    "TOKENS": "tokens",
    "USERTOKENS": "user_tokens",
}
IGNORABLE = (*_PARTS, _ABSENT, _CUT)
_OF_PLACE = frozenset({"trans_ind", "transaction"})
"""Parts of a record that depend on its place in the transaction."""


@dataclass(frozen=True)
class OfTables:
    """Predicate: the table of a record matches a wildcard; case is ignored."""

    wildcard: str

    def __call__(self, record: TransactionRecord) -> bool:
        """Return True if the table of a record matches the wildcard."""
        return matches(self.wildcard, record.trail.name_of(record.record), case_sensitive=False)


def row_options(
    level: DiffLevel, ignored: frozenset[str], takes: Callable[[TransactionRecord], bool], *, is_any_order: bool
) -> RowOptions:
    """Return the options of the row comparison; positions count only if all rows are compared, and in order."""
    left_out = frozenset(_PARTS[word] for word in ignored if word in _PARTS)
    is_moved = is_any_order or takes is not every_record
    return RowOptions(level, left_out | _OF_PLACE if is_moved else left_out, _ABSENT in ignored, takes)


def csn_bounds(level: DiffLevel, ignored: frozenset[str], first: CsnKey | None, last: CsnKey | None) -> CsnBounds:
    """Return the bounds of the transactions compared."""
    return CsnBounds(first, last, _CUT in ignored or level is DiffLevel.VALUES)
