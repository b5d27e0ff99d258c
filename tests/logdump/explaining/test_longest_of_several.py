"""The longest gap, the longest transaction and the last restarts, where others have more beats or are as long."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from logdump.features.explain.lag_facts import BeatsAround, LagWindow, TransactionsAround
from logdump.features.heartbeat.model import Beat, Direction, HeartbeatRow
from logdump.tables.heartbeat_tables import Role
from tests.logdump.extents import WHOLE
from trailformat.records.record_header import RESTART_OK
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Moment, Restart
from trailformat.transactions.whole_trail import WholeTrail

MINUTE = 60_000_000
HERE = FilePosition(Path("hb000000000"), 1000)
GAPS = {"EAST": (1, 8), "NORTH": (10, 30), "SOUTH": (5, 20)}
"""Minutes between two beats of a database, and those of its one gap: it lacks seven, two and three."""


def _beat(source: str, time: int) -> Beat:
    row = HeartbeatRow(Role.BEAT, "GG_HEARTBEAT", "INSERT", HERE, None, time, source, "WEST")
    return Beat(row, Direction.OUTGOING, time, time, None, None, None, "EXT1", (), None)


@pytest.mark.parametrize("order", list(permutations(GAPS)))
@pytest.mark.parametrize("without", [None, *GAPS])
def test_the_longest_gap_is_that_of_most_time_and_not_of_most_beats(
    without: str | None, order: tuple[str, ...]
) -> None:
    around = BeatsAround(None)
    lacking = [source for source in order if source != without]
    for source in order:
        interval, gap = GAPS[source]
        times = [minute * interval for minute in range(5)]
        shift = times[-1] + (gap if source in lacking else interval)
        for minute in (*times, *(shift + time for time in times)):
            around.add(_beat(source, minute * MINUTE))
    facts = around.facts(None)
    longest = max(lacking, key=lambda source: GAPS[source][1])
    assert facts.gaps == len(lacking)
    assert facts.gap_path is not None
    assert facts.gap is not None
    assert (facts.gap_path[0], facts.gap.microseconds) == (longest, GAPS[longest][1] * MINUTE)


@pytest.mark.parametrize("lengths", sorted({*permutations((9, 9, 5)), *permutations((9, 5, 9, 2)), (9, 9, 9)}))
def test_of_several_longest_transactions_the_first_is_told(lengths: tuple[int, ...], trails: Path) -> None:
    path = trails / "et000000000"
    around = TransactionsAround(WholeTrail([path]), LagWindow(90, 110))
    begins = [FilePosition(path, 1000 + 10 * at) for at in range(len(lengths))]
    for begin, length in zip(begins, lengths, strict=True):
        moments = Moment(100 - length), Moment(100)
        around.take(
            WHOLE._replace(begin=begin, first_moment=moments[0], last_moment=moments[1], has_one_time=False, records=2)
        )
    longest = around.facts().longest
    assert longest is not None
    assert longest.position == begins[lengths.index(9)]


@pytest.mark.parametrize("number", [1, 99, 100, 101, 102, 250])
def test_of_many_restarts_in_the_window_the_last_hundred_are_kept(number: int, trails: Path) -> None:
    path = trails / "et000000000"
    around = TransactionsAround(WholeTrail([path]), LagWindow(10, 20))
    restarts = [Restart(FilePosition(path, 1000 + at), RESTART_OK, 15) for at in range(number)]
    for restart in restarts:
        around.take(restart)
    assert around.facts().restarts == tuple(restarts[-100:])
