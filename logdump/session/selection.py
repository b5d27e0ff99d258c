"""The selection of a trail's records by filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from trailformat import Record, TrailFile
from trailformat.codec.on_demand import Lazy, on_demand
from trailformat.trail import command_files

with on_demand:
    from trailformat import scan
    from trailformat.changes import transaction_context
    from trailformat.transactions import tracker

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.filters import FilterSet
    from logdump.filters.rows import FilterRows, FilterSource
    from trailformat.changes.transaction_context import TransactionContext
    from trailformat.scan import Batch
    from trailformat.trail.row_definitions import RowDefinitions
    from trailformat.transactions.tracker import RowTransactions, TransactionTracker

_MOST_AHEAD = 1 << 12
"""Maximum number of records that are decided together, while they are requested in order."""
WHY_UNDECIDED = "its table is not defined before it, or it does not decode"
"""Why a filter cannot tell whether a change matches."""
_MOST_UNDECIDED = 1 << 6
"""Maximum number of batches of which the undecided records are kept: more than threads read ahead."""


NoteUndecided = Callable[["Path", int, int], object]


class _Undecided:
    """The records of which the filters could not tell whether they pass, by batch; threads share it.

    Attributes:
        note: called with a file and the RBAs of the first and last of them in a batch.
    """

    def __init__(self, note: NoteUndecided | None = None) -> None:
        self.note = note or _noting()
        self._of_batch: dict[int, Any] = {}

    def take(self, path: Path, batch: Batch, rbas: Any) -> None:
        """Take those of a batch, an ascending array, and note them."""
        if len(rbas):
            while len(self._of_batch) >= _MOST_UNDECIDED:
                self._of_batch.pop(next(iter(self._of_batch)), None)
            self._of_batch[int(batch.rba[0])] = rbas
            self.note(path, int(rbas[0]), int(rbas[-1]))

    def of(self, batch: Batch) -> int:
        """Return the number of those in a batch."""
        return len(self._of_batch.get(int(batch.rba[0]), ()))

    def go_on(self, path: Path, batch: Batch, start: int) -> None:
        """Note those of a batch from an RBA on for another command."""
        self.note = _noting()
        rbas = self._of_batch.get(int(batch.rba[0]))
        if rbas is not None and rbas[-1] >= start:
            self.note(path, int(rbas[rbas >= start][0]), int(rbas[-1]))


def _noting() -> NoteUndecided:
    """Return the method of this thread's command that notes what a filter leaves undecided."""
    files = command_files.reading()
    return files.note_undecided if files is not None else lambda _path, _first, _last: None


