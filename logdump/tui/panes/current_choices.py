"""The panes over the record list: the tables, the transactions and the marks of the model."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget

from logdump.tui.model.model import Model
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.panes.choices import mark_choices, table_choices, transaction_choices
from logdump.tui.reading.transactions import ORDERS
from logdump.tui.text.glyphs import Glyphs

_Lines = Callable[[Model, int, Glyphs], tuple[str, list[Choice]]]
_NAMES: dict[str, tuple[_Lines, str]] = {
    "tables": (
        lambda model, width, glyphs: table_choices(model.tables, glyphs, width),
        "The index has met no record yet.",
    ),
    "transactions": (
        lambda model, width, glyphs: transaction_choices(model.transactions, model.order, width, glyphs),
        "The index has met no transaction yet.",
    ),
    "marks": (
        lambda model, width, glyphs: mark_choices(model.state.marks, width, glyphs),
        "m and a letter mark a record, as MARK <name> <note> does.",
    ),
}
"""For each pane how its heading and lines are laid out, and the text without any."""
CHOICES = tuple(_NAMES)


class CurrentChoices(ChoicePane):
    """One of these panes, filled while it is shown."""

    def __init__(self, name: str, model: Model, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self._model = model
        self._lines, self._empty = _NAMES[name]
        model.observe(self.draw, Model.upper, Model.opened, Model.indexed, Model.transactions, Model.order, Model.state)

    def draw(self) -> None:
        """Show what is current, in the columns that the place above the pages has room for."""
        is_shown = self._model.upper == self.id
        self.set_class(is_shown, "-shown")
        if is_shown:
            width = self.parent.size.width if isinstance(self.parent, Widget) else self.size.width
            self.show(*self._lines(self._model, width, self._glyphs), self._empty)

    def action_sort(self) -> None:
        """A key: the next order of transactions."""
        orders = list(ORDERS)
        self._model.order = orders[(orders.index(self._model.order) + 1) % len(orders)]

    def on_resize(self) -> None:
        """Use the new width."""
        self.draw()
