"""Parts of transactions that are compared: records by bytes or canonical form, changes by values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from logdump.display.token_text import user_tokens_text
from logdump.features.diff.model import DiffLevel, PartDifference
from logdump.notation.text import first_difference
from logdump.notation.times import iso_time
from trailformat import Record
from trailformat.changes.canonical import canonical, column_form
from trailformat.changes.row_changes import Change, ChangeSource, ColumnChange, changes_over, values_of
from trailformat.codec.tokens import GGS_TOKENS, token_name
from trailformat.records.columns import Columns
from trailformat.records.record_header import NO_TRANSACTION, io_type_name
from trailformat.transactions.batches import TransactionRecord, TransactionRecords, TransactionSummary
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail
from trailformat.values.comparing import identity

_SHOWN_BYTES = 16
_PIECE = 1 << 20
"""Number of bytes compared at a time."""
IMAGES = ("before", "after")


class Cell(NamedTuple):
    """A column in an image: the form that is compared, and its text."""

    compared: Hashable
    text: str


Cells = Mapping[tuple[str, str], Cell]
"""Cells by image and column name."""


def cells_of_change(change: Change) -> Cells:
    """Return the columns of a change, compared by their values."""
    return {
        (image, column.name or _numbered(column.index)): Cell(identity(value, column.definition), value.text)
        for column in change.columns
        for image, value in zip(IMAGES, (column.before, column.after), strict=True)
        if value is not None
    }


def cells_of_record(transaction_record: TransactionRecord) -> Cells:
    """Return the columns of a record, compared by their bytes; their text follows the definition, if there is one."""
    known, record = transaction_record.definitions.of(transaction_record.record), transaction_record.record
    cells: dict[tuple[str, str], Cell] = {}
    for image in IMAGES:
        columns: Columns = getattr(record.images, image) or ()
        for column, value in zip(columns, values_of(columns, known, record.order), strict=True):
            described = known.column(column.index)
            name = described.name if described is not None else _numbered(column.index)
            cells[image, name] = Cell(column_form(column, record.order), value.text)
    return cells


def _numbered(index: int) -> str:
    return f"column {index}"


def differing_cells(a: Cells, b: Cells, *, ignores_absent: bool = False) -> Iterator[PartDifference]:
    """Yield the columns in which two rows differ; the text is None on a side whose image lacks the column."""
    for key in dict.fromkeys((*a, *b)):
        cell, other = a.get(key), b.get(key)
        if cell is None or other is None:
            if not ignores_absent:
                yield PartDifference(*key, cell.text if cell else None, other.text if other else None)
        elif cell.compared != other.compared:
            yield PartDifference(*key, cell.text, other.text)


def differing_parts(
    a: TransactionRecord, b: TransactionRecord, left_out: frozenset[str], *, ignores_absent: bool = False
) -> Iterator[PartDifference]:
    """Yield the parts in which the canonical forms of two records differ; for images, the columns that differ."""
    forms = [canonical(record.trail, record.record, left_out) for record in (a, b)]
    parts = [part for part in forms[0] if forms[0][part] != forms[1][part]]
    if "data" not in parts and any(part in IMAGES for part in parts):
        columns = list(differing_cells(cells_of_record(a), cells_of_record(b), ignores_absent=ignores_absent))
        yield from columns
        if not columns and not ignores_absent:
            yield PartDifference("columns", None, *(_order_of(record) for record in (a, b)))
    for part in parts:
        if part not in IMAGES:
            yield _differing(part, forms[0][part], forms[1][part])


def differing_bytes(a: TransactionRecord, b: TransactionRecord) -> Iterator[PartDifference]:
    """Yield the first offset at which the bytes of two records differ, if any."""
    records = a.record, b.record
    for start in range(0, max(record.length for record in records), _PIECE):
        pieces = [record.cut(start, start + _PIECE) for record in records]
        if pieces[0] != pieces[1]:
            offset = start + first_difference(*pieces)
            yield PartDifference(
                "bytes",
                None,
                *(_shown(record.length, offset, record.cut(offset, offset + _SHOWN_BYTES)) for record in records),
            )
            return


def _differing(part: str, a: Any, b: Any) -> PartDifference:
    if isinstance(a, bytes) and isinstance(b, bytes):
        offset = first_difference(a, b)
        return PartDifference(part, None, *(_bytes_from(data, offset) for data in (a, b)))
    text = _TEXTS.get(part, str)
    return PartDifference(part, None, *(None if value is None or value == () else text(value) for value in (a, b)))


def _bytes_from(data: bytes | str, offset: int) -> str:
    """Return the bytes from an offset on, or the text that represents data that is too long."""
    return data if isinstance(data, str) else _shown(len(data), offset, data[offset : offset + _SHOWN_BYTES])


def _shown(size: int, offset: int, data: bytes) -> str:
    return f"{size} bytes, at {offset}: {data.hex() or 'none'}"


def _order_of(record: TransactionRecord) -> str:
    images = record.record.images
    indexes = [column.index for image in IMAGES for column in getattr(images, image, None) or ()]
    return " ".join(map(str, indexes))


def _tokens_text(tokens: Any) -> str:
    if isinstance(tokens, bytes | str):
        return _bytes_from(tokens, 0)
    return ", ".join(f"{token_name(GGS_TOKENS, token) or hex(token)} {_token_text(data)}" for token, data in tokens)


def _token_text(data: bytes) -> str:
    text = data.rstrip(b"\0\1").decode("ascii", "replace")
    return text if text.isprintable() and text.isascii() else data.hex()


def _user_tokens_text(tokens: Any) -> str:
    return _bytes_from(tokens, 0) if isinstance(tokens, bytes | str) else user_tokens_text(tokens)


def _character(code: int) -> str:
    return chr(code) if chr(code).isprintable() else f"x{code:02x}"


_TEXTS: dict[str, Callable[[Any], str]] = {
    "type": io_type_name,
    "before_after": _character,
    "format_type": _character,
    "time": lambda time: iso_time(time) or str(time),
    "position": lambda position: f"{position[0]} / {position[1]}",
    "data": lambda data: _bytes_from(data, 0),
    "row_id": _tokens_text,
    "transaction": _tokens_text,
    "tokens": _tokens_text,
    "user_tokens": _user_tokens_text,
}
"""Text of the parts that are neither plain numbers nor text."""


_DIGEST = 16
NOT_IN_VALUES = frozenset({"time", "position", "row_id", "transaction", "tokens", "user_tokens", "trans_ind"})
"""Parts that are ignored when VALUES falls back to comparing records."""


class ComparedRow(NamedTuple):
    """The positions and keys of a record, or of a change with its records.

    Attributes:
        places: the positions of the records.
        keys: keys that align it with a row of the other trail, the finest first.
        table, op: its table and operation.
        by_record: True if it is compared as a record because its values are not known.
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
        """The parts of records that are ignored at this level."""
        return self.left_out | NOT_IN_VALUES if self.level is DiffLevel.VALUES else self.left_out


