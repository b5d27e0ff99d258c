"""The changes among the records of a transaction, decoded: with large objects, without what the filter drops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from logdump.display.sql.dialect import Unwritable
from logdump.display.sql.large_objects import needs_large_objects, with_large_objects
from logdump.display.sql.script_files import ScriptFiles
from trailformat import Record, TrailError
from trailformat.changes.row_changes import Change, changes_over
from trailformat.records.io_types import LARGE_OBJECT
from trailformat.records.transaction import Transaction
from trailformat.trail.sequence import Spot


class DecodedChange(NamedTuple):
    """A change; the reason why it has no statement, where that is known already."""

    change: Change
    refusal: str | None = None


class RecordChanges:
    """Reads the changes of records.

    Args:
        files: those of the records.
        takes_back: whether the changes are taken back; the last record comes first then.
    """

    def __init__(self, files: ScriptFiles, *, takes_back: bool) -> None:
        self._files = files
        self._takes_back = takes_back
        self._with_pieces: set[Spot] = set()

    def of(
        self, records: Iterable[Record], transaction: Transaction, pieces: Sequence[Record] | None = None
    ) -> Iterator[DecodedChange | None]:
        """Yield the changes of records of a transaction, in script order; None for changes that the filter drops.

        ``records`` are those of whole changes; ``pieces`` are those of large objects after the last of them, if all are
        known.
        """
        for change in self._changes(records, transaction):
            has_pieces = self._has_pieces(change)
            is_accepted = any(map(self._files.accepts, change.records))
            yield self._decoded(change, pieces, has_pieces=has_pieces) if is_accepted else None

    def of_all(
        self, records: Iterable[Record], transaction: Transaction, pieces: Sequence[Record] | None = None
    ) -> Iterator[DecodedChange]:
        """Yield the changes like ``of``, but without a filter."""
        for change in self._changes(records, transaction):
            yield self._decoded(change, pieces, has_pieces=self._has_pieces(change))

    def _changes(self, records: Iterable[Record], transaction: Transaction) -> Iterator[Change]:
        rows = self._rows_backwards(records) if self._takes_back else self._rows(records)
        return changes_over(rows, self._files.source(transaction), is_backwards=self._takes_back)

    def _has_pieces(self, change: Change) -> bool:
        """Return True if pieces of large objects were found after a change; valid for one call."""
        spot = _spot(change.records[-1])
        has_pieces = spot in self._with_pieces
        self._with_pieces.discard(spot)
        return has_pieces

    def _decoded(self, change: Change, pieces: Sequence[Record] | None, *, has_pieces: bool) -> DecodedChange:
        if not has_pieces or not needs_large_objects(change.op, takes_back=self._takes_back):
            return DecodedChange(change)
        record = change.records[-1]
        file = self._files.of(record.path)
        try:
            return DecodedChange(with_large_objects(file.trail, change, file.definitions.of(record).charset, pieces))
        except (Unwritable, TrailError) as error:
            return DecodedChange(change, str(error))

    def _rows(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records that are changes; a large object belongs to the row before it, if that is there."""
        row: Record | None = None
        for record in records:
            if record.header.io_type == LARGE_OBJECT and row is not None:
                self._with_pieces.add(_spot(row))
            elif row is not None:
                yield row
                row = record
            elif record.header.io_type == LARGE_OBJECT:
                yield record
            else:
                row = record
        if row is not None:
            yield row

    def _rows_backwards(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records, which come last first."""
        piece: Record | None = None
        for record in records:
            if record.header.io_type == LARGE_OBJECT:
                piece = record
                continue
            if piece is not None:
                self._with_pieces.add(_spot(record))
                piece = None
            yield record
        if piece is not None:
            yield piece


def _spot(record: Record) -> Spot:
    assert record.path is not None  # noqa: S101 - it was read from a file
    return Spot(record.path, record.rba)
