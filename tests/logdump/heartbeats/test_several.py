"""HEARTBEAT where there are several of a kind: which beat is the first, the last, the newest, the one that counts."""

from __future__ import annotations

from decimal import Decimal
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from logdump.features.heartbeat import beats as heartbeats
from logdump.features.heartbeat.beats import NewBeats, Recent
from logdump.features.heartbeat.columns import lag
from logdump.features.heartbeat.lags import GapFinder, Lags
from logdump.features.heartbeat.model import (
    KEY,
    Beat,
    BeatPlace,
    Direction,
    HeartbeatRow,
    HeartbeatsShown,
    PathLagShown,
)
from logdump.features.heartbeat.reading import RowHistory
from logdump.features.heartbeat.survey import RestartPositions
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import ProcessSide
from logdump.parameters.reading import read_parameters
from logdump.tables.heartbeat_tables import Role, table_of
from tests.logdump.display.records import a_record
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.late_replication import MINUTE, applied, beat
from trailformat import Change, ColumnChange, to_datetime
from trailformat.trail.sequence import FilePosition
from trailformat.values import Value

HERE = Path("hb000000000")


def _time(moment: int) -> str:
    shown = to_datetime(BEGUN + moment)
    assert shown is not None
    return f"{shown:%Y-%m-%dT%H:%M:%S.%fZ}"


@pytest.mark.parametrize("case", range(examples(12, short=4)))
def test_start_and_end_choose_beats_by_their_time_whatever_their_order(case: int, line: Line, tmp_path: Path) -> None:
    """One at the start is chosen, one at the end is not; the first and the last are those by time."""
    random = Random(case)
    minutes = [minute + random.choice((0, 0, 0, -2.5, 2.5)) for minute in range(10)]
    times = [int(minute * MINUTE) for minute in minutes]
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for time in times:
        trail.insert(beat(time, 1.0), time)
    line(f"open {trail.close()}")
    for _ in range(6):
        start, end = sorted(random.sample(times, 2))
        off = random.choice((0, 0, 1))
        line(f"heartbeat gaps start {_time(start + off)} end {_time(end + off)}")
        (shown,) = (event for event in line.events if isinstance(event, HeartbeatsShown))
        chosen = [time for time in times if start + off <= time < end + off]
        bounds = (BEGUN + min(chosen), BEGUN + max(chosen)) if chosen else (None, None)
        assert (shown.beats, shown.first, shown.last) == (len(chosen), *bounds)


@pytest.mark.parametrize("end", [None, 5, 6, 7, 12])
@pytest.mark.parametrize("at", [None, 5.5, 7, 8, 30])
def test_a_beat_is_overdue_up_to_the_end_of_the_trail_the_moment_and_the_end(
    at: float | None, end: int | None, line: Line, tmp_path: Path
) -> None:
    """Beats up to minute 4, other transactions up to minute 10."""
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for minute in range(5):
        trail.insert(beat(minute * MINUTE, 0.25), minute * MINUTE)
    trail.worked(10 * MINUTE)
    words = f" at {_time(int(at * MINUTE))}" if at is not None else ""
    words += f" end {_time(end * MINUTE)}" if end is not None else ""
    line(f"open {trail.close()}; heartbeat{words}")
    (shown,) = (event for event in line.events if isinstance(event, PathLagShown))
    until = min(minute for minute in (10, at, end) if minute is not None)
    assert shown.lag.missing == sum(minute + 0.5 < until for minute in range(5, 20))


def test_rows_of_the_history_that_were_deleted_are_counted_and_those_of_other_tables_are_not(
    line: Line, tmp_path: Path
) -> None:
    trail = HeartbeatTrail(tmp_path / "hh000000000")
    rows = [applied(minute * MINUTE, 1.0, 0.5) for minute in range(4)]
    for row in rows:
        trail.insert(row, int(row["INCOMING_HEARTBEAT_TS"] or 0), "_HISTORY")
    for row in rows[:2]:
        trail.delete(row, 5 * MINUTE, "_HISTORY")
    trail.delete(beat(0, 1.0), 5 * MINUTE)
    line(f"open {trail.close()}; heartbeat")
    (shown,) = (event for event in line.events if isinstance(event, HeartbeatsShown))
    assert shown.deleted == 2


