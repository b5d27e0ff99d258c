"""The page of a file over time: the lags of a heartbeat path, else the volume; with a heading and a cursor line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from logdump.display.text import PARTIAL
from logdump.features.bounded_recovery.model import LongTransactionShown
from logdump.features.bounded_recovery.text import checkpoint_lines, end_lines, long_lines, recovery_lines
from logdump.features.heartbeat.lags import HOPS
from logdump.features.heartbeat.model import Gap
from logdump.features.heartbeat.text import LABELS, accuracy_mark, route_text
from logdump.features.timeline.open_transactions import BrRefusal, OpenTransactions
from logdump.features.timeline.timeline import BeatPoint, Timeline, WayTimeline, most_delayed
from logdump.features.timeline.volume import Volume
from logdump.notation.text import amount
from logdump.notation.times import TimeOffset, duration_text, format_timestamp, seconds_text
from logdump.session.settings import Settings
from logdump.tui.text.plot import Band, Plot, PlotPoint, TimelinePage, TimeScale, label_width, plot_lines, times_line
from logdump.tui.text.styled import Glyphs, Line, Piece, cut_to, fit, harmless, line, wrapped

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_SECOND = 1_000_000
HIGH = 14
"""Number of rows from which on the heading may take several."""


def timeline_page(
    timeline: Timeline,
    way: int,
    moment: int | None,
    size: tuple[int, int],
    zone: TimeOffset,
    glyphs: Glyphs,
    partial: str = "",
) -> TimelinePage:
    """Return the page in ``size`` cells, with the cursor at a moment, None: at the end.

    ``partial`` says what has not been read: the page then has findings and no verdict.
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
    index = plot.point_at(moment)
    about = Line(((harmless(heading, glyphs), "strong"),))
    about = about if height >= HIGH else Line(cut_to(about.pieces, width, glyphs.cut))
    above = [*first, *wrapped(about, width), *wrapped(line(_about(plot, index, zone)), width)]
    lines = above + plot_lines(plot, index, width, height - len(above), glyphs)
    return TimelinePage(lines, plot.points, index, label_width(plot.bands, width))


def _no_heartbeat(timeline: Timeline, partial: str) -> str:
    if partial:
        return "Records and bytes read,"
    where = "that passes the filter" if timeline.is_filtered else "in this file"
    return f"No heartbeat{' that decodes' if timeline.undecoded else ''} {where}. Records and bytes"


def _heading(timeline: Timeline, way: WayTimeline, *, is_partial: bool) -> str:
    mark = accuracy_mark(is_exact=way.is_interval_exact)
    every = f" every {mark}{seconds_text(way.interval)} s" if way.interval is not None else ""
    missing = f", {way.missing} missing" if way.missing else ""
    age = "" if is_partial else f", newest {duration_text(timeline.age(way))} old"
    return f"{amount(way.beats, 'beat')}{every}{missing}{age}: {route_text(*way[:3])}"


def _about(plot: Plot, index: int, zone: TimeOffset) -> str:
    """Return the line about the point under the cursor: its time, its record, its values."""
    point = plot.points[index]
    values = ", ".join(
        f"{band.label.lower()} {band.text(value)}"
        for band, value in zip(plot.bands, point.values, strict=True)
        if value is not None
    )
    return f"{format_timestamp(point.time, zone)} RBA {point.rba}: {values or 'no lag known'}"


def _seconds(microseconds: int) -> str:
    return f"{seconds_text(microseconds)} s"


def _interval_text(microseconds: int) -> str:
    """Return an interval in its largest whole unit: ``5 min``."""
    seconds = microseconds // _SECOND
    return next(f"{seconds // size} {unit}" for size, unit in _UNITS if seconds % size == 0)


