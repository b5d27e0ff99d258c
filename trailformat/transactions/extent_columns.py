"""Transactions of a batch of records as columns, and the Extent that each of them is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from trailformat.records.record_header import RECORD_FRAGMENT, Transaction
from trailformat.scan import StringColumn
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.extent import Damage, Extent, Moment, Restart
from trailformat.transactions.tracker import Array, Segments
from trailformat.transactions.whole_trail import FileBatch

_COLUMNS = ("rba", "table", "io_type", "io_time", "record_length", "audit_rba", "audit_pos")


class ExtentDetails:
    """Sums over the records of one transaction, over batches, that ColumnWalk does not compute."""

    def __init__(self) -> None:
        self.last: FilePosition | None = None
        self.before = self.latest = 0
        self.moments: tuple[Moment, Moment] | None = None
        self.has_one_time = True
        self.tables: dict[str, Counter[int]] = {}
        self.data_size = 0
        self.damage: list[Damage] = []
        self.missing: Path | None = None

    def add(self, path: Path, sums: AddedRecords, tables: Sequence[TableRecords]) -> None:
        """Add the records of one batch."""
        self.last = FilePosition(path, sums.last)
        self.before += sums.before
        first = self.moments[0] if self.moments else sums.first_moment
        self.has_one_time &= sums.has_one_time and first.time == sums.last_moment.time
        self.latest = max(self.latest, sums.latest)
        self.moments = first, sums.last_moment
        for table in tables:
            self.tables.setdefault(table.name, Counter())[table.io_type] += table.records
            self.data_size += table.data_size

    def extent(
        self,
        batch: TransactionBatch,
        row: int,
        path_of: Callable[[int], Path],
        marker: Restart | None = None,
        *,
        has_end: bool = True,
    ) -> Extent:
        """Return the transaction of a row of a batch; ``path_of`` returns the path of the file with an ordinal."""
        first_place, after_place = batch.first(row), batch.after(row)
        first = FilePosition(path_of(first_place.ordinal), first_place.rba)
        first_moment, last_moment = self.moments or (Moment(), Moment())
        return Extent(
            Transaction(batch.csns[row], batch.xids[row]),
            first if batch.columns.has_begin[row] else None,
            first,
            self.last,
            FilePosition(path_of(after_place.ordinal), after_place.rba) if after_place is not None else None,
            batch.ended(row),
            marker,
            has_end,
            int(batch.columns.records[row]),
            int(batch.columns.sizes[row]),
            self.before,
            first_moment,
            last_moment,
            self.latest,
            self.has_one_time,
            self.tables,
            self.data_size,
            tuple(self.damage),
            self.missing,
        )


class AddedRecords(NamedTuple):
    """The records of one transaction in a batch: RBA of the last, number before the position ``asked``, moments."""

    last: int
    before: int
    first_moment: Moment
    last_moment: Moment
    has_one_time: bool
    latest: int


class TableRecords(NamedTuple):
    """The number of records of one table and IOType, and the bytes of their data."""

    name: str
    io_type: int
    records: int
    data_size: int


class SegmentMembers(NamedTuple):
    """Rows of a batch, the number of the segment of each, and the mask of the chosen rows of the batch; None: all."""

    rows: Array
    owners: Array
    chosen: Array | None

    @property
    def first(self) -> Array:
        """The index of the first row of each segment."""
        return np.flatnonzero(np.append(True, self.owners[1:] != self.owners[:-1])[: len(self.owners)])

    def of(self, mask: Array) -> SegmentMembers:
        """Return the rows of the segments in a mask."""
        is_kept = mask[self.owners]
        return SegmentMembers(self.rows[is_kept], self.owners[is_kept], self.chosen)


class BatchTransactions(NamedTuple):
    """The transactions of a batch.

    Attributes:
        path: the file.
        file_batch: the batch.
        ended: the transactions that end in it; ``first`` is the number of the segment that is its row 0.
        segments, members: those of the batch.
        are_before: returns 1 for each RBA that ``before`` of an Extent counts, else 0.
    """

    path: Path
    file_batch: FileBatch
    ended: TransactionBatch
    first: int
    segments: Segments
    members: SegmentMembers
    are_before: Callable[[Array], Array]

    def added(
        self, is_wanted: Array, trail: TrailFile | None = None
    ) -> dict[int, tuple[AddedRecords, list[TableRecords]]]:
        """Return the sums of the batch for each segment of a mask that has records; ``trail``: the file, open."""
        members = self.members.of(is_wanted)
        rows, owners, chosen = members
        if not len(rows):
            return {}
        batch, first = self.file_batch.batch, members.first
        last = np.append(first[1:], len(rows)) - 1
        fields = {name: np.asarray(getattr(batch, name))[rows] for name in _COLUMNS}
        time = fields["io_time"]
        has_one_time = np.maximum.reduceat(time, first) == np.minimum.reduceat(time, first)
        own_time = np.where(fields["io_type"] == RECORD_FRAGMENT, 0, time)
        added = map(
            AddedRecords,
            fields["rba"][last].tolist(),
            np.add.reduceat(self.are_before(fields["rba"]), first).tolist(),
            *(_moments(fields, indexes) for indexes in (first, last)),
            has_one_time.tolist(),
            np.maximum.reduceat(own_time, first).tolist(),
        )
        group = np.repeat(np.arange(len(first)), last - first + 1)
        if chosen is not None:
            group, fields = group[chosen[rows]], {name: column[chosen[rows]] for name, column in fields.items()}
        tables = _tables(trail or self.file_batch.trail, fields, group, len(first))
        return dict(zip(owners[first].tolist(), zip(added, tables, strict=True), strict=True))


class PlainTransactions:
    """Whole transactions within one batch, in trail order, without restarts or damage; each is an Extent.

    Args:
        of_batch: the transactions of the batch.
        numbers: the numbers of the segments that are these, ascending; none is 0.

    Attributes:
        path: the file.
    """

    def __init__(self, of_batch: BatchTransactions, numbers: Array) -> None:
        self.path = of_batch.path
        self._of_batch, self._numbers = of_batch, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def take(self, indexes: Array | slice) -> PlainTransactions:
        """Return some of the transactions."""
        return PlainTransactions(self._of_batch, self._numbers[indexes])

    @cached_property
    def begins(self) -> Array:
        """The RBA of the first record of each."""
        return self._at_first("rba")

    @property
    def times(self) -> Array:
        """The IO Time (Julian) of the first record of each."""
        return self._at_first("io_time")

    @cached_property
    def lasts(self) -> Array:
        """The RBA of the last record of each, which may be a fragment."""
        rows, owners, _ = self._of_batch.members
        last: Array = rows[np.searchsorted(owners, self._numbers, "right") - 1]
        return self._column("rba")[last]

    @property
    def afters(self) -> Array:
        """The first RBA after each."""
        afters: Array = np.asarray(self._of_batch.ended.columns.after_rba)[self._rows]
        return afters

    @property
    def records(self) -> Array:
        """The number of the records of each."""
        records: Array = np.asarray(self._of_batch.ended.columns.records)[self._rows]
        return records

    @property
    def csns(self) -> StringColumn:
        """The LOGCSN of each."""
        return self._named(self._of_batch.ended.texts)

    @property
    def xids(self) -> StringColumn:
        """The TRANID of each."""
        return self._named(self._of_batch.ended.xid_texts)

    def number_of(self, is_counted: Array) -> Array:
        """Return the number of the chosen records of each whose IOType is in a mask of 256."""
        rows, owners, chosen = self._of_batch.members
        mask = is_counted[self._column("io_type")[rows]]
        if chosen is not None:
            mask &= chosen[rows]
        numbers: Array = np.bincount(owners[mask], minlength=len(self._of_batch.segments))[self._numbers]
        return numbers

    def extents(self, trail: TrailFile | None = None) -> list[Extent]:
        """Return the transactions one by one; ``trail`` is the file, if that of the walk may be closed."""
        is_wanted = np.zeros(len(self._of_batch.segments), bool)
        is_wanted[self._numbers] = True
        added = self._of_batch.added(is_wanted, trail)
        extents = []
        for number, row in zip(self._numbers.tolist(), self._rows.tolist(), strict=True):
            details = ExtentDetails()
            details.add(self.path, *added[number])
            extents.append(details.extent(self._of_batch.ended, row, lambda _: self.path))
        return extents

    @property
    def _rows(self) -> Array:
        """The row of each among the transactions that end in the batch."""
        rows: Array = self._numbers - self._of_batch.first
        return rows

    def _at_first(self, name: str) -> Array:
        first: Array = self._column(name)[self._of_batch.segments.starts[self._numbers - 1]]
        return first

    def _column(self, name: str) -> Array:
        column: Array = np.asarray(getattr(self._of_batch.file_batch.batch, name))
        return column

    def _named(self, texts: StringColumn | None) -> StringColumn:
        ended = self._of_batch.ended
        assert texts is not None  # noqa: S101 - a walk over batches has made them
        return texts.take(self._rows - ended.carried)


def _moments(fields: dict[str, Array], indexes: Array) -> Iterator[Moment]:
    return map(Moment, *(fields[name][indexes].tolist() for name in ("io_time", "audit_rba", "audit_pos")))


def _tables(trail: TrailFile, fields: dict[str, Array], group: Array, groups: int) -> Iterator[list[TableRecords]]:
    """Yield the tables of each group of rows, in the order of their first records."""
    tables, table = np.unique(fields["table"], return_inverse=True)
    keys = (group * len(tables) + table.reshape(-1)) * 256 + fields["io_type"]
    _, first, key, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    sizes = np.zeros(len(count), np.int64)
    np.add.at(sizes, key.reshape(-1), fields["record_length"])
    order = np.argsort(first)
    first = first[order]
    columns = fields["table"][first], fields["rba"][first], fields["io_type"][first], count[order], sizes[order]
    names: dict[int, str] = {}
    added = []
    for name, rba, *numbers in zip(*(column.tolist() for column in columns), strict=True):
        if name not in names:
            names[name] = _name(trail, rba)
        added.append(TableRecords(names[name], *numbers))
    begin = 0
    for end in np.searchsorted(group[first], np.arange(groups), "right").tolist():
        yield added[begin:end]
        begin = end


def _name(trail: TrailFile, rba: int) -> str:
    record = trail.record_at(rba)
    return trail.name_of(record) if record is not None else ""
