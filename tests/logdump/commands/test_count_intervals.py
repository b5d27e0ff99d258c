"""COUNT INTERVAL leaves no moment out: a stall shows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.features.count.model import EmptyIntervals, IntervalShown
from logdump.features.count.survey import CountOptions, intervals
from tests.logdump.line import Line
from tests.trailformat.samples import IO_TIME, row, trail_of
from trailformat.totals.counting import Totals

MINUTE = 60_000_000
BEGUN = IO_TIME - IO_TIME % MINUTE


@given(
    st.lists(st.integers(0, 60 * MINUTE) | st.integers(0, 1 << 40), min_size=1, max_size=8),
    st.none() | st.integers(0, 1 << 41),
)
def test_intervals_follow_each_other_without_gap_and_hold_every_record(times: list[int], end: int | None) -> None:
    count = Totals(interval=MINUTE, start=0)
    for one in times:
        if end is None or one <= end:
            count.interval_of(one).add(1, 5, None)
    shown = list(intervals(count, CountOptions(start=0, end=end, interval=MINUTE)))
    if not count.intervals:
        assert shown == []
        return
    assert all(isinstance(one, IntervalShown | EmptyIntervals) for one in shown)
    assert shown[0].start == 0  # type: ignore[attr-defined]
    assert all(one.end == other.start for one, other in pairwise(shown))  # type: ignore[attr-defined]
    assert sum(one.tally.records for one in shown if isinstance(one, IntervalShown)) == sum(
        end is None or one <= end for one in times
    )
    assert end is None or shown[-1].end > end  # type: ignore[attr-defined]
    assert len(shown) <= 4 * len(times) + 4


@pytest.mark.parametrize(("minutes", "singly"), [(1, 0), (2, 1), (4, 3), (5, None), (6_000_000, None)])
def test_a_stall_is_shown_by_its_intervals_or_in_one_line(
    minutes: int, singly: int | None, tmp_path: Path, line: Line
) -> None:
    rows = [row(io_time=BEGUN), row(io_time=BEGUN + minutes * MINUTE)]
    line(f"open {trail_of(tmp_path, *rows)}")
    shown = line("count int 1")
    assert sum(one.startswith("Recs ") and one.endswith(" 0") for one in shown) == (singly or 0)
    stalls = [one for one in shown if one.startswith("No records from ")]
    assert [one.rsplit(", ", 1)[1] for one in stalls] == ([] if singly is not None else [f"{minutes - 1} intervals"])


def test_a_stall_at_a_bound_is_shown_too(tmp_path: Path, line: Line) -> None:
    line(f"open {trail_of(tmp_path, row(), row())}")
    shown = line("count int 10, start 2016-04-28 11:00, end 2016-04-28 13:05")
    assert [one for one in shown if one.startswith("No rec")] == [
        "No records from 2016/04/28 11:00:00.000 to 2016/04/28 12:10:00.000, 7 intervals",
        "No records from 2016/04/28 12:20:00.000 to 2016/04/28 13:10:00.000, 5 intervals",
    ]
