"""The page of two trails side by side. Its cursor is on a row of one side; Enter goes to the record there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.events import Click, Resize
from textual.message import Message

from logdump.tui.keys.keys import Area, bindings
from logdump.tui.model.model import SIDE_BY_SIDE, Model
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.aligned_text import AlignedCursor
from logdump.tui.text.styled import Glyphs, line
from trailformat.codec.on_demand import on_demand
from trailformat.trail.sequence import FilePosition

with on_demand:
    from logdump.tui.text import aligned_text

if TYPE_CHECKING:
    from logdump.tui.text.aligned_text import SideBySidePage

_AROUND = 2
"""Number of rows that stay visible before and after the cursor."""
_NOTHING = "No trails have been compared in this session."


class SideBySidePane(TextPane):
    """Rows of both trails; the cursor is on the first difference until a key moves it.

    Attributes:
        cursor: the row and side of the cursor, and the first visible row.
    """

    BINDINGS = bindings(Area.SIDE_BY_SIDE)
    place = Area.SIDE_BY_SIDE

    @dataclass(eq=False)
    class Opened(Message):
        """Requests the record under the cursor, of the first trail or of the second."""

        position: FilePosition
        is_second: bool

    def __init__(self, model: Model, glyphs: Glyphs) -> None:
        super().__init__(SIDE_BY_SIDE, glyphs)
        self._model = model
        self._page: SideBySidePage | None = None
        self._begin()
        model.observe(self._take, Model.aligned)
        model.observe(self.draw, Model.shown, Model.aligned)

    def _begin(self) -> None:
        self.cursor, self._has_moved = AlignedCursor(0), False

    def _take(self) -> None:
        """Reset the cursor for other trails, and move it to the first difference that is reported."""
        so_far = self._model.aligned
        if so_far is not None and not so_far.rows and not so_far.is_ended:
            self._begin()
        if self._differences and not self._has_moved:
            self._has_moved = True
            self.cursor = self.cursor._replace(at=self._differences[0])

    @property
    def _differences(self) -> list[int]:
        """The indexes of the rows with differences reported so far."""
        so_far = self._model.aligned
        if so_far is None:
            return []
        differences = so_far.listing.differences
        return differences[: bisect_left(differences, so_far.rows)]

    def draw(self) -> None:
        """Draw the page in the available room."""
        so_far, (width, height) = self._model.aligned, self.size
        if self._model.page != SIDE_BY_SIDE or not width:
            return
        if so_far is None:
            self.show([line(_NOTHING, "dim")])
            return
        page = self._page = aligned_text.SideBySidePage(so_far, (width, height), self._glyphs, max(0, self.cursor.at))
        index = max(0, min(self.cursor.at, page.count - 1))
        around = min(_AROUND, (page.room - 1) // 2)
        top = min(max(self.cursor.top, index + around - page.room + 1), index - around)
        self.cursor = self.cursor._replace(at=index, top=max(0, min(top, page.count - page.room)))
        self.show(page.lines(self.cursor), top=0)

    @property
    def where(self) -> str:
        """The number of the last difference up to the cursor, and the number of differences."""
        differences = self._differences
        so_far = self._model.aligned
        more = "" if so_far is None or so_far.is_ended else "+"
        return f"difference {bisect_right(differences, self.cursor.at)}/{len(differences)}{more}" if differences else ""

    def _go_to(self, index: int) -> None:
        self._has_moved = True
        self.cursor = self.cursor._replace(at=index)
        self.draw()

    def action_lines(self, step: int) -> None:
        """Move the cursor by rows."""
        self._go_to(self.cursor.at + step)

    def action_pages(self, pages: int) -> None:
        """Move the cursor by pages."""
        self._go_to(self.cursor.at + pages * max(1, self._page.room - 1 if self._page is not None else 1))

    def scroll_to_line(self, top: int) -> None:
        """Move the cursor by rows, for the mouse wheel."""
        self.action_lines(top - self.top)

    def action_difference(self, step: int) -> None:
        """Move the cursor to the next difference, or to the one before."""
        differences = self._differences
        index = bisect_right(differences, self.cursor.at) if step > 0 else bisect_left(differences, self.cursor.at) - 1
        if 0 <= index < len(differences):
            self._go_to(differences[index])

    def action_side(self, side: int) -> None:
        """Move the cursor to the first trail or to the second."""
        self.cursor = self.cursor._replace(side=side)
        self.draw()

    def action_open_side(self) -> None:
        """Go to the record under the cursor."""
        row = self._page.row(self.cursor.at) if self._page is not None else None
        position = aligned_text.places_of(row)[self.cursor.side]
        if position is not None:
            self.post_message(self.Opened(position, bool(self.cursor.side)))

    async def action_leave(self) -> None:
        """Stop a running comparison, else return to the records."""
        so_far = self._model.aligned
        await self.app.run_action("app.leave" if so_far is None or so_far.is_ended else "app.stop")

    def on_click(self, event: Click) -> None:
        """Move the cursor to the row and the side under the mouse."""
        if self._page is not None and 0 < event.y <= self._page.room:
            self.cursor = self.cursor._replace(side=int(event.x > self.size.width // 2))
            self._go_to(self.cursor.top + event.y - 1)

    def on_resize(self, _event: Resize) -> None:
        """Draw the page in the new size."""
        self.draw()