class ComparedRows:
    """Reader of the rows of one of the two trails."""

    def __init__(self, whole: WholeTrail, records: TransactionRecords, options: RowOptions) -> None:
        self._whole, self._records, self._options = whole, records, options

    def records(self, transaction: TransactionSummary) -> Iterator[TransactionRecord]:
        """Return all records of a transaction."""
        return self._records.of(transaction.first, transaction.records)

    def run(self, transaction: TransactionSummary) -> Iterator[bytes] | None:
        """Return the bytes from the first record of a transaction to the end of the last; None if in several files."""
        if transaction.after is None or transaction.after.ordinal != transaction.first.ordinal:
            return None
        return self._records.run(transaction.first, transaction.after)

    def run_at(self, place: TrailPosition, size: int) -> Iterator[bytes]:
        """Return the bytes from a position of a file on, in pieces; fewer if the file ends."""
        return self._records.run(place, TrailPosition(place.ordinal, place.rba + size))

    def meaning_at(self, place: TrailPosition) -> Hashable:
        """Return a key of the definitions that give the bytes of a transaction at a position their meaning."""
        return self._records.meaning_at(place)

    def same_meaning_to(self, place: TrailPosition, stop: int) -> int:
        """Return the RBA of a file, at most ``stop``, up to which ``meaning_at`` is that of a position."""
        return self._records.same_meaning_to(place, stop)

    def of(self, transaction: TransactionSummary) -> Iterator[ComparedRow]:
        """Yield the rows of a transaction that are compared."""
        records = (record for record in self.records(transaction) if self._options.takes(record))
        if self._options.level is DiffLevel.VALUES:
            return map(self._change_row, changes_over((record.record for record in records), self._source))
        return map(self._record_row, records)

    def _source(self, record: Record) -> ChangeSource:
        transaction_record = self._records.with_file(self._place(record), record)
        return ChangeSource(transaction_record.trail, transaction_record.definitions, lambda _: NO_TRANSACTION)

    def _place(self, record: Record) -> TrailPosition:
        return TrailPosition(self._whole.ordinals[record.path] if record.path is not None else 0, record.rba)

    def _record_row(self, record: TransactionRecord) -> ComparedRow:
        name, header = record.trail.name_of(record.record), record.record.header
        is_bytes = self._options.level is DiffLevel.BYTES
        whole = (
            record.record.pieces() if is_bytes else [repr(self._canonical(record)).encode("utf-8", "surrogateescape")]
        )
        kind = name, header.io_type, header.before_after
        position = header.audit_rba, header.audit_pos
        keys = _digest(whole), (kind, position), (header.io_type, position), kind
        return ComparedRow((record.place,), keys, name, io_type_name(header.io_type))

    def _change_row(self, change: Change) -> ComparedRow:
        places = tuple(self._place(record) for record in change.records)
        op = change.op
        kind = change.table, op
        if not _has_values(change):
            form = [self._canonical(self._records.at(place)) for place in places]
            return ComparedRow(places, (_digest([repr(form).encode()]), kind, kind), change.table, op, by_record=True)
        keys = [
            identity(column.after or column.before, column.definition) for column in change.columns if column.is_key
        ]
        images = sorted(((_name(column), _images(column)) for column in change.columns), key=lambda named: named[0])
        key, values = ((*kind, _digest([repr(form).encode("utf-8", "surrogatepass")])) for form in (keys, images))
        return ComparedRow(places, (values, key, kind), change.table, op)

    def _canonical(self, record: TransactionRecord) -> dict[str, Any]:
        return canonical(record.trail, record.record, self._options.parts_left_out)

    def change(self, row: ComparedRow) -> Change | None:
        """Read the change of a row again; None if the row is compared as a record."""
        records = (self._records.at(place).record for place in row.places)
        return None if row.by_record else next(changes_over(records, self._source), None)

    def records_of(self, row: ComparedRow) -> list[TransactionRecord]:
        """Read the records of a row again."""
        return [self._records.at(place) for place in row.places]


