"""The transactions of a trail, as Extents, in trail order over its files.

Restart records, and damage outside transactions, are yielded between them in trail order. The ways in which a
transaction ends are in :mod:`trailformat.transactions.extent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from trailformat.errors import NotATrail, refuse_denied
from trailformat.scan import BAD_SPAN, PARTIAL, Batch, scan
from trailformat.scan.position import NEARBY
from trailformat.scan.rows import learn_definitions
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition, next_file
from trailformat.transactions.batches import HALF_A_RECORD, TransactionBatch
from trailformat.transactions.extent import Damage, Extent, Restart, Walked
from trailformat.transactions.extent_columns import (
    AddedRecords,
    BatchTransactions,
    ExtentDetails,
    PlainTransactions,
    SegmentMembers,
    TableRecords,
)
from trailformat.transactions.tracker import Array, Segments
from trailformat.transactions.walk import ColumnWalk
from trailformat.transactions.whole_trail import FileBatch, WholeTrail, note_incomplete

MOST_DAMAGE = 1000
"""Maximum number of spans of damage listed for one transaction."""


Item = Extent | Damage | Restart
Least = Callable[[Array], int]
"""Given the bytes of data of some transactions, returns the number of bytes up to which one is only counted."""


class ExtentWalk:
    """Converts batches of records to Extents, with the restart records and the damage between them.

    Args:
        path_of: returns the path of the file with an ordinal.
        asked: the position up to which ``before`` of a transaction counts its records.
        is_ahead: True if ``asked`` is in a later file than the first one.
        missing: the file that is missing before the first batch.
        chosen: returns the mask of the records of a batch that are counted in ``tables``; None: all records.
        least: chooses the small ones of plain transactions, which come as PlainTransactions before the others of the
            batch; those without a chosen record are left out, and the others are Extents. None: all neighbouring plain
            ones come as PlainTransactions.
    """

    def __init__(
        self,
        path_of: Callable[[int], Path],
        *,
        asked: FilePosition | None = None,
        is_ahead: bool = False,
        missing: Path | None = None,
        chosen: Callable[[FileBatch], Array | None] = lambda _: None,
        least: Least | None = None,
    ) -> None:
        self._least = least
        self._walk = ColumnWalk()
        self._chosen = chosen
        self._path_of = path_of
        self._asked = asked
        self._is_before = is_ahead
        self._missing = missing
        self._open: ExtentDetails | None = None
        self._lost: list[Damage] = []

    @property
    def is_open(self) -> bool:
        """True if further records may belong to a transaction of the batches so far."""
        return self._walk.is_open

    def take(self, file_batch: FileBatch) -> Iterator[Item | PlainTransactions]:
        """Yield the transactions that end in a batch, and the restarts and damage between them, in trail order."""
        of_batch = self._of_batch(file_batch)
        inside, outside = _marks(of_batch)
        is_plain, is_small = _are_plain(of_batch, {*inside, *outside}), np.zeros(len(of_batch.segments), bool)
        if self._least is not None:
            small = _small(of_batch, is_plain, self._least)
            is_small[small.numbers], is_plain = True, is_small
            if len(small.counted):
                yield PlainTransactions(of_batch, small.counted)
        added = of_batch.added(~is_plain)
        if of_batch.first:
            yield from self._outside(outside.get(0, ()))
        bounds = np.flatnonzero(np.diff(is_plain[of_batch.first :])) + of_batch.first + 1
        for begin, stop in pairwise((of_batch.first, *bounds.tolist(), len(is_plain))):
            if not is_plain[begin : begin + 1].any():
                for number in range(begin, stop):
                    yield from self._segment(of_batch, number, added.get(number), (inside, outside))
                continue
            self._lost, self._missing = [], None
            if not is_small[begin]:
                yield PlainTransactions(of_batch, np.arange(begin, stop))

    def _of_batch(self, file_batch: FileBatch) -> BatchTransactions:
        """Return the transactions of the next batch."""
        first = 0 if self._walk.is_open else 1
        segments = self._walk.segments(file_batch)
        ended = self._walk.take(file_batch, segments)
        path = self._path_of(file_batch.ordinal)
        self._is_before = self._is_before and self._asked is not None and path != self._asked.path
        if isinstance(file_batch.batch.rba, np.ndarray):
            learn_definitions(file_batch.trail, file_batch.batch)
        members = SegmentMembers(*segments.members(), self._chosen(file_batch))
        asked = self._asked.rba if self._asked is not None and path == self._asked.path else None
        are_before = partial(_are_before, asked, self._is_before)
        return BatchTransactions(path, file_batch, ended, first, segments, members, are_before)

    def _segment(
        self,
        of_batch: BatchTransactions,
        number: int,
        added: tuple[AddedRecords, list[TableRecords]] | None,
        marks: tuple[dict[int, list[Damage]], dict[int, list[Damage | Restart]]],
    ) -> Iterator[Item]:
        """Yield a transaction that ends in a batch and what is outside after it, or leave it open."""
        segments, (inside, outside) = of_batch.segments, marks
        details = self._details(number, segments)
        if added is not None:
            details.add(of_batch.path, *added)
        for damage in inside.get(number, ()):
            _note(details.damage, damage)
        row = number - of_batch.first
        if row == of_batch.ended.rows:
            self._open = details
            return
        has_end, after = bool(segments.has_end[number]), outside.get(number, ())
        is_cut = bool(segments.has_restart[number]) and not has_end
        marker = next((mark for mark in after if is_cut and isinstance(mark, Restart)), None)
        yield details.extent(of_batch.ended, row, self._path_of, marker, has_end=has_end)
        yield from self._outside(after)

    def end_file(self) -> Iterator[Item]:
        """Yield the transaction whose end is known at the end of a file that has a successor, if any."""
        yield from self._end(self._walk.end_file())

    def end(self, missing: Path | None = None) -> Iterator[Item]:
        """Yield the transaction that is open at the end of a stretch of files; ``missing`` is the file after it."""
        if self._open is not None:
            self._open.missing = self._open.missing or missing
        yield from self._end(self._walk.end())
        self._lost = []

    def _end(self, batches: Iterator[TransactionBatch]) -> Iterator[Item]:
        for batch in batches:
            details, self._open = self._open, None
            assert details is not None  # noqa: S101 - the walk ends only a transaction that a batch left open
            yield details.extent(batch, 0, self._path_of, has_end=batch.after(0) is not None)

    def _details(self, number: int, segments: Segments) -> ExtentDetails:
        """Return the details of a segment, including those from earlier batches."""
        if not number:
            details, self._open = self._open, None
            assert details is not None  # noqa: S101 - segment 0 was left open by a batch
            return details
        details = ExtentDetails()
        if not segments.begins[number - 1]:
            details.damage, details.missing = self._lost, self._missing
        self._lost, self._missing = [], None
        return details

    def _outside(self, marks: Sequence[Damage | Restart]) -> Iterator[Item]:
        """Yield damage and restarts outside transactions; note the damage for a transaction whose begin it may hide."""
        for mark in marks:
            if isinstance(mark, Restart):
                self._lost = []
            else:
                _note(self._lost, mark)
            yield mark


def _are_before(asked: int | None, is_before: bool, rbas: Array) -> Array:  # noqa: FBT001 - for ``partial``
    """Return 1 for each RBA before the position ``asked``; if that is in another file, ``is_before`` for all."""
    if asked is not None:
        return (rbas < asked).astype(np.int64)
    return np.full(len(rbas), int(is_before))


class _Small(NamedTuple):
    """The numbers of the segments that are small transactions, and of those of them that have a chosen record."""

    numbers: Array
    counted: Array


def _are_plain(of_batch: BatchTransactions, marked: set[int]) -> Array:
    """Return a mask of the segments that are whole transactions and end in a batch, without restarts or damage."""
    segments = of_batch.segments
    is_plain: Array = np.concatenate((np.zeros(1, bool), segments.begins & segments.has_end[1:]))
    is_plain[list(marked)] = False
    is_plain[of_batch.first + of_batch.ended.rows :] = False
    return is_plain


def _small(of_batch: BatchTransactions, is_plain: Array, least: Least) -> _Small:
    """Return the small ones of plain transactions."""
    rows, owners, chosen = of_batch.members
    first = of_batch.members.first
    if not len(first):
        return _Small(first, first)
    sizes = np.asarray(of_batch.file_batch.batch.record_length)[rows].astype(np.int64)
    is_counted = np.ones(len(rows), bool) if chosen is None else np.asarray(chosen)[rows]
    sizes = np.add.reduceat(np.where(is_counted, sizes, 0), first)
    has_chosen = np.logical_or.reduceat(is_counted, first)
    numbers = owners[first]
    can_be_small = is_plain[numbers]
    is_small = can_be_small & (~has_chosen | (sizes <= least(sizes[can_be_small & has_chosen])))
    return _Small(numbers[is_small], numbers[is_small & has_chosen])


def _marks(of_batch: BatchTransactions) -> tuple[dict[int, list[Damage]], dict[int, list[Damage | Restart]]]:
    """Return, by segment, the damage inside its transaction, and the damage and restarts outside."""
    batch, path, segments = of_batch.ended, of_batch.path, of_batch.segments
    inside: dict[int, list[Damage]] = {}
    outside: dict[int, list[Damage | Restart]] = {}
    rows = segments.marked
    if not len(rows):
        return inside, outside
    owners = segments.of(rows)
    is_inside = segments.is_open_at(owners, rows)
    marks = batch.marks[len(batch.marks) - len(rows) :]
    for mark, owner, is_in in zip(marks, owners.tolist(), is_inside.tolist(), strict=True):
        rba = mark.place.rba
        damage = Damage(path, rba, mark.after - rba, mark.io_type == HALF_A_RECORD)
        if is_in:
            inside.setdefault(owner, []).append(damage)
        else:
            restart = Restart(FilePosition(path, rba), mark.io_type, mark.time, mark.after)
            outside.setdefault(owner, []).append(restart if mark.is_restart else damage)
    return inside, outside


def _note(damages: list[Damage], damage: Damage) -> None:
    """Add a span; if there are MOST_DAMAGE of them, extend the last one to its end."""
    if len(damages) < MOST_DAMAGE or damages[-1].path != damage.path:
        damages.append(damage)
        return
    last = damages[-1]
    damages[-1] = last._replace(length=damage.rba + damage.length - last.rba)


class TransactionWalk:
    """The transactions from a position on, over the files of the trail.

    Args:
        trail: one of the files, open; others are opened one at a time.
        start: the first position, between two records.
        until: the last file in which transactions may begin; one that is open at its end is read to its own end. None:
            all files.
        asked: the position up to which ``before`` of a transaction counts its records.
        missing: the file that is missing before ``start``, if any.
        nearby: the number of records that is probably enough: the size of the first batch.
        following: returns the file after a file and, if it is missing, the name it should have.
        chosen: see ExtentWalk.
    """

    def __init__(
        self,
        trail: TrailFile,
        start: FilePosition,
        *,
        until: Path | None = None,
        asked: FilePosition | None = None,
        missing: Path | None = None,
        nearby: int = 0,
        following: Callable[[Path], tuple[Path | None, Path | None]] = next_file,
        chosen: Callable[[FileBatch], Array | None] = lambda _: None,
    ) -> None:
        self._trail = trail
        self._start = start
        self._until = until
        self._nearby = nearby or NEARBY
        self._following = following
        self._paths: list[Path] = []
        is_ahead = asked is not None and asked.path != start.path
        self._walk: ExtentWalk = ExtentWalk(
            self._paths.__getitem__, asked=asked, is_ahead=is_ahead, missing=missing, chosen=chosen
        )
        self._is_past_until = self._is_done = False
        self._next: tuple[Path | None, Path | None] | None = None
        self._read = 0

    def __iter__(self) -> Iterator[Extent | Damage | Restart]:
        """Yield the items of ``steps`` without the progress."""
        return (walked for walked in self.steps() if not isinstance(walked, Walked))

    def steps(self) -> Iterator[Extent | Damage | Restart | Walked]:
        """Yield every transaction once its end is known, damage outside transactions, and restart records.

        The progress is yielded after each batch but the last of a file.

        Raises:
            NotATrail: a file is not a trail file, and no transaction continues in it.
            CannotRead: a file cannot be read.
        """
        return _one_by_one(self.stretches())

    def stretches(self) -> Iterator[Extent | PlainTransactions | Damage | Restart | Walked]:
        """Yield the same as ``steps``, but neighbouring plain transactions as one item; raises as it does."""
        path, missing = self._start.path, None
        while True:
            self._paths.append(path)
            self._next = None
            try:
                yield from self._file(path)
            except NotATrail as error:
                refuse_denied(error)
                if path == self._trail.path or not self._walk.is_open:
                    raise
                missing = path
                break
            if self._is_done:
                return
            yield from self._walk.end_file()
            self._is_past_until = self._is_past_until or path == self._until
            if self._is_past_until and not self._walk.is_open:
                return
            following, missing = self._file_after(path)
            if following is None:
                break
            path = following
        yield from self._walk.end(missing)

    def _file_after(self, path: Path) -> tuple[Path | None, Path | None]:
        """Return the file after the current one; it is looked up once."""
        if self._next is None:
            self._next = self._following(path)
        return self._next

    def _file(self, path: Path) -> Iterator[Extent | PlainTransactions | Damage | Restart | Walked]:
        start = self._start.rba if path == self._start.path else 0
        if path == self._trail.path:
            yield from self._records(self._trail, start)
            return
        with TrailFile(path) as other:
            yield from self._records(other, start)

    def _records(
        self, trail: TrailFile, start: int
    ) -> Iterator[Extent | PlainTransactions | Damage | Restart | Walked]:
        before: Batch | None = None
        ordinal = len(self._paths) - 1
        for batch in _batches(trail, start, self._nearby):
            if before is not None:
                self._read += len(before)
                yield Walked(self._read, FilePosition(trail.path, before.end), int(before.io_time[-1]))
            if batch.kind[-1] == PARTIAL and self._file_after(trail.path) != (None, None):
                batch.kind[-1] = BAD_SPAN  # type: ignore[index]  # arrays and numpy columns both take it
            before = batch
            yield from self._items_of(FileBatch(ordinal, trail, batch, begins=False, breaks=False))
            if self._is_done:
                return
        if before is not None and before.kind[-1] == PARTIAL:
            note_incomplete(trail, int(before.rba[-1]))

    def _items_of(self, file_batch: FileBatch) -> Iterator[Extent | PlainTransactions | Damage | Restart]:
        """Yield the items of a batch; after ``until`` only the open transaction and the restart that cut it."""
        if not self._is_past_until:
            yield from self._walk.take(file_batch)
            return
        items: Iterator[Item] = _one_by_one(self._walk.take(file_batch))
        for item in items:
            yield item
            if isinstance(item, Extent):
                self._is_done = True
                yield from (other for other in islice(items, 1) if not isinstance(other, Extent))
                return


_Other = TypeVar("_Other")


def _one_by_one(items: Iterable[_Other | PlainTransactions]) -> Iterator[_Other | Extent]:
    """Yield each transaction of PlainTransactions, and the other items unchanged."""
    for item in items:
        if isinstance(item, PlainTransactions):
            yield from item.extents()
        else:
            yield item


def _batches(trail: TrailFile, start: int, nearby: int) -> Iterator[Batch]:
    first = scan(trail, start, batch_size=nearby)
    yield from islice(first, 1)
    yield from scan(trail, first.position.rba)


def transactions_of(
    whole: WholeTrail, chosen: Callable[[FileBatch], Any] = lambda _: None
) -> Iterator[Extent | Damage | Restart]:
    """Yield the transactions of a whole trail, with restarts and damage; files that are not trail files are skipped.

    ``chosen``: see ExtentWalk.

    Raises:
        CannotRead: a file can no longer be read.
    """
    return _one_by_one(_items_of(whole, None, chosen))


def large_transactions_of(
    whole: WholeTrail, least: Least, chosen: Callable[[FileBatch], Any] = lambda _: None
) -> Iterator[Extent | Damage | Restart | PlainTransactions]:
    """Yield the items of ``transactions_of``, but small ones as PlainTransactions; ``least``: see ExtentWalk."""
    return _items_of(whole, least, chosen)


def _items_of(
    whole: WholeTrail, least: Least | None, chosen: Callable[[FileBatch], Any]
) -> Iterator[Extent | Damage | Restart | PlainTransactions]:
    walk, ordinal = ExtentWalk(whole.paths.__getitem__, chosen=chosen, least=least), -1
    for file_batch in whole.batches():
        if file_batch.breaks:
            yield from walk.end(whole.missing_after(ordinal))
        if file_batch.begins:
            yield from walk.end_file()
        yield from walk.take(file_batch)
        ordinal = file_batch.ordinal
    yield from walk.end(whole.missing_after(ordinal))
