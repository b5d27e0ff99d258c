"""Laws of heartbeat rows: tables of two schemas know nothing of each other, and what a purge would remove."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.features.heartbeat.beats import NewBeats
from logdump.features.heartbeat.model import Beat, Direction, HeartbeatRow, HeartbeatsShown
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.tables.heartbeat_tables import Role
from tests.logdump.line import Line
from tests.searching import examples, in_turn
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.heartbeats import Row
from tests.simulated.late_replication import MINUTE, applied
from trailformat import TrailFile, to_datetime
from trailformat.trail.sequence import FilePosition

DAY = 24 * 60 * MINUTE


def _rows(paths: list[Path], schema: str) -> list[tuple[object, ...]]:
    """The rows of the tables of a schema, read in the order of the files, without their places."""
    reader, found = HeartbeatReader(), []
    for path in paths:
        with TrailFile(path) as trail:
            found += [item for item in reader.rows(trail) if isinstance(item, HeartbeatRow)]
    return [row._replace(position=row.position._replace(path=Path())) for row in found if row.table.startswith(schema)]


def _known(number: int, moment: int) -> Row:
    return {
        "LOCAL_DATABASE": "WEST",
        "REMOTE_DATABASE": f"EAST{number}",
        "INCOMING_EXTRACT": f"EXT{number}",
        "INCOMING_REPLICAT": "REP1",
        "INCOMING_HEARTBEAT_TS": moment,
        "INCOMING_REPLICAT_LW_CSN": f"{number}00",
        "INCOMING_REPLICAT_TS": moment + MINUTE,
    }


EVENT = st.tuples(
    st.sampled_from(["GGADMIN", "OPS"]), st.integers(1, 2), st.sampled_from(["insert", "update", "delete"])
)


@given(events=st.lists(EVENT, min_size=2, max_size=9))
@settings(max_examples=examples(10), deadline=None)
def test_what_an_update_leaves_out_comes_from_the_same_table(events: list[tuple[str, int, str]]) -> None:
    """Each event is a file of its own; the rows of a schema are those of its files alone."""
    files: dict[str, list[Path]] = {"GGADMIN": [], "OPS": []}
    with tempfile.TemporaryDirectory() as folder:
        for minute, (schema, number, event) in enumerate(events):
            trail = HeartbeatTrail(Path(folder) / f"hb{minute:09}", base=f"{schema}.GG_HEARTBEAT")
            row = _known(number, minute * MINUTE) | {"INCOMING_EXTRACT": f"{schema}{number}"}
            later = row | {"INCOMING_HEARTBEAT_TS": minute * MINUTE + 1}
            if event == "update":
                trail.update(row, later, minute * MINUTE)
            else:
                getattr(trail, event)(row, minute * MINUTE)
            files[schema].append(trail.close())
        every = sorted(path for paths in files.values() for path in paths)
        for schema, paths in files.items():
            assert _rows(every, schema) == _rows(paths, schema)


@pytest.mark.parametrize(("deleted", "days"), in_turn([0, 1, 3], [1, 2, 5]))
def test_a_purge_would_remove_the_rows_that_were_received_so_many_days_ago(
    days: int, deleted: int, line: Line, tmp_path: Path
) -> None:
    """A delete is no row of its own; one of exactly so many days stays."""
    trail = HeartbeatTrail(tmp_path / "hh000000000")
    rows = [applied(half * DAY // 2, 1.0, 0.5) for half in range(8)]
    for row in rows:
        trail.insert(row, int(row["INCOMING_HEARTBEAT_TS"] or 0), "_HISTORY")
    received = [int(row["HEARTBEAT_RECEIVED_TS"] or 0) for row in rows]
    for row in rows[:deleted]:
        trail.delete(row, 4 * DAY, "_HISTORY")
    line(f"open {trail.close()}")
    for at in (received[-1], received[-1] + 1, received[-1] + 3 * DAY):
        moment = to_datetime(BEGUN + at)
        assert moment is not None
        line(f"heartbeat retention {days} at {moment:%Y-%m-%dT%H:%M:%S.%fZ}")
        (shown,) = (event for event in line.events if isinstance(event, HeartbeatsShown))
        assert (shown.purged, shown.deleted) == (
            sum(received_time < at - days * DAY for received_time in received),
            deleted,
        )


STAGES = ("extract", "routing", "replicat")


@pytest.mark.parametrize("is_reported", [False, True])
@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("passed", range(len(STAGES) + 1))
def test_the_stage_of_a_beat_is_the_last_process_that_it_had_passed(passed: int, role: Role, is_reported: bool) -> None:
    """The history receives a beat that came in; what it knows of one that went out was told by the other database."""
    extract_ts, routing_ts, replicat_ts = (number if number < passed else None for number in range(len(STAGES)))
    row = HeartbeatRow(role, "GGADMIN.GG_HEARTBEAT", "INSERT", FilePosition(Path("hb000000000"), 0), None, 0)
    way = extract_ts, routing_ts, replicat_ts
    beat = Beat(row, Direction.OUTGOING, 0, *way, None, None, (), None, is_reported=is_reported)
    expected = ("seed", *STAGES)[passed]
    assert beat.stage == ("history" if role is Role.HISTORY and not is_reported else expected)


@given(events=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 2)), max_size=12))
@settings(max_examples=examples(60), deadline=None)
def test_a_beat_that_stands_in_a_row_once_more_is_no_new_one_in_either_direction(
    events: list[tuple[int, int, int]],
) -> None:
    """A row of GG_HEARTBEAT holds the last beat of each way; one of them is new, or none."""
    new, told = NewBeats(), []
    incoming = outgoing = 0
    expected = []
    for in_steps, out_steps, number in [
        (1, 1, 1),
        (0, 0, 1),
        (1, 0, 1),
        (0, 1, 1),
        *((*beat_steps[:2], 1) for beat_steps in events),
    ]:
        incoming, outgoing = incoming + 10 * in_steps, outgoing + 10 * out_steps
        row = HeartbeatRow(Role.BEAT, "GGADMIN.GG_HEARTBEAT", "UPDATE", FilePosition(Path("hb000000000"), 0), None, 0)
        row = row._replace(
            local_database="WEST",
            remote_database=f"EAST{number}",
            incoming_extract="EXT1",
            outgoing_extract="EXT2",
            incoming_heartbeat_ts=incoming,
            heartbeat_timestamp=outgoing + 5,
        )
        expected += [(Direction.INCOMING, incoming)] * (in_steps > 0) + [(Direction.OUTGOING, outgoing + 5)] * (
            out_steps > 0
        )
        told += [(beat.direction, beat.heartbeat_ts) for beat in new.of(row)]
    told += [(beat.direction, beat.heartbeat_ts) for beat in new.rest()]
    assert sorted(told, key=str) == sorted(expected, key=str)
