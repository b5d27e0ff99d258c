"""Which records pass filters, and reading on from the session's position to the next one that does."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from logdump.session.events import Event, Progress
from trailformat import NotATrail, Record, TrailError, TrailFile
from trailformat.changes.transactions import NO_TRANSACTION, TransactionContext

if TYPE_CHECKING:
    from logdump.filters import FilterSet
    from logdump.filters.criterion import Criterion
    from logdump.filters.value_masks import ValueSearch
    from logdump.session.session import Session
    from trailformat import ColumnChange
    from trailformat.changes.transactions import Transaction
    from trailformat.scan import Batch, Engine, Owners, TransactionCarrier
    from trailformat.trail.row_definitions import RowDefinition, RowDefinitions

_LARGE, _SMALL = 1 << 14, 1 << 12
_NEARBY = 2000
"""So many records are read one by one before columns are thought worth loading."""


class Selection:
    """Filters held against the records of one trail: a record has to pass all of them; without any everything does.

    ``Session.selection`` makes those of commands and panes, ``logdump.spark.bounds.selection_of`` those of Spark's
    tasks, so that one question is asked with one set of definitions wherever it is asked.

    Args:
        trail: the file.
        filters: those that hold; None and those that let everything pass are none.
        definitions: tells the columns of rows.
        transactions: what the caller knows of them already, so that a scan goes on where the last one ended.
    """

    def __init__(
        self,
        trail: TrailFile,
        filters: Sequence[FilterSet | None],
        definitions: RowDefinitions,
        transactions: TransactionContext | None = None,
    ) -> None:
        self._trail = trail
        self._definitions = definitions
        self._filters = [one for one in filters if one is not None and one.active]
        self._context = transactions or TransactionContext(trail)
        self._carrier: TransactionCarrier | None = None
        self._owners: Owners | None = None
        self._searches: dict[Criterion, ValueSearch] | None = None
        self._needs_name = self._needs_transaction = self._needs_values = False
        if self._filters:
            from logdump.filters import Needs  # noqa: PLC0415 - loaded only where there is a filter

            self._needs_name = any(Needs.NAME in one.needs for one in self._filters)
            self._needs_transaction = any(Needs.TRANSACTION in one.needs for one in self._filters)
            self._needs_values = any(Needs.VALUES in one.needs for one in self._filters)

    @property
    def is_active(self) -> bool:
        """Whether any record could be dropped."""
        return bool(self._filters)

    def accepts(self, record: Record) -> bool:
        """Whether the record passes."""
        if not self._filters:
            return True
        return self._passes(record, self._context.of(record) if self._needs_transaction else NO_TRANSACTION)

    def _passes(self, record: Record, transaction: Transaction) -> bool:
        from logdump.filters import Subject  # noqa: PLC0415 - loaded only where there is a filter

        name = self._trail.name_of(record) if self._needs_name else ""
        columns = self._columns(record) if self._needs_values else ()
        subject = Subject(record, name, transaction.csn, transaction.xid, columns)
        return all(one.accepts(subject) for one in self._filters)

    def _columns(self, record: Record) -> tuple[ColumnChange, ...]:
        """The values of a row; none where it holds no columns, or they do not decode."""
        from trailformat.changes.row_changes import row_columns  # noqa: PLC0415 - needed for values only
        from trailformat.changes.segments import joined  # noqa: PLC0415 - likewise

        try:
            if record.is_file_header:
                return ()
            return row_columns(joined(self._trail, record), self._definitions.of(record))
        except TrailError:
            return ()

    def _searches_in(self, batch: Batch) -> dict[Criterion, ValueSearch]:
        """What looks for values, where a filter asks for some; the trail is told the definitions in the batch."""
        if not self._needs_values:
            return {}
        from logdump.filters.masks import searches_in  # noqa: PLC0415 - it needs numpy
        from trailformat.scan.definitions import learn_definitions  # noqa: PLC0415 - likewise

        learn_definitions(self._trail, batch)
        if self._searches is None:
            self._searches = searches_in(self._filters, self._definition_at)
        return self._searches

    def _definition_at(self, rba: int) -> RowDefinition:
        record = self._trail.record_at(rba)
        if record is None:
            raise NotATrail("the file has become shorter", path=self._trail.path, rba=rba)
        return self._definitions.of(record)

    @property
    def is_decided(self) -> bool:
        """Whether columns and the bytes of the file are all that it looks at, and no record needs to be asked."""
        if not self._filters:
            return True
        from logdump.filters.masks import is_decided  # noqa: PLC0415 - it needs numpy

        return all(is_decided(one) for one in self._filters)

    @property
    def takes_any_batch(self) -> bool:
        """Whether it decides about each batch by itself: it needs neither names nor transactions from before."""
        return self.is_decided and not self._needs_transaction and not self._needs_name

    @property
    def batch_size(self) -> int:
        """Rows for a batch: fewer where records must be asked, so that progress shows and Ctrl+C is heard."""
        return _LARGE if self.is_decided else _SMALL

    def rows(self, batch: Batch) -> Any:
        """The rows of a batch of numpy columns that pass, as a mask; records are asked where columns cannot tell.

        The batches of a walk are given in the order of the file.
        """
        import numpy as np  # noqa: PLC0415 - a batch of numpy columns is here, so it is loaded

        from logdump.filters.masks import Source, verdict  # noqa: PLC0415 - it needs numpy
        from trailformat.scan import Engine, is_available  # noqa: PLC0415 - long scans only

        engine = Engine.NUMBA if is_available(Engine.NUMBA) else Engine.PYTHON
        owners = self._owners = self._owners_of(batch, engine)
        source = Source(self._trail.buffer, owners, engine, self._searches_in(batch))
        may = surely = np.asarray(batch.kind) <= 1
        for one in self._filters:
            found = verdict(one, batch, source)
            may, surely = may & found.may, surely & found.surely
        for row in np.flatnonzero(may & ~surely).tolist():
            record = self._trail.record_at(int(batch.rba[row]))
            transaction = owners.of_row(row) if owners else NO_TRANSACTION
            surely[row] = record is not None and self._passes(record, transaction)
        return surely

    def tell(self, record: Record, row: int) -> None:
        """Let the context that the caller gave know the transaction of this row of the last batch."""
        if self._owners is not None:
            self._context.learn(record, self._owners.of_row(row))

    def _owners_of(self, batch: Batch, engine: Engine) -> Owners | None:
        """The transactions of a batch's rows, where a filter asks for them."""
        if not self._needs_transaction:
            return None
        if self._carrier is None:
            from trailformat.scan import TransactionCarrier  # noqa: PLC0415 - long scans only

            before = self._context.open_at(int(batch.rba[0]))
            self._carrier = TransactionCarrier(self._trail, engine=engine, before=before)
        return self._carrier.of(batch)


