"""Trails of heartbeats, one a minute, of a replication that is late for one reason each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.searching import Random
from tests.simulated.bounded_recovery import write_diagrams
from tests.simulated.heartbeat_trails import HeartbeatTrail, UntidyTrail
from tests.simulated.heartbeats import Row

SECOND, MINUTE = 1_000_000, 60_000_000
MINUTES = range(20)


def beat(moment: int, extract: float, routing: float | None = 1.0) -> Row:
    """A beat behind Extract, and behind a pump unless it has none: seconds that each has taken."""
    extract_ts = moment + int(extract * SECOND)
    row: Row = {
        "LOCAL_DATABASE": "SRC",
        "REMOTE_DATABASE": "TGT",
        "HEARTBEAT_TIMESTAMP": moment,
        "OUTGOING_EXTRACT": "EXT1",
        "OUTGOING_EXTRACT_TS": extract_ts,
    }
    if routing is None:
        return row
    return row | {"OUTGOING_ROUTING_PATH": "PMP1", "OUTGOING_ROUTING_TS": extract_ts + int(routing * SECOND)}


def applied(moment: int, read: float, apply: float) -> Row:
    """A row of the history: Extract and pump take a second each, Replicat so many to read and to apply."""
    replicat = moment + 2 * SECOND + int(read * SECOND)
    return {
        "LOCAL_DATABASE": "TGT",
        "REMOTE_DATABASE": "SRC",
        "INCOMING_EXTRACT": "EXT1",
        "INCOMING_ROUTING_PATH": "PMP1",
        "INCOMING_REPLICAT": "REP1",
        "INCOMING_HEARTBEAT_TS": moment,
        "INCOMING_EXTRACT_TS": moment + SECOND,
        "INCOMING_ROUTING_TS": moment + 2 * SECOND,
        "INCOMING_REPLICAT_TS": replicat,
        "HEARTBEAT_RECEIVED_TS": replicat + int(apply * SECOND),
    }


def _beats(trail: HeartbeatTrail, minutes: Iterable[int], extract: Callable[[int], float] = lambda _: 1.0) -> None:
    for minute in minutes:
        trail.insert(beat(minute * MINUTE, extract(minute)), minute * MINUTE)


def late_pump(trail: HeartbeatTrail) -> None:
    """A pump takes ten minutes for the beat of minute 9."""
    for minute in MINUTES:
        trail.insert(beat(minute * MINUTE, 2.0, 600.0 if minute == 9 else 1.0), minute * MINUTE)


def late_extract(trail: HeartbeatTrail) -> None:
    """Extract takes 812 seconds for the beat of minute 9, and many small transactions are committed in that time."""
    _beats(trail, range(10), lambda minute: 812.0 if minute == 9 else 2.0)
    for second in range(50):
        trail.worked(9 * MINUTE + second * SECOND)


def long_transaction(trail: HeartbeatTrail) -> None:
    """A transaction that is open for fifty minutes, while Extract's lag rises by half a minute from beat to beat."""
    _beats(trail, range(14), lambda minute: 2.0 if minute < 6 else 30.0 * (minute - 5))
    trail.worked(-35 * MINUTE, 0, 15 * MINUTE)
    _beats(trail, range(15, 18))


def stopped_extract(trail: HeartbeatTrail) -> None:
    """Extract is down from minute 5 to 12; then the beats of that time pass it, the oldest one latest."""
    _beats(trail, range(6))
    trail.restart(12 * MINUTE)
    _beats(trail, range(6, 18), lambda minute: 60.0 * max(0, 12 - minute) + 3)


def stopped_extract_without_beats(trail: HeartbeatTrail) -> None:
    """The same, where the rows of that time have overwritten one another before Extract came to them."""
    _beats(trail, range(6))
    trail.restart(12 * MINUTE)
    _beats(trail, range(12, 18))


def restarted_often(trail: HeartbeatTrail) -> None:
    """The same, and Extract is started at minute 9 and 10 in vain; it has been started often before and after."""
    for second in range(150):
        trail.restart(-60 * MINUTE + second * SECOND)
    _beats(trail, range(6))
    for minute in (9, 10, 12):
        trail.restart(minute * MINUTE)
    _beats(trail, range(12, 18))
    for second in range(150):
        trail.restart(17 * MINUTE + second * SECOND // 10)


def late_after_restarts(trail: HeartbeatTrail) -> None:
    """Extract is down from minute 5 to 12, started in vain at 9; then the beats of that time pass it."""
    _beats(trail, range(6))
    trail.restart(9 * MINUTE)
    trail.restart(12 * MINUTE)
    _beats(trail, range(6, 18), lambda minute: 60.0 * max(0, 12 - minute) + 3)


def stopped_for_good(trail: HeartbeatTrail) -> None:
    """The job that writes beats stands still from minute 5 on; other transactions go on."""
    _beats(trail, range(6))
    for minute in range(6, 18):
        trail.worked(minute * MINUTE)


def restarted_in_time(trail: HeartbeatTrail) -> None:
    """Extract is started again within a minute, so that no beat is missing and none is late."""
    _beats(trail, range(6))
    trail.restart(5 * MINUTE + 30 * SECOND)
    _beats(trail, range(6, 18))


def stopped_job(trail: HeartbeatTrail) -> None:
    """The job that writes beats stands still from minute 5 to 12."""
    _beats(trail, (*range(6), *range(12, 18)))


def wrong_clocks(trail: HeartbeatTrail) -> None:
    """Extract's clock is 90 seconds behind."""
    _beats(trail, MINUTES, lambda _: -90.0)


def in_time(trail: HeartbeatTrail) -> None:
    """No process is late."""
    _beats(trail, MINUTES)


def several(trail: HeartbeatTrail) -> None:
    """Extract and pump are late alike."""
    for minute in MINUTES:
        trail.insert(beat(minute * MINUTE, 30.0, 30.0), minute * MINUTE)


def late_replicat(trail: HeartbeatTrail) -> None:
    """Captured at the target: Replicat takes five minutes to apply the beat of minute 9."""
    for minute in MINUTES:
        row = applied(minute * MINUTE, 1.0, 300.0 if minute == 9 else 0.5)
        trail.insert(row, minute * MINUTE, "_HISTORY")


def no_beats(trail: HeartbeatTrail) -> None:
    """Rows alone, whose definition is written 40 seconds after the first commit."""
    trail.defined(MINUTE)
    trail.worked(MINUTE - 40 * SECOND)
    trail.worked(2 * MINUTE)


def write(scenario: Callable[[HeartbeatTrail], None], path: Path, untidy: Random | None = None) -> Path:
    """The trail of a scenario; untidy: with beats off their minutes, late ones and equal ones."""
    trail = HeartbeatTrail(path) if untidy is None else UntidyTrail(path, untidy)
    scenario(trail)
    return trail.close()


def write_explained(folder: Path) -> None:
    """Three reasons, each in a folder, and the diagrams of Bounded Recovery."""
    write_diagrams(folder)
    with contextlib.chdir(folder):  # the file header holds the path that is given
        for name, scenario in (("pump", late_pump), ("transaction", long_transaction), ("stopped", stopped_extract)):
            target = Path("drawn") / name
            target.mkdir(parents=True)
            write(scenario, target / "hb000000000")