def lag_plot(way: WayTimeline, width: int, zone: TimeOffset) -> Plot:
    """Return a plot with a band for each known lag of a path; a beat lasts to the next one, or to the gap before it."""
    hops = [hop for hop in range(len(HOPS)) if any(beat.lags[hop] is not None for beat in way.points)]
    bands = tuple(_lag_band(list(HOPS)[hop], [beat.lags[hop] for beat in way.points]) for hop in hops)
    columns = max(1, width - label_width(bands, width))
    scale = TimeScale(way.points[0].time, way.points[-1].time + (way.interval or 1), columns)
    gaps, blank = _gap_columns([gap for gap in way.gaps if gap.before is not None], way.interval or 1, scale)
    drawn: dict[int, list[BeatPoint]] = {}
    for beat in way.points:
        drawn.setdefault(scale.column(beat.time), []).append(beat)
    points = []
    for first, following in pairwise((*drawn, columns)):
        beat = most_delayed(drawn[first])
        end = next((column for column in range(first + 1, following) if column in blank), following)
        lags, since = tuple(beat.lags[hop] for hop in hops), drawn[first][0].time
        points.append(PlotPoint(first, end, beat.time, beat.rba, lags, since=since))
    ends = way.points[0].time, way.points[-1].time
    return Plot(bands, tuple(points), gaps, end_times(ends, zone))


def _lag_band(name: str, lags: Sequence[int | None]) -> Band:
    known = [lag for lag in lags if lag is not None]
    return Band(LABELS[name], _seconds, min(known), max(known))


def _gap_columns(gaps: Sequence[Gap], interval: int, scale: TimeScale) -> tuple[frozenset[int], frozenset[int]]:
    """Return the columns in which beats are missing, and those of them that have no beat."""
    missing: set[int] = set()
    blank: set[int] = set()
    for gap in gaps:
        after, before = scale.column(gap.after.time), scale.column(gap.end)
        empty = range(max(after + 1, scale.column(gap.after.time + interval)), before)
        blank.update(empty)
        missing.update(empty or (before,))
    return frozenset(missing), frozenset(blank)


def end_times(ends: tuple[int, int], zone: TimeOffset) -> tuple[str, str]:
    """Return the texts at both ends of the time axis, to the second."""
    begin, end = (format_timestamp(time, zone)[:19] for time in ends)
    return begin, end


def _fitting(volume: Volume, width: int) -> Volume:
    """Return the volume in at most as many intervals as there are columns beside the labels."""
    while volume.number > (columns := max(2, width - label_width(volume_bands(volume), width))):
        volume = volume.at_most(columns)
    return volume


def volume_bands(volume: Volume) -> tuple[Band, ...]:
    """Return the bands of records and of their bytes."""
    return tuple(
        Band(label, lambda number: f"{number:,}", 0, max(values))
        for label, values in (
            ("Records", [interval.records for interval in volume.intervals]),
            ("Bytes", [interval.data_bytes for interval in volume.intervals]),
        )
    )


