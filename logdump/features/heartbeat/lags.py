"""The lag of every hop of each path, from its beats."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from heapq import nlargest
from typing import NamedTuple, Self

from logdump.features.heartbeat.model import Beat, BeatPath, BeatPlace, Gap, HopLags, PathLag, SpreadSummary
from trailformat.trail.sequence import FilePosition

MOST_EXACT = 100_000
_STEP = math.log(1.01)


class Ranks:
    """Order statistics of values; beyond ``MOST_EXACT`` values a histogram replaces them, which bounds memory.

    Attributes:
        count: the number of values.
        least, greatest: of all values ever added, also removed ones; 0 before the first.
    """

    def __init__(self) -> None:
        self._values: array[int] = array("q")
        self._removed: Counter[int] = Counter()
        self._steps: Counter[int] = Counter()
        self.count = self.least = self.greatest = 0

    def copy(self) -> Self:
        """Return an independent copy, to which values can be added."""
        copied = type(self)()
        own = {"_values": self._values[:], "_removed": self._removed.copy(), "_steps": self._steps.copy()}
        vars(copied).update(vars(self) | own)
        return copied

    def add(self, value: int) -> None:
        """Add a value."""
        self.least = min(self.least, value) if self._has_values else value
        self.greatest = max(self.greatest, value) if self._has_values else value
        self.count += 1
        if self._steps:
            self._steps[_step(value)] += 1
            return
        self._values.append(value)
        if len(self._values) > MOST_EXACT:
            self._steps = Counter(map(_step, self._exact()))
            self._values, self._removed = array("q"), Counter()

    def remove(self, value: int) -> None:
        """Remove a value that was added before."""
        self.count -= 1
        if self._steps:
            self._steps[_step(value)] -= 1
        else:
            self._removed[value] += 1

    @property
    def _has_values(self) -> bool:
        return bool(self._values or self._steps)

    def _exact(self) -> list[int]:
        """Return all values in ascending order; requires ``is_exact``."""
        if not self._removed:
            return sorted(self._values)
        return sorted((Counter(self._values) - self._removed).elements())

    @property
    def is_exact(self) -> bool:
        """True if ranks come from the values themselves, False if from the histogram (exact to one per cent)."""
        return not self._steps

    def of(self, *parts: float) -> list[int]:
        """Return the values at these ranks, given as fractions of the count; there must be a value."""
        ordered = self._exact()
        return [self._of_rank(ordered, math.ceil(self.count * part)) for part in parts]

    def _of_rank(self, ordered: list[int], rank: int) -> int:
        if not self._steps:
            return ordered[rank - 1]
        for step in sorted(self._steps):
            rank -= self._steps[step]
            if rank <= 0:
                return max(self.least, min(self.greatest, _middle(step)))
        return self.greatest


class Spread:
    """Accumulates the lags of one hop, in trail order."""

    def __init__(self) -> None:
        self._ranks = Ranks()
        self._negative = self._last = 0
        self._greatest_at: FilePosition | None = None

    def add(self, value: int, position: FilePosition, *, is_late: bool = False) -> None:
        """Add a value and its position; a late value does not become the last one."""
        if self._greatest_at is None or value > self._ranks.greatest:
            self._greatest_at = position
        if not is_late or not self._ranks.count:
            self._last = value
        self._ranks.add(value)
        self._negative += value < 0

    def summary(self) -> SpreadSummary | None:
        """Return the summary so far, None without a value."""
        if self._greatest_at is None:
            return None
        ranks = self._ranks
        median, p95 = ranks.of(0.5, 0.95)
        return SpreadSummary(
            ranks.count,
            self._last,
            ranks.least,
            median,
            p95,
            ranks.greatest,
            self._greatest_at,
            self._negative,
            ranks.is_exact,
        )


def _step(value: int) -> int:
    """Return the histogram step of a value: steps of one per cent, signed, 0 below 2 microseconds."""
    size = round(math.log(abs(value)) / _STEP) if abs(value) > 1 else 0
    return -size if value < 0 else size


def _middle(step: int) -> int:
    size = round(math.exp(abs(step) * _STEP)) if step else 0
    return -size if step < 0 else size


MOST_GAPS = 10_000
"""The number of widest distances kept for each path."""


class _Distance(NamedTuple):
    """Two consecutive beats of a path."""

    after: BeatPlace
    before: BeatPlace

    @property
    def microseconds(self) -> int:
        """Time from one to the other."""
        return self.before.time - self.after.time


class GapFinder:
    """Finds the gaps between the beats of one path, in whatever order the beats come.

    A late beat divides the distance in which it was missing. Beats with the same time count as one.
    """

    def __init__(self) -> None:
        self.first: BeatPlace | None = None
        self.newest: BeatPlace | None = None
        self._ranks = Ranks()
        self._widest: list[_Distance] = []
        """Sorted by time."""

    def copy(self) -> GapFinder:
        """Return an independent copy, to which beats can be added."""
        copied = GapFinder()
        vars(copied).update(vars(self) | {"_ranks": self._ranks.copy(), "_widest": self._widest[:]})
        return copied

    def add(self, place: BeatPlace) -> None:
        """Add a beat; it extends the range or divides a distance."""
        if self.first is None or self.newest is None:
            self.first = self.newest = place
        elif place.time > self.newest.time:
            self._put(len(self._widest), 0, _Distance(self.newest, place))
            self.newest = place
        elif place.time < self.first.time:
            self._put(0, 0, _Distance(place, self.first))
            self.first = place
        else:
            self._divide(place)

    def _divide(self, place: BeatPlace) -> None:
        index = bisect_right(self._widest, place.time, key=lambda distance: distance.after.time) - 1
        if index < 0 or not self._widest[index].after.time < place.time < self._widest[index].before.time:
            return
        whole = self._widest[index]
        self._ranks.remove(whole.microseconds)
        self._put(index, 1, _Distance(whole.after, place), _Distance(place, whole.before))

    def _put(self, index: int, number: int, *distances: _Distance) -> None:
        """Replace a number of distances from an index by others."""
        self._widest[index : index + number] = distances
        for distance in distances:
            self._ranks.add(distance.microseconds)
        if len(self._widest) > 2 * MOST_GAPS:
            self._widest = self._kept

    @property
    def _kept(self) -> list[_Distance]:
        return sorted(
            nlargest(MOST_GAPS, self._widest, key=lambda distance: distance.microseconds),
            key=lambda distance: distance.after.time,
        )

    @property
    def interval(self) -> int | None:
        """The median distance between two beats in microseconds, None with fewer than two."""
        return self._ranks.of(0.5)[0] if self._ranks.count else None

    @property
    def is_interval_exact(self) -> bool:
        """False if the interval is a median from the histogram, exact to one per cent only."""
        return self._ranks.is_exact

    def gaps(self, interval: int | None = None) -> Iterator[Gap]:
        """Yield the gaps in order of time, for an interval in microseconds or, by default, the median distance."""
        interval = interval or self.interval
        if interval is None:
            return
        for distance in self._kept:
            if missing := missing_beats(distance.microseconds, interval):
                yield Gap(distance.after, distance.before, missing, distance.before.time)

    def overdue(self, newest: int, interval: int | None = None) -> Gap | None:
        """Return the gap after the last beat, None if no beat is overdue.

        A beat is overdue one and a half intervals after the commit of the one before it: it may be on its way for as
        long as that one was, so that a steady lag lets no beat be missing.

        Args:
            newest: the newest commit time in the trail.
            interval: microseconds between two beats; by default the median distance.
        """
        interval = interval or self.interval
        if interval is None or self.newest is None:
            return None
        missing = missing_beats(newest - self.newest.committed, interval)
        return Gap(self.newest, None, missing, newest) if missing else None


def overdue_beats(
    finders: Mapping[BeatPath, GapFinder], newest: int, interval: int | None = None
) -> dict[BeatPath, Gap]:
    """Return the gap at the end of each path whose next beat is overdue; see ``GapFinder.overdue``.

    A path is over, and lacks none, if one of the same databases began after its last beat: a process was renamed.
    """
    begun: dict[tuple[object, ...], int] = {}
    for path, finder in finders.items():
        if finder.first is not None:
            begun[path[:3]] = max(begun.get(path[:3], finder.first.time), finder.first.time)
    gaps = {
        path: finder.overdue(newest, interval)
        for path, finder in finders.items()
        if finder.newest is not None and begun[path[:3]] <= finder.newest.time
    }
    return {path: gap for path, gap in gaps.items() if gap is not None}


def missing_beats(distance: int, interval: int) -> int:
    """Return the number of beats missing in a distance; a beat up to half an interval late is not missing."""
    return max(0, -((interval - 2 * distance) // (2 * interval)) - 1)


MOST_PATHS = 10_000
"""The number of paths shown individually; beats of other paths are only counted."""

HOPS = HopLags._fields
"""The lags of a beat by name, in the order of the hops; the total is last."""


class _Path:
    def __init__(self, beat: Beat) -> None:
        self.beats = 0
        self.first = beat.row.position
        self.last = beat
        self.spreads = {name: Spread() for name in HOPS}
        self.gaps = GapFinder()
        self.is_apply_unknown = False

    def add(self, beat: Beat) -> None:
        self.beats += 1
        is_late = beat.heartbeat_ts < self.last.heartbeat_ts
        if not is_late:
            self.last = beat
        self.gaps.add(beat.place)
        self.is_apply_unknown = self.is_apply_unknown or beat.is_apply_unknown
        for name, lag in zip(HOPS, beat.lags, strict=True):
            if lag is not None:
                self.spreads[name].add(lag, beat.row.position, is_late=is_late)


class Lags:
    """Accumulates the lags of each path, in trail order.

    Attributes:
        others: number of beats of the paths beyond MOST_PATHS.
        newest: the latest timestamp of a hop or commit so far (Julian microseconds).
    """

    def __init__(self) -> None:
        self._paths: dict[BeatPath, _Path] = {}
        self.others = 0
        self.newest: int | None = None
        self._committed = 0

    def add(self, beat: Beat) -> None:
        """Add a beat to the lags of its path."""
        self.note(*beat.moments)
        self._committed = max(self._committed, beat.row.commit_time)
        path = self._paths.get(beat.path)
        if path is None:
            if len(self._paths) >= MOST_PATHS:
                self.others += 1
                return
            path = self._paths[beat.path] = _Path(beat)
        path.add(beat)

    def note(self, *moments: int | None) -> None:
        """Move ``newest`` forward to the latest of the given moments."""
        known = [moment for moment in (self.newest, *moments) if moment is not None]
        self.newest = max(known, default=None)

    @property
    def beats(self) -> int:
        """Number of beats of all paths, including those not listed."""
        return self.others + sum(path.beats for path in self._paths.values())

    def paths(
        self, at: int | None = None, interval: int | None = None, committed: int | None = None
    ) -> Iterator[PathLag]:
        """Yield the lags of each path, in the order in which their beats were added.

        Args:
            at: the moment to which ages are measured; by default ``newest``.
            interval: microseconds between two beats; by default the median distance.
            committed: the newest commit time, after which nothing is known; by default that of the beats.
        """
        at = self.newest if at is None else at
        finders = {key: path.gaps for key, path in self._paths.items()}
        overdue = overdue_beats(finders, self._committed if committed is None else committed, interval)
        for key, path in self._paths.items():
            last = (overdue[key],) if key in overdue else ()
            source, target, direction, way = path.last.path
            yield PathLag(
                source,
                target,
                direction,
                way,
                path.beats,
                path.first,
                path.last,
                {name: spread.summary() for name, spread in path.spreads.items()},
                (at or path.last.heartbeat_ts) - path.last.heartbeat_ts,
                interval or path.gaps.interval,
                interval is not None or path.gaps.is_interval_exact,
                (*path.gaps.gaps(interval), *last),
                path.is_apply_unknown,
            )
