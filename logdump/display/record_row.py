"""The facts of a record that one short line shows: its kind, table, key, changes and transaction.

:mod:`logdump.display.listing` makes the lines, of these facts or of many records by columns.

Besides the record, only the other half of its update and the records that give its table and transaction are read,
not the fragments of a row or the pieces of a LOB.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from logdump.notation.text import amount
from trailformat import Change, ColumnChange, Record, TrailError, TrailFile, change_of, io_type_name, parse_ddl
from trailformat.changes.row_changes import OPERATIONS, is_unknown
from trailformat.changes.segments import numbers_of
from trailformat.changes.transaction_context import TransactionContext
from trailformat.definitions.metadata import DatabaseDefinition, TableDefinition
from trailformat.records import record_header
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions

LARGEST = 1 << 20
"""Maximum size in bytes of a record whose columns are decoded for one line."""
_LONGEST_STATEMENT = 1 << 12
_STATEMENT, _OWNER, _OBJECT, _OBJECT_TYPE, _OPERATION = "C1", "B3", "B4", "B5", "B6"
_MOST_KEY_NAMES = 4
NO_DIFFERENCE = "no value differs"
"""The note of an update that shows no column but unchanged ones of its key."""


class RecordKind(enum.Enum):
    """The kind of a record; the value is its letter in a list."""

    INSERT = "I"
    UPSERT = "P"
    UPDATE = "U"
    DELETE = "D"
    TRUNCATE = "T"
    SEQUENCE = "Q"
    DDL = "S"
    LOB = "L"
    FRAGMENT = "+"
    METADATA = "M"
    RESTART = "R"
    FILE_HEADER = "F"
    OTHER = "?"

    __hash__ = object.__hash__  # looked up for every record; Enum's own hash is slow Python


_UPDATES = frozenset({"UPDATE", "PK UPDATE"})
_KINDS = {
    "INSERT": RecordKind.INSERT,
    "UPSERT": RecordKind.UPSERT,
    "UPDATE": RecordKind.UPDATE,
    "PK UPDATE": RecordKind.UPDATE,
    "DELETE": RecordKind.DELETE,
}
_OTHER_KINDS = {
    record_header.PURGE_DATA: RecordKind.TRUNCATE,
    record_header.SEQUENCE_OP: RecordKind.SEQUENCE,
    record_header.DDL_OP: RecordKind.DDL,
    record_header.LARGE_OBJECT: RecordKind.LOB,
    record_header.RECORD_FRAGMENT: RecordKind.FRAGMENT,
    record_header.METADATA: RecordKind.METADATA,
    record_header.RESTART_ABEND: RecordKind.RESTART,
    record_header.RESTART_OK: RecordKind.RESTART,
}


class RecordRow(NamedTuple):
    """The facts of a record that one line shows.

    Attributes:
        kind: its kind; ``operation`` is the name that Logdump prints.
        rba: its RBA; ``length`` in bytes.
        time: IO Time, Julian microseconds; None for a file header.
        table: its table, or the object of a DDL statement; empty if there is none or it is unknown.
        columns: the columns shown, keys first; of an update only those that differ, or all if it has one image.
        note: a description of a record without columns: the statement of a DDL record, the piece of a LOB, why its
            columns are not shown.
        csn: LOGCSN of its transaction, ``xid`` TRANID; None if unknown.
        is_transaction_known: True if the search for the transaction is complete.
    """

    kind: RecordKind
    operation: str
    rba: int
    length: int
    time: int | None
    table: str
    columns: tuple[ColumnChange, ...] = ()
    note: str = ""
    csn: str | None = None
    xid: str | None = None
    is_transaction_known: bool = True


class RecordRows:
    """Makes the rows of the records of one file; consecutive records take the least time.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
        transactions: finds LOGCSN and TRANID by a bounded search.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions, transactions: TransactionContext) -> None:
        self._trail = trail
        self._definitions = definitions
        self._transactions = transactions

    def of(self, record: Record) -> RecordRow:
        """Return the row of a record; if its content does not decode, ``note`` has the reason."""
        if record.is_file_header:
            kind = RecordKind.FILE_HEADER
            return RecordRow(kind, "FileHeader", record.rba, record.length, None, "", note=_file_header_note(record))
        header, transaction = record.header, self._transactions.of(record)
        row = RecordRow(
            kind_of(record),
            io_type_name(header.io_type),
            record.rba,
            record.length,
            header.io_time,
            self._trail.name_of(record),
            csn=transaction.csn,
            xid=transaction.xid,
            is_transaction_known=transaction.csn is not None or self._transactions.is_decided,
        )
        try:
            return self._with_content(row, record)
        except TrailError as error:
            return row._replace(note=f"does not decode: {error.problem}")

    def _with_content(self, row: RecordRow, record: Record) -> RecordRow:
        if row.kind is RecordKind.DDL:
            return _ddl_row(row, record)
        note = self._note(row.kind, record)
        change = change_of(self._trail, record, self._definitions, self._transactions) if note is None else None
        if change is None:
            return row._replace(note=note or "")
        columns, note = significant_columns(change), change.problem or change.doubt or ""
        if record.rba != change.records[-1].rba:
            columns = tuple(column for column in columns if column.is_key)
            note = before_image_note(change.records[-1].rba)
        elif row.kind is RecordKind.UPDATE and all(column.is_key and not column.is_changed for column in columns):
            note = note or NO_DIFFERENCE
        return row._replace(table=change.table, columns=columns, note=note)

    def _note(self, kind: RecordKind, record: Record) -> str | None:
        """Return the description of a record whose columns are not shown; None if they are."""
        if kind is RecordKind.METADATA:
            return _metadata_note(record)
        if kind is RecordKind.RESTART:
            has_abended = record.header.io_type == record_header.RESTART_ABEND
            return f"Extract has started again{' after it abended' if has_abended else ''}"
        if kind is RecordKind.LOB:
            return self._piece_note(record)
        if kind is RecordKind.FRAGMENT:
            return f"continues the record before it, {record.data_size:,} bytes"
        return _row_note(record)

    def _piece_note(self, record: Record) -> str:
        numbers = numbers_of(record)
        if numbers is None:
            return unknown_piece_note(record.data_size)
        definition = self._definitions.of(record)
        return piece_note(definition, (numbers.column, numbers.number, numbers.pieces), record.data_size)


