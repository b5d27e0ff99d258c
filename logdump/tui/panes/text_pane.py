"""A pane of lines that wraps and scrolls; only cells that change are repainted."""

from __future__ import annotations

from bisect import bisect_right

from textual.events import MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from logdump.tui.keys.keys import Area, bindings
from logdump.tui.text.styled import Glyphs, Line, Styled, cut_to, wrapped

_WIDEST = 1000
_MARGIN_AT = 42
"""The cell where margins begin, after the longest line about a column."""
_NOTHING = Line(())


def changed_cells(old: Line, new: Line) -> tuple[int, int]:
    """Return the first cell that differs and the cell after the last one; equal numbers if the lines are equal."""
    if not (old.text.isascii() and new.text.isascii()) or old.margin != new.margin:
        return 0, _WIDEST
    before, after = _cells(old), _cells(new)
    if before == after:
        return 0, 0
    first = next((index for index, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    if first is None:
        first = min(len(before), len(after))
    if len(before) != len(after):
        return first, max(len(before), len(after))
    last = next(end for end in range(len(after), first, -1) if before[end - 1] != after[end - 1])
    return first, last


def _cells(line: Line) -> list[tuple[str, str]]:
    return [(character, style) for text, style in line.pieces for character in text]


class TextPane(Styled, can_focus=True):
    """Lines, wrapped into rows at the width of the pane.

    Attributes:
        lines: all lines.
        rows: the wrapped lines.
        top: index of the first visible row.
        shows_margin: True if margins are shown where there is room.
        place: the area whose keys the footer shows; ``PANES`` if the pane does not take the keyboard when it is shown.
    """

    BINDINGS = bindings(Area.TEXT)
    place = Area.PANES

    class Scrolled(Message):
        """Other lines are visible, or another one is current."""

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(id=name)
        self.lines: list[Line] = []
        self.rows: list[Line] = []
        self.top = 0
        self.shows_margin = True
        self._glyphs = glyphs
        self._starts: list[int] = []
        self._width = 0

    @property
    def keys_places(self) -> tuple[Area, ...]:
        """The areas whose keys the footer shows while the pane has the keyboard."""
        return (self.place,)

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def whole_text(self) -> str:
        """All lines, neither wrapped nor with margins."""
        return "".join(f"{line.text}\n" for line in self.lines)

    def line_at(self, index: int) -> Line:
        """Return a row as it is shown; a cursor in it is dimmed while the pane has no focus."""
        row = self.rows[index]
        if self.has_focus or all(style != "cursor" for _, style in row.pieces):
            return row
        return row._replace(pieces=tuple((text, "here" if style == "cursor" else style) for text, style in row.pieces))

    def show(self, lines: list[Line], *, top: int | None = None) -> None:
        """Show other lines, from the same row on, or from line ``top`` on."""
        before = self.shown_lines()
        self.lines = lines
        self._wrap()
        self.top = self.within(self.top if top is None or top >= len(lines) else self._starts[top])
        self.repaint(before)

    def open(self) -> None:
        """Prepare the page after a key has opened it."""

    def empty(self) -> None:
        """Show nothing; the next lines are shown from the same row on."""
        before = self.shown_lines()
        self.lines = []
        self._wrap()
        self.repaint(before)

    def _wrap(self) -> None:
        """Wrap the lines into rows; ``_starts`` has the index of the first row of each line."""
        self._width = self.size.width
        self.rows, self._starts = [], []
        for line in self.lines:
            self._starts.append(len(self.rows))
            self.rows += wrapped(line, self._width)

    def row_of(self, index: int) -> int:
        """Return the index of the first row of a line."""
        return self._starts[index] if index < len(self._starts) else 0

    def line_of(self, row: int) -> int:
        """Return the index of the line that a row is a part of."""
        return max(0, bisect_right(self._starts, row) - 1)

    @property
    def height(self) -> int:
        """The number of rows that fit."""
        return max(1, self.size.height)

    @property
    def where(self) -> str:
        """The visible rows as ``1-9/19``; empty if all are visible."""
        if self.count <= self.height:
            return ""
        return f"{self.top + 1}-{min(self.count, self.top + self.height)}/{self.count}"

    def scroll_to_line(self, top: int) -> None:
        """Scroll to a row, as far as there are rows."""
        before = self.shown_lines()
        self.top = self.within(top)
        self.repaint(before)

    def action_lines(self, step: int) -> None:
        """Scroll by rows."""
        self.scroll_to_line(self.top + step)

    def action_pages(self, pages: int) -> None:
        """Scroll by pages."""
        self.scroll_to_line(self.top + pages * max(1, self.height - 1))

    def within(self, top: int) -> int:
        """Return the nearest row that can be at the top."""
        return max(0, min(top, self.count - self.height))

    def shown_lines(self) -> list[Line]:
        """Return the visible rows as they are shown."""
        return [self.line_at(index) for index in range(self.top, min(self.count, self.top + self.height))]

    def repaint(self, before: list[Line]) -> None:
        """Repaint the cells that differ from the former rows."""
        after = self.shown_lines()
        for y in range(max(len(before), len(after))):
            old, new = (lines[y] if y < len(lines) else _NOTHING for lines in (before, after))
            first, last = changed_cells(old, new)
            if first < last:
                self.refresh(Region(first, y, max(1, last - first), 1))
        self.post_message(self.Scrolled())

    def render_line(self, y: int) -> Strip:
        """Return a visible row with its margin."""
        width = self.size.width
        index = self.top + y
        if index >= self.count:
            return self.strip((), width)
        line = self.line_at(index)
        pieces = line.pieces
        if line.margin and self.shows_margin:
            gap = max(2, _MARGIN_AT - len(line.text))
            pieces = (*pieces, (" " * gap, ""), *((text, style or "dim") for text, style in line.margin))
        return self.strip(cut_to(pieces, width, self._glyphs.cut), width)

    def on_resize(self, _event: Resize) -> None:
        """Wrap at the new width, with the same line at the top and no empty rows after the last."""
        if self._width != self.size.width:
            index = bisect_right(self._starts, self.top) - 1
            self._wrap()
            self.top = self._starts[index] if index >= 0 else self.top
            self.refresh()
        self.top = self.within(self.top)
        self.post_message(self.Scrolled())

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Scroll by three rows."""
        self.scroll_to_line(self.top + 3)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """Scroll by three rows."""
        self.scroll_to_line(self.top - 3)