class Selection:
    """Filters applied to the records of one trail: a record has to pass all of them; without any, every record passes.

    ``Session.selection`` creates those of commands and panes, ``logdump.tables.slice.selection_of`` those of
    Spark's tasks, so that the same filter finds the same records by the same definitions everywhere.

    Args:
        trail: the file.
        filters: the filters in effect; None and filters that let everything pass are ignored.
        definitions: returns the definitions of rows.
        transactions: returns the transactions known so far, so that a scan can continue the last one.
        owners: returns the transactions of a batch, for a caller that tracks them.
        note_undecided: called with a file and the RBAs of the first and last record of a batch that may pass; by
            default the reading of the command notes them.
    """

    def __init__(
        self,
        trail: TrailFile,
        filters: Sequence[FilterSet | None],
        definitions: Callable[[], RowDefinitions],
        transactions: Callable[[], TransactionContext] | None = None,
        owners: Callable[[Batch], RowTransactions] | None = None,
        note_undecided: NoteUndecided | None = None,
    ) -> None:
        self._trail = trail
        self._definitions_of_rows = definitions
        self._known_transactions = transactions
        self._known_owners = owners
        active = (filter_set for filter_set in filters if filter_set is not None and filter_set.active)
        self._filters = [filter_set.copy() for filter_set in active]
        self._tracker: TransactionTracker | None = None
        self._owners: RowTransactions | None = None
        self._undecided = _Undecided(note_undecided)
        self._ahead: tuple[dict[int, bool], int] = {}, -1
        self._needs_name = self._needs_transaction = self._needs_values = False
        if self._filters:
            from logdump.filters import Needs  # noqa: PLC0415 - loaded only where there is a filter

            self._needs_name = any(Needs.NAME in filter_set.needs for filter_set in self._filters)
            self._needs_transaction = any(Needs.TRANSACTION in filter_set.needs for filter_set in self._filters)
            self._needs_values = any(Needs.VALUES in filter_set.needs for filter_set in self._filters)

    @Lazy
    def _definitions(self) -> RowDefinitions:
        return self._definitions_of_rows()

    @Lazy
    def _context(self) -> TransactionContext:
        return (
            transaction_context.TransactionContext(self._trail)
            if self._known_transactions is None
            else self._known_transactions()
        )

    @Lazy
    def _source(self) -> FilterSource:
        from logdump.filters.rows import FilterSource  # noqa: PLC0415 - it needs numpy

        return FilterSource(self._trail, lambda: self._definitions)

    def on(self, trail: TrailFile) -> Selection:
        """Return the same filters on another TrailFile of the same file, for another thread."""
        twin = Selection(trail, self._filters, lambda: self._definitions.on(trail))
        twin._undecided = self._undecided
        return twin

    def undecided_in(self, batch: Batch) -> int:
        """Return the number of records of a batch, decided lately, of which the filters could not tell."""
        return self._undecided.of(batch)

    def go_on(self, batch: Batch, start: int) -> None:
        """Go on in another command with the rest of a batch that was decided, from an RBA on."""
        self._undecided.go_on(self._trail.path, batch, start)

    def decides_as(self, other: Selection) -> bool:
        """Return True if another one on the same file has equal filters, and the same definitions if it needs them."""
        is_same = self._filters == other._filters
        return is_same and (not self._needs_values or self._definitions is other._definitions)

    @property
    def is_active(self) -> bool:
        """True if any record could be dropped."""
        return bool(self._filters)

    @property
    def takes_any_batch(self) -> bool:
        """True if each batch is decided on its own: no names, definitions or transactions from before."""
        return self.takes_any_order and not self._needs_name

    @property
    def takes_any_order(self) -> bool:
        """True if each batch is decided on its own once the names and definitions before it are known."""
        return self.is_active and not self._needs_transaction

    def accepts(self, record: Record) -> bool:
        """Return True if a record passes: the mask of a batch of one row, or of more if records come in order."""
        if not self._filters:
            return True
        decided, end = self._ahead
        if record.rba not in decided:
            rows = min(4 * len(decided), _MOST_AHEAD) if record.rba == end else 1
            self._ahead = self._decided(record, rows)
        return self._ahead[0].get(record.rba, False)

    def _decided(self, record: Record, rows: int) -> tuple[dict[int, bool], int]:
        """Decide about the records of a batch that begins with this one.

        Return results by RBA, and the end of the batch.
        """
        batch = next(scan.scan(self._trail, record.rba, batch_size=rows))
        mask = self.rows(batch)
        return dict(zip(map(int, batch.rba), mask.tolist(), strict=True)), batch.end

    def rows(self, batch: Batch) -> Any:
        """Return the mask of the rows of a batch that pass; the batches of a walk must come in file order."""
        if self._needs_values:
            from trailformat.scan.rows.definitions import learn_definitions  # noqa: PLC0415 - needed for values only

            learn_definitions(self._trail, batch)
        self._owners = self._owners_of(batch)
        return self._mask(batch, self._owners)

    def _mask(self, batch: Batch, owners: RowTransactions | None) -> Any:
        if not self._filters:
            return batch.sound_rows()
        from logdump.filters.rows import FilterRows  # noqa: PLC0415 - loaded only where there is a filter

        rows = FilterRows(self._source, batch, owners)
        passing = self._passing(rows)
        if rows.has_doubts:
            may_pass = self._passing(rows.hopeful()) & ~passing
            self._undecided.take(self._trail.path, batch, rows.column("rba")[may_pass])
        return passing

    def _passing(self, rows: FilterRows) -> Any:
        for filter_set in self._filters:
            rows = rows.only(filter_set.mask(rows))
        return rows.among

    def share(self, record: Record, row: int) -> None:
        """Store the transaction of this row of the last batch in the context that the caller gave."""
        if self._owners is not None:
            self._context.learn(record, self._owners.of_row(row))

    def _owners_of(self, batch: Batch) -> RowTransactions | None:
        """Return the transactions of a batch's rows; None if no filter needs them."""
        if not self._needs_transaction:
            return None
        if self._known_owners is not None:
            return self._known_owners(batch)
        if self._tracker is None and len(batch) == 1 and not batch.spans():
            record = self._trail.record_at(int(batch.rba[0]))
            if record is not None:
                return tracker.RowTransactions.of_one(self._context.of(record))
        if self._tracker is None:
            before = self._context.open_at(int(batch.rba[0]))
            self._tracker = tracker.TransactionTracker(self._trail, before=before)
        return self._tracker.of(batch)


class RecordsAhead(NamedTuple):
    """Records after the position that a command has already filtered, for the next command.

    Attributes:
        selection: filters the records that follow.
        batch: the records, without damage.
        passing: the rows that pass, in order.
        at: the number of these rows that were shown; the position is after the last of them.
        state: state of the file when they were read.
    """

    selection: Selection
    batch: Batch
    passing: list[int]
    at: int
    state: tuple[int, int]

    @property
    def rba(self) -> int:
        """The position: the end of the last record shown."""
        last = self.passing[self.at - 1]
        return int(self.batch.rba[last]) + int(self.batch.length[last])
