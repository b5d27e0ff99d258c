"""A trail that grows, as micro-batches: where the next one ends, and the slices of which it consists.

An offset is the number of a file and an RBA in it at which no transaction is open. A file is complete once the next one
exists; an incomplete record or an open transaction at the end of the newest file is left for a later micro-batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from logdump.arrow.records.errors import place
from logdump.tables.before import NOTHING_NEEDED, NeededBefore
from logdump.tables.errors import FileChanged, NoTrailFiles, SourceError, report
from logdump.tables.options import Options
from logdump.tables.paths import find_files
from logdump.tables.slice import Slice
from logdump.tables.stream_walk import NO_LIMIT, Limit, Offset, StreamWalk
from trailformat import ByteOrder, CannotRead, NotATrail, TrailError, TrailFile, TrailName
from trailformat.records import framing
from trailformat.scan import scan
from trailformat.trail.packed import unpacked_size
from trailformat.transactions.applied import AppliedState


class Lag(NamedTuple):
    """The lag of a stream.

    Attributes:
        end: the end of the newest file, including an incomplete record.
        bytes: bytes from the end of the last micro-batch to there.
        seconds: seconds from the commit of the last transaction read to that of the last record; None if unknown.
    """

    end: Offset
    bytes: int
    seconds: float | None


class StreamTrail:
    """The one trail under a path; its files are listed again by each call.

    Args:
        options: options of the stream.
        needed: parts of the state before its slices that they need.
    """

    def __init__(self, options: Options, needed: NeededBefore = NOTHING_NEEDED) -> None:
        self._options = options
        self._needed = needed
        self._walk: StreamWalk | None = None
        self._planned: tuple[Offset, Offset, list[Slice]] | None = None

    def first(self) -> Offset:
        """Return the offset at which a new stream begins: startSeqno and startRba, or the beginning of the trail.

        Raises:
            SourceError: there is no such file, or the files are not those of one trail.
        """
        options, names = self._options, self._names()
        if options.start_seqno is None:
            if options.start_rba is not None:
                raise SourceError("startRba needs startSeqno: an RBA is a place in one file")
            if not names:
                find_files(options)
            return Offset(names[0].seqno, 0)
        name = next((file for file in names if file.seqno == options.start_seqno), None)
        if name is None:
            raise NoTrailFiles(f"there is no file with startSeqno {options.start_seqno}")
        return Offset(name.seqno, _record_from(name, options.start_rba or 0))

    def newest(self) -> Offset:
        """Return the last place at which no transaction is open, in the newest file that has one. Raises like first."""
        names = self._names()
        if not names:
            find_files(self._options)
        for number in reversed(range(len(names))):
            start = Offset(names[number].seqno, 0)
            end, _ = StreamWalk(
                replace(self._options, effective=False), self._needed, names, start, is_known=False
            ).take(names[number:])
            if end != start:
                return end
        return Offset(names[0].seqno, 0)

    def written(self) -> Offset:
        """Return the end of the newest file, after any open transaction or incomplete record. Raises like first."""
        names = self._names()
        if not names:
            find_files(self._options)
        return Offset(names[-1].seqno, _size(names[-1]))

    @property
    def state(self) -> AppliedState | None:
        """With ``effective``: state of applied transactions at the end of the last micro-batch."""
        return self._walk.applied if self._walk is not None else None

    @property
    def time(self) -> int:
        """IO Time (Julian) of the last record before the end of the last micro-batch; 0 if unknown."""
        return self._walk.time if self._walk is not None else 0

    def after(
        self, start: Offset, limit: Limit = NO_LIMIT, target: Offset | None = None, state: AppliedState | None = None
    ) -> Offset:
        """Return the end of the next micro-batch, at which no transaction is open; ``start`` if there is none.

        Args:
            start: the end of the last micro-batch.
            limit: the maximum size of the micro-batch.
            target: the place beyond which it does not go.
            state: with ``effective`` the state at ``start``; None: it is found by reading what precedes ``start``.

        Raises:
            FileChanged: the file of ``start`` was removed, shortened or rewritten; or a file is missing.
            BadTrail: a file is not a trail.
        """
        names = [name for name, _ in self._from(start)]
        if not names:
            return start
        walk = self._walk_at(start, names, state)
        begun = walk.offset
        end, slices = walk.take(names, limit, self._within(target))
        if end == begun:
            return start
        self._planned = start, end, slices
        return end

    def _within(self, target: Offset | None) -> Offset | None:
        """Return a place, or the end of the stream by its options if that comes first; None if there is neither."""
        options = self._options
        if options.end_seqno is None:
            return target
        name = next((name for name in self._names() if name.seqno == options.end_seqno), None)
        if name is None:
            return target
        end = Offset(name.seqno, _size(name) if options.end_rba is None else _record_from(name, options.end_rba + 1))
        return end if target is None else min(target, end)

    def slices(self, start: Offset, end: Offset, state: AppliedState | None = None) -> list[Slice]:
        """Return the slices between two offsets, of about ``maxPartitionBytes`` each. Raises like after."""
        if start == end:
            return []
        if self._planned is not None and self._planned[:2] == (start, end):
            return self._planned[2]
        names = [name for name, _ in self._from(start)]
        if all(name.seqno != end.seqno for name in names):
            raise FileChanged(f"the file with seqno {end.seqno} has gone, in which a batch of the stream ends")
        self._walk = None
        return self._walk_at(start, names, state).take_to(names, end)

    def _walk_at(self, start: Offset, names: Sequence[TrailName], state: AppliedState | None) -> StreamWalk:
        """Return a pass that continues from an offset: the current one if it ends there, else a new one."""
        if self._walk is not None and self._walk.offset == start and self._walk.is_closed:
            return self._walk
        every = self._names()
        begin = start if names[0].seqno == start.seqno else Offset(names[0].seqno, 0)
        oldest = Offset(every[0].seqno, 0)
        must_read = self._options.effective and state is None and begin != oldest
        self._walk = StreamWalk(self._options, self._needed, every, oldest if must_read else begin, is_known=False)
        if must_read:
            self._walk.take(every, target=begin)
            self._walk.begin_at(begin)
        elif state is not None:
            self._walk.resume(state)
        return self._walk

    def written_after(self, start: Offset) -> Lag:
        """Return the lag of a stream that has reached this offset. Raises like after."""
        offset, unread, newest = start, 0, None
        for name, _ in self._from(start):
            size, begun = _size(name), start.rba if name.seqno == start.seqno else 0
            offset, unread, newest = Offset(name.seqno, size), unread + size - begun, name if size else newest
        if not unread or newest is None:
            return Lag(offset, unread, 0.0)
        last = _last_time(newest)
        is_known = last is not None and self.time
        return Lag(offset, unread, max((last or 0) - self.time, 0) / 1_000_000 if is_known else None)

    def _names(self) -> list[TrailName]:
        """Return the names of the trail's files, in order."""
        try:
            files = find_files(self._options)
        except NoTrailFiles:
            return []
        names = []
        for file in files:
            if file.name is None:
                raise SourceError(f"{file.path}: a stream follows a trail, and this has no sequence number")
            names.append(file.name)
        trails = sorted({str(name.directory / (name.prefix + "0" * name.digits)) for name in names})
        if len(trails) > 1:
            raise SourceError(f"a stream follows one trail, and the path leads to {', '.join(trails)}")
        return names

    def _from(self, start: Offset) -> Iterator[tuple[TrailName, bool]]:
        """Yield the files from that of an offset on, each with whether it is the newest."""
        names = self._names()
        index = next((number for number, name in enumerate(names) if name.seqno == start.seqno), None)
        if index is None:
            index = self._after_missing(start, names)
        elif start.rba:
            self._check_unchanged(names[index], start.rba)
        for number in range(index, len(names)):
            name, is_newest = names[number], number == len(names) - 1
            yield name, is_newest
            if not is_newest and not name.precedes(names[number + 1]) and not self._options.ignore_missing_files:
                raise FileChanged(f"{name.next.plain_path} is missing, while later files are there; {_IGNORE}")

    def _after_missing(self, start: Offset, names: list[TrailName]) -> int:
        """Return the index in ``names`` of the file with which to continue when that of an offset is missing."""
        index = next((number for number, name in enumerate(names) if name.seqno > start.seqno), len(names))
        read = f"the file with seqno {start.seqno} has gone: the stream has read it up to RBA {start.rba}"
        missing = ""
        if index < len(names):
            successor = names[index]
            first, last = successor.beyond(start.seqno - successor.seqno).plain_path, successor.previous.plain_path
            missing = f"; {first} is missing" if first == last else f"; {first} to {last.name} are missing"
        if not self._options.ignore_missing_files:
            raise FileChanged(f"{read}{missing}; {_IGNORE}")
        report(f"{read}{missing}")
        return index

    def _check_unchanged(self, name: TrailName, rba: int) -> None:
        """Check that a file still contains what was read of it; unless the mode is FAILFAST, only by its size."""
        where = place(name.path, rba)
        size = _size(name)
        if size < rba:
            raise FileChanged(f"{where}: the stream has read so far, and the file has only {size} bytes")
        try:
            with TrailFile(name.path) as trail:
                ends = any(framing.start_before(trail.bytes, rba, order) is not None for order in ByteOrder)
        except NotATrail:
            ends = self._options.ignore_corrupt_files
        if not ends and self._options.mode == "FAILFAST":
            raise FileChanged(f"{where}: the stream has read so far, and no record ends there: the file was rewritten")


_IGNORE = "option ignoreMissingFiles continues with the next"


def _size(name: TrailName) -> int:
    try:
        return unpacked_size(name.path)
    except OSError as error:
        raise FileChanged(f"{place(name.path)}: {error.strerror}") from None


def _last_time(name: TrailName) -> int | None:
    """Return the IO Time (Julian) of the last record of a file; None if it is incomplete or the file header."""
    try:
        with TrailFile(name.path) as trail:
            starts = (framing.start_before(trail.bytes, trail.size, order) for order in ByteOrder)
            begin = next((start for start in starts if start is not None), None)
            last = trail.record_at(begin) if begin is not None else None
            return last.header.io_time if last is not None and not last.is_file_header else None
    except (TrailError, CannotRead):
        return None


def _record_from(name: TrailName, rba: int) -> int:
    """Return the RBA of the first record at or after an RBA."""
    if not rba:
        return 0
    with TrailFile(name.path) as trail:
        return scan(trail, 0, rba).run().position.rba
