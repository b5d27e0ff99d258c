"""What looks like a button is one: page names, the side pane, the line of keys; and what a key has copied is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.tui.model.model import TABS, TablesRead
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.sidebar import Sidebar
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive, rba_of
from tests.logdump.tui.test_harmless import characters
from tests.searching import in_turn


async def click(screen: Screen, word: str, pane: str) -> None:
    """Click on a word where it stands in a part of the screen."""
    region = screen.app.query_one(f"#{pane}").region
    lines = screen.text.splitlines()
    x, y = next((lines[y].find(word, region.x), y) for y in range(region.y, region.bottom) if word in lines[y])
    await screen.pilot.click(offset=(x, y))
    await screen.settle()


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
def test_a_page_name_shows_its_page(size: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape")
        for tab in (*TABS[1:], TABS[0]):
            await click(screen, tab.title, "tabs")
            assert f"[{tab.key} {tab.title}]" in screen.text
        await screen.press("v")
        await click(screen, "Esc goes back", "tabs")
        assert f"[{TABS[0].key} {TABS[0].title}]" in screen.text

    drive(steps, size=size)


def test_the_words_of_the_bottom_line_are_their_keys() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape")
        await click(screen, "next", "footer")
        assert screen.app.mode.transcript.entries[-1].line == "NEXT"
        await click(screen, "goto", "footer")
        assert screen.app.prompt.value == "pos "

    drive(steps)


def test_the_side_pane_leads_to_panes_and_to_what_they_list() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "m", "a", "G")
        for heading, name in (("[t]ables", "tables"), ("[x] trans", "transactions"), ("[M]arks", "marks")):
            await click(screen, heading, "sidebar")
            assert screen.app.model.upper == name
        await click(screen, "5.1.8801", "sidebar")
        assert rba_of(screen) == 1811
        await click(screen, "a  1261", "sidebar")
        assert rba_of(screen) == 1261
        await click(screen, "TEAHOUSE.SALES", "sidebar")
        assert screen.app.mode.transcript.entries[-1].line == 'FILTER INCLUDE FILENAME "TEAHOUSE.SALES"'
        await click(screen, "(no name)", "sidebar")
        assert screen.app.mode.transcript.entries[-1].line == 'FILTER INCLUDE FILENAME "TEAHOUSE.SALES"'

    drive(steps, size=WIDE)


@pytest.mark.parametrize(
    ("start", "size"),
    [("pos 3260", WIDE), *in_turn(["pos 0", "pos 3260", "pos eof"], [NARROW, (60, 15), (20, 5)])],
    ids=str,
)
def test_a_click_on_a_row_puts_the_cursor_on_that_row(start: str, size: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(start)
        region = screen.app.records.region
        rows = range(region.y + 1, region.bottom)
        for y in (*rows, *reversed(rows)):
            text = screen.text.splitlines()[y][region.x :]
            await screen.pilot.click(offset=(region.x + 3, y))
            await screen.settle()
            line = screen.text.splitlines()[y][region.x :]
            assert line.startswith("▶")
            assert line[1:] == text[1:], "nothing has moved but the cursor"
            assert str(rba_of(screen)) == line[1:].split()[0]
            assert screen.app.session.cursor.current == rba_of(screen)

    drive(steps, size=size)


def test_a_click_below_the_last_row_goes_to_that(tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes((TRAILS / "et000000000").read_bytes()[:1811])

    async def steps(screen: Screen) -> None:
        await screen.pilot.click(RecordList, offset=(3, screen.app.records.size.height - 1))
        await screen.settle()
        assert rba_of(screen) == 1811

    drive(steps, path)


def test_a_click_on_a_row_of_a_neighbour_opens_its_file_there() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("across on")
        await screen.press("escape", "G", "j")
        assert screen.app.session.trail.path.name == "st000000001"
        region = screen.app.records.region
        text = screen.text.splitlines()[region.y + 1][region.x :]
        await screen.pilot.click(offset=(region.x + 3, region.y + 1))
        await screen.settle()
        assert screen.app.session.trail.path.name == "st000000000"
        assert str(rba_of(screen)) == text.split()[0]

    drive(steps, "st000000000", WIDE)


@pytest.mark.parametrize(("key", "said"), [("y", "Copied: RBA 1261"), ("Y", "Copied: 30 lines of the page detail")])
def test_what_is_copied_is_said(key: str, said: str) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", key)
        assert said in characters(screen)

    drive(steps, notices=True)


@pytest.mark.parametrize("before", [(160, 50), (100, 50), (112, 50)])
def test_the_side_pane_is_as_wide_as_its_names_also_when_the_terminal_gets_wider(before: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        tables = screen.app.model.tables_read.tables
        more = dict.fromkeys(("TEAHOUSE.ORDERS", "TEAHOUSE.ORDER_LINES"), next(iter(tables.values())))
        screen.app.model.tables_read = TablesRead({**tables, **more})
        screen.app.query_one(Sidebar).draw()
        await screen.settle()
        await screen.resize(160, 50)
        assert "TEAHOUSE.ORDER_LINES " in screen.text

    drive(steps, size=before)
