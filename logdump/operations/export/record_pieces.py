"""Some records with what only the session knows of them, and which of them are ordinary rows of tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from logdump.arrow.records.columns.definitions import Known
from logdump.arrow.tables.piece import Array, Piece
from logdump.render import json_record
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.session import Session
from trailformat.changes.row_changes import PAIRED
from trailformat.changes.transactions import BEGINS
from trailformat.records.io_types import METADATA
from trailformat.scan import RECORD, RowTransactions
from trailformat.scan.rows import RowBytes, by_definition, has_columns, headers_of

_MOST_BYTES = 2 << 20
"""Bytes of records that become lines together: these are several times as long."""
_WIDEST = 0xFFFF
"""Of longer records RecLength does not tell the length of the data."""
_IS_PAIRED = np.array([number in PAIRED for number in range(256)])
_IS_BEGIN = np.array([number in BEGINS for number in range(256)])
_BEFORE = ord("B")


class RecordPiece(NamedTuple):
    """Some rows, and what only the session knows of them.

    Attributes:
        rows: all of them.
        ordinary: a mask of those that may be written by columns.
        known: the definitions of these.
        tables: the names of their tables, for each definition.
        owners: the transactions of the batch.
    """

    rows: RowBytes
    ordinary: Array
    known: Known
    tables: list[str | None]
    owners: RowTransactions


def record_pieces(session: Session, piece: Piece) -> Iterator[RecordPiece]:
    """A piece in smaller ones, with what the session knows of their rows."""
    ends = np.cumsum(piece.rows.of("length"))
    for at in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(ends // _MOST_BYTES)) + 1):
        rows = piece.rows.subset(at)
        ordinary = (rows.kind == RECORD) & has_columns(rows) & ~_may_be_paired(rows) & (rows.of("length") <= _WIDEST)
        headers = headers_of(rows)
        ordinary &= ~headers.is_continued
        chosen = np.flatnonzero(ordinary)
        groups = by_definition(rows.subset(chosen), headers.table_index[chosen])
        shown = [KnownRecord(rows.record(row, session.trail.path), session) for row in chosen[groups.firsts].tolist()]
        group = np.zeros(len(rows), np.int64)
        group[chosen] = groups.group
        is_known = [_is_known(one) for one in shown]
        ordinary &= np.array([*is_known, False])[np.where(ordinary, group, len(shown))]
        tables = [json_record.table_of(one) for one in shown]
        yield RecordPiece(rows, ordinary, Known(group, [one.row_definition for one in shown]), tables, piece.owners)


def _is_known(known: KnownRecord) -> bool:
    """Whether a record has a definition, and a name without problems."""
    is_named = known.look_up(Facet.TABLE) is None and known.look_up(Facet.NAME) is None
    return is_named and known.row_definition.table is not None


def _may_be_paired(rows: RowBytes) -> Array:
    """A mask of the rows that may be one half of an update in two records."""
    batch = rows.batch
    io_type, is_metadata = np.asarray(batch.io_type), np.asarray(batch.io_type) == METADATA
    is_metadata &= np.asarray(batch.kind) == RECORD
    is_half = _IS_PAIRED[io_type] & (np.asarray(batch.before_after) == _BEFORE) & (np.asarray(batch.kind) == RECORD)
    numbers = np.where(is_metadata, -1, np.arange(len(io_type)))
    last = np.concatenate(([-1], np.maximum.accumulate(numbers)[:-1]))
    follows = (last < 0) | is_half[last]
    is_second = _IS_PAIRED[io_type] & ~_IS_BEGIN[np.asarray(batch.trans_ind)] & follows
    mask: Array = (is_half | is_second)[rows.rows]
    return mask
