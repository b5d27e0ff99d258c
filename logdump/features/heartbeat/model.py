"""Heartbeats: rows of the heartbeat tables, beats, and the lag of each hop.

generated  ->  Extract  ->  pump or path  ->  Replicat  ->  received
heartbeat_ts  extract_ts    routing_ts      replicat_ts    received_ts
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, NamedTuple

if TYPE_CHECKING:
    from logdump.session.files import FileNames
    from trailformat.codec.timestamps import Julian, Microseconds

from logdump.parameters.model import Rule
from logdump.session.errors import ExitStatus
from logdump.tables.heartbeat_tables import Role
from trailformat.trail.sequence import FilePosition

ARROW = " ==> "

KEY = (
    "local_database",
    "remote_database",
    "incoming_extract",
    "incoming_routing_path",
    "incoming_replicat",
    "outgoing_extract",
    "outgoing_routing_path",
    "outgoing_replicat",
)
"""The columns that identify a row of GG_HEARTBEAT: two databases, and the incoming and outgoing path between them."""

Key = tuple[str | int | None, ...]
"""The values of the columns ``KEY``."""


class Display(enum.Enum):
    """The views of HEARTBEAT, named by the words of the command."""

    LAG = "LAG"
    HISTORY = "HISTORY"
    ROWS = "ROWS"
    GAPS = "GAPS"
    RESTART = "RESTART"


class HeartbeatOptions(NamedTuple):
    """The options of HEARTBEAT; times are Julian microseconds, ``every`` and ``frequency`` microseconds.

    ``table`` is None if the parameter files name the tables; ``path`` is a wildcard for paths as Oracle writes them;
    ``retention`` is in days; ``low_watermark`` is that of Replicat.
    """

    display: Display = Display.LAG
    over: FileNames | None = None
    table: str | None = None
    path: str | None = None
    start: int | None = None
    end: int | None = None
    at: int | None = None
    is_now: bool = False
    every: int | None = None
    frequency: int | None = None
    retention: int | None = None
    low_watermark: str | None = None


class Direction(enum.Enum):
    """Direction of a beat: incoming from the remote database, or outgoing to it."""

    INCOMING = "incoming"
    OUTGOING = "outgoing"


class HeartbeatRow(NamedTuple):
    """A row of a heartbeat table after a change, or before it if the change is a DELETE.

    Timestamps are Julian microseconds; a column that is NULL, missing or cannot be decoded is None.

    Attributes:
        role, table: role and name of its table.
        op: INSERT, UPDATE, PK UPDATE or DELETE.
        position: position of its last record.
        csn: LOGCSN of its transaction, None if no record has it.
        commit_time: IO Time of its last record.
        other: columns not listed in ``tables``, as text.
        problems: columns that cannot be decoded, with the reason.
    """

    role: Role
    table: str
    op: str
    position: FilePosition
    csn: str | None
    commit_time: int
    local_database: Annotated[str | None, "LOCAL_DATABASE"] = None
    remote_database: Annotated[str | None, "REMOTE_DATABASE"] = None
    db_name: str | None = None
    db_unique_name: Annotated[str | None, "DB_UNIQUE_NAME"] = None
    incoming_extract: str | None = None
    incoming_routing_path: str | None = None
    incoming_replicat: str | None = None
    outgoing_extract: str | None = None
    outgoing_routing_path: str | None = None
    outgoing_replicat: str | None = None
    heartbeat_timestamp: int | None = None
    received_ts: int | None = None
    incoming_heartbeat_ts: int | None = None
    incoming_extract_ts: int | None = None
    incoming_routing_ts: int | None = None
    incoming_replicat_ts: int | None = None
    outgoing_heartbeat_ts: int | None = None
    outgoing_extract_ts: int | None = None
    outgoing_routing_ts: int | None = None
    outgoing_replicat_ts: int | None = None
    low_watermark_csn: str | None = None
    heartbeat_csn: str | None = None
    restart_csn: str | None = None
    restart_ts: int | None = None
    other: dict[str, str] = {}  # noqa: RUF012 - the default of a tuple, which no assignment changes
    problems: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, str | int]:
        """The columns that are not NULL, by the attribute names of this class."""
        known = self._asdict()
        return {name: known[name] for name in self._fields[6:-2] if known[name] is not None}

    @property
    def key(self) -> Key:
        """The columns that identify the row in its table."""
        return tuple(getattr(self, name) for name in KEY)


def difference(later: int | None, earlier: int | None) -> int | None:
    """Return the microseconds from one moment to another, None if either is None."""
    return None if later is None or earlier is None else later - earlier


def way(extract: str | None, routing: Iterable[str], replicat: str | None) -> tuple[str, ...]:
    """Return the names of the known processes that a beat passes, in order."""
    return tuple(process for process in (extract, *routing, replicat) if process)


def way_text(names: Iterable[str]) -> str | None:
    """Return a path as Oracle's views write it, None without a process."""
    return ARROW.join(names) or None


