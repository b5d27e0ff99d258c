"""Heartbeats as rows with columns: this program's own, and those of Oracle's two tables and two views.

Lags and ages are seconds. The formulas are those shared by an article of Oracle's and three collections of queries; the
definition of the views in a database was not available. INCOMING_LAG of GG_LAG needs the time at which the target
received the beat, which only the history has: without that row the lag ends at Replicat.
REMOTE_DB_OLDEST_OPEN_TXN_AGE is SYSTIMESTAMP - REMOTE_EXTRACT_RESTART_TIME in Oracle's documentation: here the current
time is CURRENT_LOCAL_TS, and in the history the time of receipt, as for the ages of the beats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple, get_type_hints

from logdump.arrow.records.schema import (
    DOUBLE,
    STRING,
    TEXTS,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ColumnType,
    RowColumn,
    decimal,
)
from logdump.display.json_shape import columns_of
from logdump.features.heartbeat.beats import Recent, routing_path
from logdump.features.heartbeat.json import HEARTBEAT, HOPS
from logdump.features.heartbeat.model import HeartbeatRow, HopLags, Key, WayTimes, difference, way, way_text
from logdump.tables.heartbeat_tables import TEXTS as TEXT_COLUMNS
from logdump.tables.heartbeat_tables import TIMES, Role
from trailformat.codec.timestamps import to_datetime

HEARTBEAT_TABLE = (
    "local_database",
    "heartbeat_timestamp",
    "remote_database",
    "incoming_extract",
    "incoming_routing_path",
    "incoming_replicat",
    "incoming_heartbeat_ts",
    "incoming_extract_ts",
    "incoming_routing_ts",
    "incoming_replicat_ts",
    "outgoing_extract",
    "outgoing_routing_path",
    "outgoing_replicat",
    "outgoing_heartbeat_ts",
    "outgoing_extract_ts",
    "outgoing_routing_ts",
    "outgoing_replicat_ts",
    "incoming_replicat_lw_csn",
    "incoming_extract_heartbeat_csn",
    "incoming_extract_restart_csn",
    "incoming_extract_restart_ts",
)
"""The columns of GG_HEARTBEAT."""

HISTORY_TABLE = (
    "local_database",
    "heartbeat_received_ts",
    *HEARTBEAT_TABLE[2:17],
    "replicat_low_watermark_csn",
    "source_extract_heartbeat_csn",
    "source_extract_restart_csn",
    "source_extract_restart_csn_ts",
)
"""The columns of GG_HEARTBEAT_HISTORY."""


class LagRow(NamedTuple):
    """A row of GG_LAG, with Oracle's column names."""

    local_database: str | None
    current_local_ts: datetime | None
    remote_database: str | None
    incoming_heartbeat_age: Decimal | None
    incoming_path: str | None
    incoming_lag: Decimal | None
    outgoing_heartbeat_age: Decimal | None
    outgoing_path: str | None
    outgoing_lag: Decimal | None
    remote_extract_restart_csn: str | None
    db_unique_name: str | None
    remote_extract_restart_csn_time: datetime | None
    remote_db_oldest_open_txn_age: Decimal | None
    local_replicat_lwm_csn: str | None


class LagHistoryRow(NamedTuple):
    """A row of GG_LAG_HISTORY; ``…routine_lag`` and ``…repicat_lag`` are Oracle's spelling."""

    local_database: str | None
    heartbeat_received_ts: datetime | None
    remote_database: str | None
    db_name: str | None
    db_unique_name: str | None
    incoming_heartbeat_age: Decimal | None
    incoming_path: str | None
    incoming_lag: Decimal | None
    outgoing_heartbeat_age: Decimal | None
    outgoing_path: str | None
    outgoing_lag: Decimal | None
    remote_extract_restart_csn: str | None
    remote_extract_restart_csn_time: datetime | None
    remote_db_oldest_open_txn_age: Decimal | None
    local_replicat_lwm_csn: str | None
    incoming_extract_lag: Decimal | None
    incoming_routine_lag: Decimal | None
    incoming_replicat_read_lag: Decimal | None
    incoming_repicat_lag: Decimal | None
    outgoing_extract_lag: Decimal | None
    outgoing_routine_lag: Decimal | None
    outgoing_replicat_read_lag: Decimal | None
    outgoing_replicat_lag: Decimal | None


def seconds(later: int | None, earlier: int | None) -> Decimal | None:
    """Return the seconds from one moment to another with six decimals, None if either is None."""
    return in_seconds(difference(later, earlier))


