"""The page of a row: values as wide as the terminal, wrapped in their cells; keys for the columns that differ."""

from __future__ import annotations

import pytest

from logdump.display.values_text import AFTER, BEFORE, HEAD
from logdump.notation.text import GAP, display_width
from logdump.tui.panes.record_pane import RowPane
from logdump.tui.text.record_pages import _MOST_ROWS, _fitted, _wrapped_cells
from logdump.tui.text.styled import LineRole
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive
from tests.searching import Random, examples

_LETTERS = "abc xyz 'äß宽漢字0123456789"


def _row(draw: Random, longest: int) -> tuple[str, ...]:
    """The cells of a column: sign, name, type, before, after, changed."""
    before, after = ("".join(draw.choices(_LETTERS, k=draw.randrange(longest))) for _ in range(2))
    return draw.choice(["K", ""]), "C" * draw.randrange(1, 30), "VARCHAR(4000)", before, after, draw.choice(["*", ""])


@pytest.mark.parametrize("seed", range(examples(200, short=40)))
def test_no_line_is_wider_than_the_page_and_no_character_of_a_value_is_lost(seed: int) -> None:
    draw = Random(seed)
    places = list(range(len(HEAD)))
    row, width = _row(draw, draw.choice([5, 60, 200])), draw.randrange(24, 240)
    widths = _fitted(places, [max(map(display_width, cells)) for cells in zip(HEAD, row, strict=True)], width)
    lines = list(_wrapped_cells(row, places, widths))
    assert len(lines) <= _MOST_ROWS
    for cells in lines:
        assert all(display_width(cell) <= room for cell, room in zip(cells, widths, strict=True))
    if width >= 48:
        assert sum(widths) + GAP * (len(widths) - 1) <= width
    for place in (BEFORE, AFTER):
        shown = "".join(cells[place] for cells in lines)
        is_cut = shown.endswith("…")
        assert shown == row[place] or (is_cut and row[place].startswith(shown[:-1]) and len(lines) == _MOST_ROWS)


def test_a_value_that_fits_takes_the_room_that_the_others_leave() -> None:
    row = ("", "NOTE", "VARCHAR(4000)", "'x'", "'" + "y" * 60 + "'", "*")
    needs = [max(map(display_width, cells)) for cells in zip(HEAD, row, strict=True)]
    assert _fitted(range(len(HEAD)), needs, 120)[AFTER] == 62
    narrow = _fitted(range(len(HEAD)), needs, 80)
    assert narrow[BEFORE] == len("Before")
    assert narrow[AFTER] == 80 - sum(width for place, width in enumerate(narrow) if place != AFTER) - 5 * GAP


def test_keys_go_to_the_columns_that_differ_and_hide_the_others() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 3522")
        screen.app.records.focus()
        await screen.press("r")
        assert screen.app.model.pane == "records"  # the page of a row leaves the keyboard where it is
        await screen.press("enter")
        page = screen.app.pages.page("values")
        assert isinstance(page, RowPane)
        assert " n next changed" in screen.text
        changed = [index for index, row in enumerate(page.rows) if row.role is LineRole.CHANGED]
        assert changed
        rba = screen.app.model.rba
        for index in changed:
            await screen.press("n")
            assert page.current == index
        await screen.press("n")
        assert page.current == changed[-1]
        assert screen.app.model.rba == rba  # n is not NEXT here
        await screen.press("u")
        kept = [row.role for row in page.rows]
        assert kept.count(LineRole.CHANGED) == len(changed)
        assert LineRole.UNCHANGED not in kept
        assert LineRole.KEY in kept
        assert "without a change: u shows all" in screen.text or LineRole.UNCHANGED not in {
            row.role for row in page._all
        }
        await screen.press("u")
        assert page.lines == page._all

    drive(steps, size=WIDE, page="values", place="records")


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_a_column_is_one_line_if_its_values_fit(size: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 3522")
        page = screen.app.pages.page("values")
        columns = [row for row in page.rows if row.role is not LineRole.NONE]
        assert len(columns) == len({row.fields for row in columns}) > 1
        assert all(display_width(row.text.rstrip()) <= page.size.width for row in columns)

    drive(steps, size=size, page="values", place="records")
