"""The small parts of heartbeats: names, ways, timestamps, how values are spread.

GG_LAG and GG_LAG_HISTORY from a trail are what the target's own tables answer, whatever the ways and the clocks.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from statistics import median_low
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from fixtures.heartbeats import HEARTBEAT, HISTORY
from logdump.features.heartbeat import lags
from logdump.features.heartbeat.beats import routing_path
from logdump.features.heartbeat.columns import lag, lag_history
from logdump.features.heartbeat.lags import MOST_GAPS, GapFinder, Spread
from logdump.features.heartbeat.model import BeatPlace, HeartbeatRow, way, way_text
from logdump.features.heartbeat.reading import HeartbeatReader, RowHistory, timestamp
from logdump.tables.heartbeat_tables import Role, role_of
from tests.logdump.display.records import a_record
from tests.logdump.heartbeats.target import captured
from tests.searching import Random, examples, in_turn
from tests.simulated.heartbeat_trails import BEGUN, EPOCH, HeartbeatTrail
from tests.simulated.heartbeats import (
    LAG,
    LAG_HISTORY,
    Database,
    Row,
    asked,
    drawn_links,
)
from trailformat import Change, ColumnChange, TrailFile
from trailformat.trail.sequence import FilePosition
from trailformat.values import Plain, Value


def rows_of(path: Path, base: str = "GG_HEARTBEAT") -> list[HeartbeatRow]:
    with TrailFile(path) as trail:
        return [item for item in HeartbeatReader(base=base).rows(trail) if isinstance(item, HeartbeatRow)]


def plain(answer: Any, names: list[str]) -> Row:
    """The members of an answer as the simulation has them."""
    row: Row = {}
    for name in names:
        value = answer[name.lower()]
        if isinstance(value, Decimal):
            value = float(value)
        if isinstance(value, datetime):
            value = round((value - EPOCH.replace(tzinfo=None)).total_seconds() * 10**6)
        row[name] = value
    return row


@pytest.mark.parametrize(
    ("seed", "is_mutual", "flavour"),
    [(*case, flavour) for case, flavour in in_turn(in_turn(range(examples(4)), [True, False]), [ORACLE_12, MYSQL_21])],
)
def test_the_history_of_lags_is_that_of_the_target(
    seed: int, is_mutual: bool, flavour: Flavour, tmp_path: Path
) -> None:
    random = Random(seed)
    for number, link in enumerate(drawn_links(random, [Database("EAST"), Database("WEST"), Database("NORTH")])):
        trail = HeartbeatTrail(tmp_path / f"hh{number:09}", flavour=flavour)
        path = captured(link, random, trail, is_mutual=is_mutual)
        expected = asked(link.target, LAG_HISTORY)
        assert all((row["outgoing_routine_lag"] is not None) == is_mutual for row in expected)
        assert [plain(row, list(expected[0])) for row in lag_history(rows_of(path))] == expected


@pytest.mark.parametrize("is_mutual", [True, False], ids=["both ways", "one way"])
@pytest.mark.parametrize("seed", range(examples(4)))
def test_the_lag_is_that_of_the_target_at_the_moment(seed: int, is_mutual: bool, tmp_path: Path) -> None:
    random = Random(seed)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    path = captured(link, random, HeartbeatTrail(tmp_path / "hb000000000"), is_mutual=is_mutual)
    at = random.randint(0, 10**9)
    expected = asked(link.target, LAG, at=at)
    assert all((row["outgoing_lag"] is not None) == is_mutual for row in expected)
    assert [plain(row, list(expected[0])) for row in lag(rows_of(path), lambda: BEGUN + at)] == expected


@pytest.mark.parametrize("seed", range(examples(3)))
def test_columns_count_by_their_names_whatever_their_order_and_case(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    key, *others = (name.lower() for name in HEARTBEAT)
    random.shuffle(others)
    history = random.sample(HISTORY, len(HISTORY))
    trail = HeartbeatTrail(tmp_path / "hb000000000", heartbeat=[key, *others], history=history, base="OPS.PULSE")
    path = captured(link, random, trail)
    expected = asked(link.target, LAG_HISTORY)
    assert [plain(row, list(expected[0])) for row in lag_history(rows_of(path, "ops.pulse"))] == expected


def test_tables_of_before_19c_lack_the_restart_and_nothing_else(tmp_path: Path) -> None:
    random = Random(1)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    path = captured(link, random, HeartbeatTrail(tmp_path / "hb000000000", history=HISTORY[:-4]))
    expected = asked(link.target, LAG_HISTORY)
    for row in expected:
        row.update(dict.fromkeys(name for name in row if "restart" in name or "oldest_open" in name or "lwm" in name))
    assert [plain(found_row, list(expected[0])) for found_row in lag_history(rows_of(path))] == expected


HERE = FilePosition(Path("lt000000000"), 0)


@pytest.mark.parametrize(
    ("table", "base", "role"),
    [
        ("GGADMIN.GG_HEARTBEAT", "GG_HEARTBEAT", Role.BEAT),
        ("ggadmin.gg_heartbeat_seed", "GG_HEARTBEAT", Role.SEED),
        ("PDB1.GGADMIN.GG_HEARTBEAT_HISTORY", "GG_HEARTBEAT", Role.HISTORY),
        ("GG_HEARTBEAT", "gg_heartbeat", Role.BEAT),
        ("OPS.PULSE_HISTORY", "OPS.PULSE", Role.HISTORY),
        ("PDB1.OPS.PULSE", "OPS.PULSE", Role.BEAT),
        ("GGADMIN.PULSE", "OPS.PULSE", None),
        ("GGADMIN.GG_HEARTBEATS", "GG_HEARTBEAT", None),
        ("GGADMIN.MY_GG_HEARTBEAT", "GG_HEARTBEAT", None),
        ("", "GG_HEARTBEAT", None),
    ],
)
def test_a_heartbeat_table_is_known_by_the_last_part_of_its_name(table: str, base: str, role: Role | None) -> None:
    assert role_of(table, base) is role


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        (None, ()),
        ("", ()),
        ("*", ()),
        ('PMP1,"*"', ("PMP1",)),
        ('"P1:d1" , P2:d2,"*"', ("P1:d1", "P2:d2")),
        ('"A,B",C', ("A,B", "C")),
        (",,A,,", ("A",)),
        ('A,"B', ("A", '"B')),
        ('A"B', ('A"B',)),
    ],
)
def test_a_routing_path_is_its_groups_in_their_order(text: str | None, groups: tuple[str, ...]) -> None:
    assert routing_path(text) == groups


def test_a_way_is_written_as_oracles_views_write_it() -> None:
    assert way_text(way("EXT1", ("PMP1",), "REP1")) == "EXT1 ==> PMP1 ==> REP1"
    assert way_text(way("EXT1", (), None)) == "EXT1"
    assert way_text(way(None, (), None)) is None


@given(st.text(max_size=40))
def test_whatever_stands_in_a_routing_path_has_an_end(text: str) -> None:
    assert all(routing_path(text))


@pytest.mark.parametrize(
    ("value", "second"),
    [
        ("2024-03-14 09:30:00", 0),
        ("2024-03-14:09:30:00.5", 500_000),
        ("2024-03-14T09:30:00.123456789", 123_456),
        (" 2024-03-14 09:30:00.000001 ", 1),
        ("2024-02-30 09:30:00", None),
        ("yesterday", None),
        ("", None),
        (Decimal(7), None),
    ],
)
def test_a_timestamp_is_read_to_the_microsecond(value: Plain, second: int | None) -> None:
    # 2024-03-14 09:30:00 in Julian microseconds: 1,710,408,600 seconds behind 1970
    expected = None if second is None else 210_866_760_000_000_000 + 1_710_408_600_000_000 + second
    assert timestamp(Value(b"", value)) == expected


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=60))
def test_the_spread_of_few_values_is_exact(values: list[int]) -> None:
    spread = Spread()
    for value in values:
        spread.add(value, HERE)
    found = spread.summary()
    assert found is not None
    ordered = sorted(values)
    assert (found.values, found.last, found.least, found.greatest) == (len(values), values[-1], ordered[0], ordered[-1])
    assert found.median == median_low(values)
    assert sum(own_lag <= found.p95 for own_lag in values) >= 0.95 * len(values)
    assert sum(own_lag < found.p95 for own_lag in values) < 0.95 * len(values)
    assert found.negative == sum(own_lag < 0 for own_lag in values)
    assert found.is_exact


def test_the_spread_of_many_values_is_off_by_one_per_cent_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    most_exact = 10_000
    monkeypatch.setattr(lags, "MOST_EXACT", most_exact)
    random = Random(5)
    values = [round(random.lognormvariate(12, 2)) for _ in range(most_exact + 5000)]
    spread = Spread()
    for value in values:
        spread.add(value, HERE)
    found = spread.summary()
    assert found is not None
    assert not found.is_exact
    ordered = sorted(values)
    for value, rank in ((found.median, 0.5), (found.p95, 0.95)):
        assert value == pytest.approx(ordered[int(rank * len(values))], rel=0.011)


def test_nothing_is_said_of_no_value() -> None:
    assert Spread().summary() is None


def found_gaps(times: list[int], interval: int | None = None) -> list[tuple[int, int, int]]:
    finder = GapFinder()
    for time in times:
        finder.add(BeatPlace(time, HERE, time))
    return [(gap.after.time, gap.end, gap.beats) for gap in finder.gaps(interval)]


def true_gaps(times: list[int], interval: int | None = None) -> list[tuple[int, int, int]]:
    """The same by the times in order: a beat is missing for each whole interval that is more than half over."""
    pairs = list(pairwise(sorted(set(times))))
    if not pairs:
        return []
    every = Fraction(interval or median_low([after - before for before, after in pairs]))
    gaps = []
    for before, after in pairs:
        missing, at = 0, before + every
        while at + every / 2 < after:
            missing, at = missing + 1, at + every
        if missing:
            gaps.append((before, after, missing))
    return gaps


@given(st.lists(st.integers(0, 300), max_size=40), st.none() | st.integers(5, 80))
def test_gaps_are_those_of_the_times_whatever_their_order(times: list[int], interval: int | None) -> None:
    assert found_gaps(times, interval) == true_gaps(times, interval)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_a_beat_that_comes_late_is_not_missing(order: tuple[int, ...]) -> None:
    assert found_gaps([60 * number for number in order]) == []


def test_equal_beats_have_no_distance() -> None:
    assert found_gaps([0, 0, 0, 60, 60, 60, 120, 120]) == []
    assert GapFinder().interval is None
    finder = GapFinder()
    for time in (0, 0, 0, 60):
        finder.add(BeatPlace(time, HERE, time))
    assert finder.interval == 60


@given(st.randoms(use_true_random=False), st.integers(1, 5))
def test_jitter_changes_nothing_of_how_many_are_missing(random: Random, missing: int) -> None:
    beats = [number for number in range(20) if not 9 < number <= 9 + missing]
    times = [1_000_000 * number + random.randint(-20_000, 20_000) for number in beats]
    random.shuffle(times)
    assert [beats for _, _, beats in found_gaps(times)] == [missing]


@pytest.mark.parametrize(("distance", "missing"), [(90, 0), (91, 1), (120, 1), (150, 1), (151, 2), (180, 2)])
def test_a_beat_is_missing_when_the_next_is_more_than_half_an_interval_late(distance: int, missing: int) -> None:
    assert [beats for _, _, beats in found_gaps([0, distance], 60)] == [missing] * bool(missing)


def test_a_copy_of_a_finder_goes_on_by_itself() -> None:
    finder = GapFinder()
    for time in (0, 120, 180):
        finder.add(BeatPlace(time, HERE, time))
    copied = finder.copy()
    copied.add(BeatPlace(60, HERE, 60))
    assert (list(copied.gaps(60)), len(list(finder.gaps(60)))) == ([], 1)


def test_the_widest_gaps_are_kept_of_very_many() -> None:
    gaps = GapFinder()
    time = 0
    for number in range(MOST_GAPS + 1000):
        time += 1000 + number
        gaps.add(BeatPlace(time, HERE, time))
    found = list(gaps.gaps(1))
    assert len(found) == MOST_GAPS
    assert found[0].microseconds == 1000 + 1000


def heartbeat_change(op: str, **columns: str) -> Change:
    """A change of a row of GG_HEARTBEAT that has only these columns, after it."""
    named = enumerate(columns.items())
    changes = tuple(ColumnChange(at, name, None, None, Value(b"", text), is_key=False) for at, (name, text) in named)
    return Change(op, "GGADMIN.GG_HEARTBEAT", (a_record(),), changes, None, None, None, 0)


def test_an_update_with_a_part_of_its_key_has_the_other_columns_of_the_newest_row_that_fits() -> None:
    rows = RowHistory()
    places = ("R", "E1", "oldest"), ("R", "E2", "newer"), ("R", "E3", "newest"), ("S", "E4", "other")
    for remote, extract, name in places:
        inserted = heartbeat_change(
            "INSERT", LOCAL_DATABASE="L", REMOTE_DATABASE=remote, INCOMING_EXTRACT=extract, DB_NAME=name
        )
        rows.row(inserted, Role.BEAT, Path("f"))
    for columns, expected in (
        ({"LOCAL_DATABASE": "L", "REMOTE_DATABASE": "R"}, "newest"),
        ({"REMOTE_DATABASE": "S"}, "other"),
        ({"LOCAL_DATABASE": "L", "INCOMING_EXTRACT": "E2"}, "newer"),
        ({"REMOTE_DATABASE": "R"}, "newer"),
        ({"REMOTE_DATABASE": "T"}, None),
    ):
        assert rows.row(heartbeat_change("UPDATE", **columns), Role.BEAT, Path("f")).db_name == expected
