"""The results of HEARTBEAT as text: the lag of each hop of each path, beat by beat or added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logdump.display.text import Renderers, as_read
from logdump.features.heartbeat.model import (
    BeatGapShown,
    BeatIntervalShown,
    BeatShown,
    Clock,
    HeartbeatRowShown,
    HeartbeatsShown,
    PathLag,
    PathLagShown,
    RestartPositionShown,
    SpreadSummary,
    way_text,
)
from logdump.notation.text import amount
from logdump.notation.times import duration_text, format_timestamp, seconds_text
from logdump.session.settings import Settings
from trailformat.trail.sequence import FilePosition

LABELS = {
    "extract_lag": "Extract lag",
    "routing_lag": "Routing lag",
    "replicat_read_lag": "Read lag",
    "replicat_lag": "Replicat lag",
    "total_lag": "Total lag",
}
"""Labels of the lags, in the order of the hops."""
_NOT_TOLD = {
    "replicat_read_lag": "unknown: no row of the target in this trail",
}
_CLOCKS = {
    Clock.TRAIL: "the newest time in the trail",
    Clock.GIVEN: "as given",
    Clock.NOW: "now, by this machine",
}


def heartbeats_lines(shown: HeartbeatsShown, settings: Settings) -> Iterator[str]:
    """Yield the summary and its notes."""
    partial = as_read(is_partial=shown.is_partial)
    if not shown.beats:
        yield from () if shown.is_partial else (f"No heartbeats found{_named_so(shown)}.",)
    else:
        times = " to ".join(
            format_timestamp(moment, settings.time_offset) for moment in (shown.first, shown.last) if moment is not None
        )
        yield (
            f"Heartbeats of {', '.join(shown.tables)}{partial}: {amount(shown.beats, 'beat')}, "
            f"{amount(shown.paths, 'path')}, {times}"
        )
    if shown.others:
        yield f"{amount(shown.others, 'beat')} of other paths are not listed one by one."
    for name in shown.not_beats:
        yield f"{name} has no time of a beat among its columns: left out."
    if shown.same_database:
        yield "A row names one database on both sides: GoldenGate leaves its OUTGOING_ columns empty."
    if shown.problems:
        yield f"{amount(shown.problems, 'row')} with values that do not decode: HEARTBEAT ROWS shows them."
    if shown.damaged:
        yield f"Damage at {amount(shown.damaged, 'place')}, see CHECK: beats there are not known."
    if shown.not_applied:
        rows = amount(shown.not_applied, "row")
        yield f"{rows} of transactions that a Replicat does not apply, left out: RECOVERY lists them."
    if shown.deleted:
        yield f"{amount(shown.deleted, 'row')} of the history deleted in this trail."
    if shown.purged is not None:
        yield f"{amount(shown.purged, 'row')} of the history would be removed by a purge at that time."


def _named_so(shown: HeartbeatsShown) -> str:
    """Return the name of the tables for a message, empty unless a parameter file gives it."""
    if shown.rule is None:
        return ""
    return f": the tables are {shown.base}, {shown.rule.path.name} line {shown.rule.line}"


def path_lines(shown: PathLagShown, settings: Settings) -> Iterator[str]:
    """Yield the lines of one path: the lag of each hop, the age of the last beat, the gaps."""
    lag = shown.lag
    yield route_text(lag.source, lag.target, lag.way)
    last = format_timestamp(lag.last.heartbeat_ts, settings.time_offset)
    yield _line("Last beat", f"{last}, {_place(lag.last.row.position)}")
    if not shown.is_partial:
        moment = format_timestamp(shown.at, settings.time_offset)
        yield _line("Age", f"{seconds_text(lag.age)} s at {moment}, {_CLOCKS[shown.at_source]}")
    for name, label in LABELS.items():
        summary = lag.hops.get(name)
        if summary is not None:
            end = _end_of_total(lag) if name == "total_lag" else ""
            yield _line(label, f"{_summary(summary)}{end}")
        elif name in _NOT_TOLD and lag.hops.get("replicat_lag") is None and not shown.is_partial:
            yield _line("Replicat", _NOT_TOLD[name])
    yield from _restart_lines(shown, settings)
    if lag.gaps or not shown.is_partial:
        yield _line("Missing", _missing(lag))
    if lag.negative:
        yield _line("Negative", f"{amount(lag.negative, 'lag')}: the clocks differ")


def _end_of_total(lag: PathLag) -> str:
    """Return where the total ends, empty if it ends at the row in the target."""
    if not lag.is_apply_unknown:
        return ""
    return ", to Replicat" if lag.hops.get("replicat_lag") is None else ", of some beats to Replicat only"


def _restart_lines(shown: PathLagShown, settings: Settings) -> Iterator[str]:
    beat, age = shown.lag.last, shown.oldest_open_age
    if age is not None and beat.restart_ts is not None:
        redo = format_timestamp(beat.restart_ts, settings.time_offset)
        csn = f"at CSN {beat.restart_csn}, " if beat.restart_csn else "at "
        yield _line(
            "Oldest open", f"{duration_text(age)} then: at the last beat Extract would start again {csn}redo of {redo}"
        )
    if beat.low_watermark_csn is not None:
        yield _line("Low watermark", f"CSN {beat.low_watermark_csn} at the last beat")


def restart_position_lines(shown: RestartPositionShown, settings: Settings) -> Iterator[str]:
    """Yield the lines of one path: the low watermark, the restart position and the beat that has it."""
    yield route_text(shown.source, shown.target, shown.way)
    if shown.low_watermark is None:
        yield _line("Low watermark", "unknown: no beat in this trail has it; give it with LWM <csn>")
        return
    origin = "as given" if shown.is_given else "at the last beat"
    yield _line("Low watermark", f"CSN {shown.low_watermark}, {origin}")
    beat = shown.beat
    if beat is None:
        yield _line("Restart", f"unknown: none of {amount(shown.beats, 'beat')} with a restart CSN is at or below it")
        return
    redo = f", redo of {format_timestamp(beat.restart_ts, settings.time_offset)}" if beat.restart_ts is not None else ""
    least = "" if shown.is_exact else ", or later: not all beats were kept"
    yield _line("Restart", f"Extract from CSN {beat.restart_csn}{redo}{least}")
    time = format_timestamp(beat.heartbeat_ts, settings.time_offset)
    yield _line("Source", f"the beat of {time}, CSN {beat.heartbeat_csn}, {_place(beat.row.position)}")


def beat_lines(shown: BeatShown, settings: Settings) -> Iterator[str]:
    """Yield the line of a beat: its time, its path, the lag of each hop."""
    beat = shown.beat
    time = format_timestamp(beat.heartbeat_ts, settings.time_offset)
    lags = _lags((name, getattr(beat.lags, name)) for name in LABELS)
    yield f"{time} {way_text(beat.way) or '(no process known)'} {lags}, {_place(beat.row.position)}"


def interval_lines(shown: BeatIntervalShown, settings: Settings) -> Iterator[str]:
    """Yield the line of an interval of a path: least, median and greatest lag of each hop."""
    time, lag = format_timestamp(shown.start, settings.time_offset), shown.lag
    hops = "; ".join(
        f"{LABELS[name].lower()} {' / '.join(map(seconds_text, (hop.least, hop.median, hop.greatest)))} s"
        for name, hop in lag.hops.items()
        if hop is not None
    )
    yield f"{time} {way_text(lag.way) or '(no process known)'} {amount(lag.beats, 'beat')}, {hops or 'no lag known'}"


def row_lines(shown: HeartbeatRowShown, settings: Settings) -> Iterator[str]:
    """Yield the lines of a row: its position, then its columns."""
    row = shown.row
    yield f"{_place(row.position)}: {row.op} {row.table}, stage {shown.stage}, CSN {row.csn or 'not known'}"
    for name, value in row.columns.items():
        text = format_timestamp(value, settings.time_offset) if isinstance(value, int) else value
        yield f"  {name:<26} {text}"
    for name, value in row.other.items():
        yield f"  {name:<26} {value}"
    for problem in row.problems:
        yield f"  {problem}"


def gap_lines(shown: BeatGapShown, settings: Settings) -> Iterator[str]:
    """Yield the line of a gap: its path, the missing beats, and the beats around it."""
    gap, lag = shown.gap, shown.lag
    after, end = (format_timestamp(time, settings.time_offset) for time in (gap.after.time, gap.end))
    before = f"before {end}, {_place(gap.before.position)}" if gap.before is not None else f"none has come by {end}"
    yield (
        f"{route_text(lag.source, lag.target, lag.way)}: {amount(gap.beats, 'beat')} missing "
        f"after {after}, {_place(gap.after.position)}, {before}"
    )


def accuracy_mark(*, is_exact: bool) -> str:
    """Return the mark before a value: empty if it is exact, ``~`` if it is exact to one per cent."""
    return "" if is_exact else "~"


def _summary(summary: SpreadSummary) -> str:
    mark = accuracy_mark(is_exact=summary.is_exact)
    return (
        f"last {seconds_text(summary.last)} s, least {seconds_text(summary.least)}, "
        f"median {mark}{seconds_text(summary.median)}, 95 % {mark}{seconds_text(summary.p95)}, "
        f"greatest {seconds_text(summary.greatest)} at {_place(summary.greatest_at)}"
    )


def _lags(lags: Iterator[tuple[str, int | None]]) -> str:
    known = [f"{LABELS[name].lower()} {seconds_text(lag)} s" for name, lag in lags if lag is not None]
    return ", ".join(known) or "no lag known"


def _missing(lag: PathLag) -> str:
    if lag.interval is None:
        return "not known: a single beat"
    every = f"one every {accuracy_mark(is_exact=lag.is_interval_exact)}{seconds_text(lag.interval)} s"
    if not lag.gaps:
        return f"none ({every})"
    return f"{amount(lag.missing, 'beat')} in {amount(len(lag.gaps), 'gap')} ({every}): HEARTBEAT GAPS lists them"


def route_text(source: str | None, target: str | None, names: Iterable[str]) -> str:
    """Return the databases of a path and the processes between them."""
    databases = f"{source or '(source unknown)'} => {target or '(target unknown)'}"
    return f"{databases}   {way_text(names) or '(no process known)'}"


def _place(position: FilePosition) -> str:
    return f"RBA {position.rba} of {position.path}"


def _line(label: str, text: str) -> str:
    return f"  {label:<14} {text}"


LINES: Renderers = {
    HeartbeatsShown: heartbeats_lines,
    PathLagShown: path_lines,
    RestartPositionShown: restart_position_lines,
    BeatShown: beat_lines,
    BeatIntervalShown: interval_lines,
    HeartbeatRowShown: row_lines,
    BeatGapShown: gap_lines,
}
