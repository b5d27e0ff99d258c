"""Parts of transactions that are compared: records by bytes or canonical form, changes by values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from logdump.features.diff.model import DiffLevel, PartDifference
from logdump.features.diff.parts import cells_of_change, differing_bytes, differing_cells, differing_parts
from trailformat import Record
from trailformat.changes.canonical import canonical
from trailformat.changes.row_changes import OPERATIONS, Change, ChangeSource, ColumnChange, changes_over
from trailformat.records.io_types import io_type_name
from trailformat.records.transaction import NO_TRANSACTION
from trailformat.transactions.batches import TransactionSummary
from trailformat.transactions.records import TransactionRecord, TransactionRecords
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_DIGEST = 16
NOT_IN_VALUES = frozenset({"time", "position", "row_id", "transaction", "tokens", "user_tokens", "trans_ind"})
"""Parts of records that VALUES leaves out where it falls back to them."""


class ComparedRow(NamedTuple):
    """A record, or a change with both its records, without what it holds.

    Attributes:
        places: the records.
        keys: what aligns it with a row of the other trail, the finest first.
        table, op: of it.
        by_record: whether it is compared by its record for want of a definition.
    """

    places: tuple[TrailPosition, ...]
    keys: tuple[Hashable, ...]
    table: str
    op: str
    by_record: bool = False


def every_record(_: TransactionRecord) -> bool:
    """Accept all records."""
    return True


class RowOptions(NamedTuple):
    """Options of the row comparison.

    Attributes:
        level: the level of the comparison.
        left_out: parts of records that are ignored.
        ignores_absent: True if columns absent from one image are ignored.
        takes: predicate: True for a record to be compared.
    """

    level: DiffLevel
    left_out: frozenset[str] = frozenset()
    ignores_absent: bool = False
    takes: Callable[[TransactionRecord], bool] = every_record

    @property
    def parts_left_out(self) -> frozenset[str]:
        """The parts of records that do not matter at this level."""
        return self.left_out | NOT_IN_VALUES if self.level is DiffLevel.VALUES else self.left_out


class ComparedRows:
    """Reader of the rows of one of the two trails."""

    def __init__(self, whole: WholeTrail, records: TransactionRecords, options: RowOptions) -> None:
        self._whole, self._records, self._options = whole, records, options

    def records(self, one: TransactionSummary) -> Iterator[TransactionRecord]:
        """Return all records of a transaction."""
        return self._records.of(one.first, one.records)

    def run(self, one: TransactionSummary) -> Iterator[bytes] | None:
        """Return the bytes from the first record of a transaction to the end of the last; None if in several files."""
        if one.after is None or one.after.ordinal != one.first.ordinal:
            return None
        return self._records.run(one.first, one.after)

    def meaning_of(self, one: TransactionSummary) -> Hashable:
        """What the meaning of the bytes of a transaction depends on."""
        return self._records.meaning_at(one.first)

    def of(self, one: TransactionSummary) -> Iterator[ComparedRow]:
        """The rows of a transaction that are compared."""
        taken = (record for record in self.records(one) if self._options.takes(record))
        if self._options.level is DiffLevel.VALUES:
            return map(self._change_row, changes_over((record.record for record in taken), self._source))
        return map(self._record_row, taken)

    def _source(self, record: Record) -> ChangeSource:
        one = self._records.with_file(self._place(record), record)
        return ChangeSource(one.trail, one.definitions, lambda _: NO_TRANSACTION)

    def _place(self, record: Record) -> TrailPosition:
        return TrailPosition(self._whole.ordinals[record.path] if record.path is not None else 0, record.rba)

    def _record_row(self, one: TransactionRecord) -> ComparedRow:
        name, header = one.trail.name_of(one.record), one.record.header
        is_bytes = self._options.level is DiffLevel.BYTES
        whole = one.record.pieces() if is_bytes else [repr(self._canonical(one)).encode("utf-8", "surrogateescape")]
        kind = name, header.io_type, header.before_after
        position = header.audit_rba, header.audit_pos
        keys = _digest(whole), (kind, position), (header.io_type, position), kind
        return ComparedRow((one.place,), keys, name, io_type_name(header.io_type))

    def _change_row(self, change: Change) -> ComparedRow:
        places = tuple(self._place(record) for record in change.records)
        op = OPERATIONS[change.records[-1].header.io_type]
        kind = change.table, op
        if not _has_values(change):
            form = [self._canonical(self._records.at(place)) for place in places]
            return ComparedRow(places, (_digest([repr(form).encode()]), kind, kind), change.table, op, by_record=True)
        key = *kind, _digest([repr([_texts(column)[-1] for column in change.columns if column.is_key]).encode()])
        values = *kind, _digest([repr(sorted((_name(one), *_texts(one)) for one in change.columns)).encode()])
        return ComparedRow(places, (values, key, kind), change.table, op)

    def _canonical(self, one: TransactionRecord) -> dict[str, Any]:
        return canonical(one.trail, one.record, self._options.parts_left_out)

    def change(self, row: ComparedRow) -> Change | None:
        """The change of a row, read once more; None where it is compared by its record."""
        records = (self._records.at(place).record for place in row.places)
        return None if row.by_record else next(changes_over(records, self._source), None)

    def record(self, row: ComparedRow) -> TransactionRecord:
        """The last record of a row, read once more."""
        return self._records.at(row.places[-1])


def differences_of(
    options: RowOptions, a: tuple[ComparedRows, ComparedRow], b: tuple[ComparedRows, ComparedRow]
) -> tuple[PartDifference, ...]:
    """Return the parts in which two rows differ; none if they are equal in all compared parts."""
    changes = [rows.change(row) if options.level is DiffLevel.VALUES else None for rows, row in (a, b)]
    if changes[0] is not None and changes[1] is not None:
        cells = map(cells_of_change, (changes[0], changes[1]))
        found = differing_cells(*cells, ignores_absent=options.ignores_absent)
        return (*_of_kind(a[1], b[1]), *found)
    one, other = (rows.record(row) for rows, row in (a, b))
    if options.level is DiffLevel.BYTES:
        return tuple(differing_bytes(one, other))
    return tuple(differing_parts(one, other, options.parts_left_out, ignores_absent=options.ignores_absent))


def _of_kind(a: ComparedRow, b: ComparedRow) -> Iterator[PartDifference]:
    if a.op != b.op:
        yield PartDifference("operation", None, a.op, b.op)
    if a.table != b.table:
        yield PartDifference("table", None, a.table, b.table)


def _has_values(change: Change) -> bool:
    return change.definition is not None and bool(change.columns) and change.problem is None


def _texts(column: ColumnChange) -> tuple[str | None, ...]:
    """The value before and after; None where an image lacks it. NULL is no text."""
    return tuple(
        None if value is None else f"{'N' if value.is_null else 'T'}{value.text}"
        for value in (column.before, column.after)
    )


def _name(column: ColumnChange) -> str:
    return column.name or f"column {column.index}"


def _digest(pieces: Iterable[bytes]) -> bytes:
    digest = blake2b(digest_size=_DIGEST)
    for piece in pieces:
        digest.update(piece)
    return digest.digest()
