"""Lines of a pane: pieces of text, each with the name of its look."""

from __future__ import annotations

from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

Piece = tuple[str, str]
"""Text and the name of its look; an empty name is plain text."""


class Line(NamedTuple):
    """Pieces from left to right. ``text`` is what is copied; ``margin`` stands behind it and never is."""

    pieces: tuple[Piece, ...]
    margin: tuple[Piece, ...] = ()

    @property
    def text(self) -> str:
        """The line without its margin."""
        return "".join(text for text, _ in self.pieces)


def line(text: str, look: str = "") -> Line:
    """A line of one look."""
    return Line(((text, look),))


LOOKS = frozenset(
    {"dim", "strong", "warn", "cursor", "here", "title", "zero", "printable", "blank", "control", "high", "field", "match"}
)
"""Every look; layout.tcss says what each is like."""


class Looks(Widget):
    """A widget whose lines are pieces with looks."""

    COMPONENT_CLASSES = frozenset(f"look--{name}" for name in LOOKS)

    def look(self, name: str) -> Style:
        """The style of a look, over the widget's own."""
        return self.rich_style + self.get_component_rich_style(f"look--{name}", partial=True) if name else self.rich_style

    def strip(self, pieces: tuple[Piece, ...], width: int, *, look: str = "") -> Strip:
        """The pieces as a strip of exactly ``width`` cells; ``look`` lies under all of them."""
        segments = [Segment(text, self.look(name or look)) for text, name in pieces if text]
        return Strip(segments).adjust_cell_length(width, self.look(look)).simplify()
