"""Widgets of a single line of text."""

from __future__ import annotations

from textual.strip import Strip

from logdump.tui.text import Looks, Piece


class OneLine(Looks):
    """A line of pieces, repainted when it changes."""

    def __init__(self, name: str, *, look: str = "") -> None:
        super().__init__(id=name)
        self._look = look
        self._pieces: tuple[Piece, ...] = ()

    def say(self, *pieces: Piece) -> None:
        """Show these pieces."""
        if pieces != self._pieces:
            self._pieces = pieces
            self.refresh()

    @property
    def text(self) -> str:
        """What is shown."""
        return "".join(text for text, _ in self._pieces)

    def render_line(self, y: int) -> Strip:
        """The line."""
        return self.strip(self._pieces if y == 0 else (), self.size.width, look=self._look)
