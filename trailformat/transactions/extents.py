"""The transactions of a trail, as Extents, in trail order over its files.

Restart records, and damage outside transactions, are yielded between them in trail order. The ways in which a
transaction ends are in :mod:`trailformat.transactions.extent`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trailformat.errors import NotATrail, refuse_denied
from trailformat.records.record_header import RECORD_FRAGMENT, Transaction
from trailformat.scan import BAD_SPAN, PARTIAL, Batch, scan
from trailformat.scan.position import NEARBY
from trailformat.scan.rows import learn_definitions
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition, next_file
from trailformat.transactions.batches import HALF_A_RECORD, TransactionBatch
from trailformat.transactions.extent import Damage, Extent, Moment, Restart, Walked
from trailformat.transactions.tracker import Array, Segments
from trailformat.transactions.walk import ColumnWalk
from trailformat.transactions.whole_trail import FileBatch, WholeTrail, note_incomplete

MOST_DAMAGE = 1000
"""Maximum number of spans of damage listed for one transaction."""

_COLUMNS = ("rba", "table", "io_type", "io_time", "record_length", "audit_rba", "audit_pos")


class SmallTransactions(NamedTuple):
    """Whole transactions within one batch that are only counted: the file, and the RBAs of their first records."""

    path: Path
    begins: Array


Item = Extent | Damage | Restart
Least = Callable[[Array], int]
"""Given the bytes of data of some transactions, returns the number of bytes up to which one is only counted."""


class _Details:
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

    def add(self, path: Path, sums: _Added, tables: Sequence[_OfTable]) -> None:
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


class _Added(NamedTuple):
    """The records of one transaction in a batch: RBA of the last, number before the position ``asked``, moments."""

    last: int
    before: int
    first_moment: Moment
    last_moment: Moment
    has_one_time: bool
    latest: int


class _OfTable(NamedTuple):
    """The number of records of one table and IOType, and the bytes of their data."""

    name: str
    io_type: int
    records: int
    data_size: int


class ExtentWalk:
    """Converts batches of records to Extents, with the restart records and the damage between them.

    Args:
        path_of: returns the path of the file with an ordinal.
        asked: the position up to which ``before`` of a transaction counts its records.
        is_ahead: True if ``asked`` is in a later file than the first one.
        missing: the file that is missing before the first batch.
        chosen: returns the mask of the records of a batch that are counted in ``tables``; None: all records.
        least: makes the small ones of the transactions within a batch SmallTransactions, which come before the others
            of the batch; those without a chosen record are left out. None: each is an Extent.
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
        self._open: _Details | None = None
        self._lost: list[Damage] = []

    @property
    def is_open(self) -> bool:
        """True if further records may belong to a transaction of the batches so far."""
        return self._walk.is_open

    def take(self, file_batch: FileBatch) -> Iterator[Item | SmallTransactions]:
        """Yield the transactions that end in a batch, and the restarts and damage between them, in trail order."""
        first = 0 if self._walk.is_open else 1
        segments = self._walk.segments(file_batch)
        batch = self._walk.take(file_batch, segments)
        path = self._path_of(file_batch.ordinal)
        self._is_before = self._is_before and self._asked is not None and path != self._asked.path
        if isinstance(file_batch.batch.rba, np.ndarray):
            learn_definitions(file_batch.trail, file_batch.batch)
        inside, outside = _marks(batch, path, segments)
        rows, owners, chosen = *segments.members(), self._chosen(file_batch)
        is_small = np.zeros(len(segments), bool)
        if self._least is not None:
            is_plain = _are_plain(segments, {*inside, *outside}, stop=first + batch.rows)
            small = _small(file_batch.batch, (rows, owners, chosen), is_plain, self._least)
            is_small[small.numbers] = True
            is_kept = ~is_small[owners]
            rows, owners = rows[is_kept], owners[is_kept]
            if len(small.begins):
                yield SmallTransactions(path, small.begins)
        added = self._added(file_batch, path, (rows, owners, chosen))
        if first:
            yield from self._outside(outside.get(0, ()))
        for number in range(first, len(segments)):
            if is_small[number]:
                self._lost, self._missing = [], None
                continue
            details = self._details(number, segments)
            if number in added:
                details.add(path, *added[number])
            for damage in inside.get(number, ()):
                _note(details.damage, damage)
            if number - first == batch.rows:
                self._open = details
                return
            has_end, marks = bool(segments.has_end[number]), outside.get(number, ())
            is_cut = bool(segments.has_restart[number]) and not has_end
            marker = next((mark for mark in marks if is_cut and isinstance(mark, Restart)), None)
            yield self._extent(batch, number - first, details, marker, has_end=has_end)
            yield from self._outside(marks)

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
            yield self._extent(batch, 0, details, None, has_end=batch.after(0) is not None)

    def _details(self, number: int, segments: Segments) -> _Details:
        """Return the details of a segment, including those from earlier batches."""
        if not number:
            details, self._open = self._open, None
            assert details is not None  # noqa: S101 - segment 0 was left open by a batch
            return details
        details = _Details()
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

    def _extent(
        self, batch: TransactionBatch, row: int, details: _Details, marker: Restart | None, *, has_end: bool
    ) -> Extent:
        first_place, after_place = batch.first(row), batch.after(row)
        first = FilePosition(self._path_of(first_place.ordinal), first_place.rba)
        first_moment, last_moment = details.moments or (Moment(), Moment())
        return Extent(
            Transaction(batch.csns[row], batch.xids[row]),
            first if batch.columns.has_begin[row] else None,
            first,
            details.last,
            FilePosition(self._path_of(after_place.ordinal), after_place.rba) if after_place is not None else None,
            batch.ended(row),
            marker,
            has_end,
            int(batch.columns.records[row]),
            int(batch.columns.sizes[row]),
            details.before,
            first_moment,
            last_moment,
            details.latest,
            details.has_one_time,
            details.tables,
            details.data_size,
            tuple(details.damage),
            details.missing,
        )

    def _added(self, file_batch: FileBatch, path: Path, members: _Members) -> dict[int, tuple[_Added, list[_OfTable]]]:
        """Return the sums of the batch for each segment with records among these."""
        rows, owners, chosen = members
        if not len(rows):
            return {}
        batch = file_batch.batch
        first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
        last = np.append(first[1:], len(rows)) - 1
        fields = {name: np.asarray(getattr(batch, name))[rows] for name in _COLUMNS}
        time = fields["io_time"]
        has_one_time = np.maximum.reduceat(time, first) == np.minimum.reduceat(time, first)
        own_time = np.where(fields["io_type"] == RECORD_FRAGMENT, 0, time)
        added = map(
            _Added,
            fields["rba"][last].tolist(),
            np.add.reduceat(self._are_before(path, fields["rba"]), first).tolist(),
            *(_moments(fields, indexes) for indexes in (first, last)),
            has_one_time.tolist(),
            np.maximum.reduceat(own_time, first).tolist(),
        )
        group = np.repeat(np.arange(len(first)), last - first + 1)
        if chosen is not None:
            group, fields = group[chosen[rows]], {name: column[chosen[rows]] for name, column in fields.items()}
        tables = _tables(file_batch, fields, group, len(first))
        return dict(zip(owners[first].tolist(), zip(added, tables, strict=True), strict=True))

    def _are_before(self, path: Path, rbas: Array) -> Array:
        """Return 1 for each record before the position ``asked``, else 0."""
        if self._asked is not None and path == self._asked.path:
            return (rbas < self._asked.rba).astype(np.int64)
        return np.full(len(rbas), int(self._is_before))


