"""Beats: a heartbeat on its way, and the lag of each hop.

    generated  ->  Extract  ->  pump or path  ->  Replicat  ->  received
      heartbeat_ts  extract_ts    routing_ts      replicat_ts    received_ts

A row of GG_HEARTBEAT that a database's own job has written tells the way out: HEARTBEAT_TIMESTAMP, and the timestamps
that Extract and pumps set while the row goes through them. A row that Replicat has written tells the way in by its
INCOMING_ columns; a row of the history when the beat was received too. Lags are differences of two clocks and may be
negative: the documentation has them shown so.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from logdump.operations.heartbeats.paths import routing_path, way
from logdump.operations.heartbeats.recent import Recent
from logdump.operations.heartbeats.rows import HeartbeatRow
from logdump.operations.heartbeats.tables import Role


class Direction(enum.Enum):
    """Whether a beat comes from the remote database, or goes there."""

    INCOMING = "incoming"
    OUTGOING = "outgoing"


class Beat(NamedTuple):
    """One heartbeat as far as a row tells of it; timestamps in Julian microseconds, None where they are not set."""

    row: HeartbeatRow
    direction: Direction
    heartbeat_ts: int
    extract_ts: int | None
    routing_ts: int | None
    replicat_ts: int | None
    received_ts: int | None
    extract: str | None
    routing_path: tuple[str, ...]
    replicat: str | None

    @property
    def path(self) -> tuple[str | None, str | None, Direction, tuple[str, ...]]:
        """The way it goes: from which database to which, and through what."""
        row, is_out = self.row, self.direction is Direction.OUTGOING
        databases = (row.local_database, row.remote_database) if is_out else (row.remote_database, row.local_database)
        return (*databases, self.direction, self.way)

    @property
    def way(self) -> tuple[str, ...]:
        """The processes it has passed."""
        return way(self.extract, self.routing_path, self.replicat)

    @property
    def stage(self) -> str:
        """How far it had come when the row was written: seed, extract, routing, replicat, history."""
        if self.row.role is Role.HISTORY:
            return Role.HISTORY.value
        reached = {"replicat": self.replicat_ts, "routing": self.routing_ts, "extract": self.extract_ts}
        return next((name for name, moment in reached.items() if moment is not None), Role.SEED.value)

    @property
    def extract_lag(self) -> int | None:
        """Microseconds from its generation to Extract."""
        return difference(self.extract_ts, self.heartbeat_ts)

    @property
    def routing_lag(self) -> int | None:
        """Microseconds from Extract to the last pump or distribution path; None where there was none."""
        return difference(self.routing_ts, self.extract_ts)

    @property
    def replicat_read_lag(self) -> int | None:
        """Microseconds from the last process before Replicat to Replicat."""
        return difference(self.replicat_ts, self.routing_ts if self.routing_ts is not None else self.extract_ts)

    @property
    def replicat_lag(self) -> int | None:
        """Microseconds from Replicat to the row in the history."""
        return difference(self.received_ts, self.replicat_ts)

    @property
    def total_lag(self) -> int | None:
        """Microseconds from its generation to the row in the target, or to Replicat where that is not told."""
        return difference(self.replicat_ts if self.received_ts is None else self.received_ts, self.heartbeat_ts)

    @property
    def is_apply_unknown(self) -> bool:
        """Whether the total ends at Replicat, because no row tells when the target received it."""
        return self.received_ts is None and self.replicat_ts is not None

    @property
    def oldest_open_age(self) -> int | None:
        """Microseconds that Extract's redo reached back when it passed: to where it would start again."""
        return difference(self.extract_ts, self.row.restart_ts)


def difference(later: int | None, earlier: int | None) -> int | None:
    """Microseconds from one moment to another; None where one is not known."""
    return None if later is None or earlier is None else later - earlier


def beats_of(row: HeartbeatRow) -> Iterator[Beat]:
    """The beats that a row tells of: none of a deleted one, at most one in each direction."""
    if row.op == "DELETE":
        return
    if row.incoming_heartbeat_ts is not None:
        yield Beat(
            row,
            Direction.INCOMING,
            row.incoming_heartbeat_ts,
            row.incoming_extract_ts,
            row.incoming_routing_ts,
            row.incoming_replicat_ts,
            row.received_ts,
            row.incoming_extract,
            routing_path(row.incoming_routing_path),
            row.incoming_replicat,
        )
    if row.role is not Role.HISTORY and row.heartbeat_timestamp is not None and _is_own(row):
        yield Beat(
            row,
            Direction.OUTGOING,
            row.heartbeat_timestamp,
            row.outgoing_extract_ts,
            row.outgoing_routing_ts,
            None,
            None,
            row.outgoing_extract,
            routing_path(row.outgoing_routing_path),
            None,
        )


def _is_own(row: HeartbeatRow) -> bool:
    """Whether HEARTBEAT_TIMESTAMP is of the row's own database, not taken over by Replicat with the way in."""
    return row.role is Role.SEED or row.heartbeat_timestamp != row.incoming_heartbeat_ts


class NewBeats:
    """The beats of rows that come in the order of the trail, each once: a row is written again with old beats in it."""

    def __init__(self) -> None:
        self._last: Recent[tuple[object, ...], int] = Recent()

    def of(self, row: HeartbeatRow) -> Iterator[Beat]:
        """The beats of a row that the one before it of the same key did not tell of."""
        for beat in beats_of(row):
            key = (row.table, row.role, row.key, beat.direction)
            if row.role is Role.HISTORY or self._last.get(key) != beat.heartbeat_ts:
                yield beat
            if row.role is not Role.HISTORY:
                self._last.set(key, beat.heartbeat_ts)
