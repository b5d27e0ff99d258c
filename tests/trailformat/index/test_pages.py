"""Pages of the index are pages of the walk."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import some_trails
from tests.trailformat.index.reference import built, walked
from tests.trailformat.samples import BOTH, row, trail_of
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, TrailFile
from trailformat.index import ROWS_PER_CHECKPOINT


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_page_of_any_size_is_that_of_the_walk(name: str) -> None:
    expected = walked(TRAILS / name)
    index = built(TRAILS / name)
    assert index.places.records == len(expected)
    with TrailFile(TRAILS / name) as trail:
        for size in range(1, len(expected) + 2):
            pages = [index.places.rows(trail, first, size) for first in range(0, len(expected), size)]
            assert [row for page in pages for row in page] == expected


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("order", BOTH)
def test_pages_of_a_long_file_with_damage_and_both_byte_orders(tmp_path: Path, order: ByteOrder) -> None:
    path = trail_of(tmp_path, *random.Random(order.value).choices(everything(order)[:-1], k=5 * ROWS_PER_CHECKPOINT))
    expected = walked(path)
    index = built(path)
    with TrailFile(path) as trail:
        assert index.places.rows(trail, 0, len(expected)) == expected
        for first in range(0, len(expected), 61):
            assert index.places.rows(trail, first, 100) == expected[first : first + 100]


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_numbers_and_rbas_are_each_other_s_inverse(name: str) -> None:
    index = built(TRAILS / name)
    with TrailFile(TRAILS / name) as trail:
        for one in walked(TRAILS / name):
            assert index.places.rba_of(trail, one.number) == one.rba
            assert index.places.row_at(trail, one.rba) == index.places.row_at(trail, one.rba + one.length - 1) == one


def test_there_is_nothing_outside(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row())
    index = built(path)
    with TrailFile(path) as trail:
        assert index.places.rows(trail, 2, 5) == index.places.rows(trail, -1, 5) == index.places.rows(trail, 0, 0) == []
        assert index.places.rba_of(trail, 2) is index.places.rba_of(trail, -1) is None
        assert index.places.row_at(trail, trail.size) is index.places.row_at(trail, -1) is None


def test_every_256th_row_has_a_checkpoint(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row()] * (3 * ROWS_PER_CHECKPOINT + 1))
    checkpoints = built(path).places.checkpoints
    assert list(checkpoints.rba) == [number * ROWS_PER_CHECKPOINT * row().length for number in range(4)]
    assert list(checkpoints.io_time) == [row().header.io_time] * 4


def test_an_index_of_millions_of_records_takes_less_than_a_megabyte() -> None:
    checkpoints = built(TRAILS / "et000000000").places.checkpoints
    size = sum(one.itemsize for one in (checkpoints.rba, checkpoints.io_time, checkpoints.order))
    assert 6_000_000 // ROWS_PER_CHECKPOINT * size < 500_000