_Members = tuple[Array, Array, Array | None]
"""Rows of a batch, the number of the segment of each, and the mask of the chosen rows of the batch; None: all."""


class _Small(NamedTuple):
    """The numbers of the segments that are only counted, and the RBAs of the first records of those counted."""

    numbers: Array
    begins: Array


def _are_plain(segments: Segments, marked: set[int], *, stop: int) -> Array:
    """Return a mask of the segments before ``stop`` that are whole transactions without restarts or damage."""
    is_plain: Array = np.concatenate((np.zeros(1, bool), segments.begins & segments.has_end[1:]))
    is_plain[list(marked)] = False
    is_plain[stop:] = False
    return is_plain


def _small(batch: Batch, members: _Members, is_plain: Array, least: Least) -> _Small:
    """Return the small ones of plain transactions."""
    rows, owners, chosen = members
    first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: len(owners)])
    if not len(first):
        return _Small(first, first)
    sizes = np.asarray(batch.record_length)[rows].astype(np.int64)
    is_counted = np.ones(len(rows), bool) if chosen is None else np.asarray(chosen)[rows]
    sizes = np.add.reduceat(np.where(is_counted, sizes, 0), first)
    has_chosen = np.logical_or.reduceat(is_counted, first)
    numbers = owners[first]
    can_be_small = is_plain[numbers]
    is_small = can_be_small & (~has_chosen | (sizes <= least(sizes[can_be_small & has_chosen])))
    return _Small(numbers[is_small], np.asarray(batch.rba)[rows[first[is_small & has_chosen]]])


