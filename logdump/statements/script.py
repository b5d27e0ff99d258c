"""A script: the statements of whole transactions, in the order of the trail, or backwards to take them back.

Of a transaction that is read only its RBAs are kept, 8 bytes a record.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from logdump.statements.dialect import Dialect, Unwritable
from logdump.statements.large_objects import with_large_objects
from logdump.statements.statement import Statement, redo, undo
from trailformat import Record, TrailError, TrailFile
from trailformat.changes import OPERATIONS, Change, change_of, changes
from trailformat.io_types import LARGE_OBJECT
from trailformat.row_definitions import RowDefinitions
from trailformat.transactions import BEGINS, ENDS, Transaction, TransactionContext, is_transactional


class Opening(NamedTuple):
    """A transaction begins: its CSN and XID, its first record's RBA and time (Julian), its records.

    ``end`` is the RBA behind its last record, None when the file ends before the transaction does.
    """

    transaction: Transaction
    begin: int
    end: int | None
    time: int
    records: int


class Closing(NamedTuple):
    """A transaction ends.

    ``left_out`` of its changes did not pass the filter, ``remarks`` have a reason in place of a statement.
    """

    is_complete: bool
    left_out: int
    remarks: int


Item = Opening | Statement | Closing


class _Span:
    """A transaction as it is read: the RBAs of its changes, and of those behind which large objects stand."""

    def __init__(self, first: Record) -> None:
        self.with_lobs = array("Q")
        self.begin = first.rba
        self.time = first.header.io_time
        self.end: int | None = None
        self.rbas = array("Q")

    def add(self, record: Record) -> None:
        """Take a record in; a large object belongs to the change before it, if that is there."""
        if record.header.io_type == LARGE_OBJECT and self.rbas:
            if self.with_lobs[-1:] != self.rbas[-1:]:
                self.with_lobs.append(self.rbas[-1])
        elif record.header.io_type in OPERATIONS:
            self.rbas.append(record.rba)


def transaction_begin(trail: TrailFile, rba: int) -> int:
    """The RBA of the first record of the transaction that is open at ``rba``; ``rba`` itself when none is."""
    record = next((one for one in trail.records(rba) if is_transactional(one)), None)
    if record is None or record.header.trans_ind in BEGINS:
        return rba
    begin = record.rba
    for earlier in trail.records_backwards(record.rba):
        if not is_transactional(earlier):
            continue
        if earlier.header.trans_ind in ENDS:
            break
        begin = earlier.rba
        if earlier.header.trans_ind in BEGINS:
            break
    return begin


class Script:
    """Statements for the transactions of a trail that begin at or behind a place.

    Args:
        trail: the file.
        dialect: how they are spelled.
        accepts: whether a record passes the filter.
        definitions: what tells the columns; those in the trail unless given.
        takes_back: take the changes back, the last one first, instead of repeating them.

    Attributes:
        end: RBA behind the last record read.
        statements, remarks: what was written, and what could not be.
    """

    def __init__(
        self,
        trail: TrailFile,
        dialect: Dialect,
        accepts: Callable[[Record], bool],
        definitions: RowDefinitions | None = None,
        *,
        takes_back: bool = False,
    ) -> None:
        self._trail = trail
        self._dialect = dialect
        self._accepts = accepts
        self._takes_back = takes_back
        self._definitions = definitions or RowDefinitions(trail)
        self._context = TransactionContext(trail)
        self.end = 0
        self.statements = self.remarks = 0

    def items(self, start: int, transactions: int | None = None) -> Iterator[Item]:
        """The script of the transactions from ``start`` on, at most so many; those without a change are left out."""
        spans = islice((span for span in self._spans(start) if span.rbas), transactions)
        for span in reversed(list(spans)) if self._takes_back else spans:
            yield from self._transaction(span)

    def _spans(self, start: int) -> Iterator[_Span]:
        span: _Span | None = None
        for record in self._trail.records(start):
            if not is_transactional(record):
                continue
            if span is not None and record.header.trans_ind in BEGINS:
                yield span
                span = None
            span = span or _Span(record)
            span.add(record)
            self.end = record.rba + record.length
            if record.header.trans_ind in ENDS:
                span.end = self.end
                yield span
                span = None
        if span is not None:
            yield span

    def _transaction(self, span: _Span) -> Iterator[Item]:
        first = self._trail.record_at(span.begin)
        transaction = self._context.of(first) if first is not None else Transaction()
        yield Opening(transaction, span.begin, span.end, span.time, len(span.rbas))
        left_out, remarks = 0, self.remarks
        for change in self._backwards(span) if self._takes_back else self._forwards(span):
            if not any(map(self._accepts, change.records)):
                left_out += 1
                continue
            statement = self._statement(span, change)
            self.statements += statement.sql is not None
            self.remarks += statement.sql is None
            yield statement
        yield Closing(span.end is not None, left_out, self.remarks - remarks)

    def _statement(self, span: _Span, change: Change) -> Statement:
        try:
            is_found_by_key = change.op == ("INSERT" if self._takes_back else "DELETE")
            if change.records[-1].rba in span.with_lobs and not is_found_by_key:
                codec = self._definitions.of(change.records[-1]).charset
                change = with_large_objects(self._trail, change, codec)
        except (Unwritable, TrailError) as error:
            return Statement(change, None, str(error))
        return (undo if self._takes_back else redo)(change, self._dialect)

    def _forwards(self, span: _Span) -> Iterator[Change]:
        records = (record for rba in span.rbas if (record := self._trail.record_at(rba)) is not None)
        return changes(self._trail, records, self._definitions, self._context)

    def _backwards(self, span: _Span) -> Iterator[Change]:
        done = -1
        for rba in reversed(span.rbas):
            record = self._trail.record_at(rba) if rba != done else None
            change = change_of(self._trail, record, self._definitions, self._context) if record else None
            if change is not None:
                done = change.rba
                yield change
