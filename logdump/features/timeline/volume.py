"""Records and data bytes per interval, as COUNT INTERVAL has them, in a bounded number of intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trailformat.scan import RECORD, Batch

MOST_INTERVALS = 1024
"""The most intervals that are kept: more than a terminal has columns."""
_SECOND = 1_000_000
_MINUTE = 60
_LENGTHS = (1, 5, 10, 30, _MINUTE, 300, 600, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800)
"""Seconds of intervals, each a multiple of the one before; longer ones double."""


class VolumeInterval(NamedTuple):
    """The records of an interval from its start (Julian) on, their data bytes; the RBA is of the first of them."""

    start: int
    records: int
    data_bytes: int
    rba: int


class Volume(NamedTuple):
    """Intervals of ``interval`` microseconds that hold records, in order; one of them would start at ``origin``."""

    origin: int
    interval: int
    intervals: tuple[VolumeInterval, ...]

    @property
    def number(self) -> int:
        """The number of intervals from the first to the last, with the empty ones between."""
        return (self.intervals[-1].start - self.intervals[0].start) // self.interval + 1 if self.intervals else 0

    def at_most(self, most: int) -> Volume:
        """Return the volume in longer intervals, at most ``most`` (but two) from the first to the last."""
        volume = self
        while volume.number > max(2, most):
            interval = longer(volume.interval)
            sums = _sums(volume.intervals, self.origin, interval)
            volume = Volume(self.origin, interval, tuple(sorted(sums.values())))
        return volume


def longer(interval: int) -> int:
    """The next interval of those that a volume may have, in microseconds."""
    return next((length * _SECOND for length in _LENGTHS if length * _SECOND > interval), 2 * interval)


def _sums(parts: Iterable[VolumeInterval], origin: int, interval: int) -> dict[int, VolumeInterval]:
    """The sums of parts in intervals, by their starts."""
    sums: dict[int, VolumeInterval] = {}
    for time, records, size, rba in parts:
        start = time - (time - origin) % interval
        known = sums.get(start, VolumeInterval(start, 0, 0, rba))
        sums[start] = VolumeInterval(start, known.records + records, known.data_bytes + size, min(known.rba, rba))
    return sums


class VolumeSums:
    """Sums of records by intervals, which become longer when there are too many.

    They are laid from the full minute of the first record, as COUNT's are.
    """

    def __init__(self) -> None:
        self._interval = _LENGTHS[0] * _SECOND
        self._origin = 0
        self._sums: dict[int, VolumeInterval] = {}

    def add(self, batch: Batch, rows: Sequence[int]) -> None:
        """Take in the records among these rows of a batch."""
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
    """The records of each second together, in the order of their first ones."""
    import numpy as np  # noqa: PLC0415 - a batch of numpy columns is here, so it is loaded

    from trailformat.totals.row_groups import groups  # noqa: PLC0415 - it needs numpy

    kept = np.asarray(rows, dtype=np.int64)
    kept = kept[np.asarray(batch.kind)[kept] == RECORD]
    times = np.asarray(batch.io_time)[kept]
    found = groups((times // _SECOND,), np.asarray(batch.record_length)[kept])
    parts = sorted((first, records, size) for first, records, size in found)
    return [
        VolumeInterval(int(times[first]), records, size, int(batch.rba[kept[first]])) for first, records, size in parts
    ]
