"""Records of a file over time: by interval as in COUNT INTERVAL, and by operation for a strip of one line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterable, Sequence
from typing import NamedTuple

from logdump.session.reading import Reading
from logdump.session.session import Session
from trailformat.changes.row_changes import is_change, operation_of
from trailformat.codec.on_demand import on_demand
from trailformat.scan import FILE_HEADER, RECORD, Batch, scan

with on_demand:
    import numpy as np

    from trailformat.totals import row_groups

MOST_INTERVALS = 1024
"""The maximum number of intervals kept: more than a terminal has columns."""
_SECOND = 1_000_000
_MINUTE = 60
_LENGTHS = (1, 5, 10, 30, _MINUTE, 300, 600, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800)
"""Lengths of intervals in seconds, each a multiple of the one before; longer ones double."""


class VolumeInterval(NamedTuple):
    """The start of an interval (Julian), the number of its records, their data bytes, and the RBA of the first."""

    start: int
    records: int
    data_bytes: int
    rba: int


class Volume(NamedTuple):
    """The intervals of ``interval`` microseconds with records, in order; ``origin`` is the start of some interval."""

    origin: int
    interval: int
    intervals: tuple[VolumeInterval, ...]

    @property
    def number(self) -> int:
        """Number of intervals from the first to the last, including empty ones."""
        return (self.intervals[-1].start - self.intervals[0].start) // self.interval + 1 if self.intervals else 0

    def at_most(self, most: int) -> Volume:
        """Return the volume in intervals so long that ``number`` is at most ``most``, or 2 if that is less."""
        volume = self
        while volume.number > max(2, most):
            interval = longer(volume.interval)
            sums = _sums(volume.intervals, self.origin, interval)
            volume = Volume(self.origin, interval, tuple(sorted(sums.values())))
        return volume


def longer(interval: int) -> int:
    """Return the next longer interval that a volume may have, in microseconds."""
    return next((length * _SECOND for length in _LENGTHS if length * _SECOND > interval), 2 * interval)


def _sums(parts: Iterable[VolumeInterval], origin: int, interval: int) -> dict[int, VolumeInterval]:
    """Return the sums of parts by the start of their interval."""
    sums: dict[int, VolumeInterval] = {}
    for time, records, size, rba in parts:
        start = time - (time - origin) % interval
        known = sums.get(start, VolumeInterval(start, 0, 0, rba))
        sums[start] = VolumeInterval(start, known.records + records, known.data_bytes + size, min(known.rba, rba))
    return sums


class VolumeSums:
    """Sums of records by interval; intervals become longer when there are too many.

    They begin at the full minute of the first record, as those of COUNT.
    """

    def __init__(self) -> None:
        self._interval = _LENGTHS[0] * _SECOND
        self._origin = 0
        self._sums: dict[int, VolumeInterval] = {}

    def add(self, batch: Batch, rows: Sequence[int]) -> None:
        """Add the records among these rows of a batch."""
        parts = _parts(batch, rows)
        if parts and not self._sums:
            self._origin = parts[0].start - parts[0].start % (_MINUTE * _SECOND)
        self._sums = _sums((*self._sums.values(), *parts), self._origin, self._interval)
        while len(self._sums) > MOST_INTERVALS:
            self._interval = longer(self._interval)
            self._sums = _sums(self._sums.values(), self._origin, self._interval)

    def volume(self) -> Volume:
        """Return the intervals so far."""
        return Volume(self._origin, self._interval, tuple(sorted(self._sums.values())))


def _parts(batch: Batch, rows: Sequence[int]) -> list[VolumeInterval]:
    """Return the records of each second added up, in the order of their first ones."""
    record_rows = np.asarray(rows, dtype=np.int64)
    record_rows = record_rows[np.asarray(batch.kind)[record_rows] == RECORD]
    times = np.asarray(batch.io_time)[record_rows]
    sums = row_groups.groups((times // _SECOND,), np.asarray(batch.record_length)[record_rows])
    parts = sorted((first, records, size) for first, records, size in sums)
    return [
        VolumeInterval(int(times[first]), records, size, int(batch.rba[record_rows[first]]))
        for first, records, size in parts
    ]


KINDS = ("insert", "update", "delete", "other")
"""The kinds of operations; ``other`` is DDL, LOBs and everything else that does not change a row."""
_VERBS = {"INSERT": 0, "UPSERT": 0, "UPDATE": 1, "PK UPDATE": 1, "DELETE": 2, "TRUNCATE": 2}
_KIND_OF = {io_type: _VERBS.get(operation_of(io_type), 3) for io_type in range(256) if is_change(io_type)}


class ShapeColumn(NamedTuple):
    """A column of the strip: times from ``start`` to before ``end`` (Julian), its first record, records by kind."""

    start: int
    end: int
    rba: int | None = None
    counts: tuple[int, ...] = (0,) * len(KINDS)

    @property
    def records(self) -> int:
        """Number of records of all kinds."""
        return sum(self.counts)

    @property
    def kind(self) -> str:
        """The most frequent kind."""
        return KINDS[max(range(len(KINDS)), key=lambda index: self.counts[index])]


class TrailShape(NamedTuple):
    """A file up to the RBA ``covered``: a volume for each of ``KINDS``."""

    covered: int
    volumes: tuple[Volume, ...]

    def columns(self, most: int) -> list[ShapeColumn]:
        """Return ``most`` columns of equal length in time, from the first record to the last; none without a record."""
        intervals = [(interval, kind) for kind, volume in enumerate(self.volumes) for interval in volume.intervals]
        if not intervals or most < 1:
            return []
        begin = min(interval.start for interval, _ in intervals)
        end = max(interval.start + self.volumes[kind].interval for interval, kind in intervals)
        edges = [begin + (end - begin) * index // most for index in range(most + 1)]
        counts = [[0] * len(KINDS) for _ in range(most)]
        rbas: list[int | None] = [None] * most
        for interval, kind in intervals:
            index = bisect_right(edges, interval.start) - 1
            counts[index][kind] += interval.records
            known = rbas[index]
            rbas[index] = interval.rba if known is None else min(known, interval.rba)
        return [ShapeColumn(edges[index], edges[index + 1], rbas[index], tuple(counts[index])) for index in range(most)]

    def column_of(self, rba: int, columns: list[ShapeColumn]) -> int | None:
        """Return the index of the last column whose first record is at or before an RBA, None without one."""
        indexes = [index for index, column in enumerate(columns) if column.rba is not None and column.rba <= rba]
        return indexes[-1] if indexes else None


class ShapeScan:
    """Reads a file for its shape, and continues at its end when the file has grown."""

    def __init__(self) -> None:
        self._sums = [VolumeSums() for _ in KINDS]
        self._covered = 0
        self.shape = TrailShape(0, ())

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Read the rest of the session's file; yield the RBA up to which it is read."""
        kinds = np.full(256, len(KINDS) - 1, dtype=np.int64)
        for io_type, kind in _KIND_OF.items():
            kinds[io_type] = kind
        for batch in scan(session.trail, self._covered):
            of_rows = kinds[np.asarray(batch.io_type) & 255]
            for kind, sums in enumerate(self._sums):
                sums.add(batch, (of_rows == kind).nonzero()[0].tolist())
            self._covered = _sound_end(batch, self._covered)
            self.shape = TrailShape(self._covered, tuple(sums.volume() for sums in self._sums))
            yield self._covered

    def lacks(self) -> Reading:
        """Return no damage: the index reports it."""
        return Reading()


def _sound_end(batch: Batch, before: int) -> int:
    """Return the RBA after the last row of a batch that cannot grow, ``before`` without one."""
    for row in range(len(batch) - 1, -1, -1):
        if batch.kind[row] <= FILE_HEADER:
            return int(batch.rba[row]) + int(batch.length[row])
    return before
