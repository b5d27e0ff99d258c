"""Tables of SQL that are wider than the screen: keys scroll them sideways.

Terminals of every size, characters and colour.
"""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from logdump.tui.keys.keys import Area
from logdump.tui.panes.record_pane import AnswerPane
from logdump.tui.text.appearance import THEMES, Appearance, theme_for
from logdump.tui.text.styled import ASCII, UNICODE, Line, from_cell, glyphs_for, line, wrapped
from tests.hostile import nasty, raw_characters
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive, rba_of, trails
from tests.searching import Random, examples
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
            assert screen.text
        for key in ("question_mark", "escape", "ctrl+p", "escape"):
            await screen.press(key)
            assert screen.text
        assert screen.app.is_running
        await screen.press("escape", "G")
        assert rba_of(screen) == size_of_file
        await screen.press("k")
        assert rba_of(screen) == last

    drive(steps, size=size)


@pytest.mark.parametrize("seed", range(examples(3)))
def test_a_terminal_with_room_for_one_pane_shows_the_page_in_place_of_the_list_and_the_list_again(seed: int) -> None:
    draw = Random(f"flat {seed}")
    ways = {"enter": "values", "h": "hex", "d": "detail", "a": "output", "i": "header"}

    async def steps(screen: Screen) -> None:
        await screen.type("pos 3069")
        screen.app.records.focus()
        for key in draw.sample(list(ways), 4):
            assert "▶   3069" in screen.text
            await screen.press(key)
            assert "▶" not in screen.text
            assert screen.app.model.page == ways[key]
            assert screen.app.pages.shown.shown_lines()[0].text[:15].strip() in screen.text
            await screen.press("down", "up", "escape")
            if "▶" not in screen.text:  # from an answer back to a page with its own keys
                await screen.press("escape")
            assert screen.app.focused is screen.app.records
            await screen.press("r", "escape")
        assert "▶   3069" in screen.text

    drive(steps, size=(draw.randrange(20, 60), draw.randrange(5, 10)), page="values")


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


_WIDE_SQL = "sql select rba, 'x' || repeat('日', 30) a, repeat('b', 60) b, 'last' z from records order by rba limit 3"


def table_rows(screen: Screen) -> list[str]:
    """What is visible of the output page."""
    pane = screen.app.pages.page("output")
    return [pane.render_line(y).text.rstrip() for y in range(pane.height)]


def footer(screen: Screen) -> str:
    return screen.text.splitlines()[-1]


def test_a_wide_table_is_scrolled_sideways_to_its_last_column_and_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(_WIDE_SQL)
        await screen.press("escape", "v")
        head, rule, *rows = table_rows(screen)[-6:-1]
        assert head.split() == ["rba", "a", "b", "…"]
        assert len(rows) == 3
        assert all(row.endswith("…") for row in (head, rule, *rows))
        assert footer(screen).startswith(" Right next columns  Left columns before")
        assert "cells 1-80/135" in screen.text
        await screen.press(*["right"] * 5)
        head, rule, *rows = table_rows(screen)[-6:-1]
        assert head.split() == ["b", "z"]
        assert [row.split()[-1] for row in rows] == ["last"] * 3
        assert "cells 56-135/135" in screen.text
        await screen.press(*["left"] * 5)
        assert table_rows(screen)[-6].split()[:2] == ["rba", "a"]

    drive(steps, size=NARROW)


def test_a_row_is_a_line_on_the_screen_however_wide() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(_WIDE_SQL)
        assert "row 1" not in screen.lines("output")
        assert len({len(text.encode()) for text in screen.lines("output")[-4:-1]}) == 1

    drive(steps, size=NARROW)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_a_table_that_fits_leaves_the_keys_of_every_pane(size: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("sql select rba, op from records order by rba limit 3")
        await screen.press("escape", "v")
        await screen.press("tab")
        assert screen.app.pages.page("output").place is Area.PANES
        assert "cells" not in screen.text

    drive(steps, size=size)


def test_text_that_is_no_table_is_wrapped_and_stays() -> None:
    statement = _WIDE_SQL + " offset 0"

    async def steps(screen: Screen) -> None:
        await screen.type(statement)
        await screen.press("escape", "v", "right")
        shown = " ".join(table_rows(screen))
        assert "sql select rba" in shown
        assert "offset 0" in shown

    drive(steps, size=NARROW)


def test_another_answer_begins_at_its_first_cell() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(_WIDE_SQL)
        await screen.press("escape", "v", "right", "right")
        pane = screen.app.pages.page("output")
        assert isinstance(pane, AnswerPane)
        assert pane.left == 55
        await screen.type(_WIDE_SQL)
        assert pane.left == 0

    drive(steps, size=NARROW)


@pytest.mark.parametrize(
    ("text", "left", "shown"),
    [
        ("abc", 0, "abc"),
        ("abc", 2, "c"),
        ("abc", 9, ""),
        ("日本x", 2, "本x"),
        ("日本x", 1, " 本x"),
        ("日本x", 3, " x"),
        ("e\u0301f", 1, "f"),
    ],
)
def test_cells_are_counted_by_their_width(text: str, left: int, shown: str) -> None:
    assert from_cell(line(text), left).text == shown
    pieces = from_cell(Line(((text[:1], "a"), (text[1:], "b"))), left)
    assert pieces.text == shown


def test_a_line_of_a_table_is_one_row() -> None:
    text_line = Line((("x" * 200, ""),), wraps=False)
    assert wrapped(text_line, 80) == [text_line]


def test_nothing_of_a_value_is_raw_however_far_it_is_scrolled() -> None:
    async def steps(screen: Screen) -> None:
        codes = " || ".join(f"chr({ord(character)})" for character in nasty("x"))
        await screen.type(f"sql select {codes} a, {codes} b, {codes} c")
        await screen.press("escape", "v")
        for _ in range(3):
            assert raw_characters(screen.text) == []
            await screen.press("right")

    drive(steps, size=NARROW)


@pytest.mark.parametrize("seed", range(examples(4)))
def test_the_footer_has_the_keys_of_all_that_the_page_holds(seed: int) -> None:
    """Of places in the newest answer, of wide tables in any; and each acts."""
    draw = Random(f"footer {seed}")
    lines = [draw.choice((_WIDE_SQL, "doctor", "count")) for _ in range(3)]

    async def steps(screen: Screen) -> None:
        for typed in lines:
            await screen.type(typed)
        await screen.press("escape", "v")
        screen.app.pages.page("output").focus()
        await screen.settle()
        words = footer(screen)
        assert ("Enter record" in words, "y copy" in words) == (lines[-1] == "doctor",) * 2
        assert ("Right next columns" in words) == ("Left columns before" in words) == (_WIDE_SQL in lines)
        if lines[-1] == "doctor":
            await screen.press("y")
            assert screen.app.clipboard

    drive(steps, "at000000000", size=WIDE, place="records")
