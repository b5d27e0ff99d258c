"""One trail that is watched: each byte is read once, over its files, as long as the place proves to be the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from logdump.features.heartbeat.beats import NewBeats
from logdump.features.heartbeat.lags import Lags
from logdump.features.heartbeat.model import HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.watch.survey import TrailCounters
from trailformat import CannotRead, NotATrail, TrailError, TrailFile
from trailformat.codec.mapped_file import copied
from trailformat.scan import PARTIAL
from trailformat.trail.sequence import TrailName, TrailSequence
from trailformat.transactions.header_promises import is_left_open

_PROOF = 1 << 16
"""Bytes before a position that prove it."""


class ReadUpTo(NamedTuple):
    """The place up to which a trail was read.

    Attributes:
        name: name of the file.
        rba: the end of the last record read.
        created: CreationTime of its header; None without one. The rest of a header changes when the file is closed.
        digest: of the bytes before the place, without the header.
    """

    name: str
    rba: int
    created: int | None
    digest: str


class WatchedTrail:
    """A trail that is read again and again.

    Args:
        path: the folder and the prefix of its files, as ``dirdat/lt``.

    Attributes:
        counters: what was read.
        place: up to where; None before the first file.
        lags: the heartbeats read in this run.
        left_open: names of the files that were left although their writer had not closed them.
        files, size: number and bytes of the files that are there now.
        is_up: True if the trail could be read up to its end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counters = TrailCounters()
        self.place: ReadUpTo | None = None
        self.lags = Lags()
        self.left_open: set[str] = set()
        self.files = self.size = 0
        self.is_up = False
        self._reader = HeartbeatReader(uses_threads=True)
        self._beats = NewBeats()
        self._file: tuple[Path, TrailFile, tuple[int, int]] | None = None

    def look(self) -> Iterator[str]:
        """Read what is new; yield what has to be said."""
        self.is_up = False
        try:
            names = TrailSequence(self.path).names
        except (NotATrail, CannotRead) as error:
            yield str(error)
            self.files = self.size = 0
            return
        self._measure(names)
        self.left_open &= {name.path.name for name in names}
        try:
            for index in range(self._first_of(names), len(names)):
                self._count_missing(names[index])
                yield from self._read(names[index].path, is_last=index + 1 == len(names))
        except (TrailError, CannotRead, OSError) as error:
            self._close()
            yield str(error)
            return
        self.is_up = True

    def _measure(self, names: tuple[TrailName, ...]) -> None:
        sizes = []
        for name in names:
            try:
                sizes.append(name.path.stat().st_size)
            except OSError:
                continue
        self.files, self.size = len(sizes), sum(sizes)

    def _first_of(self, names: tuple[TrailName, ...]) -> int:
        """Return the index of the file to read on in: that of the place, or the first one after it."""
        if self.place is None:
            return 0
        here = TrailName.parse(self.path.with_name(self.place.name))
        if here is None:
            return 0
        numbers = [(name.digits, name.seqno) for name in names]
        if (here.digits, here.seqno) in numbers:
            return numbers.index((here.digits, here.seqno))
        later = [index for index, number in enumerate(numbers) if number > (here.digits, here.seqno)]
        if later:
            return later[0]
        self._replaced()
        return 0

    def _count_missing(self, name: TrailName) -> None:
        """Count the files that are missing between the place and a file."""
        here = TrailName.parse(self.path.with_name(self.place.name)) if self.place is not None else None
        if here is not None and here.digits == name.digits and here.seqno != name.seqno:
            self.counters.missing += (name.seqno - here.seqno - 1) % 10**name.digits

    def _read(self, path: Path, *, is_last: bool) -> Iterator[str]:
        """Read a file from the place on, or from its beginning."""
        try:
            trail = self._opened(path)
        except NotATrail as error:
            if isinstance(error.__cause__, OSError) or is_last:  # no file of the trail has a record
                raise
            self.counters.add_damage(path.stat().st_size)
            self.place = ReadUpTo(path.name, 0, None, "")
            yield str(error)
            return
        start = 0
        if self.place is not None and self.place.name == path.name:
            start = self.place.rba
            if not self._is_same(trail):
                yield f"{path} is another file than the one that was read: reading it from its beginning"
                self._replaced()
                trail, start = self._opened(path), 0
        end = self._added(trail, start)
        if not is_last:
            if trail.size > end:
                self.counters.add_damage(trail.size - end)
                end = trail.size
            if trail.file_header is not None and is_left_open(trail.file_header):
                self.left_open.add(path.name)
        if end != start or self.place is None or self.place.name != path.name:
            self.place = ReadUpTo(path.name, end, _created(trail), _digest(trail, end))

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

    def _is_same(self, trail: TrailFile) -> bool:
        """Return True if the place is in this file: it has the bytes before it, and its header the same birth."""
        place = self.place
        if place is None or trail.size < place.rba:
            return False
        try:
            return (_created(trail), _digest(trail, place.rba)) == (place.created, place.digest)
        except (TrailError, CannotRead):
            return False

    def _added(self, trail: TrailFile, start: int) -> int:
        """Count what a file has from an RBA on, or nothing if it cannot be read to its end; return that end."""
        if trail.size <= start:
            return start
        before = deepcopy(self.counters)
        try:
            return self._add(trail, start)
        except BaseException:
            self.counters = before
            raise

    def _add(self, trail: TrailFile, start: int) -> int:
        """Count what a file has from an RBA on; return the end of the last whole record."""
        end = start
        for item in self._reader.rows(trail, start):
            if isinstance(item, HeartbeatRow):
                for beat in self._beats.of(item):
                    self.lags.add(beat)
                continue
            self.counters.add(item)
            is_partial = len(item) > 0 and int(item.kind[-1]) == PARTIAL
            end = int(item.rba[-1]) if is_partial else item.end
        return end

    def _replaced(self) -> None:
        """Begin another trail: what was open in the one before it has no end."""
        self.counters.replaced += 1
        self.counters.transactions.open, self.place = None, None
        self._beats = NewBeats()
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file[1].close()
            self._file = None

    def as_values(self) -> dict[str, Any]:
        """Return what a later run goes on from, as values of JSON."""
        place = None if self.place is None else [*self.place]
        return {"place": place, "left_open": sorted(self.left_open), "counters": self.counters.as_values()}

    def resume(self, values: dict[str, Any]) -> None:
        """Go on from such values.

        Raises:
            KeyError, TypeError, ValueError: they are no such values.
        """
        counters = TrailCounters.of_values(values["counters"])
        place = ReadUpTo(*values["place"]) if values["place"] is not None else None
        if place is not None and not (isinstance(place.name, str) and isinstance(place.rba, int)):
            raise TypeError("place")
        self.counters, self.place, self.left_open = counters, place, set(map(str, values["left_open"]))


def _created(trail: TrailFile) -> int | None:
    return trail.file_header.created if trail.file_header is not None else None


def _digest(trail: TrailFile, rba: int) -> str:
    """Return a digest of the bytes before a place, without the header."""
    start = max(rba - _PROOF, trail.first_rba)
    return hashlib.sha256(copied(trail.buffer, start, max(rba, start))).hexdigest()
