"""Keys that lead from a record to others that it depends on, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.tui.keys.keys import Jumps
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.test_records import rba_of
from trailformat.trail.sequence import Spot


@pytest.mark.parametrize(
    ("trail", "start", "key", "rba"),
    [
        ("et000000000", 2722, "B", 1811),
        ("et000000000", 1811, "E", 2892),
        ("et000000000", 2722, "S", 2170),
        ("kt000000000", 2388, "L", 1811),
        ("pt000000000", 2599, "L", 2407),
    ],
)
def test_a_key_leads_to_what_a_record_depends_on_and_another_one_back(
    trail: str, start: int, key: str, rba: int
) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("g", *str(start), "enter", key)
        assert rba_of(screen) == rba
        await screen.press("ctrl+o")
        assert rba_of(screen) == start

    drive(steps, trail, page="values", place="records")


@pytest.mark.parametrize("jump", ["pos 3522", "find STOCK_KG = 310", "sfmd tdr 1", "pos first", "pos csn 41882402"])
def test_back_works_after_every_line_that_moves_the_cursor(jump: str) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2722")
        await screen.type(jump)
        assert rba_of(screen) != 2722
        await screen.press("escape", "ctrl+o")
        assert rba_of(screen) == 2722

    drive(steps)


def test_back_in_the_file_in_which_the_jump_began() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2722")
        await screen.type("nexttrail")
        await screen.press("escape", "ctrl+o")
        path = screen.app.model.state.path
        assert (path is not None and path.name, rba_of(screen)) == ("st000000000", 2722)

    drive(steps, "st000000000")


def test_a_record_without_such_another_says_so() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("g", *"1130", "enter", "S", "L")
        assert "This record has no definition." in screen.text
        assert "This record has no row of its LOB." in screen.text

    drive(steps, place="records")


def test_steps_and_lines_that_move_nothing_are_no_jumps() -> None:
    jumps, here = Jumps(), Spot(Path("a"), 1)
    for number, now in enumerate([here, here._replace(rba=9), here._replace(rba=20)]):
        jumps.begin(number, here, 9)
        jumps.end(number, now)
    assert (jumps.back(), jumps.back()) == (here, None)


def test_a_key_tells_the_story_of_the_row_under_the_cursor() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("g", *"3522", "enter", "R")
        assert screen.app.model.upper == "story"
        assert "TEAHOUSE.TEAS ASS02 → ASS01 → ASS09: 4 changes; after them the row is there." in screen.text
        assert rba_of(screen) == 3522

    drive(steps, page="values", place="records")