def differences_of(
    options: RowOptions, a: tuple[ComparedRows, ComparedRow], b: tuple[ComparedRows, ComparedRow]
) -> tuple[PartDifference, ...]:
    """Return the parts in which two rows differ; empty if they are equal in all compared parts."""
    changes = [rows.change(row) if options.level is DiffLevel.VALUES else None for rows, row in (a, b)]
    if changes[0] is not None and changes[1] is not None:
        cells = map(cells_of_change, (changes[0], changes[1]))
        differences = differing_cells(*cells, ignores_absent=options.ignores_absent)
        return (*_of_kind(a[1], b[1]), *differences)
    records, others = (rows.records_of(row) for rows, row in (a, b))
    if len(records) != len(others):
        return (PartDifference("records", None, str(len(records)), str(len(others))),)
    return tuple(part for pair in zip(records, others, strict=True) for part in _parts_of(options, *pair))


def _parts_of(options: RowOptions, record: TransactionRecord, other: TransactionRecord) -> Iterator[PartDifference]:
    if options.level is DiffLevel.BYTES:
        return differing_bytes(record, other)
    return differing_parts(record, other, options.parts_left_out, ignores_absent=options.ignores_absent)


def _of_kind(a: ComparedRow, b: ComparedRow) -> Iterator[PartDifference]:
    if a.op != b.op:
        yield PartDifference("operation", None, a.op, b.op)
    if a.table != b.table:
        yield PartDifference("table", None, a.table, b.table)


def _has_values(change: Change) -> bool:
    return change.definition is not None and bool(change.columns) and change.problem is None


def _images(column: ColumnChange) -> tuple[Hashable, Hashable]:
    """Return the forms of the value before and after that are the same for equal values."""
    return identity(column.before, column.definition), identity(column.after, column.definition)


def _name(column: ColumnChange) -> str:
    return column.name or f"column {column.index}"


def _digest(pieces: Iterable[bytes]) -> bytes:
    digest = blake2b(digest_size=_DIGEST)
    for piece in pieces:
        digest.update(piece)
    return digest.digest()
