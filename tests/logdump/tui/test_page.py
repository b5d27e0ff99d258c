"""A page is what a full walk has at that place."""

from __future__ import annotations

import pytest

from fixtures import TRAILS
from logdump.tui.reading.rows import Page, PageRequest, RowReader, read_page
from tests.logdump.tui.test_rows import forwards
from tests.searching import in_turn
from trailformat import TrailFile


def page(trail: TrailFile, wanted: PageRequest) -> Page:
    return read_page(RowReader(trail), wanted, trail.size)


@pytest.mark.parametrize(
    ("around", "name"), in_turn([1, 4, 100], ["et000000000", "gt000000000", "st000000000", "hl000000000"])
)
def test_a_page_is_a_part_of_the_walk(name: str, around: int) -> None:
    with TrailFile(TRAILS / name) as trail:
        rbas = [row.rba for row in forwards(RowReader(trail))]
        for at, rba in enumerate(rbas):
            found = page(trail, PageRequest(rba, 0, around))
            assert [row.rba for row in found.rows] == rbas[max(0, at - around) : at + around + 1]
            assert found.rows[found.at].rba == rba
            assert (found.is_first, found.is_last) == (at <= around, at + around >= len(rbas) - 1)


def test_a_step_moves_over_rows_and_stops_at_the_ends() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        rbas = [row.rba for row in forwards(RowReader(trail))]
        assert [page(trail, PageRequest(rbas[3], step)).rows[3 + step].rba for step in (-2, 2)] == [rbas[1], rbas[5]]
        last = page(trail, PageRequest(rbas[3], 1000))
        assert (last.rows[last.at].rba, last.is_last) == (trail.size, True)


def test_the_end_needs_no_walk_from_the_beginning() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        found = page(trail, PageRequest(None, 0, 2))
        assert (found.rows[found.at].rba, found.is_first, found.is_last) == (trail.size, False, True)


def test_the_csn_of_the_first_record_stands_on_the_whole_transaction() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        csns = {row.rba: row.csn for row in page(trail, PageRequest(0)).rows}
        assert {csns[rba] for rba in (1811, 2008, 2722, 2892)} == {"41882317"}
        assert csns[2170] is None
        assert csns[3069] == "41882334"
