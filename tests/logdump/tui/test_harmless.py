"""Whatever a trail holds, no cell of the screen, no notification and no clipboard has what a terminal would obey."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.model.model import TABS, Model, ScanProgress
from logdump.tui.panes.one_line import title_pieces
from logdump.tui.reading.state import State, Summary
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.styled import ASCII, UNICODE
from tests.hostile import nasty, raw_characters, write_hostile_trail
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive
from tests.searching import IS_LONG

_ENDING = {"exit", "quit", "suspend"}
_ANSWERED = {"mark": "a", "to_mark": "a"}
"""Keys that take a letter."""
_NOTE = nasty("note").replace("\n", "").replace("\r", "")
_LINES = (f"mark b {_NOTE}", f"find {_NOTE}", "env", "check", f"filter include filename {_NOTE}", "filter clear all")


def characters(screen: Screen) -> str:
    """What the terminal gets of every line, but for the sequences of the driver."""
    segments = [segment for strip in screen.app.screen._compositor.render_strips() for segment in strip]
    assert not any(segment.control for segment in segments)
    return "\n".join(segment.text for segment in segments)


async def every_key(screen: Screen, keys: list[Key]) -> list[str]:
    """Press these keys, one after the other; what is hostile on the screen afterwards, and which key led there."""
    found = []
    for key in keys:
        for key_name in (key.keys.split(",")[0], *_ANSWERED.get(key.id, "")):
            screen.app.simulate_key(key_name)
            await screen.settle()
        found += [f"{key.id}: {character}" for character in raw_characters(characters(screen) + screen.app.clipboard)]
        screen.app.simulate_key("escape")
    return found


@pytest.mark.parametrize(
    ("flavour", "size", "is_damaged"),
    [(ORACLE_12, WIDE, False), (MYSQL_21, NARROW, True)] if IS_LONG else [(ORACLE_12, WIDE, True)],
)
def test_a_hostile_trail_on_every_page_and_pane(
    tmp_path: Path, flavour: Flavour, size: tuple[int, int], *, is_damaged: bool
) -> None:
    path = write_hostile_trail(tmp_path / f"{nasty('tr')}000000", flavour)
    if is_damaged:
        data = path.read_bytes()
        path.write_bytes(data[:3000] + nasty("damage").encode() + data[3080:-3])
    found: list[str] = []

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "home", "j", "j", "j")
        for area in Area:
            keys = [key for key in KEYS if key.area is area and key.id not in _ENDING]
            if area is Area.PROMPT:
                screen.app.prompt.begin(_NOTE)
                screen.app.prompt.focus()
            found.extend(await every_key(screen, keys))
        for tab in TABS:
            screen.app.model.show_page(tab.name)
            await screen.settle()
            found.extend(raw_characters(characters(screen)))
        for text in _LINES:
            await screen.type(text)
            found.extend(raw_characters(characters(screen)))

    session = Session()
    session.open(path)
    drive(steps, path, size, first="", session=session, notices=True)
    assert found == []


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_a_widget_of_textual_is_made_harmless_too(glyphs: object) -> None:
    async def steps(screen: Screen) -> None:
        await screen.app.mount(Static(nasty("static 茶"), markup=False))
        screen.app.notify(nasty("[b]茶"), title=nasty("title"), timeout=60)
        screen.app.prompt.begin(nasty("typed"))
        await screen.settle()
        shown = characters(screen)
        assert raw_characters(shown) == []
        assert "static" in shown
        assert "[b]" in shown
        assert glyphs is UNICODE or shown.isascii()

    drive(steps, appearance=Appearance(glyphs=glyphs), notices=True)  # type: ignore[arg-type]


def test_the_clipboard_gets_lines_without_control_characters() -> None:
    async def steps(screen: Screen) -> None:
        screen.app.copy_to_clipboard("one\ntwo\x1b]52;c;AAAA\x07\u202e\n")
        assert screen.app.clipboard == "one\ntwo\\x1b]52;c;AAAA\\x07\\u202e\n"

    drive(steps)


@pytest.mark.parametrize("width", range(20, 200, 13))
def test_the_title_counts_the_cells_of_what_is_escaped(width: int) -> None:
    model = Model()
    model.summary = Summary(name=nasty("tr000000"), first_csn=nasty("csn"), size=5)
    model.state = State(filter_text=nasty("text"))
    model.indexed = ScanProgress(5, 3, is_done=True)
    pieces = title_pieces(model, Settings(), UNICODE, width)
    text = "".join(text for text, _ in pieces)
    assert text.isprintable()
    assert len(text) <= max(width, len(pieces[1][0]) + len(nasty("tr000000")) * 6)
