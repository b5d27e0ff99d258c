"""The answers of HEARTBEAT as JSON; durations are seconds with at most six decimals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.notation.times import iso_time
from logdump.render.json_safe import SPOT
from logdump.render.json_shape import Field, Shape
from logdump.session.heartbeats import Beat, PathLag, SpreadSummary

_HOPS = {
    "extract_lag": "From the generation of the beat to Extract, seconds",
    "routing_lag": "From Extract to the last pump or path, seconds",
    "replicat_read_lag": "From the last process before Replicat to Replicat, seconds",
    "replicat_lag": "From Replicat to the row in the target, seconds",
    "total_lag": "From the generation to the row in the target, or to Replicat where that is not told, seconds",
}


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else round(microseconds / 1_000_000, 6)


def _time(julian: int | None) -> str | None:
    return None if julian is None else iso_time(julian)


def _text(name: str, meaning: str, get: Callable[[Any], Any]) -> Field:
    return Field(name, "string or null", meaning, get)


def _moment(name: str, meaning: str, get: Callable[[Any], int | None]) -> Field:
    return Field(name, "string or null", f"{meaning}, UTC", lambda source: _time(get(source)))


def _duration(name: str, meaning: str, get: Callable[[Any], int | None]) -> Field:
    return Field(name, "number or null", meaning, lambda source: _seconds(get(source)))


def _lag(name: str, meaning: str) -> Field:
    return _duration(name, meaning, lambda shown: getattr(shown.beat, name))


def _in_row(name: str, meaning: str) -> Field:
    return _text(name, meaning, lambda shown: getattr(shown.beat.row, name))


def _ts(name: str, meaning: str) -> Field:
    return _moment(name, meaning, lambda shown: getattr(shown.beat, name))


def _beat(shown: Any) -> Beat:
    beat: Beat = shown.beat
    return beat


HEARTBEAT = Shape(
    "heartbeat",
    "HEARTBEAT HISTORY: one beat, as far as a row tells of it.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.beat.row.spot.path)),
        Field("rba", "number", "Byte offset of its row", lambda shown: shown.beat.row.spot.rba),
        _in_row("csn", "LOGCSN of the row's transaction"),
        Field("table", "string", "The heartbeat table", lambda shown: shown.beat.row.table),
        Field(
            "stage",
            "string",
            "How far it had come: seed, extract, routing, replicat, history",
            lambda shown: shown.beat.stage,
        ),
        Field(
            "direction",
            "string",
            "incoming or outgoing, seen from the local database",
            lambda shown: shown.beat.direction.value,
        ),
        _in_row("local_database", "LOCAL_DATABASE"),
        _in_row("remote_database", "REMOTE_DATABASE"),
        _in_row("db_unique_name", "DB_UNIQUE_NAME"),
        Field("path", "list of string", "The processes that it passed", lambda shown: list(shown.beat.way)),
        _text("extract", "Extract", lambda shown: shown.beat.extract),
        Field(
            "routing_path",
            "list of string",
            "Pumps and distribution paths",
            lambda shown: list(shown.beat.routing_path),
        ),
        _text("replicat", "Replicat", lambda shown: shown.beat.replicat),
        _ts("heartbeat_ts", "When it was generated"),
        _ts("extract_ts", "When Extract had it"),
        _ts("routing_ts", "When the last pump or path had it"),
        _ts("replicat_ts", "When Replicat had it"),
        _ts("received_ts", "When its row stood in the target"),
        _moment("commit_time", "IO Time of the row", lambda shown: shown.beat.row.commit_time),
        *(_lag(name, meaning) for name, meaning in _HOPS.items()),
        Field(
            "apply_unknown", "boolean", "Whether the total ends at Replicat", lambda shown: shown.beat.is_apply_unknown
        ),
        _in_row("heartbeat_csn", "CSN of the beat in the source"),
        _in_row("restart_csn", "Where Extract would have started again"),
        _moment("restart_ts", "The redo's time there", lambda shown: shown.beat.row.restart_ts),
        _duration("oldest_open_age", "How far back that was, seconds", lambda shown: shown.beat.oldest_open_age),
        _in_row("low_watermark_csn", "Low watermark of Replicat"),
        Field("other", "object", "Other columns of the row, by name", lambda shown: dict(shown.beat.row.other)),
        Field(
            "problems", "list of string", "What of the row does not decode", lambda shown: list(shown.beat.row.problems)
        ),
    ),
)


def _of(get: Callable[[SpreadSummary], Any]) -> Callable[[SpreadSummary], Any]:
    return get


LAG_SUMMARY = Shape(
    "lag_summary",
    "How the lags of one hop are spread, in seconds.",
    (
        Field("beats", "number", "How many beats tell it", _of(lambda one: one.values)),
        Field("last", "number", "Of the last beat", _of(lambda one: _seconds(one.last))),
        Field("least", "number", "The least", _of(lambda one: _seconds(one.least))),
        Field("median", "number", "The median", _of(lambda one: _seconds(one.median))),
        Field("p95", "number", "95 % are not above it", _of(lambda one: _seconds(one.p95))),
        Field("greatest", "number", "The greatest", _of(lambda one: _seconds(one.greatest))),
        Field("greatest_at", "spot", "The row that tells it", _of(lambda one: SPOT.build(one.greatest_at))),
        Field("negative", "number", "How many are below zero", _of(lambda one: one.negative)),
        Field(
            "exact", "boolean", "Whether median and p95 are exact, not to one per cent", _of(lambda one: one.is_exact)
        ),
    ),
)


def _hop(name: str) -> Callable[[Any], Any]:
    def get(shown: Any) -> Any:
        summary = shown.lag.hops[name]
        return LAG_SUMMARY.build(summary) if summary is not None else None

    return get


def _path(lag: PathLag) -> list[str]:
    return list(lag.way)


_WAY = (
    _text("source_database", "Where the beats come from", lambda shown: shown.lag.source),
    _text("target_database", "Where they go", lambda shown: shown.lag.target),
    Field(
        "direction",
        "string",
        "incoming or outgoing, seen from the local database",
        lambda shown: shown.lag.direction.value,
    ),
    Field("path", "list of string", "The processes between", lambda shown: _path(shown.lag)),
)
_SPREADS = tuple(Field(name, "lag_summary or null", meaning, _hop(name)) for name, meaning in _HOPS.items())

HEARTBEAT_LAG = Shape(
    "heartbeat_lag",
    "HEARTBEAT LAG: one way.",
    (
        *_WAY,
        _moment("at", "The moment of the answer", lambda shown: shown.at),
        Field("at_source", "string", "trail (the newest time there), given, now", lambda shown: shown.at_source.value),
        Field("beats", "number", "How many", lambda shown: shown.lag.beats),
        Field("first", "spot", "The row of the first", lambda shown: SPOT.build(shown.lag.first)),
        Field("last", "spot", "The row of the newest", lambda shown: SPOT.build(shown.lag.last.row.spot)),
        _moment("last_beat", "When the newest was generated", lambda shown: shown.lag.last.heartbeat_ts),
        _duration("age", "Seconds from then to the moment of the answer", lambda shown: shown.lag.age),
        *_SPREADS,
        Field(
            "apply_unknown", "boolean", "Whether the total ends at Replicat", lambda shown: shown.lag.is_apply_unknown
        ),
        _duration("interval", "Seconds between two beats, given or the median", lambda shown: shown.lag.interval),
        Field("missing", "number", "Beats that did not come", lambda shown: shown.lag.missing),
        Field("gaps", "number", "In how many gaps", lambda shown: len(shown.lag.gaps)),
        Field("negative", "number", "Lags below zero", lambda shown: shown.lag.negative),
        _text(
            "restart_csn",
            "Where Extract would have started again at the newest",
            lambda shown: shown.lag.last.row.restart_csn,
        ),
        _moment("restart_ts", "The redo's time there", lambda shown: shown.lag.last.row.restart_ts),
        _duration("oldest_open_age", "How far back that was, seconds", lambda shown: shown.lag.last.oldest_open_age),
    ),
)

HEARTBEAT_INTERVAL = Shape(
    "heartbeat_interval",
    "HEARTBEAT HISTORY EVERY: the beats of one way in an interval.",
    (
        _moment("start", "Its beginning", lambda shown: shown.start),
        _moment("end", "Its end", lambda shown: shown.end),
        *_WAY,
        Field("beats", "number", "How many", lambda shown: shown.lag.beats),
        *_SPREADS,
    ),
)

HEARTBEAT_GAP = Shape(
    "heartbeat_gap",
    "HEARTBEAT GAPS: beats of one way that are missing.",
    (
        *_WAY,
        _moment("after", "The beat before the gap", lambda shown: shown.gap.after.time),
        Field("after_at", "spot", "Its row", lambda shown: SPOT.build(shown.gap.after.spot)),
        _moment("before", "The beat after the gap", lambda shown: shown.gap.before.time),
        Field("before_at", "spot", "Its row", lambda shown: SPOT.build(shown.gap.before.spot)),
        Field("beats", "number", "How many are missing", lambda shown: shown.gap.beats),
        _duration("seconds", "From one to the other", lambda shown: shown.gap.microseconds),
    ),
)


def _values(shown: Any) -> dict[str, Any]:
    return {name: _time(value) if isinstance(value, int) else value for name, value in shown.row.columns.items()}


HEARTBEAT_ROW = Shape(
    "heartbeat_row",
    "HEARTBEAT ROWS: a row of a heartbeat table.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.row.spot.path)),
        Field("rba", "number", "Byte offset", lambda shown: shown.row.spot.rba),
        _text("csn", "LOGCSN of its transaction", lambda shown: shown.row.csn),
        Field("op", "string", "INSERT, UPDATE, PK UPDATE or DELETE", lambda shown: shown.row.op),
        Field("table", "string", "The table", lambda shown: shown.row.table),
        Field("stage", "string", "How far its beat had come", lambda shown: shown.stage),
        Field("columns", "object", "Its columns that are not NULL, by name here; times in UTC", _values),
        Field("other", "object", "Other columns, by their names", lambda shown: dict(shown.row.other)),
        Field("problems", "list of string", "What does not decode", lambda shown: list(shown.row.problems)),
    ),
)

HEARTBEATS = Shape(
    "heartbeats",
    "HEARTBEAT: the answer as a whole.",
    (
        Field("tables", "list of string", "The heartbeat tables with rows", lambda shown: list(shown.tables)),
        Field("beats", "number", "How many beats", lambda shown: shown.beats),
        Field("paths", "number", "How many ways", lambda shown: shown.paths),
        Field("others", "number", "Beats of ways that are not told one by one", lambda shown: shown.others),
        _moment("first", "The first beat", lambda shown: shown.first),
        _moment("last", "The last beat", lambda shown: shown.last),
        _moment("at", "The moment of the answer", lambda shown: shown.at),
        Field("at_source", "string", "trail (the newest time there), given, now", lambda shown: shown.at_source.value),
        Field(
            "not_beats",
            "list of string",
            "Tables of the name without a time of a beat",
            lambda shown: list(shown.not_beats),
        ),
        Field(
            "same_database",
            "boolean",
            "Whether a row names one database on both sides",
            lambda shown: shown.same_database,
        ),
        Field("problems", "number", "Rows with something that does not decode", lambda shown: shown.problems),
        Field("deleted", "number", "Rows of the history deleted in the trail", lambda shown: shown.deleted),
        Field(
            "purged", "number or null", "Rows of the history that RETENTION would remove", lambda shown: shown.purged
        ),
        Field("partial", "boolean", "Whether it was stopped", lambda shown: shown.is_partial),
    ),
)
