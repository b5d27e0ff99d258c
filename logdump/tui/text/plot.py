"""A plot of bands, each of one or more rows of bars: the position of the bars, and the lines of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from logdump.tui.text.styled import Glyphs, Line, Piece, fit, fit_right

GAP = "!"
_COLOURS = 4
"""Number of colours of bands, used in turn."""
_ROWS_WITH_SPACE = 3
"""Number of rows from which on a band leaves its first row to the label."""


class PlotPoint(NamedTuple):
    """The bars in the columns from ``first`` to before ``end``, one value for each band; they are about one record.

    ``path`` is the file of the record, None for the open file; ``row`` the line of the page that has the point, None if
    it takes the whole height; ``since`` the first time that the columns cover.
    """

    first: int
    end: int
    time: int
    rba: int
    values: tuple[int | None, ...] = ()
    path: Path | None = None
    row: int | None = None
    since: int | None = None


class TimelinePage(NamedTuple):
    """The lines of a page, the points of its cursor, the index of the current point, the cells before the first."""

    lines: list[Line]
    points: tuple[PlotPoint, ...] = ()
    at: int = 0
    left: int = 0


class TimeScale(NamedTuple):
    """A range of Julian times, from ``start`` to before ``end``, divided into ``columns``."""

    start: int
    end: int
    columns: int

    def column(self, time: int) -> int:
        """Return the column of a time; the first or the last one for times outside the range."""
        return max(0, min((time - self.start) * self.columns // (self.end - self.start), self.columns - 1))


class Band(NamedTuple):
    """One value over time: its label, the function that formats it, and its bounds."""

    label: str
    text: Callable[[int], str]
    least: int
    greatest: int

    @property
    def scale(self) -> str:
        """The greatest value, after the least one if that is negative."""
        return self.text(self.greatest) if self.least >= 0 else f"{self.text(self.least)} .. {self.text(self.greatest)}"


class Plot(NamedTuple):
    """Bands, the points of the cursor from left to right, and the columns in which beats are missing.

    ``times`` are the texts at both ends of the time axis.
    """

    bands: tuple[Band, ...]
    points: tuple[PlotPoint, ...]
    gaps: frozenset[int]
    times: tuple[str, str]

    def point_at(self, time: int | None) -> int:
        """Return the index of the last point that begins at or before a time; the last point if ``time`` is None."""
        begins = (point.time if point.since is None else point.since for point in self.points)
        later = (index for index, begin in enumerate(begins) if time is not None and begin > time)
        return max(0, next(later, len(self.points)) - 1)


def label_width(bands: Sequence[Band], width: int) -> int:
    """Return the number of cells left of the bars, at most a third of the width."""
    need = max((len(f"{band.label} {band.scale} ") for band in bands), default=0)
    return min(need, width // 3)


def plot_lines(plot: Plot, cursor: int, width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """Return the plot in ``height`` rows of ``width`` cells, if it fits: bands, gaps if there are any, times."""
    labels = label_width(plot.bands, width)
    number = len(plot.bands) or 1
    rows = max(number, height - 1 - bool(plot.gaps))
    lines: list[Line] = []
    for index, band in enumerate(plot.bands):
        count = rows // number + (index >= number - rows % number)
        lines += _band_lines(plot, index, band, count, cursor, labels, width - labels, glyphs)
    if plot.gaps:
        marks = "".join(GAP if column in plot.gaps else " " for column in range(width - labels))
        lines.append(Line(((fit("Missing", labels, glyphs), "dim"), (marks, "warn"))))
    label, (axis, style) = times_line(plot.times, labels, width, glyphs).pieces
    first, end, *_ = plot.points[cursor] if plot.points else (0, 0)
    return [*lines, Line((label, (axis[:first], style), (axis[first:end], "cursor"), (axis[end:], style)))]


def times_line(times: tuple[str, str], labels: int, width: int, glyphs: Glyphs) -> Line:
    """Return the texts at both ends of the time axis, right of the labels; only the first if both do not fit."""
    begin, end = times
    room = width - labels
    axis = fit(begin, room - len(end), glyphs) + end if len(begin) + len(end) < room else fit(begin, room, glyphs)
    return Line(((" " * labels, ""), (axis, "dim")))


def _band_lines(
    plot: Plot, index: int, band: Band, count: int, cursor: int, labels: int, columns: int, glyphs: Glyphs
) -> list[Line]:
    """Return the rows of one band, the first with its label."""
    bars = count - (count >= _ROWS_WITH_SPACE)
    levels = [_level(point.values[index], band, bars * len(glyphs.bars)) for point in plot.points]
    point = plot.points[cursor] if plot.points else None
    lines = []
    for row in range(count):
        text, base = "", (count - 1 - row) * len(glyphs.bars)
        for bar, level in zip(plot.points, levels, strict=True):
            text = text.ljust(bar.first) + _cell(level - base, glyphs) * (bar.end - bar.first)
        text = text.ljust(columns)
        label = _label(band, labels, glyphs) if row == 0 else " " * labels
        style = f"bracket{index % _COLOURS}"
        bars_and_cursor = _around(text, point, style, glyphs) if point is not None else ((text, style),)
        lines.append(Line(((label, "dim"), *bars_and_cursor)))
    return lines


def _around(text: str, point: PlotPoint, style: str, glyphs: Glyphs) -> tuple[Piece, ...]:
    """Return a row with the bar under the cursor; above that bar a thin line leads to the top."""
    bar = text[point.first : point.end]
    here = (bar, "strong") if bar.strip() else (glyphs.divider + bar[1:], "dim")
    return (text[: point.first], style), here, (text[point.end :], style)


def _label(band: Band, width: int, glyphs: Glyphs) -> str:
    room = width - 1 - len(band.scale)
    if room <= len(band.label):
        return fit(band.label, width, glyphs)
    return f"{fit(band.label, room, glyphs)}{fit_right(band.scale, width - 1 - room, glyphs)} "


def _level(value: int | None, band: Band, levels: int) -> int:
    """Return the height of a bar, at least 1; 0 if there is no value."""
    if value is None:
        return 0
    least = min(0, band.least)
    return max(1, round((value - least) * levels / (band.greatest - least))) if band.greatest > least else 1


def _cell(level: int, glyphs: Glyphs) -> str:
    return glyphs.bars[min(level, len(glyphs.bars)) - 1] if level > 0 else " "