def piece_note(definition: RowDefinition, place: tuple[int, int, int], size: int) -> str:
    """Return the note of a piece of a LOB: the index of its column, its number and that of all; its size in bytes."""
    column, number, pieces = place
    described = definition.column(column)
    name = described.name if described is not None else f"column {column}"
    return f"{name} piece {number} of {pieces}, {size:,} bytes"


def unknown_piece_note(size: int) -> str:
    """Return the note of a piece of a LOB whose place in the LOB is not known."""
    return f"piece of a LOB, {size:,} bytes"


def before_image_note(rba: int) -> str:
    """Return the note of the before image of an update in two records; ``rba`` is that of the second."""
    return f"before image of the update at RBA {rba}"


def _row_note(record: Record) -> str | None:
    """Return the reason why the columns of a row are not shown; None if they are."""
    if is_unknown(record.header.io_type):
        return f"{io_type_name(record.header.io_type)}, {record.data_size:,} bytes: its effect is not known"
    if record.header.continued:
        return "its columns continue in the records that follow"
    return f"{record.data_size:,} bytes of columns" if record.data_size > LARGEST else None


def kind_of(record: Record) -> RecordKind:
    """Return the kind of a record, from its header alone."""
    if record.is_file_header:
        return RecordKind.FILE_HEADER
    return kind_of_type(record.header.io_type)


def kind_of_type(io_type: int) -> RecordKind:
    """Return the kind of the records of an IOType."""
    return _OTHER_KINDS.get(io_type) or _KINDS.get(OPERATIONS.get(io_type, ""), RecordKind.OTHER)


def significant_columns(change: Change) -> tuple[ColumnChange, ...]:
    """Return the columns that identify a change, those of the key first."""
    shows_all = change.op not in _UPDATES or all(column.after is None for column in change.columns)
    columns = [
        column
        for column in change.columns
        if is_significant(column.is_key, shows_all, column.is_changed, column.before is not None)
    ]
    return (*(column for column in columns if column.is_key), *(column for column in columns if not column.is_key))


def is_significant(is_key: Any, shows_all: Any, is_changed: Any, had: Any) -> Any:
    """Return whether a line shows a column: of an update the key, and what differs or lacks a before image.

    ``shows_all`` is True for other changes, and for updates without an after image. Arguments are bools, or masks.
    """
    return is_key | shows_all | is_changed | (had ^ True)


def _ddl_row(row: RecordRow, record: Record) -> RecordRow:
    """Return the row of a DDL record: its object, and its statement on one line, from the first 4 KB of the data."""
    head = record.head("D", _LONGEST_STATEMENT)
    is_cut = bool(record.header.continued) or record.data_size > len(head)
    items = dict(parse_ddl(head + b"'" if is_cut else head))
    statement = items.get(_STATEMENT, "")
    owner, name = items.get(_OWNER, ""), items.get(_OBJECT, "")
    table = f"{owner}.{name}" if owner and name else name or row.table
    operation = " ".join(word for word in (items.get(_OPERATION, ""), items.get(_OBJECT_TYPE, "")) if word)
    note = " ".join(statement.split())
    return row._replace(table=table, operation=operation or row.operation, note=note)


def _metadata_note(record: Record) -> str:
    definition = record.metadata
    if isinstance(definition, DatabaseDefinition):
        return f"database {definition.name}".rstrip()
    if not isinstance(definition, TableDefinition):
        return ""
    keys = [column.name for column in definition.columns if column.is_key]
    named = ", ".join(keys[:_MOST_KEY_NAMES]) + (", ..." if len(keys) > _MOST_KEY_NAMES else "")
    return amount(len(definition.columns), "column") + (f", key {named}" if keys else ", no key")


def _file_header_note(record: Record) -> str:
    try:
        header = record.file_header
    except TrailError as error:
        return f"does not decode: {error.problem}"
    return header.vendor
