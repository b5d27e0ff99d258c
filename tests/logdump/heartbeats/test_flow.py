"""The flow of heartbeats as the documentation has it, process by process, and what HEARTBEAT reads of it in a trail."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.heartbeats import HEARTBEAT
from logdump.features.heartbeat.beats import beats_of
from logdump.features.heartbeat.columns import lag, lag_history
from logdump.features.heartbeat.model import Beat, HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from tests.logdump.commands.test_heartbeat import objects
from tests.searching import Random
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.heartbeats import Database, Link, Process, Row, mapped, routed, travel
from trailformat import TrailFile

NOW, MINUTE = 7_000_000, 60_000_000
EXTRACT, PUMP, REPLICAT = Process("EXT1", NOW), Process("PMP1:d1", NOW), Process("REP1", NOW)


def journey(**known: str) -> tuple[list[Row], tuple[Row, Row] | None]:
    """The rows in the trails of a beat that is generated with these columns, and what the target writes."""
    source = Database("EAST")
    link = Link(source, EXTRACT, (PUMP, Process("PMP2", NOW)), REPLICAT, Database("WEST"))
    hops, received = travel(link, source.beat("WEST", 0, **known), 0, Random(1))
    return [hop.row for hop in hops], received


def rows_of(trail: HeartbeatTrail) -> list[HeartbeatRow]:
    with TrailFile(trail.close()) as file:
        return [item for item in HeartbeatReader().rows(file) if isinstance(item, HeartbeatRow)]


def read(row: Row, folder: Path, ending: str = "") -> Beat:
    """The beat that HEARTBEAT reads of a row in a trail."""
    trail = HeartbeatTrail(folder / "rt000000000")
    trail.insert(row, 0, ending)
    (beat,) = (beat for heartbeat_row in rows_of(trail) for beat in beats_of(heartbeat_row))
    return beat


@pytest.mark.parametrize(("name", "trails"), [(None, 3), ("EXT1", 3), ("EXT2", 0)])
def test_a_beat_for_another_extract_reaches_no_trail(name: str | None, trails: int) -> None:
    assert len(journey(**{"OUTGOING_EXTRACT": name} if name else {})[0]) == trails


def test_extract_sets_its_name_and_its_time(tmp_path: Path) -> None:
    beat = read(journey()[0][0], tmp_path)
    assert (beat.stage, beat.extract, beat.extract_ts is None, beat.routing_path) == ("extract", "EXT1", False, ())


def test_the_first_pump_sets_its_path_and_the_next_goes_behind_it(tmp_path: Path) -> None:
    written = journey()[0]
    assert [row["OUTGOING_ROUTING_PATH"] for row in written] == [None, 'PMP1:d1,"*"', 'PMP1:d1,PMP2,"*"']
    beat = read(written[2], tmp_path)
    assert (beat.stage, beat.routing_path) == ("routing", ("PMP1:d1", "PMP2"))


@pytest.mark.parametrize(("listed", "passes"), [("PMP1:d1", True), ("OTHER,PMP1:d1", True), ("PMP2", False)])
def test_a_list_without_an_asterisk_is_sent_to_its_paths_only(listed: str, passes: bool) -> None:
    row = Database("EAST").beat("WEST", 0, OUTGOING_ROUTING_PATH=listed)
    sent = routed(row, PUMP, NOW)
    assert (sent is not None) == passes
    assert sent is None or sent["OUTGOING_ROUTING_PATH"] == listed


def told_ways(path: Path) -> set[tuple[tuple[str, ...], int]]:
    """The ways that HEARTBEAT tells of a trail, each with its number of beats."""
    return {
        (tuple(item["path"]), item["beats"]) for item in objects(path, "heartbeat") if item["type"] == "heartbeat_lag"
    }


@pytest.mark.parametrize("extract", ["EXT1", "EXT2"])
def test_the_trail_of_an_extract_tells_its_own_beats_and_those_for_any(extract: str, tmp_path: Path) -> None:
    source, target, random = Database("EAST"), Database("WEST"), Random(4)
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for minute, name in enumerate(("EXT1", "EXT2", None, "EXT1", "EXT1")):
        link = Link(source, Process(extract, NOW), (PUMP,), REPLICAT, target)
        hops, _ = travel(link, source.beat("WEST", minute * MINUTE, OUTGOING_EXTRACT=name), minute * MINUTE, random)
        for hop in hops[:1]:
            trail.insert(hop.row, hop.moment)
    assert told_ways(trail.close()) == {((extract,), {"EXT1": 4, "EXT2": 2}[extract])}


@pytest.mark.parametrize("replicat", ["REP1", "REP2"])
def test_the_trail_of_the_target_tells_beats_for_its_replicat_and_those_for_any(replicat: str, tmp_path: Path) -> None:
    source, target, random = Database("EAST"), Database("WEST"), Random(4)
    trail = HeartbeatTrail(tmp_path / "hh000000000")
    for minute, name in enumerate(("REP1", "REP2", None, "REP1", "REP1")):
        link = Link(source, EXTRACT, (), Process(replicat, NOW), target)
        _, received = travel(
            link, source.beat("WEST", minute * MINUTE, OUTGOING_REPLICAT=name), minute * MINUTE, random
        )
        if received is not None:
            trail.both(*received, minute * MINUTE)
    assert told_ways(trail.close()) == {(("EXT1", replicat), {"REP1": 4, "REP2": 2}[replicat])}


@pytest.mark.parametrize(("name", "applies"), [(None, True), ("REP1", True), ("REP2", False)])
def test_a_beat_for_another_replicat_is_not_applied(name: str | None, applies: bool) -> None:
    row = Database("EAST").beat("WEST", 0, OUTGOING_REPLICAT=name)
    assert (mapped(row, REPLICAT, NOW) is not None) == applies


def test_replicat_turns_the_way_out_into_the_way_in(tmp_path: Path) -> None:
    _, received = journey()
    assert received is not None
    beat = read(received[0], tmp_path)
    assert (beat.stage, beat.way) == ("replicat", ("EXT1", "PMP1:d1", "PMP2", "REP1"))
    assert beat.path[:2] == ("EAST", "WEST")


def test_names_in_a_trail_are_utf_8(tmp_path: Path) -> None:
    row = Database("京都").beat("Zürich", 0, OUTGOING_EXTRACT="EXTÖ")
    beat = read(row, tmp_path)
    assert (beat.path[0], beat.path[1], beat.extract) == ("京都", "Zürich", "EXTÖ")


def test_the_hops_add_up_to_the_whole_lag(tmp_path: Path) -> None:
    _, received = journey()
    assert received is not None
    beat = read(received[1], tmp_path, "_HISTORY")
    *hops, whole = beat.lags
    assert sum(hop for hop in hops if hop is not None) == whole
    assert None not in hops


def test_beats_of_two_incoming_paths_are_two_rows_though_they_go_out_on_one(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "hb000000000")
    for extract in ("EXT1", "EXT2"):
        known = {"INCOMING_EXTRACT": extract, "INCOMING_HEARTBEAT_TS": 0, "OUTGOING_EXTRACT": "EXT3"}
        trail.insert(Database("WEST").beat("EAST", 0, **known), 0)
    assert [row["incoming_path"] for row in lag(rows_of(trail), lambda: BEGUN)] == ["EXT1", "EXT2"]


def test_at_a_switchover_the_unique_name_changes_and_the_path_stays(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "hb000000000", heartbeat=(*HEARTBEAT, "DB_NAME", "DB_UNIQUE_NAME"))
    known: dict[str, str | int | None] = {"INCOMING_EXTRACT": "EXT1", "DB_NAME": "EAST"}
    for number, name in enumerate(("EAST_A", "EAST_B")):
        known = {**known, "DB_UNIQUE_NAME": name, "INCOMING_HEARTBEAT_TS": number * MINUTE}
        trail.insert(Database("WEST").beat("EAST", number * MINUTE, **known), number * MINUTE)
    rows = rows_of(trail)
    assert len({beat.path for row in rows for beat in beats_of(row)}) == 1
    assert [row["db_unique_name"] for row in lag(rows, lambda: BEGUN)] == ["EAST_B"]


def test_the_oldest_open_transaction_is_as_old_as_the_restart_point_then(tmp_path: Path) -> None:
    _, received = journey()
    assert received is not None
    beat = read(received[1], tmp_path, "_HISTORY")
    passed, restart = (int(received[0][f"INCOMING_EXTRACT_{name}"] or 0) for name in ("TS", "RESTART_TS"))
    assert beat.oldest_open_age == passed - restart
    trail = HeartbeatTrail(tmp_path / "hb000000000")
    trail.insert(received[0], 0)
    at = BEGUN + 7 * MINUTE
    (row,) = lag(rows_of(trail), lambda: at)
    assert row["remote_db_oldest_open_txn_age"] == Decimal(7 * MINUTE - restart).scaleb(-6)


def test_what_goes_out_comes_back_with_the_beats_of_the_other_database(tmp_path: Path) -> None:
    _, there = journey()
    assert there is not None
    known = {name: value for name, value in there[0].items() if name.startswith("INCOMING_")}
    _, back = travel(
        Link(Database("WEST"), Process("EXTB", NOW), (Process("PMPB", NOW),), Process("REPB", NOW), Database("EAST")),
        Database("WEST").beat("EAST", MINUTE, **known),
        MINUTE,
        Random(2),
    )
    assert back is not None
    for row, ending in zip(back, ("", "_HISTORY"), strict=True):
        trail = HeartbeatTrail(tmp_path / f"hb{len(ending):09}")
        trail.insert(row, MINUTE, ending)
        came, went = (beat for heartbeat_row in rows_of(trail) for beat in beats_of(heartbeat_row))
        assert (came.way, came.path[:2]) == (("EXTB", "PMPB", "REPB"), ("WEST", "EAST"))
        assert (went.way, went.path[:2]) == (("EXT1", "PMP1:d1", "PMP2", "REP1"), ("EAST", "WEST"))
        assert went.heartbeat_ts == BEGUN
        assert went.lags.total_lag == int(there[0]["INCOMING_REPLICAT_TS"] or 0)
        assert (went.restart_csn, went.low_watermark_csn, went.oldest_open_age) == (None, None, None)
        assert None not in went.lags[:3]


def test_a_row_of_the_sources_own_job_has_no_old_moments_of_the_way_out_with_new_ones(tmp_path: Path) -> None:
    row = Database("EAST").beat("WEST", MINUTE, OUTGOING_HEARTBEAT_TS=0, OUTGOING_REPLICAT_TS=5) | {
        "OUTGOING_EXTRACT": "EXT1",
        "OUTGOING_EXTRACT_TS": MINUTE + 7,
    }
    beat = read(row, tmp_path)
    assert (beat.heartbeat_ts, beat.lags.extract_lag, beat.lags.total_lag) == (BEGUN + MINUTE, 7, None)


def test_a_restart_point_stands_with_the_low_watermark_of_its_beat(tmp_path: Path) -> None:
    _, received = journey()
    assert received is not None
    trail = HeartbeatTrail(tmp_path / "hh000000000")
    trail.insert(received[1], 0, "_HISTORY")
    (row,) = lag_history(rows_of(trail))
    expected = received[0]["INCOMING_EXTRACT_RESTART_CSN"], received[0]["INCOMING_REPLICAT_LW_CSN"]
    assert (row["remote_extract_restart_csn"], row["local_replicat_lwm_csn"]) == expected
