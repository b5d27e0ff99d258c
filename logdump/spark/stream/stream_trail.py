"""A trail that a stream follows: how far it has been written, and the slices from one offset to another.

An offset is the end of a record: the number of a file and an RBA in it. A file is complete once the next one is there;
in the newest one, a record that is half written waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np

from logdump.arrow.records.errors import place
from logdump.spark.errors import BadTrail, FileChanged, NoTrailFiles, SourceError, located
from logdump.spark.source.options import Options
from logdump.spark.source.paths import find_files
from logdump.spark.source.planner import is_unborn
from logdump.spark.source.slice import Slice
from trailformat import ByteOrder, CannotRead, NotATrail, TrailFile, TrailName
from trailformat.records import framing
from trailformat.scan import PARTIAL, next_boundary, scan
from trailformat.trail.packed import unpacked_size


class Offset(NamedTuple):
    """A place in a trail: all records before it have been read."""

    seqno: int
    rba: int

    @classmethod
    def of(cls, stored: dict[str, int]) -> Self:
        """The offset in a checkpoint."""
        return cls(stored["seqno"], stored["rba"])


class Limit(NamedTuple):
    """The most that one micro-batch takes, but at least a record; None for no limit."""

    bytes: int | None = None
    files: int | None = None


NO_LIMIT = Limit()


class StreamTrail:
    """The one trail under a path, looked at again each time."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def first(self) -> Offset:
        """The offset at which a new stream begins: startSeqno and startRba, or the beginning of the trail.

        Raises:
            SourceError: there is no such file, or not one trail.
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
        """Up to where the whole trail is written now. Raises like first."""
        names = self._names()
        if not names:
            find_files(self._options)
        end = _end(names[-1], 0, None, None, at_least_one=True)
        if end or len(names) == 1:
            return Offset(names[-1].seqno, end)
        return Offset(names[-2].seqno, _size(names[-2]))

    def after(self, start: Offset, limit: Limit = NO_LIMIT, target: Offset | None = None) -> Offset:
        """The offset up to which records are complete now: within a limit, up to ``target``, never before ``start``.

        Raises:
            FileChanged: the file of ``start`` has gone, become shorter or been written anew; or one is missing.
            BadTrail: a file is no trail.
        """
        at, taken, files = start, 0, 0
        for name, is_newest in self._from(start):
            begun = start.rba if name.seqno == start.seqno else 0
            is_target = target is not None and name.seqno == target.seqno
            goal = target.rba if target is not None and is_target else None if is_newest else _size(name)
            room = None if limit.bytes is None else limit.bytes - taken
            end = _end(name, begun, goal, room, at_least_one=not taken)
            if end > begun:
                at, taken, files = Offset(name.seqno, end), taken + end - begun, files + 1
            is_full = files == limit.files or (limit.bytes is not None and taken >= limit.bytes)
            if is_target or is_full or goal is None or end < goal:
                break
        return at

    def written_after(self, start: Offset) -> tuple[Offset, int]:
        """The end of the newest file, what is half written included, and the bytes from an offset to there.

        Raises like after.
        """
        at, behind = start, 0
        for name, _ in self._from(start):
            size, begun = _size(name), start.rba if name.seqno == start.seqno else 0
            at, behind = Offset(name.seqno, size), behind + size - begun
        return at, behind

    def slices(self, start: Offset, end: Offset) -> Iterator[Slice]:
        """The slices between two offsets, of about ``maxPartitionBytes`` each. Raises like after."""
        if start == end:
            return
        for name, _ in self._from(start):
            is_last = name.seqno == end.seqno
            begun = start.rba if name.seqno == start.seqno else 0
            yield from self._pieces(name, begun, end.rba if is_last else _size(name))
            if is_last:
                return
        raise FileChanged(f"the file with seqno {end.seqno} has gone, in which a batch of the stream ends")

    def _pieces(self, name: TrailName, begun: int, stop: int) -> Iterator[Slice]:
        most = self._options.max_partition_bytes
        count = -(-(stop - begun) // most) if most else 1
        points = [begun]
        if count > 1:
            with TrailFile(name.path) as trail:
                for number in range(1, count):
                    point = next_boundary(trail, begun + (stop - begun) * number // count)
                    if point is not None and points[-1] < point < stop:
                        points.append(point)
        whole = Slice(str(name.path), name.seqno, begun, stop, stop, ends_trail=False)
        for first, last in zip(points, [*points[1:], stop], strict=True):
            if last > first:
                yield whole._replace(start=first, stop=last)

    def _names(self) -> list[TrailName]:
        """The files of the trail, in order."""
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
        """The files from that of an offset on, each with whether it is the newest."""
        names = self._names()
        at = next((number for number, name in enumerate(names) if name.seqno == start.seqno), None)
        if at is None:
            at = self._after_missing(start, names)
        elif start.rba:
            self._check_unchanged(names[at], start.rba)
        for number in range(at, len(names)):
            name, is_newest = names[number], number == len(names) - 1
            yield name, is_newest
            if not is_newest and names[number + 1] != name.next and not self._options.ignore_missing_files:
                raise FileChanged(f"{name.next.path} is missing, while later files are there; {_IGNORE}")

    def _after_missing(self, start: Offset, names: list[TrailName]) -> int:
        """The offset at which to go on when the file of an offset is missing."""
        if not self._options.ignore_missing_files:
            read = f"the stream has read it up to RBA {start.rba}"
            raise FileChanged(f"the file with seqno {start.seqno} has gone: {read}; {_IGNORE}")
        return next((number for number, name in enumerate(names) if name.seqno > start.seqno), len(names))

    def _check_unchanged(self, name: TrailName, rba: int) -> None:
        """Check that a file still holds what was read of it; where damage is stepped over, by its size alone."""
        where = place(name.path, rba)
        size = _size(name)
        if size < rba:
            raise FileChanged(f"{where}: the stream has read so far, and the file has only {size} bytes")
        with TrailFile(name.path) as trail:
            ends = any(framing.start_before(trail.bytes, rba, order) is not None for order in ByteOrder)
        if not ends and self._options.mode == "FAILFAST":
            raise FileChanged(f"{where}: the stream has read so far, and no record ends there: the file was rewritten")


_IGNORE = "option ignoreMissingFiles continues with the next"


def _size(name: TrailName) -> int:
    try:
        return unpacked_size(name.path)
    except OSError as error:
        raise FileChanged(f"{place(name.path)}: {error.strerror}") from None


def _end(name: TrailName, begun: int, goal: int | None, room: int | None, *, at_least_one: bool) -> int:
    """The end of the last record that fits the room, up to ``goal`` where the end of the file is known."""
    if goal is not None and (room is None or goal - begun <= room):
        return goal
    try:
        with TrailFile(name.path) as trail:
            return _walk(trail, begun, goal, room, at_least_one=at_least_one)
    except NotATrail as error:
        if is_unborn(error, ends_trail=goal is None) and not begun:
            return begun
        raise BadTrail(located(error, name.path)) from None
    except CannotRead as error:
        raise FileChanged(located(error, name.path)) from None


def _walk(trail: TrailFile, begun: int, goal: int | None, room: int | None, *, at_least_one: bool) -> int:
    stop = goal if room is None else min(begun + room, goal if goal is not None else begun + room)
    end = begun
    for batch in scan(trail, begun, stop if not at_least_one or stop is None else max(stop, begun + 1)):
        ends = np.asarray(batch.rba) + np.asarray(batch.length)
        ends = ends[np.asarray(batch.kind) != PARTIAL]
        fitting = ends if stop is None else ends[ends <= stop]
        if len(fitting):
            end = int(fitting[-1])
        elif at_least_one and end == begun and len(ends):
            return int(ends[0])
        if len(fitting) < len(batch):
            break
    return end


def _record_from(name: TrailName, rba: int) -> int:
    """The RBA of the first record at or after an RBA."""
    if not rba:
        return 0
    with TrailFile(name.path) as trail:
        return scan(trail, 0, rba).run().position.rba
