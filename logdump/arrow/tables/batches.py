"""The rows of tables in the pieces of a walk, each table's together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from logdump.arrow.tables.group import Group, Texts
from logdump.arrow.tables.layout import ROW_OPERATIONS, Layouts
from logdump.arrow.tables.piece import Array, Piece
from trailformat import TrailFile
from trailformat.changes.segments import joined
from trailformat.scan import FILE_HEADER
from trailformat.scan.rows import RowBytes, by_definition, headers_of
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.tracker import RowTransactions

LeaveOut = Callable[[int | None, int], None]
_IS_ROW = np.array([number in ROW_OPERATIONS for number in range(256)])
_MOST_KEYS = 1 << 16
_MOST_CELLS = 1 << 21
"""Of rows times columns at a time: tables of many columns take some bytes for each, be it there or not."""


class TableBatches:
    """Splits the pieces of one trail by table.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
        leave_out: called with the type of records that are not rows, None for the file header, and their number.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions, leave_out: LeaveOut) -> None:
        self._trail = trail
        self._definitions = definitions
        self._leave_out = leave_out
        self._layouts = Layouts()
        self._texts: tuple[RowTransactions, tuple[Texts, Texts]] | None = None

    def groups(self, piece: Piece) -> list[Group]:
        """The rows of a piece by their tables; the records that are not rows are left out and counted."""
        io_type, is_header = piece.rows.of("io_type"), piece.rows.kind == FILE_HEADER
        is_row = _IS_ROW[io_type] & ~is_header
        if is_header.any():
            self._leave_out(None, int(is_header.sum()))
        for number, records in enumerate(np.bincount(io_type[~is_row & ~is_header]).tolist()):
            if records:
                self._leave_out(number, records)
        texts = self._texts_of(piece.owners)
        rows = piece.rows.subset(np.flatnonzero(is_row))
        headers = headers_of(rows)
        return [
            self._group(rows.subset(at), np.flatnonzero(headers.is_continued[at]).tolist(), piece.owners, texts)
            for at in _by_definition(rows, headers.table_index)
        ]

    def _group(
        self, rows: RowBytes, continued: list[int], owners: RowTransactions, texts: tuple[Texts, Texts]
    ) -> Group:
        first = rows.record(0)
        known = self._definitions.of(first)
        wholes = {row: joined(self._trail, rows.record(row, self._trail.path)) for row in continued}
        return Group(rows, owners, known, self._layouts.of(first, known), self._trail.path, texts, wholes)

    def _texts_of(self, owners: RowTransactions) -> tuple[Texts, Texts]:
        """LOGCSN and TRANID of the transactions of a batch."""
        if self._texts is None or self._texts[0] is not owners:
            self._texts = owners, (Texts(owners.csns), Texts(owners.xids))
        return self._texts[1]


def blocks(groups: list[Group]) -> Iterator[list[Group]]:
    """The groups of a piece, or parts of them, block by block, so that memory stays bounded."""
    cells = sum(len(group.rows) * len(group.layout.columns or ()) for group in groups)
    count = -(-cells // _MOST_CELLS)
    if count <= 1:
        yield groups
        return
    rows = np.sort(np.concatenate([group.rows.rows for group in groups]))
    bounds = [*rows[:: -(-len(rows) // count)].tolist(), int(rows[-1]) + 1]
    for first, stop in pairwise(bounds):
        parts = [group.between(first, stop) for group in groups]
        yield [part for part in parts if len(part.rows)]


def _by_definition(rows: RowBytes, table_index: Array) -> list[Array]:
    """Numbers of rows in groups whose columns one definition describes, in the order of their first rows."""
    definitions = by_definition(rows, table_index)
    groups = definitions.group.astype(np.uint16) if len(definitions.firsts) < _MOST_KEYS else definitions.group
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(definitions.group))[:-1])
    return [parts[group] for group in np.argsort(definitions.firsts).tolist()]
