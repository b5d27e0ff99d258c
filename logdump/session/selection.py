"""The selection of a trail's records by filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from trailformat import CannotRead, Record, TrailError, TrailFile
from trailformat.codec.lazy import Lazy

if TYPE_CHECKING:
    from logdump.filters import FilterSet
    from logdump.filters.criterion import Criterion
    from logdump.filters.value_masks import ValueSearch
    from trailformat import ColumnChange
    from trailformat.changes.transaction_context import TransactionContext
    from trailformat.changes.transactions import Transaction
    from trailformat.scan import Batch
    from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
    from trailformat.transactions.tracker import RowTransactions, TransactionTracker

_LARGE, _SMALL = 1 << 14, 1 << 12


class Selection:
    """Filters applied to the records of one trail: a record has to pass all of them; without any, every record passes.

    ``Session.selection`` makes those of commands and panes, ``logdump.spark.source.bounds.selection_of`` those of
    Spark's tasks, so that the same filter finds the same records by the same definitions everywhere.

    Args:
        trail: the file.
        filters: those that hold; None and those that let everything pass are none.
        definitions: gives the columns of rows.
        transactions: gives what the caller knows of them already, so that a scan goes on where the last one ended.
    """

    def __init__(
        self,
        trail: TrailFile,
        filters: Sequence[FilterSet | None],
        definitions: Callable[[], RowDefinitions],
        transactions: Callable[[], TransactionContext] | None = None,
    ) -> None:
        self._trail = trail
        self._definitions_of_rows = definitions
        self._known_transactions = transactions
        self._filters = [filter_set for filter_set in filters if filter_set is not None and filter_set.active]
        self._carrier: TransactionTracker | None = None
        self._owners: RowTransactions | None = None
        self._searches: dict[Criterion, ValueSearch] | None = None
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
        from trailformat.changes.transaction_context import TransactionContext  # noqa: PLC0415 - few filters need it

        return TransactionContext(self._trail) if self._known_transactions is None else self._known_transactions()

    def on(self, trail: TrailFile) -> Selection:
        """The same filters on the same file opened once more, for another thread."""
        return Selection(trail, self._filters, lambda: self._definitions.on(trail))

    @property
    def is_active(self) -> bool:
        """Whether any record could be dropped."""
        return bool(self._filters)

    def accepts(self, record: Record) -> bool:
        """Whether the record passes."""
        if not self._filters:
            return True
        return self._passes(record, self._context.of(record) if self._needs_transaction else None)

    def _passes(self, record: Record, transaction: Transaction | None) -> bool:
        from logdump.filters import Subject  # noqa: PLC0415 - loaded only where there is a filter

        name = self._trail.name_of(record) if self._needs_name else ""
        columns = self._columns(record) if self._needs_values else ()
        csn, xid = transaction or (None, None)
        subject = Subject(record, name, csn, xid, columns)
        return all(filter_set.accepts(subject) for filter_set in self._filters)

    def _columns(self, record: Record) -> tuple[ColumnChange, ...]:
        """The values of a row; none where it holds no columns, or they do not decode."""
        from trailformat.changes.row_changes import row_columns  # noqa: PLC0415 - needed for values only
        from trailformat.changes.segments import joined  # noqa: PLC0415 - needed for values only

        try:
            if record.is_file_header:
                return ()
            return row_columns(joined(self._trail, record), self._definitions.of(record))
        except TrailError:
            return ()

    def _searches_in(self, batch: Batch) -> dict[Criterion, ValueSearch]:
        """The searches for values, where a filter needs some; the trail learns the definitions in the batch."""
        if not self._needs_values:
            return {}
        from logdump.filters.masks import searches_in  # noqa: PLC0415 - it needs numpy
        from trailformat.scan.rows.definitions import learn_definitions  # noqa: PLC0415 - needed for values only

        learn_definitions(self._trail, batch)
        if self._searches is None:
            self._searches = searches_in(self._filters, self._definition_at)
        return self._searches

    def _definition_at(self, rba: int) -> RowDefinition:
        record = self._trail.record_at(rba)
        if record is None:
            raise CannotRead("the file has become shorter", path=self._trail.path, rba=rba)
        return self._definitions.of(record)

    @property
    def is_decided(self) -> bool:
        """Whether it decides by columns and the bytes of the file alone, and reads no record."""
        if not self._filters:
            return True
        from logdump.filters.masks import is_decided  # noqa: PLC0415 - it needs numpy

        return all(is_decided(filter_set) for filter_set in self._filters)

    @property
    def decodes_values(self) -> bool:
        """Whether it looks at the values of columns."""
        return self._needs_values

    @property
    def reads_records(self) -> bool:
        """Whether it may have to read every record; for VALUE alone those out of the ordinary are read."""
        if not self._filters:
            return False
        from logdump.filters.masks import reads_records  # noqa: PLC0415 - it needs numpy

        return any(reads_records(filter_set) for filter_set in self._filters)

    @property
    def takes_any_batch(self) -> bool:
        """Whether it decides about each batch by itself: it needs neither names nor transactions from before."""
        return self.is_decided and not self._needs_transaction and not self._needs_name

    @property
    def takes_any_order(self) -> bool:
        """Whether it decides about each batch by itself once the names and definitions before it are known."""
        return self.is_active and not self._needs_transaction

    @property
    def batch_size(self) -> int:
        """Rows for a batch: fewer where records must be read, so that progress shows and Ctrl+C has an effect soon."""
        return _SMALL if self.reads_records else _LARGE

    def rows(self, batch: Batch, is_over: Callable[[], bool] = lambda: False) -> Any:
        """The rows of a batch of numpy columns that pass, as a mask; records are read where columns do not decide.

        The batches of a walk are given in the order of the file. ``is_over`` says whether they are no longer needed.
        """
        import numpy as np  # noqa: PLC0415 - a batch of numpy columns is here, so it is loaded

        from logdump.filters.masks import MaskSource, verdict  # noqa: PLC0415 - it needs numpy

        owners = self._owners = self._owners_of(batch)
        source = MaskSource(self._trail.buffer, owners, self._searches_in(batch))
        may = surely = np.asarray(batch.kind) <= 1
        for filter_set in self._filters:
            decided = verdict(filter_set, batch, source)
            may, surely = may & decided.may, surely & decided.surely
        for row in np.flatnonzero(may & ~surely).tolist():
            if is_over():
                break
            record = self._trail.record_at(int(batch.rba[row]))
            transaction = owners.of_row(row) if owners else None
            surely[row] = record is not None and self._passes(record, transaction)
        return surely

    def passing(self, batch: Batch) -> list[int]:
        """The rows of a batch that pass; the batches of a walk are given in the order of the file."""
        rows: list[int] = self.rows(batch).nonzero()[0].tolist()
        return rows

    def share(self, record: Record, row: int) -> None:
        """Let the context that the caller gave know the transaction of this row of the last batch."""
        if self._owners is not None:
            self._context.learn(record, self._owners.of_row(row))

    def _owners_of(self, batch: Batch) -> RowTransactions | None:
        """The transactions of a batch's rows, where a filter needs them."""
        if not self._needs_transaction:
            return None
        if self._carrier is None:
            from trailformat.transactions.tracker import TransactionTracker  # noqa: PLC0415 - long scans only

            before = self._context.open_at(int(batch.rba[0]))
            self._carrier = TransactionTracker(self._trail, before=before)
        return self._carrier.of(batch)