class HopLags(NamedTuple):
    """The lags of a path in microseconds; None if a timestamp is missing."""

    extract_lag: Annotated[Microseconds | None, "From the generation of the beat to Extract, seconds"]
    routing_lag: Annotated[Microseconds | None, "From Extract to the last pump or path, seconds"]
    replicat_read_lag: Annotated[Microseconds | None, "From the last process before Replicat to Replicat, seconds"]
    replicat_lag: Annotated[Microseconds | None, "From Replicat to the row in the target, seconds"]
    total_lag: Annotated[
        Microseconds | None, "From the generation to the row in the target, or to Replicat if that is unknown, seconds"
    ]


class WayTimes(NamedTuple):
    """Timestamps of a beat at each hop (Julian microseconds), None where not set."""

    heartbeat_ts: int | None
    extract_ts: int | None
    routing_ts: int | None
    replicat_ts: int | None
    received_ts: int | None = None

    @property
    def lags(self) -> HopLags:
        """The lag of each hop."""
        heartbeat, extract, routing, replicat, received = self
        return HopLags(
            difference(extract, heartbeat),
            difference(routing, extract),
            difference(replicat, extract if routing is None else routing),
            difference(received, replicat),
            difference(replicat if received is None else received, heartbeat),
        )


BeatPath = tuple[str | None, str | None, Direction, tuple[str, ...]]
"""A path of beats: source database, target database, direction, names of the processes."""


class Beat(NamedTuple):
    """A heartbeat as read from one row; timestamps in Julian microseconds, None where not set.

    ``is_reported`` is True for an outgoing beat whose arrival the other database has reported back in a beat of its
    own: the restart position and the low watermark in the row then belong to the path of that other beat.
    """

    row: HeartbeatRow
    direction: Annotated[Direction, "incoming or outgoing, seen from the local database"]
    heartbeat_ts: int
    extract_ts: Annotated[Julian | None, "When Extract had it, UTC"]
    routing_ts: Annotated[Julian | None, "When the last pump or path had it, UTC"]
    replicat_ts: Annotated[Julian | None, "When Replicat had it, UTC"]
    received_ts: Annotated[Julian | None, "When its row was in the target, UTC"]
    extract: Annotated[str | None, "Extract"]
    routing_path: Annotated[tuple[str, ...], "Pumps and distribution paths"]
    replicat: Annotated[str | None, "Replicat"]
    is_reported: bool = False

    @property
    def place(self) -> BeatPlace:
        """Its time and its row."""
        return BeatPlace(self.heartbeat_ts, self.row.position, self.row.commit_time)

    @property
    def path(self) -> BeatPath:
        """Source database, target database, direction, and the names of the processes."""
        row, is_out = self.row, self.direction is Direction.OUTGOING
        databases = (row.local_database, row.remote_database) if is_out else (row.remote_database, row.local_database)
        return (*databases, self.direction, self.way)

    @property
    def way(self) -> tuple[str, ...]:
        """Names of the processes that the beat has passed."""
        return way(self.extract, self.routing_path, self.replicat)

    @property
    def moments(self) -> tuple[int, ...]:
        """The commit time of the row and the timestamp of each hop that is set."""
        return (self.row.commit_time, *(time for time in self._times if time is not None))

    @property
    def stage(self) -> str:
        """The last stage reached when the row was written: seed, extract, routing, replicat, history."""
        if self.row.role is Role.HISTORY and not self.is_reported:
            return Role.HISTORY.value
        stages = {"replicat": self.replicat_ts, "routing": self.routing_ts, "extract": self.extract_ts}
        return next((name for name, moment in stages.items() if moment is not None), Role.SEED.value)

    @property
    def _times(self) -> WayTimes:
        return WayTimes(self.heartbeat_ts, self.extract_ts, self.routing_ts, self.replicat_ts, self.received_ts)

    @property
    def lags(self) -> HopLags:
        """The lag of each hop."""
        return self._times.lags

    @property
    def is_apply_unknown(self) -> bool:
        """True if the total ends at Replicat because no row has the time when the target received the beat."""
        return self.received_ts is None and self.replicat_ts is not None

    @property
    def heartbeat_csn(self) -> str | None:
        """The CSN of the beat in the source, None for a beat reported back."""
        return None if self.is_reported else self.row.heartbeat_csn

    @property
    def restart_csn(self) -> str | None:
        """The CSN at which Extract would have restarted when the beat passed it, None for a beat reported back."""
        return None if self.is_reported else self.row.restart_csn

    @property
    def restart_ts(self) -> int | None:
        """Time of the redo record at the restart position, None for a beat reported back."""
        return None if self.is_reported else self.row.restart_ts

    @property
    def low_watermark_csn(self) -> str | None:
        """The low watermark of Replicat when it applied the beat, None for a beat reported back."""
        return None if self.is_reported else self.row.low_watermark_csn

    @property
    def oldest_open_age(self) -> int | None:
        """Microseconds from the restart position of Extract to the moment when the beat passed it."""
        return difference(self.extract_ts, self.restart_ts)


