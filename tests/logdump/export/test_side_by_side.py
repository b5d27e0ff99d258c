"""Jobs in threads: results come in the order of the jobs, and few jobs are under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest

from logdump.operations.export.side_by_side import results


def test_results_come_in_the_order_of_their_jobs_and_what_is_no_job_as_it_is() -> None:
    first_may_end = Event()

    def first() -> str:
        assert first_may_end.wait(10)
        return "first"

    def second() -> str:
        first_may_end.set()
        return "second"

    with ThreadPoolExecutor(2) as pool:
        assert list(results([first, "no job", second], pool)) == ["first", "no job", "second"]


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_jobs_are_begun_than_may_be_under_way(most: int) -> None:
    begun: list[int] = []

    def jobs() -> Iterator[Callable[[], int]]:
        for number in range(9):
            begun.append(number)
            yield partial(int, number)

    with ThreadPoolExecutor(1) as pool:
        ahead = [len(begun) - number for number in results(jobs(), pool, most)]
    assert ahead == [most + 1] * (9 - most) + list(range(most, 0, -1))


def _fail() -> None:
    raise ValueError("it is a test")


def test_a_job_that_fails_ends_the_results_in_its_turn() -> None:
    found: list[int] = []
    with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match="it is a test"):
        found.extend(results([partial(int, 1), _fail, partial(int, 3)], pool))
    assert found == [1]


def test_jobs_whose_results_are_not_wanted_any_more_are_not_begun() -> None:
    may_end = Event()
    done: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        begun = results([partial(int, 1), partial(may_end.wait, 10), partial(done.append, 1)], pool, 2)
        assert next(begun) == 1
        begun.close()  # type: ignore[attr-defined]
        may_end.set()
    assert not done
