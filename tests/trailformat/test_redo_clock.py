"""The redo clock is never wrong where positions follow one another, and not used where they do not."""

from __future__ import annotations

from random import Random

import pytest

from tests.searching import examples
from tests.simulated.bounded_recovery import SECOND, Worked, drawn_history, redo_of
from trailformat.transactions import redo_clock
from trailformat.transactions.redo_clock import RedoClock, RedoPlace


def clock_of(history: list[Worked], first_logs: tuple[int, ...] = (59, 4711)) -> RedoClock:
    clock, places = RedoClock(), redo_of(history, first_logs)
    done = sorted((one.end, one.number) for one in history if one.is_committed and one.end is not None)
    for commit, number in done:
        own = places[number]
        clock.learn(RedoPlace(*own[0]), RedoPlace(*own[-1]), commit, is_one=len(own) == 1)
    return clock


def assert_bounds_hold(clock: RedoClock, history: list[Worked]) -> None:
    places = redo_of(history)
    for one in history:
        for moment, place in zip(one.operations, places[one.number], strict=True):
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
