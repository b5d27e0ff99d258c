"""One trail that is watched: each byte is read once, over its files, as long as the place proves to be the same."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from logdump.features.heartbeat.model import HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.watch.kept_values import texts_of
from logdump.features.watch.place import FileNumber, ReadUpTo, Unread, WaitingBytes, index_of, waiting_in
from logdump.features.watch.survey import NewestBeats, TrailCounters
from trailformat import CannotRead, NotATrail, TrailError, TrailFile
from trailformat.scan import FILE_HEADER, PARTIAL, Batch
from trailformat.trail.sequence import TrailName, TrailSequence, is_unborn
from trailformat.transactions.whole_trail import complete

_MOST_ROWS = 200
"""Heartbeat rows that a state has: an update may lack the columns that tell its path."""


class WatchedTrail:
    """A trail that is read again and again.

    A file is left as soon as a later one has records: then what is no record at its end is damage. Counters and place
    change together, so that what cannot be read to its end counts for nothing, and nothing counts twice.

    Args:
        path: the folder and the prefix of its files, as ``dirdat/lt``.

    Attributes:
        counters: what was read.
        place: up to where; None before the first file.
        left: the ends of the files that were left, of those that are there.
        beats: the newest heartbeats.
        tables: the tables with metrics of their own.
        waiting: what is after the place; None if that is not known, as in a run that has not read the file yet.
        files, size: number and bytes of the files that are there; None if that is not known.
        free: free bytes on their disk; None if that is not known.
        is_up: True if the trail could be read up to its end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counters = TrailCounters()
        self.place: ReadUpTo | None = None
        self.left: dict[FileNumber, ReadUpTo] = {}
        self.beats = NewestBeats()
        self.tables: list[str] = []
        self.waiting: WaitingBytes | None = None
        self.files: int | None = None
        self.size: int | None = None
        self.free: int | None = None
        self.is_up = False
        self._reader = HeartbeatReader(uses_threads=True)
        self._file: tuple[Path, TrailFile, tuple[int, int]] | None = None
        self._unread: Unread | None = None
        self._states: dict[TrailName, tuple[int, int]] = {}
        self._states_of_left: dict[TrailName, tuple[int, int]] = {}

    def look(self) -> Iterator[str]:
        """Read what is new; yield what has to be said."""
        self.is_up, self.free = False, _free_space(self.path)
        try:
            sequence = TrailSequence(self.path)
        except (NotATrail, CannotRead) as error:
            self._close()
            self.files = self.size = 0 if isinstance(error, NotATrail) else None
            yield str(error)
            return
        names = (*sequence.names, *sequence.unborn)
        try:
            self._measure(names)
            first = yield from self._begun(names)
            yield from self._compared()
            yield from self._read_on(sequence.names, first)
        except (TrailError, CannotRead, OSError) as error:
            self._close()
            yield str(error)
        else:
            self.is_up = True

    def _measure(self, names: Sequence[TrailName]) -> None:
        """Take size and mtime (ns) of the files that are there."""
        self._states = states = dict[TrailName, tuple[int, int]]()
        for name in names:
            with suppress(OSError):
                status = name.path.stat()
                states[name] = status.st_size, status.st_mtime_ns
        self.files, self.size = len(states), sum(size for size, _ in states.values())
        numbers = {FileNumber.of(name) for name in states}
        self.left = {number: place for number, place in self.left.items() if number in numbers}
        self._states_of_left = {name: state for name, state in self._states_of_left.items() if name in states}

    def _compared(self) -> Iterator[str]:
        """Note how files that were left are now; yield which of them have more than a header that was closed."""
        for name, state in self._states.items():
            number = FileNumber.of(name)
            if name.packing or number not in self.left or self._states_of_left.get(name) == state:
                continue
            try:
                end = _end_of(name)
            except (TrailError, CannotRead, OSError):
                continue
            is_same, self.left[number], self._states_of_left[name] = self.left[number].is_as(end), end, state
            if not is_same:
                self.counters.unread += 1
                yield f"{name.path} has changed since it was read: what is new in it is not read"

    def _is_as_left(self, name: TrailName) -> bool:
        """Return True if a file that was left is as it was, but for its header. Raises as _end_of."""
        place = self.left.get(FileNumber.of(name))
        return place is not None and place.is_as(_end_of(name))

    def _read_on(self, names: Sequence[TrailName], first: int) -> Iterator[str]:
        """Read files from one on; those at the end that have no records yet are none, unless no file has."""
        if is_unborn(names[-1].path):
            TrailFile(names[-1].path).close()  # says why
        for index in range(first, len(names)):
            yield from self._read(names[index], names[index + 1] if index + 1 < len(names) else None)

    def _begun(self, names: Sequence[TrailName]) -> Generator[str, None, int]:
        """Return the index of the file to read on in, and set the place to it."""
        place = self.place
        if place is None:
            self.place = ReadUpTo(FileNumber.of(names[0]))
            return 0
        index = index_of(names, place.number)
        if index is None:
            self._replace(names[0])
            yield f"{names[0].path} is of another trail than {self._path(place.number)}, which was read"
            return 0
        if (number := FileNumber.of(names[index])) != place.number:
            if not place.is_whole:
                self.counters.unread += 1
                self.counters.cut_open()
                yield f"{self._path(place.number)} is gone: it was read up to RBA {place.rba}, and may have had more"
            yield from self._enter(number)
            return index
        if place.rba and not self._is_in(names[index], place):
            first = next((at for at, name in enumerate(names[:index]) if not self._is_as_left(name)), index)
            self._replace(names[first])
            begin = "its beginning" if first == index else f"the beginning of {names[first].path} on"
            yield f"{names[index].path} is another file than the one that was read: reading from {begin}"
            return first
        return index

    def _path(self, number: FileNumber) -> Path:
        return self.path.with_name(f"{self.path.name}{number.text}")

    def _is_in(self, name: TrailName, place: ReadUpTo) -> bool:
        """Return True if the place is in a file; one without a record is another one. Raises NotATrail, CannotRead."""
        try:
            return place.is_in(self._opened(name.path))
        except NotATrail as error:
            if _is_not_opened(error):
                raise
            return False

    def _enter(self, number: FileNumber) -> Iterator[str]:
        """Begin the next file; yield which ones are missing before it."""
        former = self.place.number if self.place is not None else number
        self.place = ReadUpTo(number)
        self.waiting, self._unread = WaitingBytes(), None
        self._close()
        missing = number.beyond(former) - 1 if former.digits == number.digits else 0
        if missing > 0:
            self.counters.missing += missing
            self.counters.cut_open()
            first, last = (
                self._path(number._replace(seqno=(file_number.seqno + step) % file_number.round))
                for file_number, step in ((former, 1), (number, -1))
            )
            yield f"{first} is missing" if missing == 1 else f"{first} to {last} are missing"

    def _read(self, name: TrailName, after: TrailName | None) -> Iterator[str]:
        """Read a file from the place on, and leave it if there is one ``after`` it."""
        place, number = self.place, FileNumber.of(name)
        try:
            trail = self._opened(name.path)
        except NotATrail as error:
            if _is_not_opened(error) or after is None:
                raise
            size = name.path.stat().st_size
            self.counters.add_damage(size)
            yield str(error)
            yield from self._leave(name, ReadUpTo(number, size), after)
            return
        start = place.rba if place is not None and place.number == number else 0
        unread = Unread.after(trail, start)
        if after is None and unread in (self._unread, Unread(start, start, unread.digest)):
            self.waiting = self.waiting if unread == self._unread else WaitingBytes()
            self.place = ReadUpTo.in_file(number, trail, start)
            return
        counters = deepcopy(self.counters)
        end, is_partial = self._add(counters, trail, start, is_final=after is not None)
        place = ReadUpTo.in_file(number, trail, end)
        self.waiting = waiting_in(trail, end, is_partial=is_partial)
        self.counters, self.place, self._unread = counters, place, Unread.after(trail, end)
        if self.waiting.damaged:
            yield f"{name.path} ends in {self.waiting.damaged:,} bytes that are no record, from RBA {end} on"
        if after is not None:
            yield from self._leave(name, place, after)

    def _leave(self, name: TrailName, end: ReadUpTo, after: TrailName) -> Iterator[str]:
        self.left[end.number] = end
        if name in self._states:
            self._states_of_left[name] = self._states[name]
        yield from self._enter(FileNumber.of(after))

    def _opened(self, path: Path) -> TrailFile:
        """Return the file, kept open as long as it is the same one, so that no definition is read twice."""
        try:
            status = path.stat()
        except OSError as error:
            raise CannotRead.of(error, path) from error
        identity = status.st_dev, status.st_ino
        if self._file is not None and self._file[0] == path and self._file[2] == identity:
            with suppress(CannotRead):  # it has become shorter
                self._file[1].refresh()
                return self._file[1]
        self._close()
        trail = TrailFile(path)
        self._file = path, trail, identity
        return trail

    def _add(self, counters: TrailCounters, trail: TrailFile, start: int, *, is_final: bool) -> tuple[int, bool]:
        """Count what a file has from an RBA on; return the end of the last record, and if the rest begins another one.

        ``is_final``: the rest is damage, and the end is that of the file.
        """
        end, rest = start, list[Batch]()
        for item in self._reader.rows(trail, start):
            if isinstance(item, HeartbeatRow):
                self.beats.add(item)
                continue
            sound = np.flatnonzero(np.asarray(item.kind) <= FILE_HEADER)
            stop = int(sound[-1]) + 1 if len(sound) else 0
            if stop:
                for batch in (*rest, known := item.part(0, stop)):
                    counters.add(batch)
                end, rest = known.end, []
            if stop < len(item):
                rest.append(item.part(stop, len(item)))
        is_partial = len(rest) > 0 and int(rest[0].kind[0]) == PARTIAL
        for batch in rest if is_final else ():
            complete(batch)
            counters.add(batch)
            end = batch.end
        return end, is_partial

    def _replace(self, name: TrailName) -> None:
        """Begin another trail at a file: of what was read before that, no gauge stays."""
        self.counters.replace()
        self.place = ReadUpTo(FileNumber.of(name))
        self.left = {number: place for number, place in self.left.items() if self.place.number.is_after(number)}
        self.beats, self._reader = NewestBeats(), HeartbeatReader(uses_threads=True)
        self.waiting, self._unread = WaitingBytes(), None
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file[1].close()
            self._file = None

    def as_values(self) -> dict[str, Any]:
        """Return what a later run goes on from, as values of JSON."""
        return {
            "place": self.place.as_values() if self.place is not None else None,
            "left": [place.as_values() for place in self.left.values()],
            "counters": self.counters.as_values(),
            "beats": self.beats.as_values(),
            "rows": self._reader.history.rows(_MOST_ROWS),
            "tables": [*self.tables],
        }

    def resume(self, values: dict[str, Any]) -> None:
        """Go on from such values, or from none of them.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: they are no such values.
        """
        place = ReadUpTo.of_values(values["place"]) if values["place"] is not None else None
        left = {own.number: own for own in map(ReadUpTo.of_values, values["left"])}
        counters, beats = TrailCounters.of_values(values["counters"]), NewestBeats.of_values(values["beats"])
        tables, reader = texts_of(values["tables"]), HeartbeatReader(uses_threads=True)
        for table, members in values["rows"]:
            reader.history.note(texts_of([table])[0], members)
        self.counters, self.place, self.left = counters, place, left
        self.beats, self.tables, self._reader = beats, tables, reader


def _free_space(path: Path) -> int | None:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return None


def _is_not_opened(error: NotATrail) -> bool:
    """Return True if a file cannot be opened, so that it is not known what it has."""
    return error.__cause__ is not None and not isinstance(error.__cause__, TrailError)


def _end_of(name: TrailName) -> ReadUpTo:
    """Return the end of a file as it is now; of one without a record, its size.

    Raises:
        TrailError, CannotRead, OSError: it cannot be read.
    """
    number = FileNumber.of(name)
    try:
        with TrailFile(name.path) as trail:
            return ReadUpTo.in_file(number, trail, trail.size)
    except NotATrail as error:
        if _is_not_opened(error):
            raise
        return ReadUpTo(number, name.path.stat().st_size)
