"""Restart positions that an Extract has written into its trail: in heartbeats and in file headers."""

from __future__ import annotations

from collections.abc import Callable

from logdump.features.bounded_recovery.model import ObservedRestart
from logdump.features.heartbeat.beats import beats_of
from logdump.features.heartbeat.model import Direction, HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.session.effective_rows import LeftOutRanges
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import Spot
from trailformat.transactions.whole_trail import WholeTrail


def from_heartbeats(
    whole: WholeTrail, definitions_of: Callable[[TrailFile], RowDefinitions], at: int, table: str
) -> ObservedRestart | None:
    """The restart position of the last heartbeat up to a moment that has passed Extract; None without one.

    ``table`` is the name of the heartbeat tables.
    """
    reader, found = HeartbeatReader(definitions_of, table, left_out=LeftOutRanges(whole).of), None
    for ordinal in range(len(whole)):
        trail = whole.open(ordinal)
        if trail is None:
            continue
        with trail:
            for row in reader.rows(trail):
                if isinstance(row, HeartbeatRow) and row.commit_time <= at and _is_of_extract(row):
                    found = ObservedRestart(row.spot, row.commit_time, row.restart_csn, row.restart_ts)
    return found


def _is_of_extract(row: HeartbeatRow) -> bool:
    """Return True if the restart position is that of the Extract that wrote the row."""
    is_set = row.restart_csn is not None or row.restart_ts is not None
    return is_set and any(beat.direction is Direction.OUTGOING and not beat.is_reported for beat in beats_of(row))


def from_headers(whole: WholeTrail, at: int) -> ObservedRestart | None:
    """LOGBSN of the last file up to a moment whose header has it; None without one."""
    found = None
    for ordinal in range(len(whole)):
        trail = whole.open(ordinal)
        if trail is None:
            continue
        with trail:
            header = trail.file_header
        if header is None or header.created is None or header.created > at:
            continue
        logbsn = header.get("TrailInfo", "LOGBSN")
        if isinstance(logbsn, str) and logbsn:
            found = ObservedRestart(Spot(whole.paths[ordinal], 0), header.created, logbsn, None)
    return found
