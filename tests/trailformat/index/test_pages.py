"""Pages of the index are pages of the walk: fixtures, damage, both engines, whatever the pieces it was fed with."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.trailformat.scan.reference import ENGINES, walk
from trailformat import TrailFile
from trailformat.index import Row, TrailIndex, build
from trailformat.scan import PARTIAL, Engine, scan


def walked(path: Path) -> list[Row]:
    """The rows of the serial walk, a half-written end aside."""
    rows = [one for one in walk(path) if one["kind"] != PARTIAL]
    return [Row(number, one["rba"], one["length"], one["kind"]) for number, one in enumerate(rows)]


def built(path: Path, engine: Engine = Engine.PYTHON, batch_size: int = 1 << 12) -> TrailIndex:
    """The index of a file, from batches of this size."""
    index = TrailIndex()
    with TrailFile(path) as trail:
        for batch in scan(trail, engine=engine, batch_size=batch_size):
            index.extend(batch)
    return index


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", names())
def test_a_page_of_any_size_is_that_of_the_walk(name: str, engine: Engine) -> None:
    expected = walked(TRAILS / name)
    index = built(TRAILS / name, engine)
    with TrailFile(TRAILS / name) as trail:
        for size in range(1, len(expected) + 2):
            pages = [index.rows(trail, first, size) for first in range(0, len(expected), size)]
            assert [row for page in pages for row in page] == expected


@pytest.mark.parametrize("name", names())
def test_numbers_and_rbas_are_each_other_s_inverse(name: str) -> None:
    index = TrailIndex()
    with TrailFile(TRAILS / name) as trail:
        assert list(build(trail, index))[-1] == index.covered
        for row in walked(TRAILS / name):
            assert index.rba_of(trail, row.number) == row.rba
            assert index.number_of(trail, row.rba) == index.number_of(trail, row.rba + row.length - 1) == row.number
        assert index.rba_of(trail, index.records) is None
        assert index.number_of(trail, index.covered) is None
        assert index.rba_of(trail, -1) is index.number_of(trail, -1) is None
