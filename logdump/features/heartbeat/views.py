"""Heartbeats as shown by HEARTBEAT, and as rows of the tables and views that Oracle has in a target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from logdump.arrow.records.schema import RowColumn
from logdump.features.heartbeat import columns
from logdump.features.heartbeat.beats import NewBeats, beats_of
from logdump.features.heartbeat.json import HEARTBEAT
from logdump.features.heartbeat.lags import Lags
from logdump.features.heartbeat.model import BeatShown, HeartbeatRow
from logdump.tables.analysis import Analysis
from logdump.tables.heartbeat_tables import BASE_NAME
from logdump.tables.named_files import definitions_of
from trailformat import BadRecord, TrailFile
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.features.heartbeat import reading
    from logdump.session import effective_rows

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row
    from logdump.features.heartbeat.reading import HeartbeatReader
    from logdump.tables.analysed_trail import AnalysedTrail

_TAKES = frozenset({"where", "start_csn", "end_csn", "start_timestamp", "end_timestamp"})


def _reader(trail: AnalysedTrail) -> HeartbeatReader:
    def damaged(file: TrailFile, rba: int) -> None:
        trail.damaged(file.error_at(rba) or BadRecord("no sound record"), file.path, rba)

    base = trail.options.heartbeat_table or BASE_NAME
    ranges = effective_rows.NotAppliedByFile(trail.whole)
    return reading.HeartbeatReader(
        lambda file: definitions_of(file, trail.options), base, trail.selection, damaged, ranges.of
    )


def _rows(trail: AnalysedTrail, reader: HeartbeatReader) -> Iterator[HeartbeatRow]:
    for file in trail.open():
        yield from (item for item in reader.rows(file) if isinstance(item, HeartbeatRow))


def _beats(trail: AnalysedTrail) -> Iterator[Row]:
    """Yield the beats that HEARTBEAT HISTORY shows."""
    new = NewBeats()
    for row in _rows(trail, _reader(trail)):
        yield from (HEARTBEAT.build(BeatShown(beat)) for beat in new.of(row))
    yield from (HEARTBEAT.build(BeatShown(beat)) for beat in new.rest())


def _lag(trail: AnalysedTrail) -> Iterator[Row]:
    reader, lags = _reader(trail), Lags()

    def noted() -> Iterator[HeartbeatRow]:
        for row in _rows(trail, reader):
            for beat in beats_of(row):
                lags.note(*beat.moments)
            yield row
        lags.note(reader.newest)

    yield from columns.lag(noted(), lambda: lags.newest)


def _made_of_rows(make: Callable[[Iterable[HeartbeatRow]], Iterable[Row]], trail: AnalysedTrail) -> Iterator[Row]:
    yield from make(_rows(trail, _reader(trail)))


def _analysis(
    name: str, meaning: str, row_columns: tuple[RowColumn, ...], rows: Callable[[AnalysedTrail], Iterator[Row]]
) -> Analysis:
    return Analysis(name, meaning, row_columns, rows, _TAKES)


VIEWS = (
    _analysis("heartbeats", "each heartbeat on its way, with the lag of each hop", columns.BEATS, _beats),
    _analysis(
        "gg_heartbeat",
        "each pair of paths in Oracle's table GG_HEARTBEAT: its newest beat",
        columns.GG_HEARTBEAT,
        partial(_made_of_rows, columns.heartbeat),
    ),
    _analysis(
        "gg_heartbeat_history",
        "each row of Oracle's table GG_HEARTBEAT_HISTORY, also of those that were purged",
        columns.GG_HEARTBEAT_HISTORY,
        partial(_made_of_rows, columns.heartbeat_history),
    ),
    _analysis("gg_lag", "each row of Oracle's view GG_LAG", columns.GG_LAG, _lag),
    _analysis(
        "gg_lag_history",
        "each row of Oracle's view GG_LAG_HISTORY",
        columns.GG_LAG_HISTORY,
        partial(_made_of_rows, columns.lag_history),
    ),
)