class SpreadSummary(NamedTuple):
    """Statistics of ``values`` values in microseconds; ``negative`` of them are below zero.

    ``greatest_at`` is the position of the greatest. ``is_exact`` is False if median and p95 come from the histogram.
    """

    values: Annotated[int, "Number of beats with this lag", "beats"]
    last: Annotated[Microseconds, "Of the last beat"]
    least: Annotated[Microseconds, "The least"]
    median: Annotated[Microseconds, "The median"]
    p95: Annotated[Microseconds, "The 95th percentile"]
    greatest: Annotated[Microseconds, "The greatest"]
    greatest_at: Annotated[FilePosition, "The row that shows it"]
    negative: Annotated[int, "How many are below zero"]
    is_exact: Annotated[bool, "Whether median and p95 are exact, not to one per cent"]


class BeatPlace(NamedTuple):
    """The time of a beat, the position of its row, and the commit time of the row; times in Julian microseconds."""

    time: int
    position: FilePosition
    committed: int


class Gap(NamedTuple):
    """A time without beats of a path, in which ``beats`` are missing.

    Attributes:
        after: the last beat before it.
        before: the next beat; None if none has come by ``end``.
        beats: number of missing beats.
        end: the time of the next beat, or the newest time in the trail.
    """

    after: BeatPlace
    before: BeatPlace | None
    beats: int
    end: int

    @property
    def microseconds(self) -> int:
        """Time from one beat to the next, or from the commit of the last one to the end."""
        return self.end - (self.after.committed if self.before is None else self.after.time)


class PathLag(NamedTuple):
    """The lags of the beats of one path.

    Attributes:
        beats: number of beats; ``first`` is the position of the first read, ``last`` the newest beat.
        hops: a summary for each of HOPS, None if no beat has this lag.
        age: microseconds from the newest beat to the moment to which ages are measured.
        interval: microseconds between two beats, given or the median; None with fewer than two beats.
        is_interval_exact: False if the median comes from the histogram.
        gaps: in order of time.
        is_apply_unknown: True if the total of a beat ends at Replicat.
    """

    source: Annotated[str | None, "Where the beats come from", "source_database"]
    target: Annotated[str | None, "Where they go", "target_database"]
    direction: Annotated[Direction, "incoming or outgoing, seen from the local database"]
    way: Annotated[tuple[str, ...], "The processes between", "path"]
    beats: int
    first: FilePosition
    last: Beat
    hops: dict[str, SpreadSummary | None]
    age: int
    interval: int | None
    is_interval_exact: bool
    gaps: tuple[Gap, ...]
    is_apply_unknown: bool

    @property
    def missing(self) -> int:
        """Number of missing beats in all gaps."""
        return sum(gap.beats for gap in self.gaps)

    @property
    def negative(self) -> int:
        """Number of lags below zero: the clocks differ."""
        return sum(hop.negative for hop in self.hops.values() if hop is not None)


