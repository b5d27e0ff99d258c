"""The facts about a lag, told again by hand from drawn beats, transactions and restarts: the first, last, longest."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.features.bounded_recovery.model import BeginSource
from logdump.features.explain.lag_facts import BeatsAround, LagWindow, TransactionsAround
from logdump.features.heartbeat.model import Beat, Direction, HeartbeatRow
from logdump.tables.heartbeat_tables import Role
from tests.logdump.extents import WHOLE
from tests.searching import Random, examples
from trailformat.records.record_header import DDL_OP, INSERT, RESTART_OK
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Extent, Moment, Restart
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

SECOND = 1_000_000
MINUTE = 60 * SECOND
HERE = Path("hb000000000")
RECENT = 8


class Drawn(NamedTuple):
    """A beat: its database, its time, its lags, and where it stands in the trail."""

    source: str
    time: int
    extract: int
    routing: int
    rba: int

    @property
    def total(self) -> int:
        return self.extract + self.routing

    @property
    def committed(self) -> int:
        return self.time + 2 * self.total


def _beat(drawn: Drawn) -> Beat:
    row = HeartbeatRow(
        Role.BEAT, "GG_HEARTBEAT", "INSERT", FilePosition(HERE, drawn.rba), None, drawn.committed, drawn.source, "TGT"
    )
    extract_ts = drawn.time + drawn.extract
    return Beat(
        row, Direction.OUTGOING, drawn.time, extract_ts, extract_ts + drawn.routing, None, None, "EXT", (), None
    )


def _beats(random: Random) -> list[Drawn]:
    """Of three databases, with some minutes left out, some beats late, some of one time, and few different lags."""
    drawn: list[tuple[float, Drawn]] = []
    for source in ("EAST", "NORTH", "SOUTH"):
        for minute in random.choices(range(24), k=random.randint(0, 20)):
            lags = (random.choice((1, 5, 30, 200)) * SECOND, random.choice((1, 30)) * SECOND)
            late = random.choice((0, 0, 0, 2.5)) + random.random() / 10
            drawn.append((minute + late, Drawn(source, minute * MINUTE, *lags, 0)))
    return [beat._replace(rba=1000 + 10 * at) for at, (_, beat) in enumerate(sorted(drawn))]


class Missing(NamedTuple):
    """A time without beats: the database, when it begins and ends, how long it counts, and the beats due in it."""

    source: str
    after: int
    end: int
    length: int
    beats: int
    is_open: bool

    def holds(self, moment: int) -> bool:
        return self.end - self.length < moment <= self.end if self.is_open else self.after < moment < self.end


def _due(distance: int, interval: int) -> int:
    """How many beats should have come in a distance, with half an interval of grace for each."""
    return sum(2 * number * interval + interval < 2 * distance for number in range(1, 2000))


def _interval(times: list[int]) -> int | None:
    distances = sorted(later - earlier for earlier, later in pairwise(times))
    return distances[ceil(len(distances) / 2) - 1] if distances else None


def _missing(by_source: dict[str, list[Drawn]], newest: int) -> list[Missing]:
    inner, last = list[Missing](), list[Missing]()
    for source, beats in by_source.items():
        times = sorted({beat.time for beat in beats})
        interval = _interval(times)
        if interval is None:
            continue
        for before, after in pairwise(times):
            if due := _due(after - before, interval):
                inner.append(Missing(source, before, after, after - before, due, is_open=False))
        committed = next(beat.committed for beat in beats if beat.time == times[-1])
        if due := _due(newest - committed, interval):
            last.append(Missing(source, times[-1], newest, newest - committed, due, is_open=True))
    return inner + last


def _chosen(beats: list[Drawn], moment: int | None) -> Drawn | None:
    """The beat of a database that shows the lag: the last up to the moment, else the first with the greatest lag."""
    if moment is None:
        return max(beats, key=lambda beat: beat.total, default=None)
    before = [beat for beat in beats if beat.time <= moment]
    return max(reversed(before), key=lambda beat: beat.time, default=None)


@pytest.mark.parametrize("case", range(examples(200, short=40)))
def test_of_the_beats_of_several_databases_the_chosen_one_its_forerunners_and_the_gap_are_told(case: int) -> None:
    random = Random(case)
    beats = _beats(random)
    newest = max((beat.committed for beat in beats), default=0) + random.choice((0, 1, 2, 9)) * MINUTE
    times = [beat.time + off for beat in beats for off in (0, 0, MINUTE // 2)]
    moment = random.choice([None, *times, -MINUTE, newest, newest + 5 * MINUTE])
    around = BeatsAround(moment)
    for beat in beats:
        around.add(_beat(beat))
    facts = around.facts(newest)

    by_source: dict[str, list[Drawn]] = {}
    for beat in beats:
        by_source.setdefault(beat.source, []).append(beat)
    chosen = [shown for own in by_source.values() if (shown := _chosen(own, moment)) is not None]
    greatest = max(chosen, key=lambda beat: beat.total, default=None)
    assert facts.beats == len(beats)
    assert (facts.chosen and facts.chosen.position.rba) == (greatest and greatest.rba)
    assert (facts.path and facts.path[0]) == (greatest and greatest.source)
    if greatest is not None and facts.chosen is not None:
        assert (facts.chosen.time, facts.chosen.total) == (greatest.time, greatest.total)
        own = by_source[greatest.source]
        earlier = [beat for beat in own[: own.index(greatest)][-RECENT:] if beat.time < greatest.time]
        assert [beat.position.rba for beat in facts.before] == [
            beat.rba for beat in sorted(earlier, key=lambda beat: beat.time)
        ]

    missing = _missing(by_source, newest)
    there = [gap for gap in missing if moment is None or gap.holds(moment)]
    longest = max(there, key=lambda gap: gap.length, default=None)
    assert facts.gaps == len(missing)
    assert (facts.gap_path and facts.gap_path[0]) == (longest and longest.source)
    assert (facts.gap and (facts.gap.after.time, facts.gap.end, facts.gap.beats, facts.gap.before is None)) == (
        longest and (longest.after, longest.end, longest.beats, longest.is_open)
    )


@pytest.mark.parametrize("order", [(3, 1, 2), (1, 3, 2), (1, 2, 3), (2, 3, 1)])
@pytest.mark.parametrize("after", [-1, 0, 1, 89, 91])
def test_behind_the_trail_the_newest_beat_of_all_databases_is_told_if_one_was_due(
    after: int, order: tuple[int, ...]
) -> None:
    """Beats of each minute up to the third hour; the newest time is that of the last commit of all."""
    beats = [
        Drawn(f"DB{last}", minute * MINUTE, 0, 0, 10 * minute)
        for last in order
        for minute in range(60 * last - 5, 60 * last)
    ]
    newest = 179 * MINUTE
    moment = newest + after * SECOND
    around = BeatsAround(moment)
    for beat in beats:
        around.add(_beat(beat))
    assert around.facts(newest).ends == ((179 * MINUTE, newest) if after == 91 else None)


START, END = 500, 700


def _extent(path: Path, at: int, random: Random) -> Extent:
    """A transaction from a moment to a later one, each of them now and then an end of the window."""
    span = random.choice(((0, START), (START, END), (END, 1000), (0, 1000)))
    moments = sorted(random.choice((*span, random.randint(*span))) for _ in range(2))
    begin = FilePosition(path, 1000 + 100 * at)
    kinds = Counter({random.choice((DDL_OP, INSERT)): random.randint(1, 2)})
    return WHOLE._replace(
        begin=begin,
        first=begin,
        records=random.randint(1, 3),
        size=random.randint(1, 1000),
        first_moment=Moment(moments[0]),
        last_moment=Moment(moments[1]),
        has_one_time=moments[0] == moments[1],
        tables={"": kinds, "A.B": Counter({INSERT: 1})},
    )


@pytest.mark.parametrize("case", range(examples(100, short=30)))
def test_of_the_transactions_around_a_window_the_longest_the_largest_and_the_sums_are_told(
    case: int, trails: Path
) -> None:
    """The longest was open in the window, the others were committed in it, its ends included."""
    path, random = trails / "et000000000", Random(case)
    extents = [_extent(path, at, random) for at in range(random.choice((0, 1, 3, 12)))]
    around = TransactionsAround(WholeTrail([path]), LagWindow(START, END))
    for extent in extents:
        around.take(extent)
    facts = around.facts()
    inside = [extent for extent in extents if START <= extent.last_moment.time <= END]
    assert (facts.transactions, facts.records, facts.bytes) == (
        len(inside),
        sum(extent.records for extent in inside),
        sum(extent.size for extent in inside),
    )
    assert facts.largest == max(inside, key=lambda extent: extent.records, default=None)
    statements = [extent for extent in inside if extent.tables[""][DDL_OP]]
    assert facts.ddl == sum(extent.tables[""][DDL_OP] for extent in statements)
    assert facts.first_ddl == (statements[0].begin if statements else None)
    opened = [extent for extent in extents if extent.first_moment.time < END and extent.last_moment.time > START]
    longest = max(opened, key=lambda extent: extent.last_moment.time - extent.first_moment.time, default=None)
    assert (facts.longest and facts.longest.position) == (longest and longest.begin)


@pytest.mark.parametrize("number", [0, 1, 3, 101, 102, 130])
def test_restarts_are_in_the_window_by_their_time_or_by_their_place_and_the_last_hundred_are_kept(
    number: int, trails: Path
) -> None:
    path, random = trails / "et000000000", Random(number)
    restarts = [
        Restart(FilePosition(path, 1000 + 10 * at), RESTART_OK, random.choice((START - 1, START, 600, END, END + 1)))
        for at in range(number)
    ]
    after, before = sorted(random.choices([restart.position.rba for restart in restarts] or [1000], k=2))
    for window in (
        LagWindow(START, END),
        LagWindow(START, END, TrailPosition(0, after), TrailPosition(0, before)),
    ):
        around = TransactionsAround(WholeTrail([path]), window)
        for restart in restarts:
            around.take(restart)
        is_placed = window.after is not None
        inside = [
            restart
            for restart in restarts
            if START <= restart.time <= END or (is_placed and after < restart.position.rba < before)
        ]
        facts = around.facts()
        assert facts.restarts == tuple(inside[-100:])
        assert (facts.all_restarts, facts.last_restart) == (number, restarts[-1] if restarts else None)


@pytest.mark.parametrize("restarts", [0, 1, 2])
@pytest.mark.parametrize(("late", "source"), [(0, BeginSource.REDO_CLOCK), (1, None), (2, None)])
def test_the_longest_by_a_redo_clock_of_several_sources_is_not_told(
    late: int, source: BeginSource | None, restarts: int, trails: Path
) -> None:
    """The second transaction has a record of redo that an earlier commit is behind, so it began before that."""
    path = trails / "et000000000"
    around = TransactionsAround(WholeTrail([path]), LagWindow(0, 1000 * SECOND))
    for _ in range(restarts):
        around.take(Restart(FilePosition(path, 1000), RESTART_OK, SECOND))
    places = [(20, 20, 50), (10, 500, 100), *[(15, 15, 90)] * late]
    for first, last, commit in places:
        moments = Moment(commit * SECOND, 1, first), Moment(commit * SECOND, 1, last)
        around.take(WHOLE._replace(first_moment=moments[0], last_moment=moments[1], records=2))
    longest = around.facts().longest
    assert (longest and longest.source) == source
    if longest is not None:
        assert (longest.high, longest.end) == (50 * SECOND, 100 * SECOND)
