"""The events of HEARTBEAT."""

from __future__ import annotations

import enum
from typing import NamedTuple

from logdump.features.heartbeat.model import Beat, Direction, Gap, HeartbeatRow, PathLag, difference
from logdump.parameters.model import Rule
from logdump.session.errors import ExitStatus


class Clock(enum.Enum):
    """The source of an answer's moment: the newest time in the trail, the user, or this machine."""

    TRAIL = "trail"
    GIVEN = "given"
    NOW = "now"


class HeartbeatsShown(NamedTuple):
    """HEARTBEAT: the answer as a whole.

    Attributes:
        base: the name of the tables that was looked for, ``rule`` the statement of a parameter file that gives it.
        tables: the heartbeat tables that rows were found of.
        beats: how many; ``paths`` ways they go, ``others`` of them ways that are not listed one by one.
        first, last: their times (Julian); None without a beat.
        at: the moment of the answer, and where that comes from; None without a time in the trail.
        not_beats: tables that are called like one and hold no beat.
        same_database: whether a row names one database on both sides: its OUTGOING_ columns stay empty then.
        problems: rows with something that does not decode.
        damaged: places that hold no sound record: beats there are not known.
        not_applied: rows of transactions that a Replicat does not apply: copies, and those that are not whole.
        deleted: rows of the history that deletes in the trail have removed.
        purged: rows of the history that RETENTION would remove at ``at``; None where it is not given.
        is_partial: True if not all was read: age and gaps are then omitted.
    """

    base: str
    rule: Rule | None
    tables: tuple[str, ...]
    beats: int
    paths: int
    others: int
    first: int | None
    last: int | None
    at: int | None
    at_source: Clock
    not_beats: tuple[str, ...]
    same_database: bool
    problems: int
    damaged: int
    not_applied: int
    deleted: int
    purged: int | None
    is_partial: bool

    @property
    def status(self) -> ExitStatus:
        """Bad data when there is damage."""
        return ExitStatus.BAD_DATA if self.damaged else ExitStatus.OK


class PathLagShown(NamedTuple):
    """HEARTBEAT LAG: one way, at a moment (Julian); ``is_partial``: as in the answer as a whole."""

    lag: PathLag
    at: int
    at_source: Clock
    is_partial: bool = False

    @property
    def oldest_open_age(self) -> int | None:
        """Microseconds from the restart position of the last beat to the moment, as REMOTE_DB_OLDEST_OPEN_TXN_AGE."""
        return difference(self.at, self.lag.last.restart_ts)


class RestartPositionShown(NamedTuple):
    """HEARTBEAT RESTART: the CSN from which Extract must capture again for a Replicat at its low watermark.

    Attributes:
        source, target, direction, way: the way of the beats.
        low_watermark: the CSN up to which Replicat has applied everything; None where it is not known.
        is_given: whether the command gave it; else it is that of the newest beat of the way.
        beat: of the beats with a CSN at or below it the one with the largest restart CSN; None where there is none.
        beats: how many have a CSN and a restart CSN.
        is_exact: False if another beat may have a larger restart CSN, because only a part of them was kept.
    """

    source: str | None
    target: str | None
    direction: Direction
    way: tuple[str, ...]
    low_watermark: str | None
    is_given: bool
    beat: Beat | None
    beats: int
    is_exact: bool


class BeatShown(NamedTuple):
    """HEARTBEAT HISTORY: one beat."""

    beat: Beat


class BeatIntervalShown(NamedTuple):
    """HEARTBEAT HISTORY EVERY: the beats of one way in an interval, from its start (Julian) to before its end."""

    start: int
    end: int
    lag: PathLag


class HeartbeatRowShown(NamedTuple):
    """HEARTBEAT ROWS: one row, as far as it is on its way."""

    row: HeartbeatRow
    stage: str


class BeatGapShown(NamedTuple):
    """HEARTBEAT GAPS: beats of one way that are missing."""

    lag: PathLag
    gap: Gap
