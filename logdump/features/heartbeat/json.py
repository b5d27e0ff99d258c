"""The answers of HEARTBEAT as JSON; durations are seconds with at most six decimals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.display.json_fields import fields
from logdump.display.json_shape import (
    PARTIAL,
    PLACE,
    Get,
    Member,
    Shape,
    at,
    member,
    seconds,
    time_at,
    verdict,
    where_there,
)
from logdump.features.heartbeat.model import (
    Beat,
    BeatGapShown,
    BeatIntervalShown,
    BeatShown,
    HeartbeatRow,
    HeartbeatRowShown,
    HeartbeatsShown,
    HopLags,
    PathLag,
    PathLagShown,
    RestartPositionShown,
    SpreadSummary,
)
from logdump.notation.times import iso_time

HOPS = {hop.name: hop.meaning for hop in fields(HopLags)}
"""The meaning of each lag by its name."""


def _text(name: str, meaning: str, value: Get | str) -> Member:
    return member(name, "string or null", meaning, value)


def _moment(name: str, meaning: str, value: Get | str) -> Member:
    return member(name, "string or null", f"{meaning}, UTC", time_at(value))


def _duration(name: str, meaning: str, value: Get | str) -> Member:
    return member(name, "number or null", meaning, where_there(at(value), seconds))


HEARTBEAT = Shape(
    "heartbeat",
    "HEARTBEAT HISTORY: one beat, as a row shows it.",
    (
        member("file", "string", "Path of the file", lambda shown: str(shown.beat.row.position.path)),
        member("rba", "number", "Byte offset of its row", "beat.row.position.rba"),
        _text("csn", "LOGCSN of the row's transaction", "beat.row.csn"),
        member("table", "string", "The heartbeat table", "beat.row.table"),
        member("stage", "string", "How far it had come: seed, extract, routing, replicat, history", "beat.stage"),
        *fields(Beat, "direction", of="beat"),
        *fields(HeartbeatRow, "local_database remote_database db_unique_name", of="beat.row"),
        member("path", "list of string", "The processes that it passed", "beat.way", make=list),
        *fields(Beat, "extract routing_path replicat", of="beat"),
        _moment("heartbeat_ts", "When it was generated", "beat.heartbeat_ts"),
        *fields(Beat, "extract_ts routing_ts replicat_ts received_ts", of="beat"),
        _moment("commit_time", "IO Time of the row", "beat.row.commit_time"),
        *fields(HopLags, of="beat.lags"),
        member("apply_unknown", "boolean", "Whether the total ends at Replicat", "beat.is_apply_unknown"),
        _text("heartbeat_csn", "CSN of the beat in the source", "beat.heartbeat_csn"),
        _text("restart_csn", "Where Extract would have started again", "beat.restart_csn"),
        _moment("restart_ts", "The redo's time there", "beat.restart_ts"),
        _duration(
            "oldest_open_age", "How far back that was when the beat passed Extract, seconds", "beat.oldest_open_age"
        ),
        _text("low_watermark_csn", "Low watermark of Replicat", "beat.low_watermark_csn"),
        member("other", "object", "Other columns of the row, by name", "beat.row.other"),
        member("problems", "list of string", "Values of the row that cannot be decoded", "beat.row.problems"),
    ),
    BeatShown,
)


LAG_SUMMARY = Shape("lag_summary", "How the lags of one hop are spread, in seconds.", fields(SpreadSummary))


def _hop(name: str) -> Callable[[Any], Any]:
    def get(shown: Any) -> Any:
        summary = shown.lag.hops[name]
        return LAG_SUMMARY.build(summary) if summary is not None else None

    return get


_WAY = fields(PathLag, "source target direction way", of="lag")
_SPREADS = tuple(member(name, "lag_summary or null", meaning, _hop(name)) for name, meaning in HOPS.items())

HEARTBEAT_LAG = Shape(
    "heartbeat_lag",
    "HEARTBEAT LAG: one way.",
    (
        *_WAY,
        _moment("at", "The moment of the answer", "at"),
        *fields(PathLagShown, "at_source"),
        member("beats", "number", "How many", "lag.beats"),
        member("first", "place", "The row of the first", PLACE.one("lag.first")),
        member("last", "place", "The row of the newest", PLACE.one("lag.last.row.position")),
        _moment("last_beat", "When the newest was generated", "lag.last.heartbeat_ts"),
        *verdict(
            member(
                "age", "number", "Seconds from then to the moment of the answer", lambda shown: seconds(shown.lag.age)
            )
        ),
        *_SPREADS,
        member("apply_unknown", "boolean", "Whether the total ends at Replicat", "lag.is_apply_unknown"),
        _duration("interval", "Seconds between two beats, given or the median", "lag.interval"),
        *verdict(
            member("missing", "number", "Beats that did not come", "lag.missing"),
            member("gaps", "number", "In how many gaps", lambda shown: len(shown.lag.gaps)),
            tells_findings=True,
        ),
        member("negative", "number", "Lags below zero", "lag.negative"),
        _text(
            "restart_csn",
            "Where Extract would have started again at the newest",
            "lag.last.restart_csn",
        ),
        _moment("restart_ts", "The redo's time there", "lag.last.restart_ts"),
        _duration("oldest_open_age", "Seconds from then to the moment of the answer", "oldest_open_age"),
        _text("low_watermark_csn", "Low watermark of Replicat at the newest", "lag.last.low_watermark_csn"),
        _text("db_unique_name", "DB_UNIQUE_NAME of the remote database", "lag.last.row.db_unique_name"),
    ),
    PathLagShown,
)

HEARTBEAT_RESTART = Shape(
    "heartbeat_restart",
    "HEARTBEAT RESTART: the CSN from which Extract must capture again for a Replicat at its low watermark.",
    (
        *fields(RestartPositionShown, "source target direction way low_watermark is_given"),
        _text("restart_csn", "The CSN to capture from", "beat?.restart_csn"),
        _moment("restart_ts", "The redo's time there", "beat?.restart_ts"),
        _text("heartbeat_csn", "CSN of the beat that shows it", "beat?.heartbeat_csn"),
        member(
            "beat",
            "place or null",
            "The row of that beat",
            PLACE.one("beat?.row.position"),
        ),
        *fields(RestartPositionShown, "beats is_exact"),
    ),
    RestartPositionShown,
)

HEARTBEAT_INTERVAL = Shape(
    "heartbeat_interval",
    "HEARTBEAT HISTORY EVERY: the beats of one way in an interval.",
    (
        _moment("start", "Its beginning", "start"),
        _moment("end", "Its end", "end"),
        *_WAY,
        member("beats", "number", "How many", "lag.beats"),
        *_SPREADS,
    ),
    BeatIntervalShown,
)

HEARTBEAT_GAP = Shape(
    "heartbeat_gap",
    "HEARTBEAT GAPS: beats of one way that are missing.",
    (
        *_WAY,
        _moment("after", "The beat before the gap", "gap.after.time"),
        member("after_at", "place", "Its row", PLACE.one("gap.after.position")),
        _moment("before", "The beat after the gap; null: none has come", "gap.before?.time"),
        member("before_at", "place or null", "Its row", PLACE.one("gap.before?.position")),
        _moment("end", "When the next beat was generated, else the newest time in the trail", "gap.end"),
        member("beats", "number", "How many are missing", "gap.beats"),
        _duration("seconds", "From one to the other", "gap.microseconds"),
    ),
    BeatGapShown,
)


def _values(shown: Any) -> dict[str, Any]:
    return {name: iso_time(value) if isinstance(value, int) else value for name, value in shown.row.columns.items()}


HEARTBEAT_ROW = Shape(
    "heartbeat_row",
    "HEARTBEAT ROWS: a row of a heartbeat table.",
    (
        member("file", "string", "Path of the file", lambda shown: str(shown.row.position.path)),
        member("rba", "number", "Byte offset", "row.position.rba"),
        _text("csn", "LOGCSN of its transaction", "row.csn"),
        member("op", "string", "INSERT, UPDATE, PK UPDATE or DELETE", "row.op"),
        member("table", "string", "The table", "row.table"),
        *fields(HeartbeatRowShown, "stage"),
        member("columns", "object", "Its columns that are not NULL, by name here; times in UTC", _values),
        member("other", "object", "Other columns, by their names", "row.other"),
        member("problems", "list of string", "Values that cannot be decoded", "row.problems"),
    ),
    HeartbeatRowShown,
)

HEARTBEATS = Shape(
    "heartbeats",
    "HEARTBEAT: the answer as a whole.",
    (
        *fields(HeartbeatsShown, "base tables"),
        *verdict(*fields(HeartbeatsShown, "beats"), tells_findings=True),
        *fields(
            HeartbeatsShown,
            "paths others first last at at_source not_beats same_database problems damaged not_applied deleted purged",
        ),
        PARTIAL,
    ),
    HeartbeatsShown,
)
