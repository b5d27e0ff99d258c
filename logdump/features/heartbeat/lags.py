"""The lag of every hop of every way, from its beats."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.heartbeat.gaps import GapFinder
from logdump.features.heartbeat.model import Beat, HopLags, PathLag
from logdump.features.heartbeat.spread import Spread

MOST_PATHS = 10_000
"""How many ways are shown one by one; of the others only the beats are counted."""

HOPS = HopLags._fields
"""The lags of a beat by name, from the beginning of the way to its end."""


class _Path:
    def __init__(self, beat: Beat) -> None:
        self.beats = 0
        self.first = beat.row.spot
        self.last = beat
        self.spreads = {name: Spread() for name in HOPS}
        self.gaps = GapFinder()
        self.is_apply_unknown = False

    def add(self, beat: Beat) -> None:
        self.beats += 1
        is_late = beat.heartbeat_ts < self.last.heartbeat_ts
        if not is_late:
            self.last = beat
        self.gaps.add(beat.heartbeat_ts, beat.row.spot)
        self.is_apply_unknown = self.is_apply_unknown or beat.is_apply_unknown
        for name, lag in zip(HOPS, beat.lags, strict=True):
            if lag is not None:
                self.spreads[name].add(lag, beat.row.spot, is_late=is_late)


class Lags:
    """Adds beats up by their ways, in the order of the trail.

    Attributes:
        others: beats of the ways beyond MOST_PATHS.
        newest: the latest moment in a row: of a beat on its way, or of a commit.
    """

    def __init__(self) -> None:
        self._paths: dict[tuple[object, ...], _Path] = {}
        self.others = 0
        self.newest: int | None = None

    def add(self, beat: Beat) -> None:
        """Add a beat to the lags of its path."""
        self.note(*beat.moments)
        path = self._paths.get(beat.path)
        if path is None:
            if len(self._paths) >= MOST_PATHS:
                self.others += 1
                return
            path = self._paths[beat.path] = _Path(beat)
        path.add(beat)

    def note(self, *moments: int | None) -> None:
        """Move ``newest``, the moment of the answer, forward to the latest of the moments given."""
        known = [moment for moment in (self.newest, *moments) if moment is not None]
        self.newest = max(known, default=None)

    @property
    def beats(self) -> int:
        """Number of beats of all paths, including those not listed."""
        return self.others + sum(path.beats for path in self._paths.values())

    def paths(self, at: int | None = None, interval: int | None = None) -> Iterator[PathLag]:
        """The ways, in the order of their first beats.

        Args:
            at: the moment of the answer; the latest one known unless given.
            interval: microseconds between two beats; the median distance unless given.
        """
        at = self.newest if at is None else at
        for path in self._paths.values():
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
                tuple(path.gaps.gaps(interval)),
                path.is_apply_unknown,
            )
