"""A chart as SVG, of bars or lines, or as text, always of bars."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as quoted
from typing import NamedTuple

from logdump.features.report.model import ReportChart, ReportSeries
from logdump.notation.times import GMT, format_timestamp

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 760, 180, 70, 10, 24
MOST_SERIES = 6
"""Maximum number of series in a chart: each has a colour, which the page names ``s0`` to ``s5``."""
_TEXT_WIDTH = 40
_SECONDS = 19
"""Length of a time up to its seconds, in characters."""


class _Scale(NamedTuple):
    """Converts times and values to coordinates of the drawing."""

    first: int
    last: int
    greatest: float

    def x(self, time: int) -> float:
        return _LEFT + (time - self.first) / max(self.last - self.first, 1) * (_WIDTH - _LEFT - 10)

    def y(self, value: float) -> float:
        return _TOP + (1 - value / (self.greatest or 1)) * (_HEIGHT - _TOP - _BOTTOM)


def svg_lines(chart: ReportChart) -> Iterator[str]:
    """Yield the drawing as SVG; nothing if no series has a point."""
    points = [point for series in chart.series for point in series.points]
    if not points:
        return
    first, last = min(points)[0], max(points)[0] + chart.interval
    scale = _Scale(first, last, max(value for _, value in points))
    box = f"{_LEFT} 0 {_WIDTH - _LEFT} {_HEIGHT - _BOTTOM + 2}"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="{box}">'
    yield f"<title>{quoted(chart.title)}</title>"
    yield f'<path d="M{_LEFT + 1} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - 10}"/>'
    for number, series in enumerate(chart.series):
        yield from _bars(series, chart.interval, scale, number) if chart.interval else _line(series, scale, number)
    yield "</svg>"
    yield f'<div class="x"><span>{_moment(first)}</span><span>{_moment(last)}</span></div>'


def caption(chart: ReportChart) -> str:
    """Return the title with the greatest value."""
    greatest = max((value for series in chart.series for _, value in series.points), default=0.0)
    return f"{chart.title}, at most {_number(greatest)} {chart.unit}"


def _bars(series: ReportSeries, interval: int, scale: _Scale, number: int) -> Iterator[str]:
    low = _HEIGHT - _BOTTOM
    for time, value in series.points:
        x, y = scale.x(time), scale.y(value)
        width = max(scale.x(time + interval) - x - 0.5, 0.5)
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{low - y:.1f}" class="s{number}">'
            f"<title>{_moment(time)}: {_number(value)}</title></rect>"
        )


def _line(series: ReportSeries, scale: _Scale, number: int) -> Iterator[str]:
    places = " ".join(f"{scale.x(time):.1f},{scale.y(value):.1f}" for time, value in series.points)
    yield f'<polyline points="{places}" class="s{number}"/>'
    for time, value in series.points:
        yield (
            f'<circle cx="{scale.x(time):.1f}" cy="{scale.y(value):.1f}" r="2" class="s{number}">'
            f"<title>{_moment(time)}: {_number(value)}</title></circle>"
        )


def legend(chart: ReportChart) -> list[str]:
    """Return the names of the series; the number of each is that of its colour."""
    return [series.name for series in chart.series]


def text_lines(chart: ReportChart) -> Iterator[str]:
    """Yield a line for each point: its time, a bar, its value."""
    greatest = max((value for series in chart.series for _, value in series.points), default=0)
    for series in chart.series:
        if series.name:
            yield series.name
        for time, value in series.points:
            bar = "█" * round(value / (greatest or 1) * _TEXT_WIDTH)
            yield f"{_moment(time)}  {bar:<{_TEXT_WIDTH}}  {_number(value)}"


def _moment(time: int) -> str:
    return format_timestamp(time, GMT)[:_SECONDS]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"
