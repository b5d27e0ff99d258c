"""The beats of an eventful trail, told from its pieces one by one: which count, where they stand, where some lack."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from tests.simulated.eventful_beats import Beat, BeatRow, EventfulBeats, Piece, Way

Place = tuple[int, int]


class Seen(NamedTuple):
    """A beat where it stands, and the IO Time of its row."""

    beat: Beat
    place: Place
    committed: int

    @property
    def lag(self) -> int:
        """The sum of its known lags."""
        return sum(self.beat.hops.values())


class Hole(NamedTuple):
    """A time without beats of a path: between two of them, or after the last one (``before`` is None) to the end."""

    way: Way
    after: Seen
    before: Seen | None
    end: int
    missing: int

    @property
    def length(self) -> int:
        """How long it counts: from beat to beat, after the last one from its commit."""
        return self.end - (self.after.beat.time if self.before is not None else self.after.committed)

    def holds(self, moment: int) -> bool:
        """Whether a moment is in it."""
        if self.before is None:
            return self.after.committed < moment <= self.end
        return self.after.beat.time < moment < self.end


def due(length: int, interval: int) -> int:
    """How many beats should have come in a length: each has half an interval of grace."""
    number = 0
    while (2 * number + 3) * interval < 2 * length:
        number += 1
    return number


def usual_distance(beats: list[Seen]) -> int | None:
    """The median of the distances between beats of a path, of an even number the lower one."""
    times = sorted({seen.beat.time for seen in beats})
    distances = sorted(later - earlier for earlier, later in itertools.pairwise(times))
    return distances[(len(distances) - 1) // 2] if distances else None


class BeatsModel:
    """The beats of a trail by path, in trail order, of transactions that a Replicat applies.

    Attributes:
        ways: the beats of each path. A beat is known to be over once the next one of its path is there, so the paths
            are in the order of their second beats, those of one beat last.
        spoilt: rows that count and have a column that does not decode.
        skipped: rows in transactions that a Replicat does not apply.
        newest: the latest moment that the trail knows.
    """

    def __init__(self, trail: EventfulBeats) -> None:
        self.trail = trail
        self.ways: dict[Way, list[Seen]] = {}
        self.spoilt = self.skipped = 0
        self._last: dict[Way, int] = {}
        self._single: dict[Way, list[Seen]] = {}
        names: set[int] = set()
        for piece in trail.pieces:
            if piece.kind != "transaction":
                continue
            is_applied = piece.is_whole and piece.number not in names and not self._is_passed(piece)
            names |= {piece.number} if piece.is_whole else set()
            for row in piece.rows:
                self.skipped += not is_applied
                if is_applied:
                    self._take(piece, row)
        self.ways |= self._single
        times = [piece.time for piece in trail.pieces if piece.kind not in ("damage", "half")]
        times += [piece.time for piece in trail.pieces if piece.kind == "definition"]
        self.newest = max([*times, *(file.created for file in trail.readable)], default=None)

    @property
    def damage(self) -> list[Piece]:
        """Where there is damage; half a record at the end of the trail is none."""
        last = len(self.trail.files) - 1
        return [
            piece
            for piece in self.trail.pieces
            if piece.kind == "damage" or (piece.kind == "half" and piece.file != last)
        ]

    @property
    def is_partial(self) -> bool:
        """Whether something of the trail cannot be read."""
        return bool(self.damage) or len(self.trail.readable) < len(self.trail.files)

    def _is_passed(self, piece: Piece) -> bool:
        """Whether a Replicat has abended before a transaction."""
        ends = [drawn_piece.place for drawn_piece in self.damage]
        ends += [(at, 0) for at, file in enumerate(self.trail.files) if file.state == "no trail"]
        return any(end < piece.place for end in ends)

    def _take(self, piece: Piece, row: BeatRow) -> None:
        """Take a row; one of the table with the time of the row before, or of the beat before, is no new beat."""
        beat, way = row.beat, row.beat.way
        if row.is_spoilt:
            self.spoilt += 1
            beat = beat._replace(extract=None)
        if not row.is_history:
            is_known, self._last[way] = self._last.get(way) == beat.time, beat.time
            if is_known:
                return
        seen = Seen(beat, (piece.file, row.rba), piece.time)
        beats = self.ways.get(way) or self._single.pop(way, [])
        if beats and beats[-1].beat.time == beat.time:
            beats[-1] = seen if beat.received is not None else beats[-1]
        else:
            beats.append(seen)
        (self.ways if len(beats) > 1 else self._single)[way] = beats

    def first_of(self, way: Way, time: int) -> Seen:
        """The first beat of a time: those of one time count as one."""
        return next(seen for seen in self.ways[way] if seen.beat.time == time)

    def holes(self, newest: int | None) -> list[Hole]:
        """Where beats are missing, those at the end of the trail last."""
        inner, last = list[Hole](), list[Hole]()
        for way, beats in self.ways.items():
            times, usual = sorted({seen.beat.time for seen in beats}), usual_distance(beats)
            if usual is None:
                continue
            for before, after in itertools.pairwise(times):
                if missing := due(after - before, usual):
                    seen, following = self.first_of(way, before), self.first_of(way, after)
                    inner.append(Hole(way, seen, following, after, missing))
            latest = self.first_of(way, times[-1])
            missing = due(newest - latest.committed, usual) if newest is not None else 0
            if missing and not self._is_over(way, times[-1]):
                last.append(Hole(way, latest, None, newest or 0, missing))
        return inner + last

    def _is_over(self, way: Way, last: int) -> bool:
        """Whether another path between the same databases began after the last beat of one."""
        others = [beats for other, beats in self.ways.items() if other.databases == way.databases]
        return any(min(seen.beat.time for seen in beats) > last for beats in others)
