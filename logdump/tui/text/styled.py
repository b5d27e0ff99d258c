"""Lines of a pane: pieces of text with the names of their styles, fitted to cells and drawn with glyphs."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from logdump.notation.text import display_width, escape
from trailformat.trail.sequence import FilePosition


class Glyphs(NamedTuple):
    """The characters of a terminal. ``transaction`` has one for each TransInd: first, middle, last, only.

    ``spans`` are those of a transaction over time: possibly open, open, written to disk.
    """

    cursor: str
    transaction: str
    restart: str
    rule: str
    thumb: str
    track: str
    cut: str
    divider: str
    bars: str
    spans: str

    @property
    def has_unicode(self) -> bool:
        """True if the terminal shows more than ASCII."""
        return not self.cut.isascii()


UNICODE = Glyphs("▶", "┌│└─", "\u2573", "─", "┃", "│", "…", "│", "▁▂▃▄▅▆▇█", "·─█")
ASCII = Glyphs(">", "/|\\-", "x", "-", "#", ":", "~", "|", "_.-=*#", ".-#")


def glyphs_for(environment: Mapping[str, str], encoding: str) -> Glyphs:
    """Return the glyphs that an encoding can write; LOGDUMP_ASCII=1 selects ASCII."""
    if environment.get("LOGDUMP_ASCII", "0") not in ("", "0"):
        return ASCII
    try:
        "".join(UNICODE).encode(encoding)
    except (LookupError, UnicodeError):
        return ASCII
    return UNICODE


def harmless(text: str, glyphs: Glyphs) -> str:
    """Return the text without control characters, escaped to ASCII if the terminal shows nothing else."""
    shown = escape(text)
    return shown if glyphs.has_unicode or shown.isascii() else shown.encode("ascii", "backslashreplace").decode()


def width_of(text: str, glyphs: Glyphs) -> int:
    """Return the number of cells of the text."""
    return cell_len(harmless(text, glyphs))


def fit(text: str, width: int, glyphs: Glyphs) -> str:
    """Return the text in exactly ``width`` cells, with a mark if it is cut off."""
    shown = harmless(text, glyphs)
    if cell_len(shown) <= width:
        return set_cell_size(shown, width)
    return set_cell_size(shown, max(0, width - 1)) + glyphs.cut if width else ""


def fit_name(name: str, width: int, glyphs: Glyphs) -> str:
    """Return the name of a table in exactly ``width`` cells; if it is too long, a mark replaces its schema."""
    if "." in name and width_of(name, glyphs) > width:
        name = f"{glyphs.cut}{name.rpartition('.')[2]}"
    return fit(name, width, glyphs)


def fit_right(text: str, width: int, glyphs: Glyphs) -> str:
    """Return the text in exactly ``width`` cells, aligned right."""
    shown = harmless(text, glyphs)
    return " " * (width - cell_len(shown)) + shown if cell_len(shown) < width else fit(text, width, glyphs)


def cut_line(segments: Sequence[Segment], width: int, cut: str) -> list[Segment]:
    """Return the segments in at most ``width`` cells, with a mark at the end if more than blanks is cut off."""
    text = "".join(segment.text for segment in segments)
    if cell_len(text) <= width:
        return list(segments)
    blanks = len(text) - len(text.rstrip(" "))
    is_whole = cell_len(text) - blanks <= width
    kept = Segment.adjust_line_length(list(segments), width if is_whole else max(0, width - 1), pad=True)
    return kept if is_whole or not width else [*kept, Segment(cut, kept[-1].style if kept else segments[0].style)]


class HarmlessLines(LineFilter):
    """Escapes every line of every widget, as the last filter before the terminal."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - of the base class
        """Return the line with control characters escaped, in the same number of cells."""
        shown = [Segment(harmless(text, self._glyphs), style) for text, style, _ in segments]
        if all(new.text == old.text and not old.control for new, old in zip(shown, segments, strict=True)):
            return segments
        width = sum(segment.cell_length for segment in segments)
        return Segment.adjust_line_length(cut_line(shown, width, self._glyphs.cut), width)


def first_fitting(layouts: Iterable[Sequence[int]], gaps: Sequence[int], room: int) -> list[int]:
    """Return the first widths of columns (0: left out) that fit with the gaps before them, else the last ones."""
    widths: Sequence[int] = ()
    for widths in layouts:
        if total_width(widths, gaps) <= room:
            break
    return list(widths)


