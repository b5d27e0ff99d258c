"""The line above the lower pane: its pages, the one that is shown in brackets, and how much of it is visible."""

from __future__ import annotations

from typing import NamedTuple

from logdump.tui.model.model import OUTPUT, SIDE_BY_SIDE, TIMELINE, Model
from logdump.tui.panes.one_line import OneLine
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Piece


class Tab(NamedTuple):
    """One page: the widget's name, its key and its title."""

    name: str
    key: str
    title: str


RECORD_TABS = (
    Tab("values", "r", "row"),
    Tab("detail", "d", "detail"),
    Tab("hex", "h", "hex"),
    Tab("tokens", "o", "tokens"),
    Tab("header", "i", "file header"),
)
"""The pages about the record under the cursor."""
TABS = (*RECORD_TABS, Tab(TIMELINE, "l", "timeline"))
_OF_TWO_TRAILS = Tab(SIDE_BY_SIDE, "D", "two trails")


class Tabs(OneLine):
    """The line above the lower pane."""

    def __init__(self, model: Model) -> None:
        super().__init__("tabs", model, Model.shown, Model.where, Model.aligned, Model.pane)

    def draw(self) -> None:
        """Show what is current."""
        tabs = TABS if self.model.aligned is None else (*TABS, _OF_TWO_TRAILS)
        pieces, actions = tab_pieces(self.model.page, self.model.where, self.glyphs, self.size.width, tabs)
        if self.model.pane == "pages":
            pieces = tuple((text, "focus") for text, _ in pieces)
        self.say(*pieces, actions=actions)


def tab_pieces(
    shown: str, where: str, glyphs: Glyphs, width: int, tabs: tuple[Tab, ...] = TABS
) -> tuple[tuple[Piece, ...], dict[int, str]]:
    """The line in ``width`` cells, ``where`` at its end; and the actions of a click on pieces, by their number."""
    rule = glyphs.rule
    end = f" {where} {rule}" if where else ""
    pieces, actions = _titles(tabs, shown, rule, is_short=False)
    used = sum(len(text) for text, _ in pieces)
    if used + len(end) > width:
        pieces, actions = _titles(tabs, shown, rule, is_short=True)
        used = sum(len(text) for text, _ in pieces)
    pieces.append((rule * max(0, width - used - len(end)), "dim"))
    return (*pieces, (end, "dim")), actions


def _titles(tabs: tuple[Tab, ...], shown: str, rule: str, *, is_short: bool) -> tuple[list[Piece], dict[int, str]]:
    """The pages and what leads to them; of those not shown the keys alone where there is little room."""
    if shown == OUTPUT:
        return [(rule, "dim"), ("[output] ", "strong"), ("Esc goes back ", "dim")], {2: "app.leave"}
    pieces: list[Piece] = [(rule, "dim")]
    actions: dict[int, str] = {}
    for tab in tabs:
        text = tab.key if is_short and tab.name != shown else f"{tab.key} {tab.title}"
        actions[len(pieces)] = f"app.show_tab({tab.name!r})"
        pieces.append((f"[{text}]", "strong") if tab.name == shown else (f" {text} ", ""))
        pieces.append((rule, "dim"))
    return pieces, actions
