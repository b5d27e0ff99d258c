"""Changes of rows: each with its columns before and after, however the trail stores the two images.

    Insert, Delete, upsert                    one image
    FieldComp, Update                         the after image; or two records, the before image first (GETUPDATEBEFORES)
    GGSPKUpdate, GGSUnified(PK)Update         both images in one record

Two records are one change when a before image is followed by an after image of the same table, type and transaction;
metadata records may be between them. (Pairs of FieldComp: documented; no transcript shows one.)
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from trailformat.changes.encrypted import split_full_image
from trailformat.changes.segments import joined
from trailformat.changes.transaction_context import TransactionContext
from trailformat.codec.tokens import is_known
from trailformat.errors import TrailError
from trailformat.records import record_header
from trailformat.records.columns import Images
from trailformat.records.record_header import (
    BEGINS,
    NOT_TRANSACTIONAL,
    PREFIX_SIZES,
    RECORD_FRAGMENT,
    ROW_TYPES,
    Transaction,
)
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
from trailformat.values import Value, decode_value

if TYPE_CHECKING:
    from trailformat.codec.byte_order import ByteOrder
    from trailformat.definitions.metadata import ColumnDefinition, TableDefinition
    from trailformat.records.columns import Columns
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile

OPERATIONS = {
    record_header.DELETE: "DELETE",
    record_header.INSERT: "INSERT",
    record_header.UPDATE: "UPDATE",
    record_header.UPDATE_COMP: "UPDATE",
    record_header.FIELD_COMP: "UPDATE",
    record_header.PURGE_DATA: "TRUNCATE",
    record_header.PK_UPDATE: "PK UPDATE",
    record_header.LARGE_OBJECT: "LOB",
    record_header.KEY_FIELD_COMP_32: "PK UPDATE",
    record_header.SEQUENCE_OP: "SEQUENCE",
    record_header.UNIFIED_UPDATE: "UPDATE",
    record_header.UNIFIED_PK_UPDATE: "PK UPDATE",
    record_header.UPSERT: "UPSERT",
    record_header.DDL_OP: "DDL",
}
"""Operation of each IOType that is known to be a change."""


UNKNOWN_EFFECT = "the effect of a record of this type is not known"
"""The reason why a record whose type OPERATIONS lacks has no statement and no columns."""
_CHANGES = frozenset(range(256)) - NOT_TRANSACTIONAL - {RECORD_FRAGMENT}


def is_change(io_type: int) -> bool:
    """Return True if records of this type are changes of their own: all in a transaction but fragments of a record.

    The effect of a type that OPERATIONS lacks is not known, so its records must not be passed over.
    """
    return io_type in _CHANGES


def is_unknown(io_type: int) -> bool:
    """Return True for a change whose effect is not known."""
    return io_type in _CHANGES and io_type not in OPERATIONS


def operation_of(io_type: int) -> str:
    """Return the operation of an IOType; of a type that is not known to be a change, its name."""
    return OPERATIONS.get(io_type) or record_header.io_type_name(io_type)


REPEATED = "the image has this column twice"
"""The problem of the value of such a column."""
PAIRED = frozenset({record_header.UPDATE, record_header.UPDATE_COMP, record_header.FIELD_COMP})
FULL = frozenset({record_header.DELETE, record_header.INSERT, record_header.UPDATE, record_header.UPSERT})
"""Types whose data are a full record image if they are not columns."""


LEAST_UNKNOWN = max(BEGINS) + 1
"""The least TransInd without a meaning: ``half_in`` is the same for it and all above."""


class Half(enum.IntEnum):
    """The half of an update in two records that a row can be; NONE for every other row."""

    NONE, FIRST, SECOND = range(3)


def half_in(io_type: int, trans_ind: int, *, is_before: bool) -> Half:
    """Return the half that a row with these fields can be; a record that begins a transaction is never the second."""
    if io_type not in PAIRED:
        return Half.NONE
    if is_before:
        return Half.FIRST
    return Half.NONE if trans_ind in BEGINS else Half.SECOND


def doubt_of(record: Record) -> str | None:
    """Return the reason why the values of a row may be parts of those in the table; None if there is none.

    Changes of parts of a LOB or XML document are marked by GGS tokens, whose ids no source gives.
    """
    header = record.header
    if header.io_type not in ROW_TYPES and header.io_type not in PREFIX_SIZES:
        return None
    try:
        unknown = dict.fromkeys(f"x{token.id:02x}" for token in record.gg_tokens if not is_known(token.id))
    except TrailError:
        return None
    if not unknown:
        return None
    return f"GGS token {', '.join(unknown)} is not known: the values may be parts of those in the row"


class ColumnChange(NamedTuple):
    """A column of a change: its value before and after, None if that image lacks the column."""

    index: int  # type: ignore[assignment]  # the word for it, though tuples have a method of this name
    name: str
    definition: ColumnDefinition | None
    before: Value | None
    after: Value | None
    is_key: bool

    @property
    def is_changed(self) -> bool:
        """True if both images have the column and differ in it; NULL equals NULL, whatever bytes follow it.

        Problems are compared too: of equal bytes, one may be undecodable because its indicator, the two bytes before,
        differs.
        """
        before, after = self.before, self.after
        if before is None or after is None:
            return False
        if before.is_null or after.is_null:
            return before.is_null != after.is_null
        return (before.data, before.problem) != (after.data, after.problem)


class Change(NamedTuple):
    """A change.

    Attributes:
        op: INSERT, UPDATE, PK UPDATE, UPSERT, DELETE, TRUNCATE, DDL, LOB or SEQUENCE; else the name of the type.
        table: its table's name; empty if it has none or it is unknown.
        records: the record, or the two that hold the before and the after image.
        columns: every column that one of the images has, by index; empty if the record has none.
        definition: the table's definition; None if unknown.
        csn: LOGCSN of its transaction, None if no record has it; ``xid``: TRANID.
        time: IO Time of its last record, Julian microseconds.
        problem: the reason why the images cannot be decoded; None if they can.
        doubt: the reason why its values may be parts of those in the row; None if there is none.
    """

    op: str
    table: str
    records: tuple[Record, ...]
    columns: tuple[ColumnChange, ...]
    definition: TableDefinition | None
    csn: str | None
    xid: str | None
    time: int
    problem: str | None = None
    doubt: str | None = None

    @property
    def rba(self) -> int:
        """RBA of its first record."""
        return self.records[0].rba


class ChangeSource(NamedTuple):
    """The facts needed to read the records of one file: names and parts, columns, transactions."""

    trail: TrailFile
    definitions: RowDefinitions
    transaction_of: Callable[[Record], Transaction]


def changes(
    trail: TrailFile,
    records: Iterable[Record],
    definitions: RowDefinitions | None = None,
    transactions: TransactionContext | None = None,
) -> Iterator[Change]:
    """Yield the changes among ``records`` of ``trail``, which must be in the order of the file; skip other records.

    Args:
        trail: the file.
        records: the records to be read.
        definitions: the definitions of rows; None: those in the trail.
        transactions: context with the LOGCSN and TRANID known so far; None: a new one.
    """
    source = _source(trail, definitions, transactions)
    return changes_over(records, lambda _: source)


def changes_over(
    records: Iterable[Record], source_of: Callable[[Record], ChangeSource], *, is_backwards: bool = False
) -> Iterator[Change]:
    """Yield the changes among records of any files, in the order of the trail or backwards.

    Args:
        records: the records to be read.
        source_of: returns the source for a record.
        is_backwards: whether the records are in reverse order; the changes are then too.
    """
    reader, begun = _Reader(source_of), Half.SECOND if is_backwards else Half.FIRST
    waiting: tuple[Record, Transaction] | None = None
    for record in records:
        transaction = source_of(record).transaction_of(record)
        if record.is_file_header or record.is_metadata:
            continue
        if waiting is not None:
            other, known = waiting
            waiting = None
            both = (record, other) if is_backwards else (other, record)
            if reader.is_pair(*both):
                yield reader.change(both, known)
                continue
            yield reader.change((other,), known)
        if not is_change(record.header.io_type):
            continue
        if half_of(record) is begun:
            waiting = record, transaction
        else:
            yield reader.change((record,), transaction)
    if waiting is not None:
        yield reader.change(waiting[:1], waiting[1])


def half_of(record: Record) -> Half:
    """Return the half of an update that a record can be."""
    header = record.header
    return half_in(header.io_type, header.trans_ind, is_before=header.is_before)


def change_of(
    trail: TrailFile,
    record: Record,
    definitions: RowDefinitions | None = None,
    transactions: TransactionContext | None = None,
) -> Change | None:
    """Return the change that ``record`` is, or is one half of; None if its type is not known to be one."""
    if record.is_file_header or record.header.io_type not in OPERATIONS:
        return None
    source = _source(trail, definitions, transactions)
    reader = _Reader(lambda _: source)
    return reader.change(reader.pair_of(record), source.transaction_of(record))


def _source(
    trail: TrailFile, definitions: RowDefinitions | None, transactions: TransactionContext | None
) -> ChangeSource:
    return ChangeSource(trail, definitions or RowDefinitions(trail), (transactions or TransactionContext(trail)).of)


def row_columns(record: Record, known: RowDefinition) -> tuple[ColumnChange, ...]:
    """Return the columns of one record, which has a before image, an after image, or both.

    Raises:
        TrailError: the data does not match the record's type.
    """
    return _merged(row_images(record, known), known, record)


class _Reader:
    """Makes changes from records."""

    def __init__(self, source_of: Callable[[Record], ChangeSource]) -> None:
        self._source_of = source_of

    def change(self, records: tuple[Record, ...], transaction: Transaction) -> Change:
        """Return the change in one record, or in two."""
        last = records[-1]
        known = self._source_of(last).definitions.of(last)
        columns, problem = _columns(tuple(joined(self._source_of(record).trail, record) for record in records), known)
        return Change(
            operation_of(last.header.io_type),
            known.name,
            records,
            columns,
            known.table,
            transaction.csn,
            transaction.xid,
            last.header.io_time,
            problem,
            next(filter(None, map(doubt_of, records)), None),
        )

    def is_pair(self, first: Record, second: Record) -> bool:
        """Return True if two consecutive rows are the before and the after image of one update."""
        return (
            half_of(first) is Half.FIRST
            and half_of(second) is Half.SECOND
            and first.header.io_type == second.header.io_type
            and self._source_of(first).trail.name_of(first) == self._source_of(second).trail.name_of(second)
        )

    def pair_of(self, record: Record) -> tuple[Record, ...]:
        """Return a record and its other half, before image first; the record alone if it has no other half."""
        if half_of(record) is not Half.NONE:
            other = self._neighbour(record)
            if other is not None:
                first, second = (record, other) if record.header.is_before else (other, record)
                if self.is_pair(first, second):
                    return first, second
        return (record,)

    def _neighbour(self, record: Record) -> Record | None:
        """Return the record after a before image or before an after image; skip metadata."""
        trail, is_before = self._source_of(record).trail, record.header.is_before
        stream = trail.records(record.rba + record.length) if is_before else trail.records_backwards(record.rba)
        try:
            neighbour = next((other for other in stream if other.is_file_header or not other.is_metadata), None)
        except TrailError:
            return None
        return None if neighbour is None or neighbour.is_file_header else neighbour


def _columns(records: tuple[Record, ...], known: RowDefinition) -> tuple[tuple[ColumnChange, ...], str | None]:
    before: Columns | None = None
    after: Columns | None = None
    try:
        for record in records:
            images = row_images(record, known)
            before, after = images.before or before, images.after or after
    except TrailError as error:
        if records[-1].header.continued:
            return (), "its columns continue in the records that follow"
        return (), f"its columns do not decode: {error.problem}"
    return _merged(Images(before, after), known, records[-1]), None


def row_images(record: Record, known: RowDefinition) -> Images:
    """Return the images of a record; a full one is split by the offsets of its definition, if there is one.

    Raises:
        TrailError: the data does not match the record's type.
    """
    header = record.header
    if record.images is not None or header.io_type not in FULL or known.table is None:
        return record.images or Images(None, None)
    with record.located():
        columns = split_full_image(record.data, known.table, record.order, header.syskey_len)
    return Images(columns, None) if header.is_before else Images(None, columns)


def values_of(columns: Columns, known: RowDefinition, order: ByteOrder) -> Iterator[Value]:
    """Yield the value of each column of an image; that of one which the image has twice is not known."""
    counts = Counter(column.index for column in columns)
    for column in columns:
        value = decode_value(column, known.column(column.index), order, known.charset)
        yield value if counts[column.index] == 1 else Value(value.data, None, problem=REPEATED)


def _merged(images: Images, known: RowDefinition, record: Record) -> tuple[ColumnChange, ...]:
    old, new = (
        {column.index: value for column, value in zip(image, values_of(image, known, record.order), strict=True)}
        for image in (images.before or (), images.after or ())
    )

    merged = []
    for index in sorted(old.keys() | new.keys()):
        described = known.column(index)
        name, is_key = (described.name, described.is_key) if described else ("", False)
        both = old.get(index), new.get(index)
        merged.append(ColumnChange(index, name, described, *both, is_key))
    return tuple(merged)
