"""Text in the cells of a terminal: made harmless, cut with a mark, in columns as wide as their values.

Nothing is drawn that has not gone through :class:`HarmlessLines`; the functions here give the same text to callers that
need its width.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from logdump.notation.text import escape
from logdump.tui.text.glyphs import Glyphs


def harmless(text: str, glyphs: Glyphs) -> str:
    """The text as it is drawn: what a terminal would obey is escaped, and all but ASCII where there is nothing else."""
    shown = escape(text)
    return shown if glyphs.has_unicode or shown.isascii() else shown.encode("ascii", "backslashreplace").decode()


def width_of(text: str, glyphs: Glyphs) -> int:
    """The cells that the text takes."""
    return cell_len(harmless(text, glyphs))


def fit(text: str, width: int, glyphs: Glyphs) -> str:
    """The text in exactly ``width`` cells, cut with a mark."""
    shown = harmless(text, glyphs)
    if cell_len(shown) <= width:
        return set_cell_size(shown, width)
    return set_cell_size(shown, max(0, width - 1)) + glyphs.cut if width else ""


def fit_name(name: str, width: int, glyphs: Glyphs) -> str:
    """The name of a table in exactly ``width`` cells; where there is no room for its schema, without, after a mark."""
    if "." in name and width_of(name, glyphs) > width:
        name = f"{glyphs.cut}{name.rpartition('.')[2]}"
    return fit(name, width, glyphs)


def fit_right(text: str, width: int, glyphs: Glyphs) -> str:
    """The same with the text at the right."""
    shown = harmless(text, glyphs)
    return " " * (width - cell_len(shown)) + shown if cell_len(shown) < width else fit(text, width, glyphs)


def cut_line(segments: Sequence[Segment], width: int, cut: str) -> list[Segment]:
    """The segments in at most ``width`` cells, the mark in the last one when something else than blanks is cut off."""
    text = "".join(one.text for one in segments)
    if cell_len(text) <= width:
        return list(segments)
    blanks = len(text) - len(text.rstrip(" "))
    is_whole = cell_len(text) - blanks <= width
    kept = Segment.adjust_line_length(list(segments), width if is_whole else max(0, width - 1), pad=True)
    return kept if is_whole or not width else [*kept, Segment(cut, kept[-1].style if kept else segments[0].style)]


class HarmlessLines(LineFilter):
    """The last thing that happens to every line of every widget before the terminal gets it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - of the base class
        """The line with everything escaped, in as many cells as before."""
        shown = [Segment(harmless(text, self._glyphs), style) for text, style, _ in segments]
        if all(new.text == old.text and not old.control for new, old in zip(shown, segments, strict=True)):
            return segments
        width = sum(one.cell_length for one in segments)
        return Segment.adjust_line_length(cut_line(shown, width, self._glyphs.cut), width)


def first_fitting(layouts: Iterable[Sequence[int]], gaps: Sequence[int], room: int) -> list[int]:
    """The first widths of columns, 0 for one that is left out, that fit with the gaps before them; else the last."""
    widths: Sequence[int] = ()
    for widths in layouts:
        if taken(widths, gaps) <= room:
            break
    return list(widths)


def taken(widths: Sequence[int], gaps: Sequence[int]) -> int:
    """The cells of columns with the gaps before them."""
    return sum(width + gap for width, gap in zip(widths, gaps, strict=True) if width)


class TextColumn(NamedTuple):
    """A column of a pane: heading and cells, its usual width, the blanks before it.

    A number stands at the right; ``brief`` are cells that do with less room: times without their fraction.
    """

    heading: str
    cells: list[str]
    usual: int = 0
    gap: int = 1
    is_number: bool = True
    brief: Sequence[str] = ()

    def need(self, glyphs: Glyphs, *, is_brief: bool = False) -> int:
        """The cells for the widest value."""
        cells = (self.brief or self.cells) if is_brief else self.cells
        return max(width_of(one, glyphs) for one in (self.heading, *cells))

    def lines(self, width: int, glyphs: Glyphs) -> list[str]:
        """Heading and cells in ``width`` cells; empty where the column is left out."""
        blank, shown = " " * self.gap, fit_right if self.is_number else fit
        cells = self.brief if self.brief and width < self.need(glyphs) else self.cells
        return [blank + shown(one, width, glyphs) if width else "" for one in (self.heading, *cells)]


def in_columns(
    columns: Sequence[TextColumn],
    limits: Sequence[Mapping[int, int]],
    elastic: Sequence[int],
    room: int,
    glyphs: Glyphs,
) -> tuple[str, list[str]]:
    """Heading and lines in ``room`` cells.

    The columns have their usual widths, or what their values need, or are brief, or one of ``limits`` holds some of
    them to fewer cells (0: leaves them out): the first of these that fits. Of ``elastic`` the first that is shown takes
    the cells left, or lacking.
    """
    gaps = [one.gap for one in columns]
    needs = [one.need(glyphs) for one in columns]
    brief = [one.need(glyphs, is_brief=True) for one in columns]
    layouts = [[max(need, one.usual) for need, one in zip(needs, columns, strict=True)], needs, brief]
    layouts += [[min(width, limit.get(at, width)) for at, width in enumerate(brief)] for limit in limits]
    widths = first_fitting(layouts, gaps, room)
    at = next(one for one in elastic if widths[one])
    widths[at] = max(1, widths[at] + room - taken(widths, gaps))
    shown = [one.lines(width, glyphs) for one, width in zip(columns, widths, strict=True)]
    heading, *lines = ("".join(cells) for cells in zip(*shown, strict=True))
    return heading, lines