def in_seconds(lag: int | None) -> Decimal | None:
    """Convert microseconds to seconds with six decimals."""
    return None if lag is None else Decimal(lag).scaleb(-6)


def _moment(julian: int | None) -> datetime | None:
    """Convert Julian microseconds to a timestamp without a zone, as in the tables."""
    moment = None if julian is None else to_datetime(julian)
    return None if moment is None else moment.replace(tzinfo=None)


def _ways(row: HeartbeatRow) -> tuple[str | None, str | None]:
    incoming = way(row.incoming_extract, routing_path(row.incoming_routing_path), row.incoming_replicat)
    outgoing = way(row.outgoing_extract, routing_path(row.outgoing_routing_path), row.outgoing_replicat)
    return way_text(incoming), way_text(outgoing)


def _incoming(row: HeartbeatRow, received_ts: int | None) -> HopLags:
    times = row.incoming_heartbeat_ts, row.incoming_extract_ts, row.incoming_routing_ts, row.incoming_replicat_ts
    return WayTimes(*times, received_ts).lags


def _outgoing(row: HeartbeatRow) -> HopLags:
    times = row.outgoing_heartbeat_ts, row.outgoing_extract_ts, row.outgoing_routing_ts, row.outgoing_replicat_ts
    return WayTimes(*times).lags


def lag_history(rows: Iterable[HeartbeatRow]) -> Iterator[LagHistoryRow]:
    """Yield the rows of GG_LAG_HISTORY: one for each history row inserted or updated."""
    for row in rows:
        if row.role is not Role.HISTORY or row.op == "DELETE":
            continue
        incoming, outgoing = _ways(row)
        *hops, total = _incoming(row, row.received_ts)
        *hops_out, total_out = _outgoing(row)
        yield LagHistoryRow(
            row.local_database,
            _moment(row.received_ts),
            row.remote_database,
            row.db_name or row.remote_database,
            row.db_unique_name or row.db_name or row.remote_database,
            seconds(row.received_ts, row.incoming_heartbeat_ts),
            incoming,
            in_seconds(total),
            seconds(row.received_ts, row.outgoing_heartbeat_ts),
            outgoing,
            in_seconds(total_out),
            row.restart_csn,
            _moment(row.restart_ts),
            seconds(row.received_ts, row.restart_ts),
            row.low_watermark_csn,
            *map(in_seconds, hops),
            *map(in_seconds, hops_out),
        )


def heartbeat(rows: Iterable[HeartbeatRow]) -> list[dict[str, str | datetime | None]]:
    """Return GG_HEARTBEAT: the newest row of each key that was not deleted."""
    return [_columns(row, HEARTBEAT_TABLE) for row in _newest(rows)[0]]


def heartbeat_history(rows: Iterable[HeartbeatRow]) -> Iterator[dict[str, str | datetime | None]]:
    """Yield the rows of GG_HEARTBEAT_HISTORY: each one received, also if it was purged later."""
    for row in rows:
        if row.role is Role.HISTORY and row.op != "DELETE":
            yield _columns(row, HISTORY_TABLE)


def lag(rows: Iterable[HeartbeatRow], moment: Callable[[], int | None]) -> list[LagRow]:
    """Return GG_LAG: the newest row of each key of GG_HEARTBEAT, with ages at a moment.

    ``moment`` is called after all rows are read. The time of receipt comes from the history row of the same beat.
    """
    newest, received = _newest(rows)
    return [_lag_row(row, received.get(row.key), moment()) for row in newest]


def _newest(rows: Iterable[HeartbeatRow]) -> tuple[list[HeartbeatRow], Recent[Key, HeartbeatRow]]:
    """Return the newest row of each key of GG_HEARTBEAT, and the newest history row by key."""
    newest: Recent[tuple[str, Key], HeartbeatRow] = Recent()
    received: Recent[Key, HeartbeatRow] = Recent()
    for row in rows:
        if row.role is Role.HISTORY and row.op != "DELETE":
            received.set(row.key, row)
        elif row.role is Role.BEAT and row.op != "DELETE":
            newest.set((row.table, row.key), row)
        elif row.role is Role.BEAT:
            newest.drop((row.table, row.key))
    return [row for _, row in newest], received


def _columns(row: HeartbeatRow, names: Iterable[str]) -> dict[str, str | datetime | None]:
    """Return columns of a row by Oracle's names in lowercase."""
    return {
        name: _moment(getattr(row, TIMES[name.upper()]))
        if name.upper() in TIMES
        else getattr(row, TEXT_COLUMNS[name.upper()])
        for name in names
    }