def total_width(widths: Sequence[int], gaps: Sequence[int]) -> int:
    """Return the number of cells of columns and the gaps before them."""
    return sum(width + gap for width, gap in zip(widths, gaps, strict=True) if width)


STAYS = 99
"""The priority of a column that is never left out."""


class TextColumn(NamedTuple):
    """A column of a pane: heading and cells.

    Attributes:
        usual: its width where there is room; it is never less than the values need.
        gap: number of blanks before it.
        is_number: True if the cells are aligned right.
        brief: shorter cells for little room: times without fractions.
        priority: columns are left out in this order, the smallest first, until the others fit.
        cut: a priority, and the most cells of the column from there on.
        fills: 1 for the column that is widened or narrowed to fill the room, 2 if that one is left out; else 0.
    """

    heading: str
    cells: list[str]
    usual: int = 0
    gap: int = 1
    is_number: bool = False
    brief: Sequence[str] = ()
    priority: int = STAYS
    cut: tuple[int, int] = (STAYS, 0)
    fills: int = 0

    def need(self, glyphs: Glyphs, *, is_brief: bool = False) -> int:
        """Return the number of cells for the widest value."""
        cells = (self.brief or self.cells) if is_brief else self.cells
        return max(width_of(cell, glyphs) for cell in (self.heading, *cells))

    def limited(self, width: int, priority: int) -> int:
        """Return its width where all columns up to a priority are left out: 0 for those."""
        if self.priority <= priority:
            return 0
        cut_at, most = self.cut
        return min(width, most) if cut_at <= priority else width

    def lines(self, width: int, glyphs: Glyphs) -> list[str]:
        """Return heading and cells in ``width`` cells; empty texts if the width is 0."""
        blank, shown = " " * self.gap, fit_right if self.is_number else fit
        cells = self.brief if self.brief and width < self.need(glyphs) else self.cells
        return [blank + shown(cell, width, glyphs) if width else "" for cell in (self.heading, *cells)]


def in_columns(columns: Sequence[TextColumn], room: int, glyphs: Glyphs) -> tuple[str, list[str]]:
    """Return heading and lines in ``room`` cells.

    The first of these layouts that fits is used: the usual widths; the widths that the values need; the brief cells;
    brief cells with the columns left out up to each priority.
    """
    gaps = [column.gap for column in columns]
    needs = [column.need(glyphs) for column in columns]
    brief = [column.need(glyphs, is_brief=True) for column in columns]
    layouts = [[max(need, column.usual) for need, column in zip(needs, columns, strict=True)], needs, brief]
    priorities = sorted({step for column in columns for step in (column.priority, column.cut[0])} - {STAYS})
    layouts += [
        [column.limited(width, priority) for width, column in zip(brief, columns, strict=True)]
        for priority in priorities
    ]
    widths = first_fitting(layouts, gaps, room)
    filler = min((column.fills, index) for index, column in enumerate(columns) if column.fills and widths[index])[1]
    widths[filler] = max(1, widths[filler] + room - total_width(widths, gaps))
    shown = [column.lines(width, glyphs) for column, width in zip(columns, widths, strict=True)]
    heading, *lines = ("".join(cells) for cells in zip(*shown, strict=True))
    return heading, lines


Piece = tuple[str, str]
"""Text and the name of its style, empty for plain text."""


class LineRole(enum.Enum):
    """What a line of the page of a row shows: a column that differs, one of the key, another one, or none."""

    CHANGED = "changed"
    KEY = "key"
    UNCHANGED = "unchanged"
    NONE = ""


class Line(NamedTuple):
    """Pieces from left to right. ``text`` is what is copied; ``margin`` follows it and is not copied.

    ``wraps`` is False for a line of a table: it is one row, and is scrolled sideways.
    ``fields`` are the names of the record's fields that the line shows (see :mod:`logdump.tui.text.hex_text`).
    ``position`` is that of the record which a line of an answer is about, ``is_advice`` is True if the line is a
    command to be pasted; ``role`` is what a line of a row shows, and
    ``is_rest`` is True for the lines of a column after its first.
    """

    pieces: tuple[Piece, ...]
    margin: tuple[Piece, ...] = ()
    fields: tuple[str, ...] = ()
    wraps: bool = True
    position: FilePosition | None = None
    role: LineRole = LineRole.NONE
    is_rest: bool = False
    is_advice: bool = False

    @property
    def text(self) -> str:
        """The line without its margin."""
        return "".join(text for text, _ in self.pieces)