class Scan:
    """Reading on from the session's position, through its filter and any others, to before the RBA ``stop``.

    Attributes:
        scanned: records read.
        suppressed: records that a filter dropped.
    """

    def __init__(
        self, session: Session, *, filtered: bool = True, also: Sequence[FilterSet] = (), stop: int | None = None
    ) -> None:
        self._session = session
        self._stop = stop
        self._cursor = session.cursor
        self._selection = session.selection(filtered=filtered, also=also)
        self._stream: Iterator[Record | Progress] | None = None
        self.scanned = 0
        self.suppressed = 0

    def find(self, wanted: Callable[[Record], bool] | None = None) -> Generator[Event, None, Record | None]:
        """Read on to the next record that passes the filters and is wanted; None at the end. Yields Progress.

        Ctrl+C leaves the position before the first record of which it is not known yet.
        """
        while self._stream is None:
            record = self._read()
            if record is None:
                return None
            self.scanned += 1
            try:
                if self.scanned % self._session.settings.notify == 0:
                    yield progress(self.scanned, record)
                if self._passes(record) and (wanted is None or wanted(record)):
                    return record
            except (KeyboardInterrupt, GeneratorExit):
                self._cursor.stand_before(record)
                raise
            if self.scanned == _NEARBY:
                self._stream = self._columns()
        for item in self._stream:
            if not isinstance(item, Record):
                yield item
            elif wanted is None or wanted(item):
                return item
        return None

    def _passes(self, record: Record) -> bool:
        passes = self._selection.accepts(record)
        self.suppressed += not passes
        return passes

    def _read(self) -> Record | None:
        return self._cursor.read() if self._stop is None or self._cursor.next < self._stop else None

    def _columns(self) -> Iterator[Record | Progress] | None:
        """The rest of the file by columns, where that is faster; None where it is not."""
        if not self._selection.is_active:
            return None
        from trailformat.scan import Engine, choose_engine  # noqa: PLC0415 - long scans only

        backwards = self._cursor.is_backwards
        rest = self._cursor.next if backwards else self._session.trail.size - self._cursor.next
        if choose_engine(rest) is not Engine.NUMBA:
            return None
        return self._passing_backwards() if backwards else self._passing()

    def _passing_backwards(self) -> Iterator[Record | Progress]:
        """The records before the position that pass, last first, up to damage; they are found from the beginning on."""
        from trailformat.scan import Engine, scan  # noqa: PLC0415 - long scans only

        trail, selection, step = self._session.trail, self._selection, self._session.settings.notify
        rbas, ordinals = array("q"), array("q")
        total = wall = 0
        for batch in scan(trail, 0, self._cursor.next, engine=Engine.NUMBA, batch_size=selection.batch_size):
            first = 0
            if spans := batch.spans():
                first, total, wall = spans[-1] + 1, 0, int(batch.rba[spans[-1]]) + int(batch.length[spans[-1]])
                del rbas[:], ordinals[:]
            for row in selection.rows(batch)[first:].nonzero()[0].tolist():
                rbas.append(int(batch.rba[first + row]))
                ordinals.append(total + row)
            begun, total = total, total + len(batch) - first
            if begun // step != total // step:
                yield Progress(self.scanned + total, int(batch.rba[-1]), int(batch.io_time[-1]))
        scanned, found = self.scanned, self.scanned - self.suppressed
        while rbas and (record := trail.record_at(rbas.pop())) is not None:
            found += 1
            self.scanned = scanned + total - ordinals.pop()
            self.suppressed = self.scanned - found
            self._cursor.stand_on(record)
            yield record
        self.scanned = scanned + total
        self.suppressed = self.scanned - found
        self._cursor.move(wall)
        if wall:
            self._cursor.read()

    def _passing(self) -> Iterator[Record | Progress]:
        """The records that pass, by columns, with the progress between them; the position moves along."""
        from trailformat.scan import Engine, scan  # noqa: PLC0415 - long scans only

        trail, found = self._session.trail, self.scanned - self.suppressed
        size = self._selection.batch_size
        for batch in scan(trail, self._cursor.next, self._stop, engine=Engine.NUMBA, batch_size=size):
            trail.index.places.extend(batch)
            begun = self.scanned
            bad = next(iter(batch.spans()), len(batch))
            for row in self._selection.rows(batch)[:bad].nonzero()[0].tolist():
                yield from self._progress(batch, begun, row + 1)
                record = trail.record_at(int(batch.rba[row]))
                if record is not None:
                    found += 1
                    self.suppressed = self.scanned - found
                    self._cursor.stand_on(record)
                    self._selection.tell(record, row)
                    yield record
            yield from self._progress(batch, begun, bad)
            self.suppressed = self.scanned - found
            self._cursor.move(int(batch.rba[bad]) if bad < len(batch) else int(batch.rba[-1]) + int(batch.length[-1]))
            if bad < len(batch):
                self._cursor.read()

    def _progress(self, batch: Batch, begun: int, rows: int) -> Iterator[Progress]:
        """Count the rows of a batch up to ``rows``; ``begun`` is what had been scanned before the batch."""
        step = self._session.settings.notify
        for due in range((self.scanned // step + 1) * step, begun + rows + 1, step):
            row = due - begun - 1
            yield Progress(due, int(batch.rba[row]), int(batch.io_time[row]))
        self.scanned = begun + rows


def progress(scanned: int, record: Record) -> Progress:
    """NOTIFY's report after ``scanned`` records, at this one."""
    return Progress(scanned, record.rba, 0 if record.is_file_header else record.header.io_time)
