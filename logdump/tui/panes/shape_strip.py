"""The strip above the list: the records of the file over time, coloured by operation, and the place of the cursor."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from textual.events import MouseDown, MouseUp
from textual.message import Message
from textual.strip import Strip

from logdump.tui.keys.keys import Area, bindings
from logdump.tui.model.model import Model
from logdump.tui.text.styled import Glyphs, Piece, Styled

if TYPE_CHECKING:
    from logdump.features.timeline.volume import ShapeColumn

_STYLES = {"insert": "insert", "update": "update", "delete": "delete", "other": "dim"}


class ShapeStrip(Styled, can_focus=True):
    """A line of columns: Left and Right move to one, Space begins a range, Enter goes there or filters to the range."""

    BINDINGS = bindings(Area.SHAPE)
    place = Area.SHAPE

    @dataclass(eq=False)
    class RangeChosen(Message):
        """A range of columns, or a single one, was chosen."""

        first: ShapeColumn
        last: ShapeColumn

    def __init__(self, model: Model, glyphs: Glyphs) -> None:
        super().__init__(id="shape")
        self._model = model
        self._glyphs = glyphs
        self._columns: list[ShapeColumn] = []
        self._at: int | None = None
        self._from: int | None = None
        model.observe(self._draw, Model.shape, Model.row, Model.indexed, Model.listing)

    def _draw(self) -> None:
        """Lay the columns out again.

        With the focus, the cursor and the begin of a range stay at their time; without it, the cursor follows that of
        the list.
        """
        shape, row, before = self._model.shape, self._model.row, self._columns
        self._columns = shape.columns(self.size.width) if shape is not None else []
        if self.has_focus and before and self._columns:
            self._at, self._from = (
                self._index_of(before[index]) if index is not None else None for index in (self._at, self._from)
            )
        else:
            self._at = shape.column_of(row.rba, self._columns) if shape is not None and row is not None else None
            self._from = None
        self.refresh()

    def _index_of(self, before: ShapeColumn) -> int:
        """Return the index of the column with the first record of a column of another width, or else with its begin."""
        shape = self._model.shape
        index = shape.column_of(before.rba, self._columns) if shape is not None and before.rba is not None else None
        if index is None:
            index = bisect_right(self._columns, before.start, key=attrgetter("start")) - 1
        return max(0, index)

    def on_resize(self) -> None:
        """Lay the columns out in the new width."""
        self._draw()

    def on_blur(self) -> None:
        """Let the cursor follow that of the list again."""
        self._draw()

    def action_column(self, step: int) -> None:
        """Move to the next column with records in one direction."""
        current = self._at if self._at is not None else -1
        indexes = range(current + 1, len(self._columns)) if step > 0 else range(current - 1, -1, -1)
        self._at = next((index for index in indexes if self._columns[index].records), self._at)
        self.refresh()

    def action_begin_stretch(self) -> None:
        """Begin a range at the cursor."""
        self._from = self._at
        self.refresh()

    def action_take_stretch(self) -> None:
        """Go to the column, or filter to the range."""
        if self._at is not None and self._columns:
            ends = sorted((self._at, self._at if self._from is None else self._from))
            self.post_message(self.RangeChosen(self._columns[ends[0]], self._columns[ends[1]]))

    def on_mouse_down(self, event: MouseDown) -> None:
        """Begin a range at the mouse."""
        if event.x < len(self._columns):
            self._at = self._from = event.x
            self.capture_mouse()

    def on_mouse_up(self, event: MouseUp) -> None:
        """End the range at the mouse; a click goes to the column."""
        self.release_mouse()
        if self._from is not None and self._columns:
            self._at = max(0, min(event.x, len(self._columns) - 1))
            self._from = None if self._at == self._from else self._from
            self.action_take_stretch()

    def render_line(self, y: int) -> Strip:
        """Return the bars, with restarts, damage and the cursor."""
        return self.strip(tuple(self._pieces()) if y == 0 else (), self.size.width)

    def _pieces(self) -> list[Piece]:
        most = max((column.records for column in self._columns), default=1)
        bars = self._glyphs.bars
        signs = self._signs()
        ends = sorted((self._at, self._from)) if self._at is not None and self._from is not None else None
        pieces: list[Piece] = []
        for index, column in enumerate(self._columns):
            # the square root keeps few records visible beside many
            height = max(1, round((column.records / most) ** 0.5 * len(bars))) if column.records else 0
            text, style = signs.get(index) or (bars[height - 1] if height else " ", _STYLES[column.kind])
            is_chosen = ends is not None and ends[0] <= index <= ends[1]
            pieces.append((text, f"{style}+cursor" if index == self._at or is_chosen else style))
        return pieces

    def _signs(self) -> dict[int, Piece]:
        """Return the signs of restarts and damage, by column."""
        shape, places = self._model.shape, self._model.index.places
        if shape is None:
            return {}
        signs = [(restart.rba, (self._glyphs.restart, "restart")) for restart in places.restarts]
        signs += [(span.rba, ("!", "damage")) for span in places.bad_spans]
        placed = [(shape.column_of(rba, self._columns), sign) for rba, sign in signs]
        return {column: sign for column, sign in placed if column is not None}