def line(text: str, style: str = "", fields: tuple[str, ...] = ()) -> Line:
    """Return a line of one style."""
    return Line(((text, style),), fields=fields)


_DEEPER = 4
"""Cells by which the rows of a wrapped line about a place are indented more than its beginning."""


def wrapped(line: Line, width: int) -> list[Line]:
    """Split a line into rows of at most ``width`` cells, after a blank in the second half of the row if there is one.

    The last row has the margin. The rows after the first of a line about a place are indented.
    """
    text = line.text
    if width < 1 or not line.wraps or cell_len(text) <= width:
        return [line]
    indent = len(text) - len(text.lstrip(" ")) + _DEEPER if line.position is not None else 0
    indent = min(indent, width // 2)
    rows, start = [], 0
    while start < len(text):
        blank = ((" " * indent, ""),) if start and indent else ()
        end = _row_end(text, start, width - (indent if start else 0))
        rows.append(line._replace(pieces=(*blank, *_between(line.pieces, start, end)), margin=()))
        start = end
    return [*rows[:-1], rows[-1]._replace(margin=line.margin)]


def from_cell(line: Line, left: int) -> Line:
    """Return the line from a cell on; if that cuts a wide character, a blank replaces its other half."""
    text, start, cells = line.text, 0, 0
    while start < len(text) and (cells < left or (start and not display_width(text[start]))):
        cells += display_width(text[start])
        start += 1
    return line._replace(pieces=((" " * (cells - left), ""), *_between(line.pieces, start, len(text))))


def _row_end(text: str, start: int, width: int) -> int:
    """Return the end of the row that begins at ``start``."""
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
    """Yield the pieces of the text from ``start`` to before ``end``."""
    offset = 0
    for text, style in pieces:
        part = text[max(0, start - offset) : max(0, end - offset)]
        if part:
            yield part, style
        offset += len(text)


def cut_to(pieces: tuple[Piece, ...], width: int, mark: str) -> tuple[Piece, ...]:
    """Return the pieces in at most ``width`` cells, with a mark at the end if they are cut off."""
    text = "".join(text for text, _ in pieces)
    if cell_len(text) <= width:
        return pieces
    end, cells = 0, 1
    while end < len(text) and cells + cell_len(text[end]) <= width:
        cells += cell_len(text[end])
        end += 1
    return (*_between(pieces, 0, end), (mark, "dim")) if width > 0 else ()


STYLES = frozenset(
    (
        *("dim", "strong", "warn", "cursor", "here", "title", "focus", "field", "match"),
        *("zero", "printable", "blank", "control", "high", "added", "changed", "moved"),
        *("insert", "update", "delete", "ddl", "metadata", "heartbeat", "restart", "damage"),
        *("key", "name", "before", "after", "bracket0", "bracket1", "bracket2", "bracket3"),
    )
)
"""The names of all styles; layout.tcss defines them."""


COMPONENTS = {f"style--{name}" for name in STYLES}
"""The component classes of a screen; if each widget had them, Textual would compute thousands of styles."""


class StyledScreen(Screen[None]):
    """A screen with the styles of its widgets."""

    COMPONENT_CLASSES = COMPONENTS


class Styled(Widget):
    """A widget that draws pieces with styles; its screen must have the component classes (``COMPONENTS``)."""

    def _over(self, own: Style, name: str) -> Style:
        for part in name.split("+") if name else ():
            own += self.screen.get_component_rich_style(f"style--{part}", partial=True)
        return own

    def strip(self, pieces: tuple[Piece, ...], width: int, *, style: str = "") -> Strip:
        """Return the pieces as a strip of exactly ``width`` cells, cut off with a mark; ``style`` is the base style."""
        own = self.rich_style
        segments = [Segment(text, self._over(own, name or style)) for text, name in pieces if text]
        segments = cut_line(segments, width, self.glyphs.cut)
        return Strip(segments).adjust_cell_length(width, self._over(own, style)).simplify()

    @property
    def glyphs(self) -> Glyphs:
        """The characters of the terminal."""
        glyphs = getattr(self.app, "glyphs", UNICODE)
        return glyphs if isinstance(glyphs, Glyphs) else UNICODE
