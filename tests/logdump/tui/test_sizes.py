"""Terminals of every size, characters and colour."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from logdump.tui.text.appearance import THEMES, Appearance, theme_for
from logdump.tui.text.styled import ASCII, UNICODE, glyphs_for
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import Screen, drive, trails
from tests.logdump.tui.test_records import rba_of
from trailformat import TrailFile


def test_a_terminal_of_any_size_and_one_that_changes_it(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j")
        for size in ((80, 24), (60, 20), (80, 10), (20, 5), (300, 100), (120, 36), (20, 5)):
            await screen.resize(*size)
            lines = screen.text.splitlines()
            assert len(lines) == size[1]
            assert max(map(cell_len, lines)) <= size[0]
            assert "▶   1811" in screen.text
        golden("record-20x5", screen.text)

    drive(steps, size=(120, 36))


def test_a_list_that_gets_smaller_shows_its_cursor_at_once() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", *"jjjjjjjjjj")
        await screen.resize(120, 24)
        assert "▶" in screen.text

    drive(steps, size=(120, 36))


@pytest.mark.parametrize("size", [(20, 5), (40, 8)], ids=["20x5", "40x8"])
def test_every_key_can_be_pressed_in_a_tiny_terminal(size: tuple[int, int]) -> None:
    with TrailFile(trails() / "et000000000") as trail:
        last, size_of_file = trail.previous_good_header(trail.size), trail.size

    async def steps(screen: Screen) -> None:
        for key in ("escape", "j", "G", "h", "o", "i", "d", "t", "escape", "x", "escape", "c", "escape", "backslash"):
            await screen.press(key)
        await screen.press("question_mark", "escape", "ctrl+p", "escape")
        assert screen.app.is_running
        await screen.press("escape", "G")
        assert rba_of(screen) == size_of_file
        await screen.press("k")
        assert rba_of(screen) == last

    drive(steps, size=size)


def test_plain_characters_are_enough(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j")
        assert screen.text.isascii()
        golden("ascii-80x24", screen.text)

    drive(steps, appearance=Appearance(glyphs=ASCII))


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_every_theme_shows_the_same_text(theme: object) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "h", "o", "i")
        assert "▶   1130" in screen.text

    drive(steps, appearance=Appearance(theme=theme))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "terminal"),
        ({"LOGDUMP_THEME": "light"}, "light"),
        ({"LOGDUMP_THEME": "pink"}, "terminal"),
        ({"NO_COLOR": "1", "LOGDUMP_THEME": "dark"}, "mono"),
    ],
)
def test_the_theme_that_is_asked_for(environment: dict[str, str], name: str) -> None:
    assert theme_for(environment) is THEMES[name]


@pytest.mark.parametrize(
    ("encoding", "plain"), [("utf-8", False), ("ascii", True), ("iso8859-1", True), ("what", True)]
)
def test_the_characters_that_an_encoding_can_write(encoding: str, *, plain: bool) -> None:
    assert glyphs_for({}, encoding) is (ASCII if plain else UNICODE)


def test_plain_characters_can_be_asked_for() -> None:
    assert glyphs_for({"LOGDUMP_ASCII": "1"}, "utf-8") is ASCII