def volume_plot(volume: Volume, width: int, zone: TimeOffset) -> Plot:
    """Return bars for the records and bytes of each interval, as wide as there is room for."""
    bands = volume_bands(volume)
    cells = max(1, (width - label_width(bands, width)) // volume.number)
    origin = volume.intervals[0].start
    points = []
    for interval in volume.intervals:
        first = (interval.start - origin) // volume.interval * cells
        points.append(
            PlotPoint(first, first + cells, interval.start, interval.rba, (interval.records, interval.data_bytes))
        )
    ends = origin, volume.intervals[-1].start + volume.interval
    return Plot(bands, tuple(points), frozenset(), end_times(ends, zone))


_CHECKPOINT = "Checkpoint "
_RESTART = "R"
_SPAN_STYLES = ("dim", "bracket1", "update")
"""Styles of a bar: possibly open, open, written to disk."""
_BELOW = 2
"""Number of rows below the bars: checkpoints and times."""
_FEW = 2
"""Number of heading lines that are always shown: the number of long transactions, and the assumptions."""
_WANTED = 8
"""Number of bars that take precedence over the other lines of the heading."""


def open_transactions_page(
    open_transactions: OpenTransactions | BrRefusal | None,
    bar: int,
    size: tuple[int, int],
    settings: Settings,
    glyphs: Glyphs,
    partial: str = PARTIAL,
) -> TimelinePage:
    """Return the page in ``size`` cells; ``bar`` is the number of the end under the cursor, two for each transaction.

    ``partial`` says what has not been read; it is the first line if nothing is known or the findings are partial.
    """
    width, height = size
    if open_transactions is None:
        text = "The trail is being read for its open transactions." if partial == PARTIAL else partial
        return TimelinePage([line(text, "dim" if partial == PARTIAL else "warn")])
    if isinstance(open_transactions, BrRefusal):
        return TimelinePage([line(text) for text in open_transactions.lines])
    if not open_transactions.transactions:
        return TimelinePage(_lines_about_all(open_transactions, partial, settings, glyphs))
    bar = max(0, min(bar, 2 * len(open_transactions.transactions) - 1))
    chart = _Chart(open_transactions, bar, width, settings, glyphs)
    about = chart.about_cursor(is_high=height >= HIGH)
    least = min(_WANTED, len(open_transactions.transactions)) + _BELOW + len(about)
    above = [
        *_shortened_heading(
            _lines_about_all(open_transactions, partial, settings, glyphs), width, height, least, glyphs
        ),
        *about,
    ]
    lines = chart.lines(max(1, height - len(above) - _BELOW))
    return TimelinePage([*above, *lines], chart.points(len(above)), bar, chart.labels)


def _lines_about_all(
    open_transactions: OpenTransactions, partial: str, settings: Settings, glyphs: Glyphs
) -> list[Line]:
    """Return the heading: the number of long transactions, the assumptions, then the other lines of BR."""
    first = end_lines(open_transactions.end, settings) if open_transactions.end is not None else (partial or PARTIAL,)
    texts = *first, *recovery_lines(open_transactions.shown, settings)
    return [line(harmless(text, glyphs), "" if index else "strong") for index, text in enumerate(texts)]


def _shortened_heading(lines: list[Line], width: int, height: int, least: int, glyphs: Glyphs) -> list[Line]:
    """Return the heading, whole if ``least`` rows remain; else its first two lines, cut to a row each on a low page."""
    rows = [row for line in lines for row in wrapped(line, width)]
    if len(rows) + least <= height:
        return rows
    if height < HIGH:
        return [_cut(line, width, glyphs) for line in lines[:_FEW]]
    return [row for line in lines[:_FEW] for row in wrapped(line, width)]


def _cut(line: Line, width: int, glyphs: Glyphs) -> Line:
    return Line(cut_to(line.pieces, width, glyphs.cut))


class _Chart:
    """The bars of the transactions, and the lines about the cursor."""

    def __init__(
        self, open_transactions: OpenTransactions, bar: int, width: int, settings: Settings, glyphs: Glyphs
    ) -> None:
        self._open, self._settings, self._glyphs, self._width = open_transactions, settings, glyphs, width
        self._at, self._is_end = divmod(bar, 2)
        names = (transaction.began.xid or "" for transaction in open_transactions.transactions)
        self.labels = min(max(len(_CHECKPOINT), *(len(name) + 1 for name in names)), width // 3)
        start = min(_earliest(transaction) for transaction in open_transactions.transactions)
        self._end = max(
            transaction.began.end or transaction.began.high for transaction in open_transactions.transactions
        )
        self._scale = TimeScale(start, self._end + 1, max(1, width - self.labels))
        self._first = self._room = 0
        current = open_transactions.transactions[self._at].began
        self._moment = current.high if not self._is_end or current.end is None else current.end

    def about_cursor(self, *, is_high: bool) -> list[Line]:
        """Return the lines about the transaction under the cursor and the checkpoint before it."""
        shown = self._open.transactions[self._at]
        (text,) = long_lines(shown, self._settings)
        position = shown.began.last_position
        if self._is_end and position is not None:
            text += f"; last record RBA {position.rba} of {harmless(position.path.name, self._glyphs)}"
        about = line(text.strip())
        lines = wrapped(about, self._width) if is_high else [_cut(about, self._width, self._glyphs)]
        checkpoint = self._open.checkpoint_before(self._moment)
        if checkpoint is None:
            return lines
        return lines + [
            row
            for checkpoint_line in checkpoint_lines(checkpoint, self._settings)
            for row in wrapped(line(checkpoint_line), self._width)
        ]

    def lines(self, room: int) -> list[Line]:
        """Return the bars around the cursor that fit in ``room`` rows, the line of checkpoints, and the times."""
        transactions = self._open.transactions
        self._first = max(0, min(self._at - room // 2, len(transactions) - room))
        self._room = room
        ticks = self._ticks()
        shown = enumerate(transactions[self._first : self._first + room], self._first)
        bars = [self._bar_line(transaction, ticks, is_current=index == self._at) for index, transaction in shown]
        restart = self._open.restart_before(self._moment)
        marks = self._blank(ticks)
        if restart is not None:
            marks[self._scale.column(restart.time)] = (_RESTART, "warn")
        times = end_times((self._scale.start, self._end), self._settings.time_offset)
        label = fit(_CHECKPOINT, self.labels, self._glyphs), "dim"
        return [*bars, Line((label, *_joined(marks))), times_line(times, self.labels, self._width, self._glyphs)]

    def points(self, above: int) -> tuple[PlotPoint, ...]:
        """Return both ends of each transaction; those of visible bars have a row, counted from the top of the page."""
        points = []
        for index, began in enumerate(shown.began for shown in self._open.transactions):
            is_shown = self._first <= index < self._first + self._room
            row = above + index - self._first if is_shown else None
            ends = (
                (began.high, began.position),
                (began.high if began.end is None else began.end, began.last_position or began.position),
            )
            for moment, position in ends:
                column, (path, rba) = self._scale.column(moment), position or (None, 0)
                points.append(PlotPoint(column, column + 1, moment, rba, path=path, row=row))
        return tuple(points)

    def _ticks(self) -> frozenset[int]:
        """Return the columns of checkpoints; none if there are more than half as many as columns."""
        grid, scale = self._open.grid, self._scale
        if grid is None:
            return frozenset()
        numbers = range(max(0, grid.number_at(scale.start - 1) + 1), grid.number_at(self._end) + 1)
        many = len(numbers) > scale.columns // 2
        return frozenset() if many else frozenset(scale.column(grid.time(number)) for number in numbers)

    def _blank(self, ticks: frozenset[int]) -> list[Piece]:
        return [(self._glyphs.divider if column in ticks else " ", "dim") for column in range(self._scale.columns)]

    def _bar_line(self, transaction: LongTransactionShown, ticks: frozenset[int], *, is_current: bool) -> Line:
        cells, column = self._blank(ticks), self._scale.column
        for (first, end), glyph, style in zip(self._spans(transaction), self._glyphs.spans, _SPAN_STYLES, strict=False):
            cells[column(first) : column(end) + 1] = [(glyph, style)] * (column(end) + 1 - column(first))
        if is_current:
            cursor = column(self._moment)
            cells[cursor] = (cells[cursor][0], "cursor")
        label = fit(transaction.began.xid or "", self.labels - 1, self._glyphs) + " "
        return Line(((label, "strong" if is_current else "dim"), *_joined(cells)))

    def _spans(self, transaction: LongTransactionShown) -> Iterator[tuple[int, int]]:
        """Yield the ranges of time in which it was possibly open, open, and on disk, if it was written there."""
        began, end = transaction.began, self._end if transaction.began.end is None else transaction.began.end
        yield _earliest(transaction), began.high
        yield began.high, end
        grid = self._open.grid
        persisted = grid.persisted_from(began) if grid is not None else None
        if persisted is not None:
            yield persisted, end


def _earliest(transaction: LongTransactionShown) -> int:
    """Return the earliest time at which the transaction may have begun."""
    return transaction.began.high if transaction.began.low is None else transaction.began.low


def _joined(cells: Sequence[Piece]) -> tuple[Piece, ...]:
    """Merge neighbours of one style."""
    return tuple(("".join(text for text, _ in run), style) for style, run in groupby(cells, key=itemgetter(1)))
