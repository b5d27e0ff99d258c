"""The redo clock is never wrong where positions follow one another, and not used where they do not."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.searching import Random, examples
from tests.simulated.bounded_recovery import SECOND, Worked, drawn_history, redo_of
from tests.trailformat.strategies import I64
from trailformat import from_datetime, to_datetime
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.transactions import redo_clock
from trailformat.transactions.redo_clock import RedoClock, RedoPlace


def clock_of(history: list[Worked], first_logs: tuple[int, ...] = (59, 4711)) -> RedoClock:
    clock, places = RedoClock(), redo_of(history, first_logs)
    done = sorted(
        (transaction.end, transaction.number)
        for transaction in history
        if transaction.is_committed and transaction.end is not None
    )
    for commit, number in done:
        own = places[number]
        clock.learn(RedoPlace(*own[0]), RedoPlace(*own[-1]), commit, is_one=len(own) == 1)
    return clock


def assert_bounds_hold(clock: RedoClock, history: list[Worked]) -> None:
    places = redo_of(history)
    for transaction in history:
        for moment, place in zip(transaction.operations, places[transaction.number], strict=True):
            latest, earliest = clock.latest(RedoPlace(*place)), clock.earliest(RedoPlace(*place))
            assert latest is None or moment <= latest
            assert earliest is None or earliest <= moment


@pytest.mark.parametrize("seed", range(examples(8)))
def test_every_operation_was_done_between_its_bounds(seed: int) -> None:
    history = drawn_history(Random(seed))
    clock = clock_of(history)
    assert clock.is_set
    assert_bounds_hold(clock, history)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_also_where_there_is_no_room_for_all_steps(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redo_clock, "MOST_STEPS", 10)
    history = drawn_history(Random(seed))
    assert_bounds_hold(clock_of(history), history)


@pytest.mark.parametrize("first_logs", [(59, 4711), (59, 60)])
@pytest.mark.parametrize("seed", range(4))
def test_positions_of_two_redo_threads_are_no_clock(seed: int, first_logs: tuple[int, int]) -> None:
    history = drawn_history(Random(seed), threads=2)
    assert not clock_of(history, first_logs).is_set


def test_a_transaction_of_one_record_that_waited_for_its_commit_is_no_lower_bound() -> None:
    clock = RedoClock()
    history = [(10, 10), (20, 20), (15, 500), (30, 501)]
    for position, commit in history:
        place = RedoPlace(1, position)
        clock.learn(place, place, commit * SECOND, is_one=True)
    assert clock.earliest(RedoPlace(1, 18)) == 9 * SECOND


@pytest.mark.parametrize(
    ("commit", "bounds"),
    [
        (5, [5, 5, 5, 5]),
        (10, [10, 10, 10, 10]),
        (15, [10, 15, 15, 15]),
        (20, [10, 20, 20, 20]),
        (25, [10, 20, 25, 25]),
        (30, [10, 20, 30, 30]),
        (40, [10, 20, 30, 40]),
    ],
)
def test_a_later_position_with_an_earlier_commit_bounds_all_before_it(commit: int, bounds: list[int]) -> None:
    """Positions 100, 200 and 300 were committed at 10, 20 and 30 s; then 400 at ``commit``."""
    clock = RedoClock(slack=0)
    for position, moment in ((100, 10), (200, 20), (300, 30), (400, commit)):
        place = RedoPlace(1, position)
        clock.learn(place, place, moment * SECOND, is_one=False)
    latest = [clock.latest(RedoPlace(1, position)) for position in (100, 200, 300, 400)]
    assert latest == [moment * SECOND for moment in bounds]


def test_without_positions_there_is_no_clock() -> None:
    clock = RedoClock()
    clock.learn(RedoPlace(0, 0), RedoPlace(0, 0), SECOND, is_one=True)
    assert not clock.is_set


def test_in_front_of_all_and_behind_all_nothing_is_known() -> None:
    clock = RedoClock(slack=0)
    clock.learn(RedoPlace(7, 100), RedoPlace(7, 100), SECOND, is_one=True)
    assert clock.earliest(RedoPlace(7, 100)) is None
    assert clock.latest(RedoPlace(7, 101)) is None
    assert (clock.latest(RedoPlace(7, 100)), clock.earliest(RedoPlace(8, 0))) == (SECOND, SECOND)


@pytest.mark.parametrize(
    ("julian", "moment"),
    [
        (0x02F257BDDD5EC9B0, datetime(2016, 4, 28, 12, 10, 14, 246_832, UTC)),
        (211_976_584_185_800_569, datetime(2005, 3, 3, 4, 29, 45, 800_569, UTC)),
        (211_971_340_800_000_000, datetime(2005, 1, 1, 12, 0, 0, 0, UTC)),
        (JULIAN_UNIX_EPOCH, datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_moments_of_the_manual_and_the_transcripts(julian: int, moment: datetime) -> None:
    assert to_datetime(julian) == moment
    assert from_datetime(moment) == julian


@given(st.datetimes(timezones=st.just(UTC)))
def test_to_datetime_is_the_inverse_of_from_datetime(moment: datetime) -> None:
    assert to_datetime(from_datetime(moment)) == moment


@given(I64)
def test_every_stored_number_is_a_moment_or_none(julian: int) -> None:
    moment = to_datetime(julian)
    assert moment is None or from_datetime(moment) == julian


def test_a_moment_outside_the_calendar_is_none() -> None:
    assert to_datetime(0) is None
    assert to_datetime(0x7FFFFFFFFFFFFFFF) is None


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_a_naive_moment_is_taken_as_gmt(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        found = from_datetime(datetime(1970, 1, 1))  # noqa: DTZ001
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found == JULIAN_UNIX_EPOCH


def test_a_moment_of_another_zone_is_converted() -> None:
    korea = timezone(timedelta(hours=9))
    assert from_datetime(datetime(1970, 1, 1, 9, tzinfo=korea)) == JULIAN_UNIX_EPOCH