def _lag_row(row: HeartbeatRow, in_history: HeartbeatRow | None, moment: int | None) -> LagRow:
    incoming, outgoing = _ways(row)
    is_same = in_history is not None and in_history.incoming_heartbeat_ts == row.incoming_heartbeat_ts
    received = in_history.received_ts if in_history is not None and is_same else None
    return LagRow(
        row.local_database,
        _moment(moment),
        row.remote_database,
        seconds(moment, row.incoming_heartbeat_ts),
        incoming,
        in_seconds(_incoming(row, received).total_lag),
        seconds(moment, row.outgoing_heartbeat_ts),
        outgoing,
        in_seconds(_outgoing(row).total_lag),
        row.restart_csn,
        row.db_unique_name or row.db_name or row.remote_database,
        _moment(row.restart_ts),
        seconds(moment, row.restart_ts),
        row.low_watermark_csn,
    )


SECONDS = decimal(20, 6)
"""The type of lags in Oracle's views."""

_MOMENTS = ("heartbeat_ts", "extract_ts", "routing_ts", "replicat_ts", "received_ts", "restart_ts")
BEATS = columns_of(
    HEARTBEAT,
    {
        **dict.fromkeys((*HOPS, "oldest_open_age"), DOUBLE),
        **dict.fromkeys(_MOMENTS, TIMESTAMP_NTZ),
        "commit_time": TIMESTAMP,
        "object": TEXTS,
    },
)
"""The columns of HEARTBEAT HISTORY."""

_TYPES: dict[object, ColumnType] = {str | None: STRING, datetime | None: TIMESTAMP_NTZ, Decimal | None: SECONDS}
_MEANINGS = {
    "local_database": "The database with the tables",
    "remote_database": "The database at the other end",
    "db_name": "Its name; the remote database where the trail does not hold it",
    "db_unique_name": "Its unique name, which changes at a switchover",
    "current_local_ts": "The moment of the answer: the newest time in the trail",
    "heartbeat_timestamp": "When the beat was generated",
    "heartbeat_received_ts": "When the beat was received",
    "incoming_heartbeat_age": "Seconds from the beat to the moment of the answer, in the history to its receipt",
    "outgoing_heartbeat_age": "The same of the beat that went out",
    "incoming_path": "The processes that the beat passed: `EXT1 ==> PMP1 ==> REP1`",
    "outgoing_path": "The same of the beat that went out",
    "incoming_lag": "From the generation of the beat to its receipt, or to Replicat where that is not known",
    "outgoing_lag": "The same of the beat that went out, to Replicat",
    "remote_extract_restart_csn": "Where Extract would have started again",
    "remote_extract_restart_csn_time": "The redo's time there",
    "remote_db_oldest_open_txn_age": "Seconds from then to the moment of the answer, in the history to its receipt",
    "local_replicat_lwm_csn": "Low watermark of Replicat",
    "incoming_extract_lag": "From the generation to Extract",
    "incoming_routine_lag": "From Extract to the last pump or path",
    "incoming_replicat_read_lag": "From the last process before Replicat to Replicat",
    "incoming_repicat_lag": "From Replicat to the receipt",
    "outgoing_replicat_lag": "Null: outgoing beats have no receipt here",
}
_OF_WHAT_GOES_OUT = {"outgoing_extract_lag", "outgoing_routine_lag", "outgoing_replicat_read_lag"}


def _meaning(name: str) -> str:
    if name in _OF_WHAT_GOES_OUT:
        return f"{_MEANINGS[name.replace('outgoing', 'incoming')]}, of the beat that went out"
    return _MEANINGS.get(name, f"Column {name.upper()} of the table")


def _of_view(row: type) -> tuple[RowColumn, ...]:
    return tuple(RowColumn(name, _TYPES[kind], _meaning(name)) for name, kind in get_type_hints(row).items())


def _of_table(names: tuple[str, ...]) -> tuple[RowColumn, ...]:
    return tuple(RowColumn(name, TIMESTAMP_NTZ if name.upper() in TIMES else STRING, _meaning(name)) for name in names)


GG_LAG, GG_LAG_HISTORY = _of_view(LagRow), _of_view(LagHistoryRow)
GG_HEARTBEAT, GG_HEARTBEAT_HISTORY = _of_table(HEARTBEAT_TABLE), _of_table(HISTORY_TABLE)