def _row(number: int, role: Role = Role.BEAT, op: str = "UPDATE", **columns: Any) -> HeartbeatRow:
    row = HeartbeatRow(role, f"GGADMIN.GG_{role.name}", op, FilePosition(HERE, number), None, number)
    return row._replace(local_database="WEST", remote_database="EAST", **columns)


def _beat(number: int, time: int, name: str, *, is_reported: bool = False, **columns: Any) -> Beat:
    row = _row(number, **columns)
    times = (time, time + 1, None, None, None)
    return Beat(row, Direction.INCOMING, *times, name, (), None, is_reported=is_reported)


@pytest.mark.parametrize("case", range(examples(80, short=20)))
def test_the_restart_position_of_each_path_is_that_of_the_last_beat_with_the_largest_restart_csn(case: int) -> None:
    """Of those at or below the low watermark, which is that of the newest beat by time unless it is given."""
    random = Random(case)
    given = random.choice((None, None, str(random.randint(90, 112))))
    positions, by_name = RestartPositions(given), dict[str, list[Beat]]()
    for number in range(random.randint(1, 14)):
        name, is_reported = random.choice(("E1", "E2", "E3")), random.random() < 0.2
        csns: dict[str, Any] = {
            "heartbeat_csn": str(random.randint(98, 110)),
            "restart_csn": str(random.choice((95, 99, 99, 101, 105))),
            "low_watermark_csn": str(random.randint(97, 112)),
        }
        drawn = _beat(number, random.randint(0, 9), name, is_reported=is_reported, **csns)
        positions.add(drawn)
        if not is_reported:
            by_name.setdefault(name, []).append(drawn)
    shown = list(positions.shown())
    assert len(shown) == len(by_name)
    for position, (name, beats) in zip(shown, by_name.items(), strict=True):
        newest = max(reversed(beats), key=lambda each: each.heartbeat_ts)
        low_watermark = given or newest.low_watermark_csn
        below = [each for each in beats if int(each.heartbeat_csn or 0) <= int(low_watermark or 0)]
        best = max(reversed(below), key=lambda each: int(each.restart_csn or 0), default=None)
        assert position.way == (name,)
        assert position.low_watermark == low_watermark
        assert (position.beat and position.beat.row.position.rba) == (best and best.row.position.rba)


@pytest.mark.parametrize("case", range(examples(160, short=40)))
def test_the_last_lag_of_a_path_is_that_of_its_newest_beat_and_of_equal_ones_the_later(case: int) -> None:
    random = Random(case)
    lags, by_name = Lags(), dict[str, list[Beat]]()
    for number in range(random.randint(1, 12)):
        drawn = _beat(number, 10 * random.randint(0, 4), random.choice(("E1", "E2")))
        drawn = drawn._replace(extract_ts=drawn.heartbeat_ts + random.randint(-2, 3))
        lags.add(drawn)
        by_name.setdefault(str(drawn.extract), []).append(drawn)
    shown = list(lags.paths())
    assert len(shown) == len(by_name)
    for lag_of_path, beats in zip(shown, by_name.values(), strict=True):
        newest = max(reversed(beats), key=lambda each: each.heartbeat_ts)
        values = [(each.extract_ts or 0) - each.heartbeat_ts for each in beats]
        hop = lag_of_path.hops["extract_lag"]
        assert (lag_of_path.beats, lag_of_path.last) == (len(beats), newest)
        assert lag_of_path.first == beats[0].row.position
        assert hop is not None
        assert (hop.last, hop.least, hop.greatest) == (values[beats.index(newest)], min(values), max(values))
        assert hop.greatest_at == beats[values.index(max(values))].row.position
        assert hop.negative == sum(value < 0 for value in values)


def _told(finder: GapFinder) -> tuple[Any, ...]:
    return finder.first, finder.newest, finder.interval, [*finder.gaps()], [*finder.gaps(3)], finder.overdue(60)