class Clock(enum.Enum):
    """The source of the moment to which ages are measured: the newest time in the trail, the user, or this machine."""

    TRAIL = "trail"
    GIVEN = "given"
    NOW = "now"


class HeartbeatsShown(NamedTuple):
    """HEARTBEAT: the summary.

    Attributes:
        is_partial: True if not everything was read: age and gaps are then omitted.
    """

    base: Annotated[str, "The name of the tables: given, of HEARTBEATTABLE in the parameter files, or the usual one"]
    rule: Rule | None
    tables: Annotated[tuple[str, ...], "The heartbeat tables with rows"]
    beats: Annotated[int, "How many beats"]
    paths: Annotated[int, "How many ways"]
    others: Annotated[int, "Beats of paths that are not listed one by one"]
    first: Annotated[Julian | None, "The first beat, UTC"]
    last: Annotated[Julian | None, "The last beat, UTC"]
    at: Annotated[Julian | None, "The moment of the answer, UTC"]
    at_source: Annotated[Clock, "trail (the newest time there), given, now"]
    not_beats: Annotated[tuple[str, ...], "Tables of the name without a time of a beat"]
    same_database: Annotated[bool, "Whether a row names one database on both sides"]
    problems: Annotated[int, "Rows with something that does not decode"]
    damaged: Annotated[int, "Places that hold no sound record: beats there are not known"]
    not_applied: Annotated[
        int,
        "Rows of transactions that a Replicat does not apply, copies and those not whole; they are left out",
    ]
    deleted: Annotated[int, "Rows of the history deleted in the trail"]
    purged: Annotated[int | None, "Rows of the history that RETENTION would remove"]
    is_partial: bool

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage."""
        return ExitStatus.BAD_DATA if self.damaged else ExitStatus.OK


class PathLagShown(NamedTuple):
    """HEARTBEAT LAG: one path at a moment (Julian); ``is_partial`` is that of the summary."""

    lag: PathLag
    at: int
    at_source: Annotated[Clock, "trail (the newest time there), given, now"]
    is_partial: bool = False

    @property
    def oldest_open_age(self) -> int | None:
        """Microseconds from the restart position of the newest beat to ``at``, as REMOTE_DB_OLDEST_OPEN_TXN_AGE."""
        return difference(self.at, self.lag.last.restart_ts)


class RestartPositionShown(NamedTuple):
    """HEARTBEAT RESTART: the CSN from which Extract must capture again for a Replicat at its low watermark.

    Attributes:
        beat: the beat with the largest restart CSN among those with a CSN at or below it; None if there is none.
    """

    source: Annotated[str | None, "Where the beats come from", "source_database"]
    target: Annotated[str | None, "Where they go", "target_database"]
    direction: Annotated[Direction, "incoming or outgoing, seen from the local database"]
    way: Annotated[tuple[str, ...], "The processes between", "path"]
    low_watermark: Annotated[str | None, "The low watermark of Replicat", "low_watermark_csn"]
    is_given: Annotated[bool, "Whether the command gave it; else it is that of the newest beat"]
    beat: Beat | None
    beats: Annotated[int, "Beats with a CSN and a restart CSN"]
    is_exact: Annotated[bool, "Whether no other beat can have a larger restart CSN"]


class BeatShown(NamedTuple):
    """HEARTBEAT HISTORY: one beat."""

    beat: Beat


class BeatIntervalShown(NamedTuple):
    """HEARTBEAT HISTORY EVERY: the beats of one path from ``start`` (Julian) to before ``end``."""

    start: int
    end: int
    lag: PathLag


class HeartbeatRowShown(NamedTuple):
    """HEARTBEAT ROWS: one row, and the last stage that its beat has reached."""

    row: HeartbeatRow
    stage: Annotated[str, "How far its beat had come"]


class BeatGapShown(NamedTuple):
    """HEARTBEAT GAPS: a gap between the beats of one path."""

    lag: PathLag
    gap: Gap
