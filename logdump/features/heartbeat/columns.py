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
from typing import Any, NamedTuple

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

SECONDS = decimal(20, 6)
"""The type of lags in Oracle's views."""


def _in_seconds(lag: int | None) -> Decimal | None:
    """Convert microseconds to seconds with six decimals."""
    return None if lag is None else Decimal(lag).scaleb(-6)


def _moment(julian: int | None) -> datetime | None:
    """Convert Julian microseconds to a timestamp without a zone, as in the tables."""
    moment = None if julian is None else to_datetime(julian)
    return None if moment is None else moment.replace(tzinfo=None)


class _Seen(NamedTuple):
    """A row at a moment; ``received_ts`` is the time at which the target received its incoming beat, if known."""

    row: HeartbeatRow
    moment: int | None
    received_ts: int | None

    def way(self, side: str) -> str | None:
        """Return the path of the beat on a side, ``incoming`` or ``outgoing``."""
        extract, routing, replicat = self._of(side, "extract", "routing_path", "replicat")
        return way_text(way(extract, routing_path(routing), replicat))

    def lags(self, side: str) -> HopLags:
        """Return the lags of the beat on a side; outgoing beats have no receipt here."""
        heartbeat, extract, routing, replicat = self._of(
            side, "heartbeat_ts", "extract_ts", "routing_ts", "replicat_ts"
        )
        received = self.received_ts if side == "incoming" else None
        return WayTimes(heartbeat, extract, routing, replicat, received).lags

    def age(self, name: str) -> int | None:
        """Return the microseconds from a time of the row to the moment."""
        return difference(self.moment, getattr(self.row, name))

    def _of(self, side: str, *names: str) -> tuple[Any, ...]:
        return tuple(getattr(self.row, f"{side}_{name}") for name in names)


class _Column(NamedTuple):
    """A column of Oracle's tables and views.

    Attributes:
        name: Oracle's name in lowercase; ``…routine_lag`` and ``…repicat_lag`` are Oracle's spelling.
        views: the keys of ``_VIEWS`` that have it, each with its columns in the order of the table.
        meaning: as documented; empty for a column that a table only stores.
        get: returns its value.
    """

    name: str
    views: str
    meaning: str
    type: ColumnType
    get: Callable[[_Seen], Any]

    @property
    def column(self) -> RowColumn:
        """The column as documented."""
        return RowColumn(self.name, self.type, self.meaning or f"Column {self.name.upper()} of the table")


def _text(name: str, views: str, meaning: str = "", get: Callable[[_Seen], str | None] | None = None) -> _Column:
    return _Column(name, views, meaning, STRING, get or _stored(TEXT_COLUMNS[name.upper()]))


def _time(name: str, views: str, meaning: str = "", get: Callable[[_Seen], int | None] | None = None) -> _Column:
    time = get or _stored(TIMES[name.upper()])
    return _Column(name, views, meaning, TIMESTAMP_NTZ, lambda seen: _moment(time(seen)))


def _lag(name: str, views: str, meaning: str, get: Callable[[_Seen], int | None]) -> _Column:
    return _Column(name, views, meaning, SECONDS, lambda seen: _in_seconds(get(seen)))


def _stored(attribute: str) -> Callable[[_Seen], Any]:
    return lambda seen: getattr(seen.row, attribute)


def _hop(name: str, views: str, meaning: str) -> _Column:
    side, _, hop = name.partition("_")
    field = {"routine_lag": "routing_lag", "repicat_lag": "replicat_lag"}.get(hop, hop)
    return _lag(name, views, meaning, lambda seen: getattr(seen.lags(side), field))


def _unique_name(seen: _Seen) -> str | None:
    return seen.row.db_unique_name or _name(seen)


def _name(seen: _Seen) -> str | None:
    return seen.row.db_name or seen.row.remote_database


