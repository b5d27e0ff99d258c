"""Which records pass the session's filters, and reading on to the next one that does."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from logdump.events import Event, Progress
from logdump.session import Session
from trailformat import Record, TrailFile
from trailformat.transactions import NO_TRANSACTION, TransactionContext

if TYPE_CHECKING:
    from logdump.filters import FilterSet


class Selection:
    """A filter held against the records of one trail; without a filter everything passes."""

    def __init__(self, trail: TrailFile, filters: FilterSet | None) -> None:
        self._trail = trail
        self._filters = filters if filters is not None and filters.active else None
        self._context = TransactionContext(trail)
        self._needs_name = self._needs_transaction = False
        if self._filters is not None:
            from logdump.filters import Needs  # noqa: PLC0415 - loaded only where there is a filter

            needs = self._filters.needs
            self._needs_name = Needs.NAME in needs
            self._needs_transaction = Needs.TRANSACTION in needs

    @property
    def is_active(self) -> bool:
        """Whether any record could be dropped."""
        return self._filters is not None

    def accepts(self, record: Record) -> bool:
        """Whether the record passes."""
        if self._filters is None:
            return True
        from logdump.filters import Subject  # noqa: PLC0415 - loaded only where there is a filter

        name = self._trail.name_of(record) if self._needs_name else ""
        transaction = self._context.of(record) if self._needs_transaction else NO_TRANSACTION
        return self._filters.accepts(Subject(record, name, transaction.csn, transaction.xid))


class Scan:
    """Reading on from the session's position through its filter.

    Attributes:
        scanned: records read.
        suppressed: records that the filter dropped.
    """

    def __init__(self, session: Session, *, filtered: bool = True) -> None:
        self._session = session
        self._selection = Selection(session.trail, session.filters_in_use if filtered else None)
        self.scanned = 0
        self.suppressed = 0

    def find(self, wanted: Callable[[Record], bool] = lambda _: True) -> Generator[Event, None, Record | None]:
        """Read on to the next record that passes the filter and is wanted; None at the end. Yields Progress."""
        while (record := self._session.cursor.read()) is not None:
            self.scanned += 1
            if self.scanned % self._session.settings.notify == 0:
                yield progress(self.scanned, record)
            if not self._selection.accepts(record):
                self.suppressed += 1
            elif wanted(record):
                return record
        return None


def progress(scanned: int, record: Record) -> Progress:
    """NOTIFY's report after ``scanned`` records, at this one."""
    return Progress(scanned, record.rba, 0 if record.is_file_header else record.header.io_time)
