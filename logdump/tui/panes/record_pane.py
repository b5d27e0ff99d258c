"""A page of text about a record, with a current line that stands for the fields it shows."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Line


class RecordPane(TextPane):
    """Lines about the record under the cursor. While the keyboard is here, one of them is current."""

    @dataclass(eq=False)
    class Picked(Message):
        """The user has picked a field, by its line or by its bytes."""

        field: str

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self.current = 0

    def pick(self, field: str) -> None:
        """Go to the line that shows a field, if there is one."""
        at = next((at for at, one in enumerate(self.rows) if field in one.fields), None)
        if at is not None:
            self._go_to(at)

    def action_lines(self, step: int) -> None:
        """A key: scroll by lines, and the current line with the text; at an end of the text that goes on alone."""
        before = self.shown_lines()
        self.on_focus()
        self.top = self.within(self.top + step)
        self.current = max(0, min(self.current + step, self.count - 1))
        self.repaint(before)
        fields = self.rows[self.current].fields if self.rows else ()
        if fields:
            self.post_message(self.Picked(fields[0]))

    def action_pages(self, pages: int) -> None:
        """A key: scroll by pages."""
        self.action_lines(pages * max(1, self.height - 1))

    def _go_to(self, at: int) -> None:
        before = self.shown_lines()
        self.current = max(0, min(at, self.count - 1))
        self.top = self.within(min(max(self.top, self.current - self.height + 1), self.current))
        self.repaint(before)

    def line_at(self, at: int) -> Line:
        """A line; the current one looks different."""
        one = self.rows[at]
        if at != min(self.current, self.count - 1) or not self.has_focus:
            return one
        return one._replace(
            pieces=tuple((text or " ", f"{style}+here" if style else "here") for text, style in one.pieces)
        )

    def on_focus(self) -> None:
        """Have the current line among those that are visible."""
        self.current = min(max(self.current, self.top), self.top + self.height - 1)
