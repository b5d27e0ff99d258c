"""What the beats of a way come to: the lag of each hop, its age, and the beats that are missing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import median_high

import pytest

from fixtures.heartbeats import HEARTBEAT
from logdump.features.heartbeat import reading
from logdump.features.heartbeat.beats import NewBeats
from logdump.features.heartbeat.lags import Lags
from logdump.features.heartbeat.model import Direction, HeartbeatRow, PathLag
from logdump.features.heartbeat.reading import HeartbeatReader
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail, UntidyTrail
from tests.simulated.heartbeats import Database, Hop, Link, Process, Row, travel
from trailformat import TrailFile
from trailformat.scan import parallel, scan

SECOND = 1_000_000
MINUTE = 60 * SECOND


def lags_of(path: Path) -> Lags:
    lags, new, reader = Lags(), NewBeats(), HeartbeatReader(uses_threads=True)
    with TrailFile(path) as trail:
        for row in reader.rows(trail):
            if isinstance(row, HeartbeatRow):
                for beat in new.of(row):
                    lags.add(beat)
    for beat in new.rest():
        lags.add(beat)
    return lags


def link(*, pumps: int = 1, skew: int = 0) -> Link:
    extract, replicat = Process("EXT1", 4 * SECOND, skew), Process("REP1", SECOND)
    return Link(
        Database("EAST"),
        extract,
        tuple(Process(f"PMP{number}", SECOND) for number in range(1, pumps + 1)),
        replicat,
        Database("WEST"),
    )


def hops_of(way: Link, moments: list[int]) -> list[list[Hop]]:
    random = Random(3)
    return [travel(way, way.source.beat("WEST", moment), moment, random)[0] for moment in moments]


def trail_behind(process: int, hops: list[list[Hop]], path: Path) -> Path:
    """The trail behind the first process of the way, or a later one: the row comes once, then it is updated."""
    trail = HeartbeatTrail(path)
    former: Row | None = None
    for row, moment in ((beat_hops[process].row, beat_hops[process].moment) for beat_hops in hops):
        trail.insert(row, moment) if former is None else trail.update(former, row, moment)
        former = row
    return trail.close()


def only(lags: Lags, **arguments: int) -> PathLag:
    (found,) = lags.paths(**arguments)
    return found


def test_behind_extract_its_lag_is_known_and_no_other(tmp_path: Path) -> None:
    hops = hops_of(link(), [number * MINUTE for number in range(9)])
    found = only(lags_of(trail_behind(0, hops, tmp_path / "lt000000000")))
    true = [int(beat_hops[0].row["OUTGOING_EXTRACT_TS"]) - number * MINUTE for number, beat_hops in enumerate(hops)]  # type: ignore[arg-type]
    lag = found.hops["extract_lag"]
    assert lag is not None
    assert (lag.values, lag.last, lag.least, lag.median, lag.greatest) == (
        9,
        true[-1],
        min(true),
        median_high(true),
        max(true),
    )
    assert [name for name, summary in found.hops.items() if summary is not None] == ["extract_lag"]
    assert (found.source, found.target, found.direction, found.way) == ("EAST", "WEST", Direction.OUTGOING, ("EXT1",))


def test_behind_a_pump_the_routing_lag_is_known_too(tmp_path: Path) -> None:
    hops = hops_of(link(pumps=2), [number * MINUTE for number in range(5)])
    found = only(lags_of(trail_behind(2, hops, tmp_path / "rt000000000")))
    true = [int(beat[2].row["OUTGOING_ROUTING_TS"]) - int(beat[2].row["OUTGOING_EXTRACT_TS"]) for beat in hops]  # type: ignore[arg-type]
    lag = found.hops["routing_lag"]
    assert lag is not None
    assert (lag.last, lag.greatest) == (true[-1], max(true))
    assert found.way == ("EXT1", "PMP1", "PMP2")


def test_a_large_file_is_read_by_threads_to_the_same_lags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = trail_behind(1, hops_of(link(), [number * MINUTE for number in range(40)]), tmp_path / "rt000000000")
    expected = only(lags_of(path))
    monkeypatch.setattr(parallel, "PIECE", 2000)
    assert only(lags_of(path)) == expected


def test_the_greatest_lag_leads_to_its_record(tmp_path: Path) -> None:
    hops = hops_of(link(), [number * MINUTE for number in range(9)])
    path = trail_behind(0, hops, tmp_path / "lt000000000")
    lag = only(lags_of(path)).hops["extract_lag"]
    assert lag is not None
    with TrailFile(path) as trail:
        row = next(
            item
            for item in HeartbeatReader().rows(trail)
            if isinstance(item, HeartbeatRow) and item.position == lag.greatest_at
        )
    assert row.outgoing_extract_ts is not None
    assert row.heartbeat_timestamp is not None
    assert row.outgoing_extract_ts - row.heartbeat_timestamp == lag.greatest


def test_a_clock_that_is_behind_gives_negative_lags_which_are_counted(tmp_path: Path) -> None:
    hops = hops_of(link(skew=-MINUTE), [number * MINUTE for number in range(4)])
    found = only(lags_of(trail_behind(0, hops, tmp_path / "lt000000000")))
    lag = found.hops["extract_lag"]
    assert lag is not None
    assert lag.least < 0
    assert found.negative == 4


@pytest.mark.parametrize(("missing", "gaps"), [([], []), ([3, 4], [2]), ([1], [1]), ([2, 5, 6, 7], [1, 3])])
def test_missing_beats_are_counted_gap_by_gap(missing: list[int], gaps: list[int], tmp_path: Path) -> None:
    moments = [number * MINUTE for number in range(12) if number not in missing]
    found = only(lags_of(trail_behind(0, hops_of(link(), moments), tmp_path / "lt000000000")))
    assert [gap.beats for gap in found.gaps] == gaps
    assert found.missing == len(missing)
    assert found.interval == MINUTE


def test_a_given_frequency_goes_before_the_median_distance(tmp_path: Path) -> None:
    path = trail_behind(0, hops_of(link(), [0, MINUTE, 2 * MINUTE]), tmp_path / "lt000000000")
    assert only(lags_of(path), interval=20 * SECOND).missing == 4


def test_the_age_is_that_of_the_newest_beat_at_the_moment(tmp_path: Path) -> None:
    path = trail_behind(0, hops_of(link(), [0, MINUTE]), tmp_path / "lt000000000")
    assert only(lags_of(path), at=BEGUN + 5 * MINUTE).age == 4 * MINUTE


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (0, 1, 3, 2), (3, 2, 1, 0), (0, 0, 1, 1, 2, 3, 3)])
def test_the_newest_beat_is_the_last_whatever_comes_late_or_twice(order: tuple[int, ...], tmp_path: Path) -> None:
    rows = [hops[0].row for hops in hops_of(link(), [number * MINUTE for number in range(4)])]
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for number in order:
        trail.insert(rows[number], number * MINUTE)
    found = only(lags_of(trail.close()), at=BEGUN + 5 * MINUTE)
    newest = int(rows[3]["OUTGOING_EXTRACT_TS"] or 0) - 3 * MINUTE
    lag = found.hops["extract_lag"]
    assert lag is not None
    assert (found.last.heartbeat_ts, found.age, lag.last) == (BEGUN + 3 * MINUTE, 2 * MINUTE, newest)
    assert (found.missing, found.interval) == (0, MINUTE)


@pytest.mark.parametrize("seed", range(examples(4)))
def test_missing_beats_are_counted_though_beats_jitter_come_late_and_twice(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    missing = random.sample(range(3, 17), random.randint(0, 4))
    numbers = [number for number in range(20) if number not in missing]
    trail = UntidyTrail(tmp_path / "lt000000000", random)
    for hop in hops_of(link(), [number * MINUTE for number in numbers]):
        trail.insert(hop[0].row, hop[0].moment)
    found = only(lags_of(trail.close()))
    assert found.missing == len(missing)
    assert found.age < 2 * MINUTE


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_an_update_in_two_records_counts_wherever_a_batch_ends(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [hops[0].row for hops in hops_of(link(), [number * MINUTE for number in range(5)])]
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    trail.insert(rows[0], 0)
    for number, (former, row) in enumerate(pairwise(rows), 1):
        trail.update_in_two(former, row, number * MINUTE)
        trail.worked(number * MINUTE)
    path = trail.close()
    monkeypatch.setattr(
        reading, "scan_in_threads", lambda scanned_trail, _, start: scan(scanned_trail, start, batch_size=size)
    )
    with TrailFile(path) as file:
        found = [item for item in HeartbeatReader().rows(file) if isinstance(item, HeartbeatRow)]
    assert [heartbeat_row.op for heartbeat_row in found] == ["INSERT", *["UPDATE"] * 4]
    assert [heartbeat_row.heartbeat_timestamp for heartbeat_row in found] == [
        BEGUN + number * MINUTE for number in range(5)
    ]
    assert {heartbeat_row.outgoing_extract for heartbeat_row in found} == {"EXT1"}


def test_a_row_that_is_written_again_with_an_old_beat_is_no_second_beat(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    row = hops_of(link(), [0])[0][0].row
    trail.insert(row, 0)
    trail.update(row, {**row, "INCOMING_EXTRACT_RESTART_CSN": "17"}, MINUTE)
    assert only(lags_of(trail.close())).beats == 1


def test_the_history_completes_the_beat_of_the_other_table(tmp_path: Path) -> None:
    way, random = link(), Random(5)
    trail = HeartbeatTrail(tmp_path / "hh000000000")
    totals = []
    for number in range(6):
        _, rows = travel(way, way.source.beat("WEST", number * MINUTE), number * MINUTE, random)
        assert rows is not None
        trail.insert(rows[0], number * MINUTE)
        trail.insert(rows[1], number * MINUTE, "_HISTORY")
        totals.append(int(rows[1]["HEARTBEAT_RECEIVED_TS"] or 0) - number * MINUTE)
    found = only(lags_of(trail.close()))
    total = found.hops["total_lag"]
    assert total is not None
    assert (found.beats, total.values, total.last, total.greatest) == (6, 6, totals[-1], max(totals))
    assert not found.is_apply_unknown


def test_an_update_keeps_the_columns_that_it_leaves_out(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    (first,), (second,) = ([hops[0].row] for hops in hops_of(link(), [0, MINUTE]))
    trail.insert(first, 0)
    trail.update(first, second, MINUTE)
    with TrailFile(trail.close()) as file:
        *_, row = (item for item in HeartbeatReader().rows(file) if isinstance(item, HeartbeatRow))
    assert (row.op, row.outgoing_extract, row.remote_database) == ("UPDATE", "EXT1", "WEST")


def test_an_update_whose_row_never_came_leaves_them_null(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    (first,), (second,) = ([hops[0].row] for hops in hops_of(link(), [0, MINUTE]))
    trail.update(first, second, MINUTE)
    with TrailFile(trail.close()) as file:
        (row,) = (item for item in HeartbeatReader().rows(file) if isinstance(item, HeartbeatRow))
    assert (row.remote_database, row.heartbeat_timestamp) == (None, BEGUN + MINUTE)


def test_deleted_rows_are_no_beats(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    trail.delete(hops_of(link(), [0])[0][0].row, 0)
    assert list(lags_of(trail.close()).paths()) == []


def test_a_table_of_the_name_without_the_columns_is_named_and_left_out(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000", heartbeat=("LOCAL_DATABASE", "COMMENTS"))
    trail.insert({"LOCAL_DATABASE": "EAST", "COMMENTS": "none"}, 0)
    reader = HeartbeatReader()
    with TrailFile(trail.close()) as file:
        assert [item for item in reader.rows(file) if isinstance(item, HeartbeatRow)] == []
    assert reader.not_beats == {"GGADMIN.GG_HEARTBEAT"}


def test_a_column_that_is_not_known_is_kept_as_text(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000", heartbeat=(*HEARTBEAT, "COMMENTS"))
    trail.insert({**hops_of(link(), [0])[0][0].row, "COMMENTS": "nightly"}, 0)
    with TrailFile(trail.close()) as file:
        (row,) = (item for item in HeartbeatReader().rows(file) if isinstance(item, HeartbeatRow))
    assert row.other == {"COMMENTS": "nightly"}
