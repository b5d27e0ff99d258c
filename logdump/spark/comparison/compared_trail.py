"""One of two trails that are compared: the plan of the driver, and the reading of one stretch by each task.

    stretches   |-----------|-----------|-----------|
    records     F M L O F M M M M M M M M M M L O F M L
    read        |-----------------------------|-----|

A transaction belongs to the stretch in which it begins, and is read to its end. The beginning of a transaction ends the
open one, so a walk may start there. As in the data source, the walk over a stretch proves that stretches fit together:
it must find the record with which the next one starts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from logdump.arrow.records.errors import place as place_in_file
from logdump.arrow.records.objects import plain
from logdump.features.diff.comparison import TrailComparison
from logdump.features.diff.json import DIFFERENCE
from logdump.features.diff.model import DifferenceShown
from logdump.features.diff.rows import RowOptions
from logdump.features.diff.side import CsnBounds, Side, SideTransaction
from logdump.tables.errors import BadOption, BadTrail, FileChanged, NoTrailFiles, SplitMismatch, located
from logdump.tables.named_files import definitions_of, with_absolute_paths
from logdump.tables.options import Options, Use, parse_options
from logdump.tables.planner import plan
from trailformat import CannotRead, NotATrail, TrailError
from trailformat.changes.csn import csn_key
from trailformat.codec.remote.path import place
from trailformat.trail.packed import unpacked_size
from trailformat.transactions.batches import DAMAGE, TrailMark, TransactionBatch, TransactionRecords, TransactionSummary
from trailformat.transactions.extent import Ended
from trailformat.transactions.tracker import first_begin
from trailformat.transactions.walk import transactions_in
from trailformat.transactions.whole_trail import FIRST_PLACE, FileBatch, TrailPosition, WholeTrail


class TrailStretch(NamedTuple):
    """The records from that at ``start`` to before that at ``stop``; None: to the end of the trail."""

    start: TrailPosition
    stop: TrailPosition | None = None

    def holds(self, position: TrailPosition) -> bool:
        """Return whether a place is in the stretch."""
        return self.start <= position and (self.stop is None or position < self.stop)


class StretchBatch(NamedTuple):
    """Transactions of a stretch: the first ``rows`` of a batch, and the marks among them."""

    batch: TransactionBatch
    rows: int
    marks: list[TrailMark]


class StretchWalk:
    """A walk over the transactions of one stretch.

    Args:
        whole: the trail.
        stretch: the stretch of the trail.
    """

    def __init__(self, whole: WholeTrail, stretch: TrailStretch) -> None:
        self._whole, self._stretch = whole, stretch

    def batches(self) -> Iterator[StretchBatch]:
        """Yield the transactions of the stretch.

        Raises:
            SplitMismatch: the next stretch does not start with a record that this walk finds.
            CannotRead: a file has become shorter, or cannot be read any more.
        """
        start, stop = self._stretch
        first = FIRST_PLACE if start == FIRST_PLACE else self._first_begin()
        if first is None:
            return
        after = _first_begin(self._whole.batches(stop)) if stop is not None else None
        for batch in transactions_in(self._checked(first, after)):
            rows = batch.rows
            while after is not None and rows and batch.first(rows - 1) >= after:
                rows -= 1
            yield StretchBatch(batch, rows, [mark for mark in batch.marks if after is None or mark.place < after])

    def unreadable(self) -> list[Path]:
        """Return the files of the stretch that are not trails, after it has been read."""
        whole = self._whole
        return [path for path in whole.unreadable if self._stretch.holds(TrailPosition(whole.ordinals[path], 0))]

    def _first_begin(self) -> TrailPosition | None:
        """Return the place at which the first transaction of the stretch begins; None if none begins in it."""
        begin = _first_begin(self._checked(self._stretch.start, self._stretch.stop))
        return begin if begin is not None and self._stretch.holds(begin) else None

    def _checked(self, first: TrailPosition, last: TrailPosition | None) -> Iterator[FileBatch]:
        """Yield the batches from one place to another; check that the next stretch starts with a record of them."""
        for file_batch in self._whole.batches(first):
            self._check(file_batch)
            yield file_batch
            if last is not None and _end(file_batch) > last:
                return

    def _check(self, file_batch: FileBatch) -> None:
        stop = self._stretch.stop
        if (
            stop is None
            or stop.ordinal != file_batch.ordinal
            or not file_batch.batch.rba[0] <= stop.rba < _end(file_batch).rba
        ):
            return
        if stop.rba not in np.asarray(file_batch.batch.rba):
            where = place_in_file(self._whole.paths[stop.ordinal], stop.rba)
            raise SplitMismatch(
                f"{where}: no record begins here, where a file was split; option maxPartitionBytes 0 reads whole files"
            )


def _first_begin(batches: Iterator[FileBatch]) -> TrailPosition | None:
    """Return the first place at which a transaction begins; None if none begins."""
    for file_batch in batches:
        rba = first_begin(file_batch.batch)
        if rba is not None:
            return TrailPosition(file_batch.ordinal, rba)
    return None


def _end(file_batch: FileBatch) -> TrailPosition:
    batch, last = file_batch.batch, len(file_batch.batch) - 1
    return TrailPosition(file_batch.ordinal, int(batch.rba[last]) + int(batch.length[last]))


class Compared(NamedTuple):
    """The parts of both trails that are compared, the same for all tasks.

    Attributes:
        rows: options for the rows that are compared.
        bounds: bounds on the transactions that are compared.
        is_any_order: whether the order of the rows in a transaction does not matter.
    """

    rows: RowOptions
    bounds: CsnBounds
    is_any_order: bool


class ComparedTrail(NamedTuple):
    """One of the two trails.

    Attributes:
        letter: ``a`` or ``b``.
        paths: its files, in order.
        bases: offset of the first byte of each file, as if all files were one.
        starts: starts of its stretches.
        options: options of the reads.
    """

    letter: str
    paths: tuple[Path, ...]
    bases: tuple[int, ...]
    starts: tuple[TrailPosition, ...]
    options: Options

    @property
    def stretches(self) -> list[TrailStretch]:
        """Stretches of the trail, in order."""
        return [*map(TrailStretch, self.starts, (*self.starts[1:], None))]

    def offset(self, place: TrailPosition) -> int:
        """Return a place as one number, which grows along the trail."""
        return self.bases[place.ordinal] + place.rba

    def place(self, offset: int) -> TrailPosition:
        """Return the place of a number that :meth:`offset` has returned."""
        ordinal = bisect_right(self.bases, offset) - 1
        return TrailPosition(ordinal, offset - self.bases[ordinal])

    @contextmanager
    def side(self, compared: Compared) -> Iterator[Side]:
        """Open the trail as a side of a comparison."""
        whole = WholeTrail(self.paths)
        with TransactionRecords(whole, lambda trail: definitions_of(trail, self.options)) as records:
            yield Side(self.letter, str(self.paths[0]), whole, records, compared.rows, compared.bounds)


@contextmanager
def as_changed(trail: ComparedTrail) -> Iterator[None]:
    """Raise errors of a file of either trail as those of the data source.

    Raises:
        FileChanged: a file was removed, or has become shorter.
    """
    try:
        yield
    except (TrailError, CannotRead) as error:
        raise FileChanged(located(error, trail.paths[0])) from None


def compared_trail(letter: str, given: Mapping[str, str]) -> ComparedTrail:
    """Return the trail that options name.

    Raises:
        BadOption: an option is refused, or options name files of several trails.
        NoTrailFiles: no file is found.
        BadTrail: none of the files is a trail.
    """
    options = with_absolute_paths(parse_options(given, Use.DIFF))
    lots = plan(replace(options, mode="PERMISSIVE"))
    paths = dict.fromkeys(place(part.path) for lot in lots for part in lot)
    if not paths:
        raise NoTrailFiles(f"the trail {letter} has no record yet")
    try:
        whole = WholeTrail(paths)
    except NotATrail as error:
        raise BadOption(f"{located(error, next(iter(paths)))}; diff compares one trail with another") from None
    _check_readable(whole)
    sizes = [unpacked_size(path) + 1 for path in whole.paths]
    ordinals = whole.ordinals
    starts = [
        TrailPosition(ordinals[place(lot[0].path)], lot[0].start) for lot in lots if place(lot[0].path) in ordinals
    ]
    return ComparedTrail(letter, whole.paths, (0, *accumulate(sizes[:-1])), tuple(starts), options)


def _check_readable(whole: WholeTrail) -> None:
    for ordinal in range(len(whole)):
        trail = whole.open(ordinal)
        if trail is not None:
            trail.close()
            return
    path, error = next(iter(whole.unreadable.items()))
    raise BadTrail(located(error, path))


class TransactionRow(NamedTuple):
    """A transaction, or damage.

    Attributes:
        at: its place in its trail, as a number.
        stretch: the number of the stretch in which it begins.
        size: its size in bytes.
        key: the key that it shares with its counterpart in the other trail; None for damage.
        csn, xid, has_begin, ended, records: as in TransactionSummary.
        after: the place at which it ends, as a number.
        is_named: whether it is whole and has the CSN and XID by which copies are found.
    """

    at: int
    stretch: int
    size: int
    key: str | None = None
    csn: str | None = None
    xid: str | None = None
    has_begin: bool = False
    ended: str | None = None
    records: int = 0
    after: int | None = None
    is_named: bool = False


def transaction_rows(
    trail: ComparedTrail, compared: Compared, numbers: Iterable[tuple[int]]
) -> Iterator[TransactionRow]:
    """Yield, in a task, the transactions and the damage in the stretches with these numbers.

    Raises:
        FileChanged: a file was removed, or has become shorter.
        SplitMismatch: a stretch does not end where the next begins.
    """
    with trail.side(compared) as side, as_changed(trail):
        for (number,) in numbers:
            yield from _rows_of(trail, side, compared, number)


def _rows_of(trail: ComparedTrail, side: Side, compared: Compared, number: int) -> Iterator[TransactionRow]:
    walk = StretchWalk(side.whole, trail.stretches[number])
    for batch, rows, marks in walk.batches():
        # copies are found when the transactions of all stretches are joined
        for row in compared.bounds.rows(batch, batch.not_whole()):
            if row < rows:
                transaction = batch.transaction(row)
                yield _row_of(trail, number, transaction, repr(side.key(transaction)))
        for mark in marks:
            if mark.io_type == DAMAGE:
                yield TransactionRow(trail.offset(mark.place), number, mark.after - mark.place.rba)
    for path in walk.unreadable():
        yield TransactionRow(trail.offset(TrailPosition(side.whole.ordinals[path], 0)), number, 0)


def _row_of(trail: ComparedTrail, number: int, transaction: TransactionSummary, key: str) -> TransactionRow:
    is_named = (
        transaction.is_whole
        and transaction.xid is not None
        and transaction.csn is not None
        and csn_key(transaction.csn) is not None
    )
    after = None if transaction.after is None else trail.offset(transaction.after)
    known = (
        key,
        transaction.csn,
        transaction.xid,
        transaction.has_begin,
        transaction.ended.value,
        transaction.records,
        after,
        is_named,
    )
    return TransactionRow(trail.offset(transaction.first), number, transaction.size, *known)


def transaction_of(trail: ComparedTrail, row: Mapping[str, Any]) -> SideTransaction:
    """Return the transaction of a row, which has a column ``copy_of`` too."""
    first, copy_of = trail.place(row["at"]), row["copy_of"]
    after, ended = None if row["after"] is None else trail.place(row["after"]), Ended(row["ended"])
    transaction = TransactionSummary(
        row["csn"], row["xid"], first, row["has_begin"], after, row["records"], row["size"], ended
    )
    return SideTransaction(transaction, row["key"], None if copy_of is None else trail.place(copy_of))


Trails = tuple[ComparedTrail, ComparedTrail]


def difference_rows(trails: Trails, compared: Compared, rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield the differences of the transactions in rows with the columns ``a``, ``b``, ``later``.

    Raises:
        FileChanged: a file was removed, or has become shorter.
    """
    with ExitStack() as stack:
        stack.enter_context(as_changed(trails[0]))
        sides = [stack.enter_context(trail.side(compared)) for trail in trails]
        comparison = TrailComparison(sides[0], sides[1], compared.rows, is_any_order=compared.is_any_order)
        for row in rows:
            for difference in _differences(trails, sides, comparison, row):
                yield tuple(map(plain, DIFFERENCE.build(difference).values()))


def _differences(
    trails: Trails, sides: list[Side], comparison: TrailComparison, row: Mapping[str, Any]
) -> Iterator[DifferenceShown]:
    transactions: list[SideTransaction | None] = []
    for trail, side in zip(trails, sides, strict=True):
        transaction_row = row[trail.letter]
        if transaction_row is not None and transaction_row["key"] is None:
            yield side.damaged(side.position(trail.place(transaction_row["at"])), transaction_row["size"])
            return
        transactions.append(None if transaction_row is None else transaction_of(trail, transaction_row))
    yield from comparison.of(transactions[0], transactions[1], later=row["later"] or 0)
