"""Records of a batch with what only the session knows of them, and a mask of those that are written by columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from logdump.arrow.records.definitions import DefinitionGroups
from logdump.arrow.tables.piece import Array, Piece
from logdump.display import json_record
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.session import Session
from trailformat.changes.row_changes import FULL
from trailformat.records.io_types import DDL_OP, METADATA, PIECES
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows import (
    NONE,
    UNKNOWN,
    Related,
    RowBytes,
    by_definition,
    has_columns,
    headers_of,
    piece_numbers,
    related_rows,
)
from trailformat.transactions.tracker import RowTransactions

_MOST_BYTES = 3 << 20
"""Bytes of records that become lines together: these are several times as long."""
_WIDEST = 0xFFFF
"""Above this size RecLength is not the length of the data."""
_IS_PLAIN = np.array([number not in {METADATA, DDL_OP, *PIECES} for number in range(256)])
"""Types whose records are all that is shown of them, with those of their transaction and the other half."""
_IS_FULL = np.array([number in FULL for number in range(256)])


class RecordPiece(NamedTuple):
    """Some rows, and what only the session knows of them.

    Attributes:
        rows: the rows.
        ordinary: a mask of those that may be written by columns.
        known: the definitions of ordinary rows.
        tables: the names of their tables, for each definition.
        other: for each row the number, among these rows, of the other half of the same update; or NONE.
        base_rba: RBA of the base record of a piece of a LOB; NONE for other rows.
        number: number of such a piece by the records before it; 0 if unknown.
        owners: the transactions of the batch.
    """

    rows: RowBytes
    ordinary: Array
    known: DefinitionGroups
    tables: list[str | None]
    other: Array
    base_rba: Array
    number: Array
    owners: RowTransactions

    def between(self, begin: int, end: int) -> RecordPiece:
        """Return a range of the rows; those whose other half is outside are not ordinary."""
        part = slice(begin, end)
        other = self.other[part]
        is_inside = (other >= begin) & (other < end)
        ordinary = self.ordinary[part] & (is_inside | (other == NONE))
        group, definitions = self.known.group[part], self.known.definitions
        used = np.flatnonzero(np.bincount(group, minlength=1)[: len(definitions)])
        known = DefinitionGroups(np.searchsorted(used, group), [definitions[number] for number in used.tolist()])
        tables = [self.tables[number] for number in used.tolist()]
        rows, inside = self.rows.subset(np.arange(begin, end)), np.where(is_inside, other - begin, NONE)
        return RecordPiece(rows, ordinary, known, tables, inside, self.base_rba[part], self.number[part], self.owners)


class RecordPieces:
    """Makes the pieces of the records of a session's trail; batches come one after the other."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._related: tuple[Batch, Related] | None = None

    def of(self, piece: Piece) -> Iterator[RecordPiece]:
        """A piece in smaller ones, with what the session knows of their rows."""
        rows, related = piece.rows, self._related_in(piece.rows.batch)
        headers = headers_of(rows)
        ordinary = _ordinary(rows, related, headers.is_continued)
        chosen = np.flatnonzero(ordinary)
        groups = by_definition(rows.subset(chosen), headers.table_index[chosen])
        path = self._session.trail.path
        shown = [KnownRecord(rows.record(row, path), self._session) for row in chosen[groups.firsts].tolist()]
        group = np.zeros(len(rows), np.int64)
        group[chosen] = groups.group
        ordinary[chosen] = np.array([*map(_is_named, shown)], bool)[groups.group]
        tables = [json_record.table_of(one) for one in shown]
        known = DefinitionGroups(group, [one.row_definition for one in shown])
        other = _others(rows, related, ordinary, known.group, np.array([*map(tables.index, tables)], np.int64))
        base = related.base[rows.rows]
        base_rba = np.where(base >= 0, np.asarray(rows.batch.rba)[np.maximum(base, 0)], NONE)
        number = piece_numbers(rows, related, headers.is_continued)
        whole = RecordPiece(rows, ordinary, known, tables, other, base_rba, number, piece.owners)
        ends = np.cumsum(rows.of("length"))
        bounds = np.flatnonzero(np.diff(ends // _MOST_BYTES)) + 1
        yield from (whole.between(*pair) for pair in pairwise([0, *bounds.tolist(), len(rows)]))

    def _related_in(self, batch: Batch) -> Related:
        if self._related is None or self._related[0] is not batch:
            self._related = batch, related_rows(batch)
        return self._related[1]


def _ordinary(rows: RowBytes, related: Related, is_continued: Array) -> Array:
    """A mask of the rows that may be written by columns."""
    is_full = _IS_FULL[rows.of("io_type")] & ~has_columns(rows)
    is_whole = _IS_PLAIN[rows.of("io_type")] & ~is_full & ~is_continued
    is_known = (rows.kind == RECORD) & (rows.of("length") <= _WIDEST) & (related.other[rows.rows] != UNKNOWN)
    mask: Array = is_known & (is_whole | (related.base[rows.rows] >= 0))
    return mask


def _is_named(known: KnownRecord) -> bool:
    """Return True if a record has a name without problems, or none."""
    return known.look_up(Facet.TABLE) is None and known.look_up(Facet.NAME) is None


def _others(rows: RowBytes, related: Related, ordinary: Array, group: Array, names: Array) -> Array:
    """Return the row number of the other half of each update; halves without it are removed from ``ordinary``.

    ``names`` has for each definition a number that definitions of one name share.
    """
    wanted = related.other[rows.rows]
    halves = np.flatnonzero(ordinary & (wanted >= 0))
    at = np.minimum(np.searchsorted(rows.rows, wanted[halves]), len(rows) - 1)
    is_there = (rows.rows[at] == wanted[halves]) & ordinary[at]
    is_alike = (group[at] == group[halves]) & (rows.is_little[at] == rows.is_little[halves])
    is_of_table = names[group[at]] == names[group[halves]] if len(halves) else is_alike
    other = np.full(len(rows), NONE)
    other[halves[is_there & is_alike]] = at[is_there & is_alike]
    ordinary[halves[~is_there | (is_of_table & ~is_alike)]] = False
    return other
