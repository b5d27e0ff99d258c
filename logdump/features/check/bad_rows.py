"""The records of a file whose columns or values do not decode, found in the batches of one pass over it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from logdump.arrow.tables.group import Group, TableBatches, blocks, pieces
from logdump.arrow.tables.layout import CUT, SIDES
from trailformat import BadData, TrailFile
from trailformat.arrays import text_column
from trailformat.arrays.column_check import ColumnCheck, ColumnFault
from trailformat.native.scan.arguments import HAS_UNDECIDED, HAS_VALUE
from trailformat.records.record_header import NO_TRANSACTION
from trailformat.scan import Batch
from trailformat.scan.measuring import Measured
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.tracker import RowTransactions

_NO_TRANSACTIONS = RowTransactions.of_one(NO_TRANSACTION)
"""Values are decoded without the names of their transactions."""


class BadRows:
    """Finds the bad rows of one file.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
        decodes: True if the values are decoded too.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions, *, decodes: bool) -> None:
        self._trail, self._decodes = trail, decodes
        self._check = ColumnCheck(trail, definitions)
        self._tables = TableBatches(trail, definitions, lambda _io_type, _records: None)

    def among(self, measured: Measured) -> list[ColumnFault]:
        """Return the first fault of each bad row in the next batch of the file, in order.

        Raises:
            CannotRead: the file can no longer be read.
        """
        faults = {fault.rba: fault for fault in self._check.faults(measured)}
        if self._decodes:
            for fault in self._undecodable(measured.batch):
                faults.setdefault(fault.rba, fault)
        return [faults[rba] for rba in sorted(faults)]

    def _undecodable(self, batch: Batch) -> Iterator[ColumnFault]:
        """Yield a fault for each value and each row that EXPORT cannot decode."""
        for piece in pieces(self._trail, batch, np.arange(len(batch)), _NO_TRANSACTIONS):
            for groups in blocks([group for group in self._tables.groups(piece) if group.layout.columns]):
                for group in groups:
                    yield from _faults_in(group)


def _faults_in(group: Group) -> Iterator[ColumnFault]:
    spans, definitions = group.spans, group.layout.columns or ()
    for side in SIDES:
        image = getattr(spans, side)
        for index, definition in enumerate(definitions):
            if image.seen[index] & (HAS_VALUE | HAS_UNDECIDED):
                for row, reason in text_column(spans, image, index, definition, group.layout.codec).problems:
                    group.note_value(row, side, index, reason)
    for row, problem in group.problems:
        if problem.reason != CUT:
            rba = int(group.rows.of("rba")[row])
            error = BadData(problem.reason, path=group.path, rba=rba)
            yield ColumnFault(rba, group.layout.name, problem.column, error)