@pytest.mark.parametrize("case", range(examples(80, short=20)))
@pytest.mark.parametrize("most", [3, 100_000])
def test_a_copy_takes_beats_of_its_own(most: int, case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither sees those of the other, whether they come late or not, exact or not."""
    monkeypatch.setattr("logdump.features.heartbeat.lags.MOST_EXACT", most)
    random = Random(f"{most} {case}")
    places = [BeatPlace(random.randint(0, 40), FilePosition(HERE, number), number) for number in range(12)]
    finder, first, own = GapFinder(), places[:4], (places[4:8], places[8:])
    for place in first:
        finder.add(place)
    copied = finder.copy()
    for of_one, of_other in zip(*own, strict=True):
        finder.add(of_one)
        copied.add(of_other)
    for made, added in zip((finder, copied), own, strict=True):
        alone = GapFinder()
        for place in (*first, *added):
            alone.add(place)
        assert _told(made) == _told(alone)


@pytest.mark.parametrize("order", sorted({*permutations("brb"), *permutations("rrb"), *permutations("br"), ("b", "b")}))
def test_rows_of_one_beat_are_one_beat_with_the_time_of_its_receipt(order: tuple[str, ...]) -> None:
    """Of the table (b) without that time, of the history (r) with it, in any order; then the next beat comes."""
    new, told = NewBeats(), list[Beat]()
    ways: dict[str, Any] = {"incoming_extract": "EXT1", "incoming_replicat": "REP1"}
    for number, kind in enumerate(order):
        times: dict[str, int | None] = {"incoming_heartbeat_ts": 10, "incoming_replicat_ts": 12}
        role = Role.HISTORY if kind == "r" else Role.BEAT
        received = 15 if kind == "r" else None
        told += new.of(_row(number, role, "INSERT", **ways, **times, received_ts=received))
    told += new.of(_row(9, Role.BEAT, "UPDATE", **ways, incoming_heartbeat_ts=20))
    told += new.rest()
    assert [(each.heartbeat_ts, each.received_ts) for each in told] == [(10, 15 if "r" in order else None), (20, None)]


def test_of_too_many_keys_the_one_that_was_set_longest_ago_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "MOST_KEYS", 3)
    recent: Recent[str, int] = Recent()
    for number, key in enumerate("abcad"):
        recent.set(key, number)
    assert list(recent) == [("c", 2), ("a", 3), ("d", 4)]
    assert list(recent.newest_first()) == [("d", 4), ("a", 3), ("c", 2)]
    assert recent.get("b") is None


@pytest.mark.parametrize(
    "sides", list(permutations(ProcessSide)), ids=lambda sides: "-".join(side.name for side in sides)
)
@pytest.mark.parametrize("number", range(1, 4))
def test_the_tables_are_those_of_the_last_statement_in_extracts_file_then_replicats_then_globals(
    number: int, sides: tuple[ProcessSide, ...], tmp_path: Path
) -> None:
    """The first of the sides have statements, two each; the files of the others have none."""
    heads = {ProcessSide.EXTRACT: "EXTRACT e", ProcessSide.REPLICAT: "REPLICAT r", ProcessSide.GLOBALS: "GGSCHEMA s"}
    parameters = ParametersInUse()
    for side in sides:
        path = tmp_path / side.name
        tables = [f"HEARTBEATTABLE {side.name}.{name}" for name in ("OLD", "NEW")] if side in sides[:number] else []
        path.write_text("\n".join([heads[side], *tables]) + "\n", encoding="utf-8")
        parameters = parameters.having(read_parameters(path, side))
    first = next(side for side in heads if side in sides[:number])
    table = table_of(parameters)
    assert table.name == f"{first.name}.NEW"
    assert table.rule is not None
    assert (table.rule.path.name, table.rule.line) == (first.name, 3)


@pytest.mark.parametrize("received", list(permutations((10, 20, 30), 2)))
@pytest.mark.parametrize("last", [10, 20, 30])
def test_the_lag_ends_at_the_receipt_of_the_same_beat_and_at_replicat_without_one(
    last: int, received: tuple[int, ...]
) -> None:
    """The history has received these beats, in this order; the last one it tells counts."""
    ways: dict[str, Any] = {"incoming_extract": "EXT1", "incoming_replicat": "REP1"}
    rows = [
        _row(
            number,
            Role.HISTORY,
            **ways,
            incoming_heartbeat_ts=time,
            incoming_replicat_ts=time + 2,
            received_ts=time + 5,
        )
        for number, time in enumerate(received)
    ]
    rows.append(_row(9, **ways, incoming_heartbeat_ts=last, incoming_replicat_ts=last + 2))
    (shown,) = lag(rows, lambda: 100)
    incoming = shown["incoming_lag"]
    assert isinstance(incoming, Decimal)
    assert round(incoming * 1_000_000) == (5 if received[-1] == last else 2)
    assert lag([*rows, _row(10, op="DELETE", **ways, incoming_heartbeat_ts=last)], lambda: 100) == []


KEYS = [
    {**dict.fromkeys(KEY), "remote_database": remote, "incoming_extract": extract}
    for remote in "RS"
    for extract in "EFG"
]


def _value(image: dict[str, Any], name: str) -> Value | None:
    return Value(b"", image[name], image[name] is None) if name in image else None


def _change(op: str, table: str, before: dict[str, Any], after: dict[str, Any]) -> Change:
    """A change of columns by the names of ``KEY``, and of DB_NAME; None is NULL."""
    columns = tuple(
        ColumnChange(at, name.upper(), None, _value(before, name), _value(after, name), is_key=False)
        for at, name in enumerate({**before, **after})
    )
    return Change(op, table, (a_record(),), columns, None, None, None, 0)


def _drawn_change(random: Random, name: str) -> tuple[Role, Change]:
    """An update or a delete has its key or a part of it; a key that changes is in both images."""
    role = random.choice((Role.BEAT, Role.BEAT, Role.BEAT, Role.SEED, Role.HISTORY))
    table, key = f"GGADMIN.GG_{role.name}", random.choice(KEYS)
    part = {each: key[each] for each in random.choice((KEY, KEY, KEY[:2], KEY[:3], KEY[2:]))}
    named = {"db_name": name} if random.random() < 0.2 else {}
    op = random.choice(("INSERT", "INSERT", "UPDATE", "UPDATE", "PK UPDATE", "DELETE"))
    if op == "INSERT":
        return role, _change(op, table, {}, {**key, "db_name": name})
    if op == "PK UPDATE":
        return role, _change(op, table, key, {**random.choice(KEYS), **named})
    return role, _change(op, table, part, {} if op == "DELETE" else {**part, **named})


@pytest.mark.parametrize("case", range(examples(160, short=40)))
def test_an_update_has_the_other_columns_of_the_newest_row_that_is_there_and_fits(case: int) -> None:
    """Rows that were deleted, or have another key, are not there; those of the history are rows once."""
    random, rows = Random(case), RowHistory()
    there: list[tuple[str, dict[str, Any]]] = []
    for number in range(25):
        role, change = _drawn_change(random, f"name{number}")
        before = {column.name.lower(): column.before for column in change.columns if column.before is not None}
        after = {column.name.lower(): column.after for column in change.columns if column.after is not None}
        own = {name: value.value for name, value in (before if change.op == "DELETE" else after).items()}
        carried = {name: value.value for name, value in {**after, **before}.items() if name in KEY}
        fitting = [
            state
            for state in there
            if state[0] == change.table and all(state[1].get(name) == value for name, value in carried.items())
        ]
        former = fitting[-1] if fitting and change.op != "INSERT" and role is not Role.HISTORY else None
        if former is not None:
            there.remove(former)
        expected = {**(former[1] if former is not None and change.op != "DELETE" else {}), **own}
        row = rows.row(change, role, HERE)
        assert {name: getattr(row, name) for name in (*KEY, "db_name")} == {
            name: expected.get(name) for name in (*KEY, "db_name")
        }
        if change.op != "DELETE" and role is not Role.HISTORY:
            same = [state for state in there if state[0] == change.table and _key_of(state[1]) == _key_of(expected)]
            there = [state for state in there if state not in same] + [(change.table, expected)]


def _key_of(columns: dict[str, Any]) -> list[Any]:
    return [columns.get(name) for name in KEY]
