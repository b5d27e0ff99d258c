"""The redo clock against the bounds that its definition gives: of all that was learned, the least and the greatest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.searching import Random, examples
from trailformat.transactions import redo_clock
from trailformat.transactions.redo_clock import RedoClock, RedoPlace

SLACK = 6
PLACES = [RedoPlace(log, position) for log in (1, 2, 3) for position in range(1, 9)]


class Learned(NamedTuple):
    """A transaction as the clock was given it."""

    first: RedoPlace
    last: RedoPlace
    commit: int
    is_one: bool
    is_late: bool


def drawn(random: Random, waits: float) -> Iterator[tuple[RedoPlace, RedoPlace, int, bool]]:
    """Transactions in any order: commits rise with the position, but for those that have waited."""
    for _ in range(random.randint(3, 60)):
        places = sorted(random.choices(range(len(PLACES)), k=2))
        is_one = random.random() < 0.6
        first, last = PLACES[places[0]], PLACES[places[0] if is_one else places[1]]
        wait = random.randint(0, 20) if random.random() < waits else random.randint(0, SLACK)
        commit = PLACES.index(last) + wait
        yield (last, first, commit, is_one) if random.random() < 0.2 else (first, last, commit, is_one)


def latest(learned: list[Learned], place: RedoPlace) -> int | None:
    """The earliest commit of all with a record at or after a place."""
    return min((fact.commit for fact in learned if fact.last >= place), default=None)


def earliest(learned: list[Learned], place: RedoPlace) -> int | None:
    """The latest commit, less the slack, of those of one record before a place that have not waited."""
    return max(
        (fact.commit - SLACK for fact in learned if fact.is_one and not fact.is_late and fact.first < place),
        default=None,
    )


def taught(random: Random, waits: float) -> tuple[RedoClock, list[Learned]]:
    """A clock, and what it has learned."""
    clock, learned = RedoClock(SLACK), list[Learned]()
    for first, last, commit, is_one in drawn(random, waits):
        bound = latest(learned, max(first, last))
        clock.learn(first, last, commit, is_one=is_one)
        is_late = bound is not None and bound < commit - SLACK
        learned.append(Learned(first, max(first, last), commit, is_one, is_late))
    return clock, learned


@pytest.mark.parametrize("waits", [0.0, 0.2, 0.8])
@pytest.mark.parametrize("case", range(examples(200, short=60)))
def test_bounds_are_those_of_all_that_was_learned(case: int, waits: float) -> None:
    clock, learned = taught(Random(case), waits)
    for place in PLACES:
        assert clock.latest(place) == latest(learned, place), place
        assert clock.earliest(place) == earliest(learned, place), place


@pytest.mark.parametrize("waits", [0.0, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("case", range(examples(40)))
def test_it_is_used_unless_too_many_seem_to_have_waited(case: int, waits: float) -> None:
    """Unused above one of a hundred of one record, or one of ten of all: one of a hundred if none has one record."""
    clock, learned = taught(Random(case), waits)
    ones = [fact for fact in learned if fact.is_one]
    late, late_ones = (sum(fact.is_late for fact in some) for some in (learned, ones))
    assert (clock.transactions, clock.late, clock.ones, clock.late_ones) == (len(learned), late, len(ones), late_ones)
    share = 10 if ones else 100
    assert clock.is_set == (late * share <= len(learned) and late_ones * 100 <= len(ones))


def several(number: int, *, late: int = 0) -> RedoClock:
    """A clock of transactions of two records, the last ``late`` of which were committed long after a later record."""
    clock = RedoClock(SLACK)
    clock.learn(RedoPlace(9, 0), RedoPlace(9, 1), 100, is_one=False)
    for at in range(number - 1):
        clock.learn(RedoPlace(1, at), RedoPlace(1, at + 1), 500 if at >= number - 1 - late else 100, is_one=False)
    return clock


@pytest.mark.parametrize(("late", "is_mixed"), [(0, False), (2, False), (3, True)])
def test_without_transactions_of_one_record_one_of_a_hundred_may_have_waited(late: int, is_mixed: bool) -> None:
    assert several(200, late=late).is_mixed == is_mixed


@pytest.mark.parametrize(("late", "is_mixed"), [(0, False), (20, False), (21, True)])
def test_with_one_of_them_one_of_ten_of_all_may_have_waited(late: int, is_mixed: bool) -> None:
    clock = several(199, late=late)
    clock.learn(RedoPlace(9, 5), RedoPlace(9, 5), 100, is_one=True)
    assert clock.is_mixed == is_mixed


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("case", range(examples(60, short=20)))
def test_with_few_steps_kept_the_bounds_are_wider_and_true(
    case: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redo_clock, "MOST_STEPS", most)
    clock, learned = RedoClock(SLACK), list[Learned]()
    for first, last, commit, is_one in drawn(Random(case), 0.0):
        clock.learn(first, last, commit, is_one=is_one)
        learned.append(Learned(first, max(first, last), commit, is_one, is_late=False))
    for place in PLACES:
        known, true = clock.latest(place), latest(learned, place)
        assert known is None if true is None else known is None or known >= true
        known, true = clock.earliest(place), earliest(learned, place)
        assert known is None if true is None else known is None or known <= true
    assert clock.latest(max(fact.last for fact in learned)) is not None
    firsts = [fact.first for fact in learned if fact.is_one]
    assert all(clock.earliest(place) is not None for place in PLACES if firsts and place > min(firsts))


def test_transactions_without_positions_do_not_set_it() -> None:
    clock = RedoClock(SLACK)
    clock.learn(RedoPlace(0, 0), RedoPlace(0, 0), 5, is_one=True)
    assert not clock.is_set
    assert clock.latest(RedoPlace(0, 0)) is None
