"""The page of a file over time: a way's lags, or else its volume, under a line about them and one about the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from logdump.features.heartbeat.lags import HOPS
from logdump.features.heartbeat.model import Gap
from logdump.features.heartbeat.text import LABELS, accuracy_mark, route_text
from logdump.features.timeline.timeline import BeatPoint, Timeline, WayTimeline, most_delayed
from logdump.features.timeline.volume import Volume
from logdump.notation.text import amount
from logdump.notation.times import TimeOffset, duration_text, format_timestamp, seconds_text
from logdump.tui.text.cells import harmless
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.plot import Band, Plot, PlotPoint, TimelinePage, TimeScale, label_width, plot_lines
from logdump.tui.text.styled import Line, cut_to, line, wrapped

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_SECOND = 1_000_000
HIGH = 14
"""The rows from which on the heading may take several."""


def timeline_page(
    timeline: Timeline,
    way: int,
    moment: int | None,
    size: tuple[int, int],
    zone: TimeOffset,
    glyphs: Glyphs,
    partial: str = "",
) -> TimelinePage:
    """The page in ``size`` cells, with the cursor at a moment; without one at the end.

    ``partial`` says what has not been read: then there are findings, and no verdict.
    """
    width, height = size
    first = [row for text in [partial] * bool(partial) for row in wrapped(line(text, "warn"), width)]
    if timeline.ways:
        shown = timeline.ways[way]
        heading, plot = _heading(timeline, shown, is_partial=bool(partial)), lag_plot(shown, width, zone)
    elif timeline.volume is not None and timeline.volume.intervals:
        volume = _fitting(timeline.volume, width)
        heading = f"{_no_heartbeat(timeline, partial)} per {_interval_text(volume.interval)}"
        plot = volume_plot(volume, width, zone)
    else:
        return TimelinePage([*first, line("Nothing with a time has been found yet.", "dim")])
    at = plot.point_at(moment)
    about = Line(((harmless(heading, glyphs), "strong"),))
    about = about if height >= HIGH else Line(cut_to(about.pieces, width, glyphs.cut))
    above = [*first, *wrapped(about, width), *wrapped(line(_about(plot, at, zone)), width)]
    lines = above + plot_lines(plot, at, width, height - len(above), glyphs)
    return TimelinePage(lines, plot.points, at, label_width(plot.bands, width))


def _no_heartbeat(timeline: Timeline, partial: str) -> str:
    if partial:
        return "What was read holds"
    where = "that passes the filter" if timeline.is_filtered else "in this file"
    return f"No heartbeat{' that decodes' if timeline.undecoded else ''} {where}: what it holds"


def _heading(timeline: Timeline, way: WayTimeline, *, is_partial: bool) -> str:
    mark = accuracy_mark(is_exact=way.is_interval_exact)
    every = f" every {mark}{seconds_text(way.interval)} s" if way.interval is not None else ""
    missing = f", {way.missing} missing" if way.missing else ""
    age = "" if is_partial else f", newest {duration_text(timeline.age(way))} old"
    return f"{amount(way.beats, 'beat')}{every}{missing}{age}: {route_text(*way[:3])}"


def _about(plot: Plot, at: int, zone: TimeOffset) -> str:
    """The point under the cursor: its time, its record, its values."""
    point = plot.points[at]
    values = ", ".join(
        f"{band.label.lower()} {band.text(value)}"
        for band, value in zip(plot.bands, point.values, strict=True)
        if value is not None
    )
    return f"{format_timestamp(point.time, zone)} RBA {point.rba}: {values or 'no lag known'}"


def _seconds(microseconds: int) -> str:
    return f"{seconds_text(microseconds)} s"


def _interval_text(microseconds: int) -> str:
    """``5 min``: in the largest unit that it is a multiple of."""
    seconds = microseconds // _SECOND
    return next(f"{seconds // size} {unit}" for size, unit in _UNITS if seconds % size == 0)


def lag_plot(way: WayTimeline, width: int, zone: TimeOffset) -> Plot:
    """A band for each lag that is known of a way; a beat reaches to the next one, or to the gap before it."""
    hops = [at for at in range(len(HOPS)) if any(beat.lags[at] is not None for beat in way.points)]
    bands = tuple(_lag_band(list(HOPS)[at], [beat.lags[at] for beat in way.points]) for at in hops)
    columns = max(1, width - label_width(bands, width))
    scale = TimeScale(way.points[0].time, way.points[-1].time + (way.interval or 1), columns)
    gaps, blank = _gap_columns(way.gaps, way.interval or 1, scale)
    drawn: dict[int, list[BeatPoint]] = {}
    for beat in way.points:
        drawn.setdefault(scale.column(beat.time), []).append(beat)
    points = []
    for first, following in pairwise((*drawn, columns)):
        beat = most_delayed(drawn[first])
        end = next((at for at in range(first + 1, following) if at in blank), following)
        lags, since = tuple(beat.lags[at] for at in hops), drawn[first][0].time
        points.append(PlotPoint(first, end, beat.time, beat.rba, lags, since=since))
    ends = way.points[0].time, way.points[-1].time
    return Plot(bands, tuple(points), gaps, end_times(ends, zone))


def _lag_band(name: str, lags: Sequence[int | None]) -> Band:
    known = [lag for lag in lags if lag is not None]
    return Band(LABELS[name], _seconds, min(known), max(known))


def _gap_columns(gaps: Sequence[Gap], interval: int, scale: TimeScale) -> tuple[frozenset[int], frozenset[int]]:
    """The columns in which a beat is missing, and those of them without any."""
    missing: set[int] = set()
    blank: set[int] = set()
    for gap in gaps:
        after, before = scale.column(gap.after.time), scale.column(gap.before.time)
        empty = range(max(after + 1, scale.column(gap.after.time + interval)), before)
        blank.update(empty)
        missing.update(empty or (before,))
    return frozenset(missing), frozenset(blank)


def end_times(ends: tuple[int, int], zone: TimeOffset) -> tuple[str, str]:
    """The texts for both ends of the time."""
    begin, end = (format_timestamp(time, zone)[:19] for time in ends)
    return begin, end


def _fitting(volume: Volume, width: int) -> Volume:
    """The volume in as few intervals as there are columns beside the labels."""
    while volume.number > (columns := max(2, width - label_width(volume_bands(volume), width))):
        volume = volume.at_most(columns)
    return volume


def volume_bands(volume: Volume) -> tuple[Band, ...]:
    """The bands of records and of their bytes."""
    return tuple(
        Band(label, lambda number: f"{number:,}", 0, max(values))
        for label, values in (
            ("Records", [one.records for one in volume.intervals]),
            ("Bytes", [one.data_bytes for one in volume.intervals]),
        )
    )


def volume_plot(volume: Volume, width: int, zone: TimeOffset) -> Plot:
    """Bars for the records and bytes of each interval, each as wide as there is room for."""
    bands = volume_bands(volume)
    cells = max(1, (width - label_width(bands, width)) // volume.number)
    origin = volume.intervals[0].start
    points = []
    for one in volume.intervals:
        first = (one.start - origin) // volume.interval * cells
        points.append(PlotPoint(first, first + cells, one.start, one.rba, (one.records, one.data_bytes)))
    ends = origin, volume.intervals[-1].start + volume.interval
    return Plot(bands, tuple(points), frozenset(), end_times(ends, zone))
