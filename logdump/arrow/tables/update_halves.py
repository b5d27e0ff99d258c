"""The before images of updates in two records, for changes that show the whole row.

The two records are neighbours in the trail. The first may be outside of a group of rows: in the batch before, in the
file before, or left out by a filter. It is then read alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from logdump.arrow.tables.group import Array, Group, Piece, TableBatches
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.row_changes import Half, half_of
from trailformat.scan import RECORD, Batch, scan
from trailformat.scan.rows import NONE, RowBytes, halves_of, metadata_rows, other_halves
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import previous_file
from trailformat.transactions.tracker import RowTransactions


class BeforeImages(NamedTuple):
    """The rows with the before images of updates in two records.

    Attributes:
        source: for each row of a group the index of the row that has its before image, those of ``others`` counted
            after the group's; NONE if its own record has it, or no record does.
        others: groups of one row each that are not in the group.
    """

    source: Array
    others: list[Group]


class UpdateHalves:
    """Finds the before images for the groups of one trail file.

    Args:
        trail: the file.
        definitions_of: returns the definitions of the rows of a file.
    """

    def __init__(self, trail: TrailFile, definitions_of: Callable[[TrailFile], RowDefinitions]) -> None:
        self._trail = trail
        self._definitions_of = definitions_of
        self._found: tuple[Batch, Array, Array] | None = None

    def of(self, group: Group) -> BeforeImages | None:
        """Return the before images for a group; None if it has no update in two records."""
        batch, numbers = group.rows.batch, group.rows.rows
        half, other = self._halves_in(batch)
        seconds = np.flatnonzero(half[numbers] == Half.SECOND)
        if not len(seconds):
            return None
        source, others = np.full(len(numbers), NONE), list[Group]()
        first = other[numbers[seconds]]
        places = np.minimum(np.searchsorted(numbers, first), len(numbers) - 1)
        is_here = (first >= 0) & (numbers[places] == first)
        source[seconds[is_here]] = places[is_here]
        begin = _first_plain(batch)
        for row, number in zip(seconds[~is_here].tolist(), first[~is_here].tolist(), strict=True):
            is_sought = number != NONE or numbers[row] <= begin
            before = self._sought(int(batch.rba[numbers[row]])) if is_sought else None
            if before is not None and before.layout == group.layout:
                source[row] = len(numbers) + len(others)
                others.append(before)
        return BeforeImages(source, others)

    def _halves_in(self, batch: Batch) -> tuple[Array, Array]:
        """Return the half of an update that each row of a batch can be, and its other half."""
        if self._found is None or self._found[0] is not batch:
            plain = np.flatnonzero(~metadata_rows(batch))
            self._found = batch, halves_of(batch), other_halves(batch, plain)
        return self._found[1:]

    def _sought(self, rba: int) -> Group | None:
        """Return the before image for the record at an RBA, which is in front of it in this file or the one before."""
        try:
            record = self._trail.record_at(rba)
            if record is None:
                return None
            first = _last_plain(self._trail, rba)
            if first is not None:
                return self._if_half(self._trail, first, record)
            path = previous_file(self._trail.path)[0]
            if path is None:
                return None
            with TrailFile(path) as trail:
                first = _last_plain(trail, None)
                return None if first is None else self._if_half(trail, first, record)
        except TrailError:
            return None

    def _if_half(self, trail: TrailFile, first: Record, second: Record) -> Group | None:
        """Return the group of a record if it is the first half of the update that another record ends."""
        is_pair = (
            half_of(first) is Half.FIRST
            and first.header.io_type == second.header.io_type
            and trail.name_of(first) == self._trail.name_of(second)
        )
        return self._alone(trail, first.rba) if is_pair else None

    def _alone(self, trail: TrailFile, rba: int) -> Group | None:
        """Return the record at an RBA as a group; None if it is no row. Its bytes and columns are read."""
        definitions = self._definitions_of(trail)
        for batch in scan(trail, rba, rba + 1):
            rows = RowBytes(trail.buffer, batch, np.arange(1))
            batches = TableBatches(trail, definitions, lambda _io_type, _records: None)
            for group in batches.groups(Piece(rows, RowTransactions.unknown(1))):
                _ = group.spans if group.layout.columns is not None else group.data
                return group
        return None


def _first_plain(batch: Batch) -> int:
    """Return the number of the first record that is no metadata in a batch that begins a file; -1 for other batches."""
    if not len(batch) or int(batch.rba[0]):
        return -1
    plain = np.flatnonzero((np.asarray(batch.kind) == RECORD) & ~metadata_rows(batch))
    return int(plain[0]) if len(plain) else -1


def _last_plain(trail: TrailFile, end: int | None) -> Record | None:
    """Return the last record before an RBA, or in the file, that is no metadata; None if there is none."""
    for record in trail.records_backwards(end):
        if record.is_file_header:
            return None
        if not record.is_metadata:
            return record
    return None
