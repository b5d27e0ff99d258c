"""Changes of rows: each with its columns before and after, whichever way the trail keeps the two images.

    Insert, Delete                            one image
    FieldComp, Update                         the after image; or two records, the before image first (GETUPDATEBEFORES)
    GGSPKUpdate, GGSUnified(PK)Update         both images in one record

Two records are one change when a before image is followed by an after image of the same table, type and transaction;
metadata records may stand between them. (Pairs of FieldComp: documented; no transcript shows one.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from trailformat import io_types
from trailformat.errors import TrailError
from trailformat.transactions import BEGINS, TransactionContext
from trailformat.values import UTF_8, Value, decode_value

if TYPE_CHECKING:
    from trailformat.column_definition import ColumnDefinition
    from trailformat.columns import Column, Columns
    from trailformat.metadata import TableDefinition
    from trailformat.record import Record
    from trailformat.trail_file import TrailFile

OPERATIONS = {
    io_types.DELETE: "DELETE",
    io_types.INSERT: "INSERT",
    io_types.UPDATE: "UPDATE",
    io_types.UPDATE_COMP: "UPDATE",
    io_types.FIELD_COMP: "UPDATE",
    io_types.PURGE_DATA: "TRUNCATE",
    io_types.PK_UPDATE: "PK UPDATE",
    io_types.LARGE_OBJECT: "LOB",
    io_types.KEY_FIELD_COMP_32: "PK UPDATE",
    io_types.SEQUENCE_OP: "SEQUENCE",
    io_types.UNIFIED_UPDATE: "UPDATE",
    io_types.UNIFIED_PK_UPDATE: "PK UPDATE",
    io_types.DDL_OP: "DDL",
}
"""IOType -> what it does, for the types that are changes; every other record is none."""

_PAIRED = frozenset({io_types.UPDATE, io_types.UPDATE_COMP, io_types.FIELD_COMP})


class ColumnChange(NamedTuple):
    """One column of a change: its value before and after, each None when that image does not have it."""

    index: int  # type: ignore[assignment]  # the word for it, though tuples have a method of this name
    name: str
    definition: ColumnDefinition | None
    before: Value | None
    after: Value | None
    is_key: bool

    @property
    def is_changed(self) -> bool:
        """Whether both images have the column and differ in it; NULL equals NULL, whatever bytes follow it."""
        before, after = self.before, self.after
        if before is None or after is None:
            return False
        return before.is_null != after.is_null or (not before.is_null and before.data != after.data)


class Change(NamedTuple):
    """One change.

    Attributes:
        op: INSERT, UPDATE, PK UPDATE, DELETE, TRUNCATE, DDL, LOB or SEQUENCE.
        table: its table's name, empty when it has none or it is not known.
        records: the record, or the two that hold the before and the after image.
        columns: every column that one of the images has, by index; empty when the record holds none.
        definition: the table's definition; None where there is none.
        csn: LOGCSN of its transaction, None where no record tells it; ``xid`` TRANID likewise.
        time: IO Time of its last record, Julian microseconds.
        problem: why the images do not decode; None when they do.
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

    @property
    def rba(self) -> int:
        """RBA of its first record."""
        return self.records[0].rba


def changes(
    trail: TrailFile, records: Iterable[Record], transactions: TransactionContext | None = None
) -> Iterator[Change]:
    """The changes among ``records`` of ``trail``, which come in the order of the file.

    Args:
        trail: the file; it resolves names and definitions.
        records: those wanted; others than changes are passed over.
        transactions: what is known already of LOGCSN and TRANID.
    """
    context = transactions or TransactionContext(trail)
    waiting: Record | None = None
    for record in records:
        if record.is_file_header or record.is_metadata:
            continue
        if waiting is not None:
            paired = is_pair(trail, waiting, record)
            yield _change(trail, context, (waiting, record) if paired else (waiting,))
            waiting = None
            if paired:
                continue
        if record.header.io_type not in OPERATIONS:
            continue
        if record.header.is_before and record.header.io_type in _PAIRED:
            waiting = record
        else:
            yield _change(trail, context, (record,))
    if waiting is not None:
        yield _change(trail, context, (waiting,))


def change_of(trail: TrailFile, record: Record, transactions: TransactionContext | None = None) -> Change | None:
    """The change that ``record`` is, or is one half of; None when it is no change of a row or object."""
    if record.is_file_header or record.header.io_type not in OPERATIONS:
        return None
    context = transactions or TransactionContext(trail)
    if record.header.io_type not in _PAIRED:
        return _change(trail, context, (record,))
    other = _neighbour(trail, record)
    pair = (record, other) if record.header.is_before else (other, record)
    first, second = pair
    if first is not None and second is not None and is_pair(trail, first, second):
        return _change(trail, context, (first, second))
    return _change(trail, context, (record,))


def is_pair(trail: TrailFile, first: Record, second: Record) -> bool:
    """Whether two rows, one after the other, are the before and the after image of one update."""
    before, after = first.header, second.header
    return (
        before.io_type in _PAIRED
        and before.io_type == after.io_type
        and before.is_before
        and not after.is_before
        and after.trans_ind not in BEGINS
        and trail.name_of(first) == trail.name_of(second)
    )


def _neighbour(trail: TrailFile, record: Record) -> Record | None:
    """The next record after a before image, the last one before an after image; metadata stepped over."""
    try:
        if record.header.is_before:
            stream = trail.records(record.rba + record.length)
        else:
            stream = trail.records_backwards(record.rba)
        found = next((one for one in stream if one.is_file_header or not one.is_metadata), None)
    except TrailError:
        return None
    return None if found is None or found.is_file_header else found


def _change(trail: TrailFile, context: TransactionContext, records: tuple[Record, ...]) -> Change:
    last = records[-1]
    entry = trail.table_of(last)
    definition = trail.tables.columns(entry) if entry else None
    transaction = context.of(records[0])
    columns, problem = _columns(records, definition)
    return Change(
        OPERATIONS[last.header.io_type],
        entry.name if entry else last.name,
        records,
        columns,
        definition,
        transaction.csn,
        transaction.xid,
        last.header.io_time,
        problem,
    )


def _columns(
    records: tuple[Record, ...], definition: TableDefinition | None
) -> tuple[tuple[ColumnChange, ...], str | None]:
    before: Columns = ()
    after: Columns = ()
    try:
        for record in records:
            images = record.images
            if images is not None:
                before, after = images.before or before, images.after or after
    except TrailError as error:
        return (), str(error)
    return _merged(before, after, definition, records[-1]), None


def _merged(
    before: Columns, after: Columns, definition: TableDefinition | None, record: Record
) -> tuple[ColumnChange, ...]:
    columns = definition.columns if definition else ()
    old, new = {one.index: one for one in before}, {one.index: one for one in after}

    def value(column: Column | None, described: ColumnDefinition | None) -> Value | None:
        return None if column is None else decode_value(column, described, record.order, UTF_8)

    merged = []
    for index in sorted(old.keys() | new.keys()):
        described = columns[index] if index < len(columns) else None
        name, is_key = (described.name, described.is_key) if described else ("", False)
        images = value(old.get(index), described), value(new.get(index), described)
        merged.append(ColumnChange(index, name, described, *images, is_key))
    return tuple(merged)
