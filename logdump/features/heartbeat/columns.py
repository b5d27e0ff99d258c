"""Heartbeats as rows with columns: those of our own, and those of Oracle's two tables and two views."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import get_type_hints

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
from logdump.features.heartbeat.json import HEARTBEAT, HOPS
from logdump.features.heartbeat.tables import TIMES
from logdump.features.heartbeat.views import HEARTBEAT_TABLE, HISTORY_TABLE, LagHistoryRow, LagRow

SECONDS = decimal(20, 6)
"""The type of lags in Oracle's views."""

_MOMENTS = ("heartbeat_ts", "extract_ts", "routing_ts", "replicat_ts", "received_ts", "restart_ts")
BEATS = columns_of(
    HEARTBEAT,
    {
        **dict.fromkeys((*HOPS, "oldest_open_age"), DOUBLE),
        **dict.fromkeys(
            ("heartbeat_ts", "extract_ts", "routing_ts", "replicat_ts", "received_ts", "restart_ts"), TIMESTAMP_NTZ
        ),
        "commit_time": TIMESTAMP,
        "object": TEXTS,
    },
)
"""Of the rows that HEARTBEAT HISTORY shows."""

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
