"""A plot of bands, each as a row of bars or several: what stands in which column, and its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from logdump.tui.text.styled import Glyphs, Line, Piece, fit, fit_right

GAP = "!"
_COLOURS = 4
"""Colours of bands, one after the other."""
_ROWS_WITH_SPACE = 3
"""The rows of a band from which on the first of them is left to its label."""


class PlotPoint(NamedTuple):
    """The bars in the columns from ``first`` to before ``end``, a value for each band; they are about one record.

    ``path`` is the file of the record, None of one in the open file; ``row`` the line of the page in which the point
    stands, None of one that takes the whole height; ``since`` the time of the first of what the columns show.
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
    """The lines of the page, the points of its cursor, the number of the current one, the cells before the first."""

    lines: list[Line]
    points: tuple[PlotPoint, ...] = ()
    at: int = 0
    left: int = 0


class TimeScale(NamedTuple):
    """The time (Julian) from ``start`` to before ``end`` over so many columns."""

    start: int
    end: int
    columns: int

    def column(self, time: int) -> int:
        """The column of a moment, the last one of what comes after the end, the first of what comes before."""
        return max(0, min((time - self.start) * self.columns // (self.end - self.start), self.columns - 1))


class Band(NamedTuple):
    """One of the values over time: its label, its text, the bounds of its values."""

    label: str
    text: Callable[[int], str]
    least: int
    greatest: int

    @property
    def scale(self) -> str:
        """What the top of the band stands for, and its bottom where that is below zero."""
        return self.text(self.greatest) if self.least >= 0 else f"{self.text(self.least)} .. {self.text(self.greatest)}"


class Plot(NamedTuple):
    """Bands with the points of the cursor, from left to right, and the columns in which something is missing.

    ``times`` are the texts for both ends.
    """

    bands: tuple[Band, ...]
    points: tuple[PlotPoint, ...]
    gaps: frozenset[int]
    times: tuple[str, str]

    def point_at(self, time: int | None) -> int:
        """The number of the point that shows a time, of the last one before it; of the last of all without a time."""
        begins = (point.time if point.since is None else point.since for point in self.points)
        later = (at for at, begin in enumerate(begins) if time is not None and begin > time)
        return max(0, next(later, len(self.points)) - 1)


def label_width(bands: Sequence[Band], width: int) -> int:
    """The cells to the left of the bars, at most a third of the width."""
    need = max((len(f"{band.label} {band.scale} ") for band in bands), default=0)
    return min(need, width // 3)


def plot_lines(plot: Plot, cursor: int, width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """The plot in ``height`` rows of ``width`` cells where it fits: the bands, the gaps if there are any, the times."""
    labels = label_width(plot.bands, width)
    number = len(plot.bands) or 1
    rows = max(number, height - 1 - bool(plot.gaps))
    lines: list[Line] = []
    for at, band in enumerate(plot.bands):
        count = rows // number + (at >= number - rows % number)
        lines += _band_lines(plot, at, band, count, cursor, labels, width - labels, glyphs)
    if plot.gaps:
        marks = "".join(GAP if at in plot.gaps else " " for at in range(width - labels))
        lines.append(Line(((fit("Missing", labels, glyphs), "dim"), (marks, "warn"))))
    label, (axis, style) = times_line(plot.times, labels, width, glyphs).pieces
    first, end, *_ = plot.points[cursor] if plot.points else (0, 0)
    return [*lines, Line((label, (axis[:first], style), (axis[first:end], "cursor"), (axis[end:], style)))]


def times_line(times: tuple[str, str], labels: int, width: int, glyphs: Glyphs) -> Line:
    """The texts for both ends of the time, right of the labels; the first alone where there is no room for both."""
    begin, end = times
    room = width - labels
    axis = fit(begin, room - len(end), glyphs) + end if len(begin) + len(end) < room else fit(begin, room, glyphs)
    return Line(((" " * labels, ""), (axis, "dim")))


def _band_lines(
    plot: Plot, at: int, band: Band, count: int, cursor: int, labels: int, columns: int, glyphs: Glyphs
) -> list[Line]:
    """The rows of one band, the label beside the first."""
    bars = count - (count >= _ROWS_WITH_SPACE)
    levels = [_level(point.values[at], band, bars * len(glyphs.bars)) for point in plot.points]
    point = plot.points[cursor] if plot.points else None
    lines = []
    for row in range(count):
        text, base = "", (count - 1 - row) * len(glyphs.bars)
        for one, level in zip(plot.points, levels, strict=True):
            text = text.ljust(one.first) + _cell(level - base, glyphs) * (one.end - one.first)
        text = text.ljust(columns)
        label = _label(band, labels, glyphs) if row == 0 else " " * labels
        style = f"bracket{at % _COLOURS}"
        bars_and_cursor = _around(text, point, style, glyphs) if point is not None else ((text, style),)
        lines.append(Line(((label, "dim"), *bars_and_cursor)))
    return lines


def _around(text: str, point: PlotPoint, style: str, glyphs: Glyphs) -> tuple[Piece, ...]:
    """The row with the bar of the cursor; a thin line, which is no bar, leads from there to the top."""
    bar = text[point.first : point.end]
    here = (bar, "strong") if bar.strip() else (glyphs.divider + bar[1:], "dim")
    return (text[: point.first], style), here, (text[point.end :], style)


def _label(band: Band, width: int, glyphs: Glyphs) -> str:
    room = width - 1 - len(band.scale)
    if room <= len(band.label):
        return fit(band.label, width, glyphs)
    return f"{fit(band.label, room, glyphs)}{fit_right(band.scale, width - 1 - room, glyphs)} "


def _level(value: int | None, band: Band, levels: int) -> int:
    """The height of a bar, at least 1; 0 without a value."""
    if value is None:
        return 0
    least = min(0, band.least)
    return max(1, round((value - least) * levels / (band.greatest - least))) if band.greatest > least else 1


def _cell(level: int, glyphs: Glyphs) -> str:
    return glyphs.bars[min(level, len(glyphs.bars)) - 1] if level > 0 else " "