_STORED = ("extract", "routing_path", "replicat"), ("heartbeat_ts", "extract_ts", "routing_ts", "replicat_ts")
_OUT = "of the beat that went out"
_AGE = "Seconds from the beat to the moment of the answer, in the history to its receipt"
_OPEN_AGE = "Seconds from then to the moment of the answer, in the history to its receipt"
_LAG = "From the generation of the beat to its receipt, or to Replicat where that is not known"
_EXTRACT, _ROUTING = "From the generation to Extract", "From Extract to the last pump or path"
_READ = "From the last process before Replicat to Replicat"
_UNIQUE = "Its unique name, which changes at a switchover"
_COLUMNS = (
    _text("local_database", "BHLV", "The database with the tables"),
    _time("heartbeat_timestamp", "B", "When the beat was generated"),
    _time("current_local_ts", "L", "The moment of the answer: the newest time in the trail", lambda seen: seen.moment),
    _time("heartbeat_received_ts", "HV", "When the beat was received"),
    _text("remote_database", "BHLV", "The database at the other end"),
    _text("db_name", "V", "Its name; the remote database where the trail does not hold it", _name),
    _text("db_unique_name", "V", _UNIQUE, _unique_name),
    *(
        make(f"{side}_{name}", "BH")
        for side in ("incoming", "outgoing")
        for make, names in zip((_text, _time), _STORED, strict=True)
        for name in names
    ),
    _text("incoming_replicat_lw_csn", "B"),
    _text("incoming_extract_heartbeat_csn", "B"),
    _text("incoming_extract_restart_csn", "B"),
    _time("incoming_extract_restart_ts", "B"),
    _text("replicat_low_watermark_csn", "H"),
    _text("source_extract_heartbeat_csn", "H"),
    _text("source_extract_restart_csn", "H"),
    _time("source_extract_restart_csn_ts", "H"),
    _lag("incoming_heartbeat_age", "LV", _AGE, lambda seen: seen.age("incoming_heartbeat_ts")),
    _text(
        "incoming_path",
        "LV",
        "The processes that the beat passed: `EXT1 ==> PMP1 ==> REP1`",
        lambda seen: seen.way("incoming"),
    ),
    _lag("incoming_lag", "LV", _LAG, lambda seen: seen.lags("incoming").total_lag),
    _lag("outgoing_heartbeat_age", "LV", f"The same {_OUT}", lambda seen: seen.age("outgoing_heartbeat_ts")),
    _text("outgoing_path", "LV", f"The same {_OUT}", lambda seen: seen.way("outgoing")),
    _lag("outgoing_lag", "LV", f"The same {_OUT}, to Replicat", lambda seen: seen.lags("outgoing").total_lag),
    _text("remote_extract_restart_csn", "LV", "Where Extract would have started again", _stored("restart_csn")),
    _text("db_unique_name", "L", _UNIQUE, _unique_name),
    _time("remote_extract_restart_csn_time", "LV", "The redo's time there", _stored("restart_ts")),
    _lag("remote_db_oldest_open_txn_age", "LV", _OPEN_AGE, lambda seen: seen.age("restart_ts")),
    _text("local_replicat_lwm_csn", "LV", "Low watermark of Replicat", _stored("low_watermark_csn")),
    _hop("incoming_extract_lag", "V", _EXTRACT),
    _hop("incoming_routine_lag", "V", _ROUTING),
    _hop("incoming_replicat_read_lag", "V", _READ),
    _hop("incoming_repicat_lag", "V", "From Replicat to the receipt"),
    _hop("outgoing_extract_lag", "V", f"{_EXTRACT}, {_OUT}"),
    _hop("outgoing_routine_lag", "V", f"{_ROUTING}, {_OUT}"),
    _hop("outgoing_replicat_read_lag", "V", f"{_READ}, {_OUT}"),
    _hop("outgoing_replicat_lag", "V", "Null: outgoing beats have no receipt here"),
)
_VIEWS = {view: tuple(column for column in _COLUMNS if view in column.views) for view in "BHLV"}
"""The columns of GG_HEARTBEAT, GG_HEARTBEAT_HISTORY, GG_LAG and GG_LAG_HISTORY."""
GG_HEARTBEAT, GG_HEARTBEAT_HISTORY, GG_LAG, GG_LAG_HISTORY = (
    tuple(column.column for column in columns) for columns in _VIEWS.values()
)

OracleRow = dict[str, str | datetime | Decimal | None]
"""A row of one of them, by Oracle's names in lowercase."""


def _row(view: str, row: HeartbeatRow, moment: int | None, received_ts: int | None) -> OracleRow:
    seen = _Seen(row, moment, received_ts)
    return {column.name: column.get(seen) for column in _VIEWS[view]}


def heartbeat(rows: Iterable[HeartbeatRow]) -> list[OracleRow]:
    """Return GG_HEARTBEAT: the newest row of each key that was not deleted."""
    return [_row("B", row, None, None) for row in _newest(rows)[0]]


def heartbeat_history(rows: Iterable[HeartbeatRow]) -> Iterator[OracleRow]:
    """Yield the rows of GG_HEARTBEAT_HISTORY: each one received, also if it was purged later."""
    return _history("H", rows)


def lag_history(rows: Iterable[HeartbeatRow]) -> Iterator[OracleRow]:
    """Yield the rows of GG_LAG_HISTORY: one for each history row inserted or updated."""
    return _history("V", rows)


def _history(view: str, rows: Iterable[HeartbeatRow]) -> Iterator[OracleRow]:
    for row in rows:
        if row.role is Role.HISTORY and row.op != "DELETE":
            yield _row(view, row, row.received_ts, row.received_ts)


def lag(rows: Iterable[HeartbeatRow], moment: Callable[[], int | None]) -> list[OracleRow]:
    """Return GG_LAG: the newest row of each key of GG_HEARTBEAT, with ages at a moment.

    ``moment`` is called after all rows are read. The time of receipt comes from the history row of the same beat.
    """
    newest, received = _newest(rows)
    return [_row("L", row, moment(), _receipt(row, received.get(row.key))) for row in newest]


def _receipt(row: HeartbeatRow, in_history: HeartbeatRow | None) -> int | None:
    """Return the time of receipt of the incoming beat of a row, by the newest row of the history for its key."""
    is_same = in_history is not None and in_history.incoming_heartbeat_ts == row.incoming_heartbeat_ts
    return in_history.received_ts if in_history is not None and is_same else None


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