def _moments(fields: dict[str, Array], indexes: Array) -> Iterator[Moment]:
    return map(Moment, *(fields[name][indexes].tolist() for name in ("io_time", "audit_rba", "audit_pos")))


def _tables(file_batch: FileBatch, fields: dict[str, Array], group: Array, groups: int) -> Iterator[list[_OfTable]]:
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
            names[name] = _name(file_batch.trail, rba)
        added.append(_OfTable(names[name], *numbers))
    begin = 0
    for end in np.searchsorted(group[first], np.arange(groups), "right").tolist():
        yield added[begin:end]
        begin = end


def _name(trail: TrailFile, rba: int) -> str:
    record = trail.record_at(rba)
    return trail.name_of(record) if record is not None else ""


def _marks(
    batch: TransactionBatch, path: Path, segments: Segments
) -> tuple[dict[int, list[Damage]], dict[int, list[Damage | Restart]]]:
    """Return, by segment, the damage inside its transaction, and the damage and restarts outside."""
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

    def _file(self, path: Path) -> Iterator[Extent | Damage | Restart | Walked]:
        start = self._start.rba if path == self._start.path else 0
        if path == self._trail.path:
            yield from self._records(self._trail, start)
            return
        with TrailFile(path) as other:
            yield from self._records(other, start)

    def _records(self, trail: TrailFile, start: int) -> Iterator[Extent | Damage | Restart | Walked]:
        before: Batch | None = None
        ordinal = len(self._paths) - 1
        for batch in _batches(trail, start, self._nearby):
            if before is not None:
                self._read += len(before)
                yield Walked(self._read, FilePosition(trail.path, before.end), int(before.io_time[-1]))
            if batch.kind[-1] == PARTIAL and self._file_after(trail.path) != (None, None):
                batch.kind[-1] = BAD_SPAN  # type: ignore[index]  # arrays and numpy columns both take it
            before = batch
            yield from self._taken(FileBatch(ordinal, trail, batch, begins=False, breaks=False))
            if self._is_done:
                return
        if before is not None and before.kind[-1] == PARTIAL:
            note_incomplete(trail, int(before.rba[-1]))

    def _taken(self, file_batch: FileBatch) -> Iterator[Extent | Damage | Restart]:
        """Yield the items of a batch; after ``until`` only the open transaction and the restart that cut it."""
        items = (item for item in self._walk.take(file_batch) if not isinstance(item, SmallTransactions))
        for item in items:
            yield item
            if self._is_past_until and isinstance(item, Extent):
                self._is_done = True
                yield from (other for other in islice(items, 1) if not isinstance(other, Extent))
                return


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
    return (item for item in large_transactions_of(whole, None, chosen) if not isinstance(item, SmallTransactions))


def large_transactions_of(
    whole: WholeTrail, least: Least | None, chosen: Callable[[FileBatch], Any] = lambda _: None
) -> Iterator[Extent | Damage | Restart | SmallTransactions]:
    """Yield the same items as ``transactions_of``, but small transactions only counted; ``least``: see ExtentWalk."""
    walk, ordinal = ExtentWalk(whole.paths.__getitem__, chosen=chosen, least=least), -1
    for file_batch in whole.batches():
        if file_batch.breaks:
            yield from walk.end(whole.missing_after(ordinal))
        if file_batch.begins:
            yield from walk.end_file()
        yield from walk.take(file_batch)
        ordinal = file_batch.ordinal
    yield from walk.end(whole.missing_after(ordinal))
