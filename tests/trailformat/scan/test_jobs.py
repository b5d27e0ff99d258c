"""Jobs run a few ahead of what uses their results, in the order of the jobs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trailformat.scan.parallel import Ordered


class Jobs:
    """Notes which jobs were begun and which were ended."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.begun: list[int] = []
        self.ended: list[int] = []

    def __iter__(self) -> Iterator[int]:
        for number in range(self._count):
            self.begun.append(number)
            yield number


@pytest.mark.parametrize("ahead", [0, 1, 3, 9])
def test_results_come_in_the_order_of_the_jobs(ahead: int) -> None:
    jobs = Jobs(5)
    assert list(Ordered(jobs, ahead, jobs.ended.append)) == [0, 1, 2, 3, 4]
    assert jobs.ended == []


def test_the_first_jobs_begin_at_once() -> None:
    jobs = Jobs(5)
    Ordered(jobs, 2, jobs.ended.append)
    assert jobs.begun == [0, 1]


def test_so_many_jobs_are_ahead_of_the_one_in_use() -> None:
    jobs = Jobs(5)
    ordered = Ordered(jobs, 2, jobs.ended.append)
    assert [(next(ordered), len(jobs.begun)) for _ in range(5)] == [(0, 3), (1, 4), (2, 5), (3, 5), (4, 5)]


def test_what_is_not_used_is_ended() -> None:
    jobs = Jobs(5)
    with Ordered(jobs, 2, jobs.ended.append) as ordered:
        next(ordered)
    assert jobs.ended == [1, 2]
