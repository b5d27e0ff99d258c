"""The rows of tables in the pieces of a walk, each table's together, as Arrow record batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.group import Group, Texts
from logdump.arrow.tables.layout import ROW_OPERATIONS, Layouts, TableLayout
from logdump.arrow.tables.piece import Array, Piece
from trailformat import TrailFile
from trailformat.arrays.kernels import read_headers
from trailformat.changes.segments import joined
from trailformat.scan import FILE_HEADER, RowTransactions
from trailformat.trail.row_definitions import RowDefinitions

LeaveOut = Callable[[int | None, int], None]
_IS_ROW = np.array([number in ROW_OPERATIONS for number in range(256)])
_MOST_KEYS = 1 << 16


class Built(NamedTuple):
    """The result of a piece: the batches of its tables, and the values that do not decode (RBA, column, reason)."""

    batches: list[tuple[TableLayout, pa.RecordBatch]]
    problems: list[tuple[int, str, str]]


class TableBatches:
    """Takes the pieces of one trail apart by table.

    Args:
        trail: the file.
        definitions: those of the rows.
        leave_out: takes the type of records that are no rows, None for the file header, and how many there are.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions, leave_out: LeaveOut) -> None:
        self._trail = trail
        self._definitions = definitions
        self._leave_out = leave_out
        self._layouts = Layouts()
        self._texts: tuple[RowTransactions, Texts] | None = None

    def groups(self, piece: Piece) -> list[Group]:
        """The rows of a piece by their tables; the records that are no rows are left out and counted."""
        batch, at = piece.batch, piece.rows
        is_header = np.asarray(batch.kind)[at] == FILE_HEADER
        io_type = np.asarray(batch.io_type)[at]
        is_row = _IS_ROW[io_type] & ~is_header
        if is_header.any():
            self._leave_out(None, int(is_header.sum()))
        for number, records in enumerate(np.bincount(io_type[~is_row & ~is_header]).tolist()):
            if records:
                self._leave_out(number, records)
        texts = self._texts_of(piece.owners)
        rows = np.flatnonzero(is_row)
        indexes, continued = _headers(piece, rows)
        parts = _by_definition(piece, rows, indexes)
        return [self._group(piece, rows[part], np.flatnonzero(continued[part]).tolist(), texts) for part in parts]

    def _group(self, piece: Piece, rows: Array, continued: list[int], texts: Texts) -> Group:
        first = piece.record(int(rows[0]))
        known = self._definitions.of(first)
        wholes = {row: joined(self._trail, piece.record(int(rows[row]))) for row in continued}
        return Group(piece, rows, known, self._layouts.of(first, known), self._trail.path, texts, wholes)

    def _texts_of(self, owners: RowTransactions) -> Texts:
        if self._texts is None or self._texts[0] is not owners:
            self._texts = owners, Texts(pa.array(owners.csns, pa.string()), pa.array(owners.xids, pa.string()))
        return self._texts[1]


def build(groups: list[Group]) -> Built:
    """The batches of groups; needs nothing but what they hold, so that threads can do it."""
    built = Built([], [])
    for group in groups:
        batch, problems = group.build()
        built.batches.append((group.layout, batch))
        built.problems.extend(problems)
    return built


def _headers(piece: Piece, rows: Array) -> tuple[Array, Array]:
    """Of rows of a piece the index of their table, and whether they go on in the records behind them."""
    indexes, continued = np.empty(len(rows), np.int64), np.empty(len(rows), np.bool_)
    at = piece.rows[rows]
    read_headers(piece.view.ctypes.data, piece.starts(at), np.asarray(piece.batch.order)[at], indexes, continued)
    return indexes, continued


def _by_definition(piece: Piece, rows: Array, indexes: Array) -> Iterator[Array]:
    """Numbers of rows in groups whose columns one definition tells: a table's, between two metadata records."""
    if not len(rows):
        return
    table = np.asarray(piece.batch.table)[piece.rows[rows]]
    definition = piece.segment[rows].astype(np.int64) << 17 | (indexes + 1)
    small = table.astype(np.uint16) if int(table.max()) < _MOST_KEYS else table
    order = np.argsort(small, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(table[order])) + 1):
        mine = definition[part]
        if (mine == mine[0]).all():
            yield part
        else:
            yield from (part[mine == one] for one in np.unique(mine))
