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
    """Pieces from left to right. ``text`` is what is copied; ``margin`` stands behind it and never is.

    ``fields`` are the names of the fields of the record that the line shows (see :mod:`logdump.tui.record_fields`).
    """

    pieces: tuple[Piece, ...]
    margin: tuple[Piece, ...] = ()
    fields: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The line without its margin."""
        return "".join(text for text, _ in self.pieces)


def line(text: str, look: str = "", fields: tuple[str, ...] = ()) -> Line:
    """A line of one look."""
    return Line(((text, look),), fields=fields)


LOOKS = frozenset(
    {
        "dim",
        "strong",
        "warn",
        "cursor",
        "here",
        "title",
        "zero",
        "printable",
        "blank",
        "control",
        "high",
        "field",
        "match",
    }
)
"""Every look; layout.tcss says what each is like."""


class Looks(Widget):
    """A widget whose lines are pieces with looks."""

    COMPONENT_CLASSES = {f"look--{name}" for name in LOOKS}  # noqa: RUF012 - Textual's own form

    def look(self, name: str) -> Style:
        """The style of a look, or of several joined by ``+``, over the widget's own."""
        style = self.rich_style
        for one in name.split("+") if name else ():
            style += self.get_component_rich_style(f"look--{one}", partial=True)
        return style

    def strip(self, pieces: tuple[Piece, ...], width: int, *, look: str = "") -> Strip:
        """The pieces as a strip of exactly ``width`` cells; ``look`` lies under all of them."""
        segments = [Segment(text, self.look(name or look)) for text, name in pieces if text]
        return Strip(segments).adjust_cell_length(width, self.look(look)).simplify()
