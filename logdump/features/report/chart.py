"""A chart as SVG, of bars or lines, or as text, always of bars."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as quoted
from typing import NamedTuple

from logdump.features.report.model import ReportChart, ReportSeries
from logdump.notation.times import GMT, format_timestamp

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 760, 180, 70, 10, 24
_COLOURS = ("#1f6f8b", "#c0562f", "#5b7f3a", "#7a5195", "#8a6d1d", "#555555")
MOST_SERIES = len(_COLOURS)
"""Maximum number of series in a chart."""
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
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    yield f"<title>{quoted(chart.title)}</title>"
    yield from _axes(chart, scale)
    for number, series in enumerate(chart.series):
        colour = _COLOURS[number % MOST_SERIES]
        yield from _bars(series, chart.interval, scale, colour) if chart.interval else _line(series, scale, colour)
    yield "</svg>"


def _axes(chart: ReportChart, scale: _Scale) -> Iterator[str]:
    low, right = _HEIGHT - _BOTTOM, _WIDTH - 10
    yield f'<path d="M{_LEFT} {_TOP}V{low}H{right}" fill="none" stroke="#888"/>'
    for value in (scale.greatest, 0.0):
        y = scale.y(value) + 4
        yield f'<text x="{_LEFT - 6}" y="{y:.1f}" text-anchor="end">{_number(value)}</text>'
    yield f'<text x="{_LEFT - 6}" y="{(_TOP + low) / 2:.1f}" text-anchor="end">{quoted(chart.unit)}</text>'
    yield f'<text x="{_LEFT}" y="{_HEIGHT - 6}">{_moment(scale.first)}</text>'
    yield f'<text x="{right}" y="{_HEIGHT - 6}" text-anchor="end">{_moment(scale.last)}</text>'


def _bars(series: ReportSeries, interval: int, scale: _Scale, colour: str) -> Iterator[str]:
    low = _HEIGHT - _BOTTOM
    for time, value in series.points:
        x, y = scale.x(time), scale.y(value)
        width = max(scale.x(time + interval) - x - 0.5, 0.5)
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{low - y:.1f}" fill="{colour}">'
            f"<title>{_moment(time)}: {_number(value)}</title></rect>"
        )


def _line(series: ReportSeries, scale: _Scale, colour: str) -> Iterator[str]:
    places = " ".join(f"{scale.x(time):.1f},{scale.y(value):.1f}" for time, value in series.points)
    yield f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for time, value in series.points:
        yield (
            f'<circle cx="{scale.x(time):.1f}" cy="{scale.y(value):.1f}" r="2" fill="{colour}">'
            f"<title>{_moment(time)}: {_number(value)}</title></circle>"
        )


def legend(chart: ReportChart) -> list[tuple[str, str]]:
    """Return the colour and the name of each series."""
    return [(_COLOURS[number % MOST_SERIES], series.name) for number, series in enumerate(chart.series)]


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
