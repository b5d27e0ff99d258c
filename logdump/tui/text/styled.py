"""Lines of a pane: pieces of text, each with the name of its style."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from logdump.notation.text import display_width
from logdump.tui.text.cells import cut_line
from logdump.tui.text.glyphs import UNICODE, Glyphs

Piece = tuple[str, str]
"""Text and the name of its style; an empty name is plain text."""


class Line(NamedTuple):
    """Pieces from left to right. ``text`` is what is copied; ``margin`` stands after it and never is.

    ``wraps`` is False of a line of a table: it is one row, and scrolled sideways.
    ``fields`` are the names of the record's fields that the line shows (see :mod:`logdump.tui.text.record_fields`).
    """

    pieces: tuple[Piece, ...]
    margin: tuple[Piece, ...] = ()
    fields: tuple[str, ...] = ()
    wraps: bool = True

    @property
    def text(self) -> str:
        """The line without its margin."""
        return "".join(text for text, _ in self.pieces)


def line(text: str, style: str = "", fields: tuple[str, ...] = ()) -> Line:
    """A line of one style."""
    return Line(((text, style),), fields=fields)


def wrapped(one: Line, width: int) -> list[Line]:
    """The line in rows of at most ``width`` cells that joined are its text, broken after a blank where one is near.

    The margin stands after the last row.
    """
    text = one.text
    if width < 1 or not one.wraps or cell_len(text) <= width:
        return [one]
    rows, start = [], 0
    while start < len(text):
        end = _row_end(text, start, width)
        rows.append(one._replace(pieces=tuple(_between(one.pieces, start, end)), margin=()))
        start = end
    return [*rows[:-1], rows[-1]._replace(margin=one.margin)]


def from_cell(one: Line, left: int) -> Line:
    """The line from a cell on; the half of a wide character that is left is a blank."""
    text, start, cells = one.text, 0, 0
    while start < len(text) and (cells < left or (start and not display_width(text[start]))):
        cells += display_width(text[start])
        start += 1
    return one._replace(pieces=((" " * (cells - left), ""), *_between(one.pieces, start, len(text))))


def _row_end(text: str, start: int, width: int) -> int:
    """The end of the row that begins at ``start``."""
    end, cells = start, 0
    while end < len(text) and cells <= width:
        cells += cell_len(text[end])
        end += 1
    if cells <= width:
        return end
    end = max(end - 1, start + 1)
    blank = text.rfind(" ", start + (end - start) // 2, end)
    return blank + 1 if blank >= 0 else end


def _between(pieces: tuple[Piece, ...], start: int, end: int) -> Iterator[Piece]:
    """The pieces of a text from one place in it to before another."""
    at = 0
    for text, style in pieces:
        part = text[max(0, start - at) : max(0, end - at)]
        if part:
            yield part, style
        at += len(text)


def cut_to(pieces: tuple[Piece, ...], width: int, mark: str) -> tuple[Piece, ...]:
    """The pieces as far as they fit into ``width`` cells, with a mark in the last one where they do not."""
    text = "".join(text for text, _ in pieces)
    if cell_len(text) <= width:
        return pieces
    kept, cells = 0, 1
    while kept < len(text) and cells + cell_len(text[kept]) <= width:
        cells += cell_len(text[kept])
        kept += 1
    return (*_between(pieces, 0, kept), (mark, "dim")) if width > 0 else ()


STYLES = frozenset(
    (
        *("dim", "strong", "warn", "cursor", "here", "title", "focus", "field", "match"),
        *("zero", "printable", "blank", "control", "high", "added", "changed", "moved"),
        *("insert", "update", "delete", "ddl", "metadata", "heartbeat", "restart", "damage"),
        *("key", "name", "before", "after", "bracket0", "bracket1", "bracket2", "bracket3"),
    )
)
"""Every style; layout.tcss says what each is like."""


COMPONENTS = {f"style--{name}" for name in STYLES}
"""The component classes of a screen with such widgets; for each widget, Textual would work them out by the thousand."""


class StyledScreen(Screen[None]):
    """A screen with the styles of its widgets."""

    COMPONENT_CLASSES = COMPONENTS


class Styled(Widget):
    """A widget whose lines are pieces with styles, which its screen has (``COMPONENTS``)."""

    def style_of(self, name: str) -> Style:
        """The style of a name, or of several joined by ``+``, over the widget's own."""
        return self._over(self.rich_style, name)

    def _over(self, own: Style, name: str) -> Style:
        for one in name.split("+") if name else ():
            own += self.screen.get_component_rich_style(f"style--{one}", partial=True)
        return own

    def strip(self, pieces: tuple[Piece, ...], width: int, *, style: str = "") -> Strip:
        """The pieces as a strip of exactly ``width`` cells, cut with a mark; ``style`` lies under all of them."""
        own = self.rich_style
        segments = [Segment(text, self._over(own, name or style)) for text, name in pieces if text]
        segments = cut_line(segments, width, self.glyphs.cut)
        return Strip(segments).adjust_cell_length(width, self._over(own, style)).simplify()

    @property
    def glyphs(self) -> Glyphs:
        """The characters of the terminal."""
        found = getattr(self.app, "glyphs", UNICODE)
        return found if isinstance(found, Glyphs) else UNICODE
