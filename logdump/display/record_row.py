"""A record as one short line: its kind, table, key, changes and transaction; as facts and as pieces of text.

    2722  09:33:00  U  TEAHOUSE.TEAS   ASS02  STOCK_KG 260→310
    1130  09:31:00  ◆  TEAHOUSE.HERBS  CREATE TABLE  create table HERBS (code varchar(6) primary key)

Besides the record, only the other half of its update and the records that give its table and transaction are read,
not the fragments of a row or the pieces of a LOB.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from logdump.display.values_text import column_name
from logdump.notation.text import amount, cut_in_the_middle, escape
from logdump.notation.times import TimeOffset, format_timestamp
from logdump.notation.values import is_word
from trailformat import Change, ColumnChange, Record, TrailError, TrailFile, Value, change_of, io_type_name, parse_ddl
from trailformat.changes.row_changes import OPERATIONS, is_unknown
from trailformat.changes.segments import numbers_of
from trailformat.changes.transaction_context import TransactionContext
from trailformat.definitions.metadata import DatabaseDefinition, TableDefinition
from trailformat.records import record_header
from trailformat.trail.row_definitions import RowDefinitions

LONGEST_VALUE = 24
"""Maximum width of a value in terminal cells; a longer one is cut in the middle."""
_LARGEST = 1 << 20
"""Maximum size in bytes of a record whose columns are decoded for one line."""
_LONGEST_STATEMENT = 1 << 12
_STATEMENT, _OWNER, _OBJECT, _OBJECT_TYPE, _OPERATION = "C1", "B3", "B4", "B5", "B6"
_MOST_KEY_NAMES = 4
_BYTES_SHOWN = 4
_LONGEST_TIME = 35


class Marks(NamedTuple):
    """The characters between an old and a new value, and in place of omitted text."""

    arrow: str
    cut: str


UNICODE_MARKS, ASCII_MARKS = Marks("→", "…"), Marks("->", "~")


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


class StoryRole(enum.Enum):
    """The role of a piece of text in the line."""

    KEY = "key"
    NAME = "name"
    BEFORE = "before"
    AFTER = "after"
    NOTE = "note"
    GAP = "gap"

    __hash__ = object.__hash__


class StoryPiece(NamedTuple):
    """A piece of the line; pieces that follow each other are joined without blanks."""

    role: StoryRole
    text: str


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
            is_transaction_known=transaction.csn is not None or self._transactions.is_found,
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
            note = f"before image of the update at RBA {change.records[-1].rba}"
        elif row.kind is RecordKind.UPDATE and all(column.is_key and not column.is_changed for column in columns):
            note = note or "no value differs"
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
            return f"piece of a LOB, {record.data_size:,} bytes"
        column = self._definitions.of(record).column(numbers.column)
        name = column.name if column is not None else f"column {numbers.column}"
        return f"{name} piece {numbers.number} of {numbers.pieces}, {record.data_size:,} bytes"


def _row_note(record: Record) -> str | None:
    """Return the reason why the columns of a row are not shown; None if they are."""
    if is_unknown(record.header.io_type):
        return f"{io_type_name(record.header.io_type)}, {record.data_size:,} bytes: its effect is not known"
    if record.header.continued:
        return "its columns continue in the records that follow"
    return f"{record.data_size:,} bytes of columns" if record.data_size > _LARGEST else None


def kind_of(record: Record) -> RecordKind:
    """Return the kind of a record, from its header alone."""
    if record.is_file_header:
        return RecordKind.FILE_HEADER
    io_type = record.header.io_type
    return _OTHER_KINDS.get(io_type) or _KINDS.get(OPERATIONS.get(io_type, ""), RecordKind.OTHER)


def significant_columns(change: Change) -> tuple[ColumnChange, ...]:
    """Return the columns that identify a change: its key, and those of an update that differ or lack a before image."""
    keys = [column for column in change.columns if column.is_key]
    shows_all = change.op not in _UPDATES or all(column.after is None for column in change.columns)
    other_columns = [column for column in change.columns if not column.is_key]
    return (*keys, *(column for column in other_columns if shows_all or column.is_changed or column.before is None))


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


def short_value(value: Value | None, marks: Marks = UNICODE_MARKS, most: int = LONGEST_VALUE) -> str:
    """Return a value in about ``most`` cells: text in quotes, cut in the middle; long bytes with their number; NULL."""
    if value is None:
        return ""
    if value.problem is not None:
        return f"?{_bytes_text(value.data, marks, most)}"
    if isinstance(value.value, bytes):
        return f"X{_bytes_text(value.value, marks, most)}"
    if isinstance(value.value, str):
        text = cut_in_the_middle(escape(value.text), max(1, most - 2), marks.cut)
        return "'" + text.replace("'", "''") + "'"
    return cut_in_the_middle(escape(_without_zeros(value.text)), max(most, _LONGEST_TIME), marks.cut)


def _bytes_text(data: bytes, marks: Marks, most: int) -> str:
    if 2 * len(data) <= most:
        return f"'{data.hex()}'"
    return f"'{data[:_BYTES_SHOWN].hex()}{marks.cut}' {len(data):,} bytes"


def key_value(value: Value | None, marks: Marks = UNICODE_MARKS, most: int = LONGEST_VALUE) -> str:
    """Return the value of a key; a word has no quotes if it cannot be taken for a number or NULL."""
    shown = short_value(value, marks, most)
    bare = shown[1:-1]
    return bare if shown.startswith("'") and is_word(bare) else shown


def _without_zeros(text: str) -> str:
    """Return a text; from a timestamp, a fraction that is all zeros is removed."""
    head, point, fraction = text.rpartition(".")
    return head if point and ":" in head and fraction and not fraction.strip("0") else text


def row_story(row: RecordRow, marks: Marks = UNICODE_MARKS) -> Iterator[StoryPiece]:
    """Yield the key, the changed columns and the note of a row as pieces; two blanks separate these parts."""
    gap = ""
    for column in row.columns:
        if not column.is_key:
            continue
        yield StoryPiece(StoryRole.GAP, gap and " ")
        gap = "  "
        if column.is_changed:
            yield StoryPiece(StoryRole.BEFORE, key_value(column.before, marks))
            yield StoryPiece(StoryRole.NOTE, marks.arrow)
            yield StoryPiece(StoryRole.AFTER, key_value(column.after, marks))
        else:
            yield StoryPiece(
                StoryRole.KEY, key_value(column.after if column.after is not None else column.before, marks)
            )
    for column in row.columns:
        if column.is_key:
            continue
        yield StoryPiece(StoryRole.GAP, gap)
        gap = ", "
        yield StoryPiece(StoryRole.NAME, f"{column_name(column)} ")
        yield from _change_of_column(row.kind, column, marks)
    if row.note:
        yield StoryPiece(StoryRole.GAP, "  " if gap else "")
        yield StoryPiece(StoryRole.NOTE, escape(row.note))


def _change_of_column(kind: RecordKind, column: ColumnChange, marks: Marks) -> Iterator[StoryPiece]:
    if column.before is not None:
        yield StoryPiece(StoryRole.BEFORE, short_value(column.before, marks))
    if kind is RecordKind.UPDATE or (column.before is not None and column.after is not None):
        yield StoryPiece(StoryRole.NOTE, marks.arrow)
    if column.after is not None:
        yield StoryPiece(StoryRole.AFTER, short_value(column.after, marks))


def row_text(row: RecordRow, marks: Marks = UNICODE_MARKS) -> str:
    """Return the pieces joined to one text."""
    return "".join(piece.text for piece in row_story(row, marks))


_ABSENT = "-"


def record_line(row: RecordRow, offset: TimeOffset, file: str = "", marks: Marks = UNICODE_MARKS) -> str:
    """Return the line of a row; ``file`` precedes its RBA, ``-`` replaces unknown parts."""
    time = format_timestamp(row.time, offset) if row.time is not None else f"{_ABSENT} {_ABSENT}"
    place = f"{as_field(file)}:{row.rba}" if file else f"{row.rba:>10}"
    fields = (place, time, f"{row.kind.name:<8}", as_field(row.table), as_field(row.csn), as_field(row.xid))
    return " ".join((*fields, row_text(row, marks))).rstrip()


def as_field(text: str | None) -> str:
    """Return a text as one field: ``-`` if it is empty, in quotes if it has a blank."""
    shown = escape(text or _ABSENT)
    return f'"{shown}"' if any(map(str.isspace, shown)) else shown
