"""Columns of panes: which are left out, cut or widened at each width."""

from __future__ import annotations

import pytest

from logdump.tui.model.model import Model
from logdump.tui.panes.choice_pane import Choice
from logdump.tui.panes.choices import PANES, Pane, PaneColumn, PaneContext
from logdump.tui.text.styled import UNICODE

ROWS = (("Uji", "green"), ("Assam", "black"), ("Keemun", ""))
TEAS = Pane[tuple[str, str]](
    lambda _: ROWS,
    (
        PaneColumn("tea", lambda row, _: row[0], width=8, fills=1),
        PaneColumn("grams", lambda _row, _context: "1,250", priority=2, is_number=True),
        PaneColumn("leaf", lambda row, _: row[1], priority=3, cut=(1, 4)),
        PaneColumn("when", lambda _row, _context: "09:30:00.5", brief=lambda text: text[:8], priority=4),
        PaneColumn("found", lambda _row, _context: "", is_optional=True, priority=9),
    ),
    lambda text, row, _: Choice(text, enter=f"FIND {row[0]}"),
)
LINES = {
    38: (" tea      grams leaf  when       found", " Keemun   1,250       09:30:00.5"),
    36: (" tea    grams leaf  when       found", " Keemun 1,250       09:30:00.5"),
    34: (" tea    grams leaf  when     found", " Keemun 1,250       09:30:00"),
    28: (" tea    grams leaf  when", " Keemun 1,250       09:30:00"),
    27: (" tea    grams leaf when", " Keemun 1,250      09:30:00"),
    21: (" tea    leaf when", " Keemun      09:30:00"),
    16: (" tea    when", " Keemun 09:30:00"),
    15: (" tea", " Keemun"),
    4: (" tea", " Ke…"),
}
"""The heading and the last line at each width, blanks at the end left out."""


def lines_at(pane: Pane[tuple[str, str]], width: int) -> tuple[str, list[Choice]]:
    return pane.lines(PaneContext(Model(), UNICODE, width))


@pytest.mark.parametrize("width", LINES)
def test_columns_are_left_out_by_their_priority(width: int) -> None:
    heading, choices = lines_at(TEAS, width)
    assert (heading.rstrip(), f" {choices[-1].text.rstrip()}") == LINES[width]
    assert [choice.sends["enter"] for choice in choices] == ["FIND Uji", "FIND Assam", "FIND Keemun"]


@pytest.mark.parametrize("width", range(4, 60))
def test_lines_fill_the_width(width: int) -> None:
    heading, choices = lines_at(TEAS, width)
    assert {len(heading), *(len(choice.text) + 1 for choice in choices)} == {width}


def test_the_next_column_fills_the_room_where_the_first_is_left_out() -> None:
    first, *others = TEAS.columns
    pane = TEAS._replace(columns=(first._replace(fills=2), others[0], others[1]._replace(fills=1, priority=1)))
    wide, narrow = (lines_at(pane, width)[0] for width in (30, 14))
    assert wide == " tea      grams leaf          "
    assert narrow == " tea     grams"


def test_a_column_is_one_more_line_of_a_pane() -> None:
    pane = PANES["marks"]
    more = pane._replace(columns=(*pane.columns, PaneColumn("more", lambda mark, _: mark.name * 2, priority=1)))
    before, after = (shown_pane.lines(PaneContext(Model(), UNICODE, 60))[0] for shown_pane in (pane, more))
    assert before.split() == ["mark", "RBA", "note", "file"]
    assert after.split() == ["mark", "RBA", "note", "file", "more"]
