"""One pass over a trail that grows: the ends of its micro-batches, and the state that their slices need.

    file 7      only  first middle  |  file 8   middle last   only  first
    closed    x     x                                       x     x          no transaction is open at these places
    batches   -------|--------------------------------------|-----|

A batch ends where no transaction is open: after a commit, a restart that cuts one, or records outside of transactions.
The pass is ahead of the end of the last batch by the open transaction, and continues from there: no byte is read twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from logdump.tables.before import NeededBefore
from logdump.tables.errors import BadTrail, FileChanged, located
from logdump.tables.options import Options
from logdump.tables.planner import is_unborn
from logdump.tables.slice import Slice, StateBefore
from trailformat import CannotRead, NotATrail, TrailFile, TrailName
from trailformat.records.record_header import CarriedTransaction
from trailformat.scan import PARTIAL, Batch, scan
from trailformat.scan.rows import learn_definitions
from trailformat.trail.packed import is_file, unpacked_size
from trailformat.transactions.applied import AppliedState
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.not_applied import NotAppliedRanges, Ranges, no_ranges
from trailformat.transactions.tracker import TrackerState
from trailformat.transactions.walk import ColumnWalk
from trailformat.transactions.whole_trail import FileBatch, TrailPosition, WholeTrail, complete

_STEP = 1 << 16
"""Bytes of each step in a transaction that is larger than the limit."""


class Offset(NamedTuple):
    """A place in a trail: all records before it have been read."""

    seqno: int
    rba: int

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Self:
        """Return the offset of a checkpoint."""
        return cls(stored["seqno"], stored["rba"])


class Limit(NamedTuple):
    """The maximum size of a micro-batch, which has at least one transaction; None for no limit."""

    bytes: int | None = None
    files: int | None = None
    transactions: int | None = None


NO_LIMIT = Limit()


class GrowingTrail(WholeTrail):
    """The files of a trail that grows; a file keeps its ordinal when it is purged.

    Attributes:
        names: names of the files by ordinal.
    """

    def __init__(self, names: Sequence[TrailName]) -> None:
        super().__init__((), in_order=True)
        self.names: list[TrailName] = []
        self.extend(names)

    def extend(self, names: Sequence[TrailName]) -> None:
        """Add the files that exist now."""
        known = self.ordinals
        for name in names:
            if name.path not in known:
                if self.names and not self.names[-1].precedes(name):
                    self._missing[name.path] = self.names[-1].next.plain_path
                known[name.path] = len(self.names)
                self.names.append(name)
        self.paths = tuple(name.path for name in self.names)

    def open(self, ordinal: int) -> TrailFile | None:
        """Open a file; return None if it is not a trail or has been purged."""
        return super().open(ordinal) if is_file(self.paths[ordinal]) else None


class _Cut(NamedTuple):
    """A place inside a file where a slice may begin, and the transaction that continues there, if it is known."""

    rba: int
    carried: CarriedTransaction | None
    is_known: bool


@dataclass
class _Passed:
    """A file that has been read up to ``stop``; ``trail`` is None if it is not a trail."""

    trail: TrailFile | None
    cuts: list[_Cut] = field(default_factory=list)
    stop: int = 0

    def last_cut(self, begun: int) -> int:
        return self.cuts[-1].rba if self.cuts else begun


class _Progress:
    """Progress of a micro-batch.

    Attributes:
        best: the last place at which no transaction is open.
        size: bytes up to the position of the pass.
        ended: number of transactions that have ended.
        files: ordinals of the files with records in it.
    """

    def __init__(self, limit: Limit, start: TrailPosition, size: int) -> None:
        self.limit = limit
        self.start = self.best = start
        self.size = size
        self.ended = 0
        self.files: set[int] = set()

    def take(self, ordinal: int, size: int, ended: int) -> None:
        self.size += size
        self.ended += ended
        self.files.add(ordinal)

    @property
    def room(self) -> int | None:
        """Bytes that are left; None without a limit, 0 if only an open transaction may continue."""
        return None if self.limit.bytes is None else max(self.limit.bytes - self.size, 0)

    @property
    def commits_left(self) -> int | None:
        """Number of transactions that are left; None without a limit."""
        if self.room == 0:
            return 1
        return None if self.limit.transactions is None else self.limit.transactions - self.ended

    @property
    def is_full(self) -> bool:
        """True if nothing more fits."""
        return self.best > self.start and (self.room == 0 or self.commits_left == 0)

    def fits_file(self, ordinal: int) -> bool:
        """Return whether records of this file may be added."""
        is_more = ordinal not in self.files and len(self.files) == self.limit.files
        return not (is_more and self.best > self.start)


class StreamWalk:
    """The pass over a trail from one offset on.

    Args:
        options: options of the stream.
        needed: parts of the state before its slices that they need.
        names: existing files, from the first one on.
        start: the offset at which the pass begins.
        is_known: whether it is known that no transaction is open there.

    Attributes:
        at: the end of the last micro-batch.
        is_closed: whether no transaction is open there.
        time: IO Time (Julian) of the last record before it; 0 if no record has been read.
    """

    def __init__(
        self, options: Options, needed: NeededBefore, names: Sequence[TrailName], start: Offset, *, is_known: bool
    ) -> None:
        self._options = options
        self._needed = needed
        self._whole = GrowingTrail(names)
        self._walk = ColumnWalk()
        self._not_applied = NotAppliedRanges(self._whole) if options.effective else None
        self._passed: dict[int, _Passed] = {}
        self._is_known = is_known
        self._is_continued = self._breaks = False
        self.is_closed = True
        self.time = 0
        self.at = self._position = self._place(start)

    @property
    def offset(self) -> Offset:
        """The end of the last micro-batch."""
        return Offset(self._whole.names[self.at.ordinal].seqno, self.at.rba)

    @property
    def applied(self) -> AppliedState | None:
        """With ``effective``: state of applied transactions at the end of the last micro-batch."""
        return self._not_applied.judge.state if self._not_applied is not None else None

    def resume(self, state: AppliedState) -> None:
        """Set the state of applied transactions at the end of the last micro-batch."""
        if self._not_applied is not None:
            self._not_applied.judge.resume(state, self.at)

    def begin_at(self, start: Offset) -> None:
        """Continue from a place already reached, where a transaction may be open, with what is known of it."""
        self.at = self._position = self._place(start)
        self._passed = {}

    def take(
        self, names: Sequence[TrailName], limit: Limit = NO_LIMIT, target: Offset | None = None
    ) -> tuple[Offset, list[Slice]]:
        """Return the end of the next micro-batch, and its slices; if there is none, the end is that of the last one.

        Args:
            names: existing files, from that of the last offset on.
            limit: the maximum size of the micro-batch.
            target: the place beyond which it does not go.

        Raises:
            FileChanged: a file cannot be read any more.
            BadTrail: a file is not a trail, under FAILFAST.
        """
        slices = self._batch_to(self._advance(names, limit, target))
        return self.offset, slices

    def take_to(self, names: Sequence[TrailName], end: Offset) -> list[Slice]:
        """Return the slices of a micro-batch planned before, up to its end, even if a transaction is open there.

        Raises:
            FileChanged: the trail no longer reaches that end. Others as take.
        """
        closed = self._advance(names, NO_LIMIT, end)
        place = self._place(end)
        if self._position < place:
            where = f"{self._whole.paths[place.ordinal]}: the file has become shorter"
            raise FileChanged(f"{where}: a batch of the stream ends at RBA {end.rba}")
        self.is_closed = closed == place
        if not self.is_closed:
            self._feed(self._ended_by_record_at(place))
        return self._batch_to(place)

    def _ended_by_record_at(self, place: TrailPosition) -> Iterator[TransactionBatch]:
        """Yield the open transaction that ended because another one begins at ``place``, the end of a micro-batch."""
        passed = self._passed.get(place.ordinal)
        if passed is None or passed.trail is None or not self._walk.is_open or self._position != place:
            return
        path = self._whole.paths[place.ordinal]
        try:
            with TrailFile(path) as trail:
                following = _batch(trail, place.rba, place.rba + 1)
                if following is not None:
                    yield copy(self._walk).take(FileBatch(place.ordinal, trail, following, begins=False, breaks=False))
        except (CannotRead, NotATrail) as error:
            raise FileChanged(located(error, path)) from None

    def _place(self, offset: Offset) -> TrailPosition:
        for ordinal, name in enumerate(self._whole.names):
            if name.seqno == offset.seqno:
                return TrailPosition(ordinal, offset.rba)
        raise FileChanged(f"the file with seqno {offset.seqno} has gone, in which a batch of the stream ends")

    def _advance(self, names: Sequence[TrailName], limit: Limit, target: Offset | None) -> TrailPosition:
        """Read on as far as the limit allows; return the last place at which no transaction is open."""
        self._whole.extend(names)
        end = self._place(target) if target is not None else None
        there = set(names)
        progress = _Progress(limit, self.at, self._ahead())
        for ordinal in range(self._position.ordinal, len(self._whole)):
            if self._whole.names[ordinal] not in there:
                self._breaks = True
                continue
            if not self._over_file(ordinal, progress, end):
                break
        return progress.best

    def _ahead(self) -> int:
        """Return the bytes from the end of the last micro-batch to the position of the pass."""
        if self.at.ordinal == self._position.ordinal:
            return self._position.rba - self.at.rba
        between = range(self.at.ordinal + 1, self._position.ordinal)
        sizes = sum(self._passed[ordinal].stop for ordinal in between if ordinal in self._passed)
        return self._passed[self.at.ordinal].stop - self.at.rba + sizes + self._position.rba

    def _over_file(self, ordinal: int, progress: _Progress, end: TrailPosition | None) -> bool:
        """Read one file; return whether to continue with the next one."""
        is_last = self._whole.is_newest(ordinal) or (end is not None and ordinal == end.ordinal)
        begins = self._position.ordinal != ordinal or not self._position.rba
        if begins and not progress.fits_file(ordinal):
            return False
        try:
            trail = TrailFile(self._whole.paths[ordinal])
        except NotATrail as error:
            return self._over_no_trail(ordinal, error, progress)
        except CannotRead as error:
            raise FileChanged(located(error, self._whole.paths[ordinal])) from None
        with trail:
            passed = self._passed.setdefault(ordinal, _Passed(trail))
            if passed.trail is not None:
                trail.tables.take_over(passed.trail.tables)
            passed.trail = trail
            if begins:
                self._begin_file(ordinal, progress)
            size = trail.size
            stop = size if end is None or ordinal != end.ordinal else min(end.rba, size)
            try:
                return self._over_records(passed, progress, stop) and not is_last
            except (CannotRead, NotATrail) as error:
                raise FileChanged(located(error, trail.path)) from None

    def _begin_file(self, ordinal: int, progress: _Progress) -> None:
        """Begin a file; a transaction that a missing file has cut is in this micro-batch, which may end here."""
        is_cut = False
        if self._position.ordinal != ordinal:
            self._feed(self._walk.end_file())
            if self._breaks or self._whole.missing_before(ordinal) is not None:
                is_cut = self._walk.is_open
                self._feed(self._walk.end())
        self._breaks = False
        self._position = TrailPosition(ordinal, 0)
        if is_cut:
            progress.best = self._position

    def _over_no_trail(self, ordinal: int, error: NotATrail, progress: _Progress) -> bool:
        """Skip a file that is not a trail, an error under FAILFAST; return whether to continue with the next one."""
        path, is_newest = self._whole.paths[ordinal], self._whole.is_newest(ordinal)
        if is_unborn(error, ends_trail=is_newest):
            return False
        if isinstance(error.__cause__, FileNotFoundError):
            raise FileChanged(located(error, path)) from None
        if self._options.mode == "FAILFAST" and not self._options.ignore_corrupt_files:
            raise BadTrail(located(error, path)) from None
        self._feed(self._walk.end())
        self._whole.unreadable[path] = error
        size = unpacked_size(path)
        self._breaks = True
        self._passed[ordinal] = _Passed(None, stop=size)
        progress.best = self._position = TrailPosition(ordinal, size)
        progress.take(ordinal, size, 0)
        return not is_newest and not progress.is_full

    def _over_records(self, passed: _Passed, progress: _Progress, stop: int) -> bool:
        """Read the records of a file that begin before ``stop``; return whether there is room for more."""
        assert passed.trail is not None  # noqa: S101 - a file that is not a trail is skipped
        while not progress.is_full and self._position.rba < stop:
            batch = self._next_batch(passed, progress, stop)
            if batch is None:
                return False
            self._take_batch(passed, batch, progress)
        return not progress.is_full

    def _next_batch(self, passed: _Passed, progress: _Progress, stop: int) -> Batch | None:
        """Return the next records, as many as fit; None if no record fits or is complete."""
        trail, begun, room, most = passed.trail, self._position.rba, progress.room, self._options.max_partition_bytes
        ends = [stop]
        if room is not None:
            ends.append(begun + (room or _STEP))
        if most:
            ends.append(passed.last_cut(begun) + most)
        batch = _batch(trail, begun, max(min(ends), begun + 1))
        if batch is None:
            return None
        if not self._whole.is_newest(self._position.ordinal):
            complete(batch)
        last = len(batch) - 1
        is_waiting = batch.kind[last] == PARTIAL or batch.end > stop
        is_too_long = bool(room and batch.end > begun + room and (last or progress.best > progress.start))
        batch = batch.part(0, last) if is_waiting or is_too_long else batch
        if not len(batch) or (commits := progress.commits_left) is None:
            return batch if len(batch) else None
        closed = self._closed_places(passed, batch)
        if len(closed) > commits:
            return batch.part(0, int(np.searchsorted(np.asarray(batch.rba), closed[commits - 1])))
        return batch

    def _closed_places(self, passed: _Passed, batch: Batch) -> list[int]:
        """Return the RBAs in a batch at which a transaction has ended, in order."""
        trial = copy(self._walk)
        ended = trial.take(self._found(passed, batch))
        ordinal, begun = self._position
        files, rbas = (np.asarray(column) for column in (ended.columns.after_file, ended.columns.after_rba))
        places = rbas[(files == ordinal) & (rbas > begun)].tolist()
        growing = trial.open_places[1]
        return [*places, *([growing.rba] if growing is not None and growing > self._position else ())]

    def _found(self, passed: _Passed, batch: Batch) -> FileBatch:
        assert passed.trail is not None  # noqa: S101 - as above
        return FileBatch(self._position.ordinal, passed.trail, batch, begins=False, breaks=False)

    def _take_batch(self, passed: _Passed, batch: Batch, progress: _Progress) -> None:
        ordinal, begun = self._position
        commits = len(self._closed_places(passed, batch)) if progress.limit.transactions is not None else 0
        file_batch = self._found(passed, batch)
        segments = self._walk.segments(file_batch)
        self._feed([self._walk.take(file_batch, segments)])
        if self._needed.definitions:
            learn_definitions(file_batch.trail, batch)
        self._position = TrailPosition(ordinal, batch.end)
        passed.stop = batch.end
        progress.take(ordinal, batch.end - begun, commits)
        if len(rows := segments.members()[0]):
            last = file_batch.trail.record_at(int(batch.rba[rows[-1]]))
            self._is_continued = last is not None and bool(last.header.continued)
        progress.best = max(progress.best, self._closed())
        row = int(np.searchsorted(np.asarray(batch.rba), progress.best.rba)) if progress.best.ordinal == ordinal else 0
        self.time = int(batch.io_time[row - 1]) if row else self.time
        most = self._options.max_partition_bytes
        if most and batch.end - passed.last_cut(self.at.rba if self.at.ordinal == ordinal else 0) >= most:
            passed.cuts.append(
                _Cut(batch.end, self._walk.carried, not self._walk.is_open or self._walk.carried is not None)
            )

    def _closed(self) -> TrailPosition:
        """Return the last place, up to the position of the pass, at which no transaction is open."""
        if not self._walk.is_open:
            return self._position
        begin, after = self._walk.open_places
        if after is not None and not self._is_continued:
            return self._position
        return begin or self.at

    def _feed(self, batches: Iterable[TransactionBatch]) -> None:
        for batch in batches:
            if self._not_applied is not None:
                self._not_applied.take(batch)

    def _batch_to(self, end: TrailPosition) -> list[Slice]:
        """Return the slices from the end of the last micro-batch to that of this one."""
        if end == self._position and self._walk.has_ended:
            self._feed(self._walk.end_file())
        ranges = self._not_applied.pop_ranges(end) if self._not_applied is not None else None
        slices = [*self._slices(end, ranges)]
        for ordinal in [earlier for earlier in self._passed if earlier < end.ordinal]:
            del self._passed[ordinal]
        if end.ordinal in self._passed:
            self._passed[end.ordinal].cuts = [cut for cut in self._passed[end.ordinal].cuts if cut.rba > end.rba]
        self._is_known |= end > self.at
        self.at = end
        return slices

    def _slices(self, end: TrailPosition, ranges: dict[int, Ranges] | None) -> Iterator[Slice]:
        for ordinal in sorted(self._passed):
            passed, name = self._passed[ordinal], self._whole.names[ordinal]
            begin = self.at.rba if ordinal == self.at.ordinal else 0
            stop = end.rba if ordinal == end.ordinal else passed.stop
            if ordinal < self.at.ordinal or ordinal > end.ordinal or begin >= stop:
                continue
            first = _Cut(begin, None, self._is_known or not begin)
            cuts = [first, *(cut for cut in passed.cuts if begin < cut.rba < stop)]
            not_applied = None if ranges is None else ranges.get(ordinal, no_ranges())
            for cut, after in zip(cuts, [*(cut.rba for cut in cuts[1:]), stop], strict=True):
                part = Slice(str(name.path), name.seqno, cut.rba, after, stop, ends_trail=False)
                within = not_applied.within(cut.rba, after) if not_applied is not None else None
                yield part._replace(not_applied=within, before=self._before(passed, cut))

    def _before(self, passed: _Passed, cut: _Cut) -> StateBefore | None:
        if not cut.rba or passed.trail is None:
            return None
        definitions = passed.trail.tables.state_at(cut.rba) if self._needed.definitions else None
        transaction = TrackerState(cut.rba, cut.carried, False) if self._needed.transaction and cut.is_known else None  # noqa: FBT003 - a named tuple
        return StateBefore(definitions, transaction)


def _batch(trail: TrailFile | None, begun: int, stop: int) -> Batch | None:
    """Return the first batch of the records that begin between two RBAs; None if there is none."""
    return None if trail is None else next(scan(trail, begun, stop), None)
