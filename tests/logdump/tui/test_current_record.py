"""Whatever moves the cursor, each page is about the record under it, and empty at the end of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from fixtures import TRAILS
from logdump.notation.times import GMT
from logdump.tui.app import TrailApp
from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.panes.one_line import OneLine
from logdump.tui.panes.record_pane import HexPane
from logdump.tui.reading.rows import RowKind
from logdump.tui.text.record_pages import LOBS_FOLLOW
from tests.logdump.line import Line
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive
from tests.searching import IS_LONG

RUNS = ((0, "et000000000", NARROW), (3, "gt000000000", WIDE), (1, "gt000000000", NARROW), (2, "et000000000", WIDE))
"""Each key and each line meets another page in each run."""
MOVES = (
    "next",
    "next 3",
    "skip 2",
    "pos 3260",
    "pos 3300",
    "pos 3522",
    "pos first",
    "pos last",
    "pos eof",
    "pos record 4",
    "pos 999999",
    "pos csn 41882368",
    "pos time 2024-03-14 09:33:00",
    "mark z; pos 0; pos mark z",
    "begin 2024-03-14 09:32:00",
    "pos 3600; sfh",
    "pos 3600; sfh prev",
    "sfnt",
    "sfet",
    "sfmd",
    "sfts 2024-03-14 09:34:00",
    "sft insert",
    "pos 4000; pos reverse; n; n; pos forward",
    "find SEN01",
    "find next",
    "transaction begin",
    "transaction end",
    "transaction next",
    "transaction previous",
    "sametable next",
    "sametable previous",
    "filter include filename TEAHOUSE.SALES; n",
    "pos 3260",
    "filter clear all",
    "reclen 32",
    "ghdr off; detail off",
    "open st000000000",
    "pos 1811; nexttrail",
)
"""Lines that move the cursor, or change what is under it."""
TYPED = {"find ": "find ASS", "filter include ": "filter include filename TEAHOUSE.TEAS", "pos ": "pos 3391"}
"""What becomes of the lines that keys begin."""
_LEVELS = {
    "tokens": "headertoken {0}; ggstoken {0}; usertoken {0}",
    "header": "fileheader {0}",
}
PAGES = ("values", "detail", "hex", "tokens", "header")
_PAGE_OF = {
    Area.TEXT: "detail",
    Area.ROW: "values",
    Area.HEX: "hex",
    Area.TIMELINE: "timeline",
    Area.ANSWER: "output",
    Area.PLACES: "output",
}
_ENDS = ("quit", "exit")
"""Keys that end the session."""


class LineMode:
    """What line mode prints of a record, for each page."""

    def __init__(self) -> None:
        self._line = Line()
        self._line.session.settings.time_offset = GMT
        self._known: dict[tuple[object, ...], list[str]] = {}

    def page(self, app: TrailApp, name: str, rba: int) -> list[str]:
        """The lines of a page about the record at ``rba`` under the switches of the view."""
        path, switches = app.model.state.path or TRAILS, repr(app.session.settings)
        key = (path, path.stat().st_size, switches, name, 0 if name == "header" else rba)
        if key not in self._known:
            self._line(f"open {path}")
            self._line.session.settings = type(app.session.settings)(**vars(app.session.settings))
            self._known[key] = self._printed(*key[3:])
        return self._known[key]

    def _printed(self, name: str, rba: int) -> list[str]:
        if name == "detail":
            return self._next_at(rba)
        if name == "values":
            return self._values_at(rba)
        self._line(_LEVELS[name].format("off"))
        without = iter([*self._next_at(rba), None])
        self._line(_LEVELS[name].format("detail"))
        return list(_added(self._next_at(rba), without))

    def _values_at(self, rba: int) -> list[str]:
        """The rows of the table of VALUES; none of a record without one."""
        self._line("values on")
        lines = iter(self._next_at(rba))
        has_table = any(line.startswith("Values of ") for line in lines)  # which goes on to the rows below the title
        return [line.rstrip() for line in lines] if has_table else []

    def _next_at(self, rba: int) -> list[str]:
        self._line(f"pos {rba}")
        return self._line("n")

    def close(self) -> None:
        self._line.session.end()


def _added(lines: list[str], without: Iterator[str | None]) -> Iterator[str]:
    expected = next(without)
    for line in lines:
        if line == expected:
            expected = next(without)
        else:
            yield line


@pytest.fixture
def line_mode() -> Iterator[LineMode]:
    """A session of line mode beside the view."""
    mode = LineMode()
    yield mode
    mode.close()


def _is_cut(shown: str, whole: str) -> bool:
    """Whether a line is another one, or as much of it as a narrow page has room for."""
    if shown == whole or (shown.endswith("…") and whole.startswith(shown[:-1])):
        return True
    cells, of_whole = re.split(" {2,}", shown), re.split(" {2,}", whole)
    others = iter(of_whole)  # a narrow page leaves the type out
    return all(
        any(cell == other or (cell.endswith("…") and other.startswith(cell[:-1])) for other in others) for cell in cells
    )


def mismatch(app: TrailApp, name: str, line_mode: LineMode) -> str:
    """What is wrong with a page; empty when it shows what line mode prints."""
    row = app.records.row
    page = app.pages.page(name)
    lines = [line.text for line in page.lines]
    if row is None or row.kind in (RowKind.END, RowKind.MORE):
        return "not empty" if page.count else ""
    if name == "values" and not lines:
        return "nothing is shown"
    if isinstance(page, HexPane):
        data = (app.model.state.path or TRAILS).read_bytes()
        shown = [line for line in page.text.lines if line.data]
        is_right = page.text.rba == row.rba and bool(shown)
        wrong = [line.start for line in shown if not data.startswith(line.data, row.rba + line.start)]
        return "" if is_right and not wrong else f"bytes of RBA {page.text.rba}"
    if row.kind is not RowKind.RECORD and name == "tokens":
        return ""
    expected = line_mode.page(app, name, row.rba)
    if name == "values":
        told = [line.rstrip() for line in lines if line != LOBS_FOLLOW]  # the screen alone says that
        expected = [text for text in expected if f", RBA {row.rba}: " not in text]  # notices: the page has its own
        pairs = zip(told[-len(expected) :], expected, strict=False)
        is_right = len(told) >= len(expected) and all(_is_cut(shown, whole) for shown, whole in pairs)
        return "" if is_right or not expected else f"{told} is not {expected}"
    shown_lines = lines[-len(expected) :] if name == "header" and expected else lines
    return "" if shown_lines == expected else f"{shown_lines[:4]} is not {expected[:4]}"


def tells_what_is_visible(app: TrailApp) -> bool:
    """Whether the line above a page says which of its lines are visible, and nothing where all are."""
    where = app.pages.page(app.model.page).where
    end = app.query_one("#tabs", OneLine).text.rstrip(f"{app.glyphs.rule} ")
    return end.endswith(where) if where else not end[-1:].isdigit()


async def wrong_pages(screen: Screen, what: str, line_mode: LineMode) -> list[str]:
    """Which of the page that is shown, and one that was not, are not about the record under the cursor."""
    app, found = screen.app, []
    first = next((name for name in (app.model.page, app.model.page_before) if name in PAGES), PAGES[0])
    for name in (first, PAGES[PAGES.index(first) - 1]):
        if app.model.page != name:
            app.model.show_page(name)
            await screen.rest()
        why = mismatch(app, name, line_mode) or ("" if tells_what_is_visible(app) else "another part is told")
        if why:
            found.append(f"{what}: {name} at {app.records.row and app.records.row.rba}: {why}")
    return found


async def go_to_area(screen: Screen, key: Key) -> None:
    """Put the keyboard where a key acts."""
    app = screen.app
    while len(app.screen_stack) > 1:
        await screen.press("escape")
    app._size_panes("")
    app.prompt.begin()
    app.model.upper = "records"
    if key.area in _PAGE_OF:
        app.model.show_page(_PAGE_OF[key.area])
        app.pages.page(app.model.page).focus()
    elif key.area is Area.CHOICES:
        app.action_show_choices("transactions")
    elif key.area is Area.PROMPT:
        app.prompt.focus()
    else:
        app.records.focus()
    await screen.rest()


async def press(screen: Screen, name: str, key: Key) -> None:
    """Press a key, and what is to follow it; nothing is painted meanwhile."""
    app = screen.app
    app.simulate_key(name)
    await screen.rest()
    if key.types:
        app.prompt.begin(TYPED[key.types])
        app.simulate_key("enter")
    elif "await_letter" in key.acts:
        app.simulate_key("a")
    elif key.id == "quit" and len(app.screen_stack) > 1:
        app.simulate_key("q")  # the mark would be lost
    await screen.rest()


@pytest.mark.parametrize(("run", "trail", "size"), RUNS if IS_LONG else RUNS[1:2])
def test_every_key_leaves_each_page_at_the_record_under_the_cursor(
    run: int, trail: str, size: tuple[int, int], line_mode: LineMode
) -> None:
    keys = sorted(KEYS, key=lambda key: key.id in _ENDS)
    wrong: list[str] = []

    async def steps(screen: Screen) -> None:
        app = screen.app
        app.enter("pos 2008; mark a")
        with app.batch_update():
            for at, key in enumerate(keys):
                app.model.show_page(PAGES[(at + run) % len(PAGES)])
                app.enter("pos 3260" if at % 2 else "pos 2722")
                await screen.rest()
                await go_to_area(screen, key)
                await press(screen, key.keys.split(",")[0], key)
                if key.id in _ENDS:
                    assert app.model.is_over
                    return
                wrong.extend(await wrong_pages(screen, key.id, line_mode))

    drive(steps, trail, size)
    assert not wrong


@pytest.mark.parametrize(("run", "trail", "size"), RUNS if IS_LONG else RUNS[:1])
def test_every_command_that_moves_does_so_too(run: int, trail: str, size: tuple[int, int], line_mode: LineMode) -> None:
    wrong: list[str] = []

    async def steps(screen: Screen) -> None:
        with screen.app.batch_update():
            for at, line in enumerate(MOVES):
                screen.app.model.show_page(PAGES[(at + run) % len(PAGES)])
                screen.app.enter(line)
                await screen.rest()
                wrong.extend(await wrong_pages(screen, line, line_mode))

    drive(steps, trail, size)
    assert not wrong
