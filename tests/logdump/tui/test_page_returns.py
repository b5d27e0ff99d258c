"""The output page goes as soon as the cursor moves, at every size: the page below is that of the record again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from textual.events import MouseScrollDown, MouseScrollUp

from logdump.tui.keys.keys import KEYS, Area
from logdump.tui.model.model import OUTPUT, TIMELINE
from logdump.tui.panes.record_list import RecordList
from tests.logdump.tui.drive import Screen, drive, rba_of
from tests.logdump.tui.test_current_record import _ENDS, MOVES, PAGES, LineMode, go_to_area, mismatch, press
from tests.searching import IS_LONG, part_of

SIZES = [(80, 24), (20, 5), *([(120, 36), (300, 100), (60, 15), (40, 10)] if IS_LONG else [])]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
_START = "pos 2722"
_LONG = "history 20"
"""A line that moves nothing, and whose answer no strip has room for."""

Act = Callable[[Screen], Awaitable[object]]


@pytest.fixture
def line_mode() -> LineMode:
    """A session of line mode beside the view."""
    return LineMode()


async def show_output(screen: Screen, page: str) -> None:
    """Begin at a record, on the page of the output of a command."""
    app = screen.app
    app.model.show_page(page)
    app.enter(_START)
    await screen.rest()
    app.records.focus()
    app.enter(_LONG)
    await screen.rest()
    app.model.show_page(OUTPUT)
    await screen.rest()


def lines_entered(screen: Screen) -> int:
    return len([entry for entry in screen.app.mode.transcript.entries if entry.prompt])


def is_answer(screen: Screen, lines: int) -> bool:
    """Whether a line entered since then has an answer of its own to show."""
    last = screen.app.mode.transcript.last
    if last is None or lines_entered(screen) == lines:
        return False
    return last.is_long or last.has_failed or len(last.records) > 1


async def wrong_after(screen: Screen, what: str, act: Act, page: str, line_mode: LineMode) -> str:
    """What is wrong after something that may move the cursor; empty when nothing is."""
    app = screen.app
    await show_output(screen, page)
    before, lines = (app.model.opened, app.model.listing, rba_of(screen)), lines_entered(screen)
    await act(screen)
    await screen.rest()
    has_moved = (app.model.opened, app.model.listing, rba_of(screen)) != before
    if has_moved and is_answer(screen, lines):
        app.records.focus()
        await screen.rest()
        app.simulate_key("k")
        await screen.rest()
    if not has_moved or app.model.page == TIMELINE:
        return ""
    if app.model.page == OUTPUT:
        return f"{what}: the output is still there"
    why = mismatch(app, app.model.page, line_mode) if app.model.page in PAGES else ""
    return f"{what}: {why}" if why else ""


def _at_size(some: Sequence[Any], size: tuple[int, int]) -> Sequence[Any]:
    """What is tried at a size: in the short form each at one of them."""
    return part_of(some, SIZES.index(size), len(SIZES))


@EVERY_SIZE
def test_every_key_that_moves_the_cursor_brings_the_page_back(size: tuple[int, int], line_mode: LineMode) -> None:
    wrong: list[str] = []
    keys = _at_size([key for key in KEYS if key.id not in _ENDS and key.area is not Area.SIDE_BY_SIDE], size)

    async def steps(screen: Screen) -> None:
        app = screen.app
        app.enter("pos 2008; mark a; find ASS; across on")
        with app.batch_update():
            for at, key in enumerate(keys):

                async def act(screen: Screen, key: object = key) -> None:
                    if key.area not in (Area.PANES, Area.EVERYWHERE, Area.RECORDS):  # type: ignore[attr-defined]
                        await go_to_area(screen, key)  # type: ignore[arg-type]
                    await press(screen, key.keys.split(",")[0], key)  # type: ignore[attr-defined, arg-type]

                wrong.append(await wrong_after(screen, key.id, act, PAGES[at % 4], line_mode))

    drive(steps, "st000000000" if size == (80, 24) else "et000000000", size)
    assert [text for text in wrong if text] == []


@EVERY_SIZE
def test_every_line_that_moves_the_cursor_brings_the_page_back(size: tuple[int, int], line_mode: LineMode) -> None:
    wrong: list[str] = []

    async def steps(screen: Screen) -> None:
        assert screen.app.model.page == "detail", "the answer of OPEN is no page"
        with screen.app.batch_update():
            for at, line in enumerate(_at_size(MOVES, size)):

                async def act(screen: Screen, line: str = line) -> None:
                    screen.app.enter(line)

                wrong.append(await wrong_after(screen, line, act, PAGES[at % 4], line_mode))

    drive(steps, size=size)
    assert [text for text in wrong if text] == []


async def click_row(screen: Screen) -> None:
    records = screen.app.records
    line = records._cursor - records._top
    await screen.pilot.click(RecordList, offset=(2, 1 + (line + 1 if line + 1 < records._height else line - 1)))


async def click_bar(screen: Screen) -> None:
    await screen.pilot.click(RecordList, offset=(screen.app.records.size.width - 1, 1))


async def wheel_down(screen: Screen) -> None:
    await screen.pilot._post_mouse_events([MouseScrollDown], RecordList, (2, 1))


async def wheel_up(screen: Screen) -> None:
    await screen.pilot._post_mouse_events([MouseScrollUp], RecordList, (2, 1))


@pytest.mark.parametrize("size", [size for size in SIZES if size[1] >= 10], ids="{0[0]}x{0[1]}".format)
def test_the_mouse_does_so_too(size: tuple[int, int], line_mode: LineMode) -> None:
    async def steps(screen: Screen) -> None:
        for act in (click_row, click_bar, wheel_down, wheel_up):
            assert await wrong_after(screen, act.__name__, act, "detail", line_mode) == ""
            if screen.app.records._height > 1 or act is not click_row:
                assert rba_of(screen) != 2722, act
                assert screen.app.model.page == "detail", act

    drive(steps, size=size)


@EVERY_SIZE
def test_the_first_screen_shows_the_record(size: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        assert screen.app.model.page == "detail"
        await screen.press("escape", "j")
        assert screen.app.model.page == "detail"
        assert screen.app.pages.shown.whole_text

    drive(steps, size=size)


def test_an_answer_stays_while_the_followed_trail_grows_and_goes_with_the_next_key() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "v", "w")
        assert screen.app.model.page == "detail"
        await screen.press("v")
        screen.app.records._read_again()
        await screen.rest()
        assert screen.app.model.page == OUTPUT
        await screen.press("k")
        assert screen.app.model.page == "detail"

    drive(steps)
