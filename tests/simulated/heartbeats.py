"""Databases whose heartbeats go through Extracts, pumps and Replicats, each with a delay and a clock of its own.

What the documentation of the flow says of each process is done here word for word, to rows that are dictionaries; the
tables of a target are SQLite's. Nothing of the analysis is used.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from fixtures.heartbeats import CSNS, HEARTBEAT, HISTORY, PATHS, SPELLINGS
from tests.searching import Random
from tests.simulated.memory_database import memory_database

Row = dict[str, str | int | None]
"""A row of a heartbeat table; timestamps are microseconds since 2024-01-01 00:00:00 UTC."""


class Process(NamedTuple):
    """An Extract, pump or Replicat: its name, how late it is at most (microseconds), how far its clock is ahead."""

    name: str
    delay: int
    skew: int = 0

    def passes(self, now: int, random: Random) -> tuple[int, int]:
        """When a beat that comes at ``now`` has passed, and what this process's clock says then."""
        now += random.randint(0, self.delay)
        return now, now + self.skew


def extracted(row: Row, extract: Process, moment: int, random: Random) -> Row | None:
    """What Extract writes into its trail; None where it discards the row."""
    if row["OUTGOING_EXTRACT"] not in (extract.name, None):
        return None
    number = random.randint(1000, 9999)
    return row | {
        "OUTGOING_EXTRACT": extract.name,
        "OUTGOING_EXTRACT_TS": moment,
        "INCOMING_EXTRACT_HEARTBEAT_CSN": str(number),
        "INCOMING_EXTRACT_RESTART_CSN": str(number - 17),
        "INCOMING_EXTRACT_RESTART_TS": moment - random.randint(0, 10**9),
    }


def routed(row: Row, pump: Process, moment: int) -> Row | None:
    """What a pump or distribution path writes on; None where the list of paths lacks it."""
    listed = row["OUTGOING_ROUTING_PATH"]
    names = [] if listed is None else str(listed).split(",")
    if listed is None:
        names = [pump.name, '"*"']
    elif '"*"' in names:
        names[names.index('"*"') :] = [pump.name, '"*"']
    elif pump.name not in names:
        return None
    return row | {"OUTGOING_ROUTING_PATH": ",".join(names), "OUTGOING_ROUTING_TS": moment}


def mapped(row: Row, replicat: Process, moment: int) -> Row | None:
    """What Replicat makes of it in the target; None where it discards the row."""
    if row["OUTGOING_REPLICAT"] not in (replicat.name, None):
        return None
    path = row["OUTGOING_ROUTING_PATH"]
    kept = [name for name in str(path).split(",") if name != '"*"'] if path is not None else []
    return {
        "LOCAL_DATABASE": row["REMOTE_DATABASE"],
        "HEARTBEAT_TIMESTAMP": row["HEARTBEAT_TIMESTAMP"],
        "REMOTE_DATABASE": row["LOCAL_DATABASE"],
        "INCOMING_EXTRACT": row["OUTGOING_EXTRACT"],
        "INCOMING_ROUTING_PATH": ",".join(kept) or None,
        "INCOMING_REPLICAT": replicat.name,
        "INCOMING_HEARTBEAT_TS": row["HEARTBEAT_TIMESTAMP"],
        "INCOMING_EXTRACT_TS": row["OUTGOING_EXTRACT_TS"],
        "INCOMING_ROUTING_TS": row["OUTGOING_ROUTING_TS"],
        "INCOMING_REPLICAT_TS": moment,
        "OUTGOING_EXTRACT": row["INCOMING_EXTRACT"],
        "OUTGOING_ROUTING_PATH": row["INCOMING_ROUTING_PATH"],
        "OUTGOING_REPLICAT": row["INCOMING_REPLICAT"],
        "OUTGOING_HEARTBEAT_TS": row["INCOMING_HEARTBEAT_TS"],
        "OUTGOING_EXTRACT_TS": row["INCOMING_EXTRACT_TS"],
        "OUTGOING_ROUTING_TS": row["INCOMING_ROUTING_TS"],
        "OUTGOING_REPLICAT_TS": row["INCOMING_REPLICAT_TS"],
        "INCOMING_REPLICAT_LW_CSN": row["INCOMING_EXTRACT_HEARTBEAT_CSN"],
        **{name: row[name] for name in (*CSNS[1:], "INCOMING_EXTRACT_RESTART_TS")},
    }


class Database:
    """A database with heartbeat tables; ``tables`` are SQLite's."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tables = memory_database()
        self.tables.row_factory = sqlite3.Row
        for table, columns in (("gg_heartbeat", HEARTBEAT), ("gg_heartbeat_history", HISTORY)):
            self.tables.execute(f"CREATE TABLE {table} ({', '.join(columns)})")

    def beat(self, remote: str | None, moment: int, **known: str | int | None) -> Row:
        """What its job writes at a moment."""
        return dict.fromkeys(HEARTBEAT) | {
            "LOCAL_DATABASE": self.name,
            "REMOTE_DATABASE": remote,
            "HEARTBEAT_TIMESTAMP": moment,
            **known,
        }

    def receive(self, row: Row, moment: int) -> tuple[Row, Row]:
        """Take in what Replicat makes of a beat: the row of GG_HEARTBEAT and that of the history."""
        keys = ("LOCAL_DATABASE", *PATHS)
        same = " AND ".join(f"{name} IS ?" for name in keys)
        self.tables.execute(f"DELETE FROM gg_heartbeat WHERE {same}", [row[name] for name in keys])
        history = {SPELLINGS.get(name, name): value for name, value in row.items() if name != "HEARTBEAT_TIMESTAMP"}
        history = {**history, "HEARTBEAT_RECEIVED_TS": moment}
        for table, columns, values in (("gg_heartbeat", HEARTBEAT, row), ("gg_heartbeat_history", HISTORY, history)):
            marks = ", ".join("?" * len(columns))
            self.tables.execute(f"INSERT INTO {table} VALUES ({marks})", [values[name] for name in columns])
        return row, history


class Link(NamedTuple):
    """A way from one database to another."""

    source: Database
    extract: Process
    pumps: tuple[Process, ...]
    replicat: Process
    target: Database


class Hop(NamedTuple):
    """A row as it stands in the trail behind a process, and the true moment of that."""

    behind: str
    row: Row
    moment: int


def travel(link: Link, row: Row, now: int, random: Random) -> tuple[list[Hop], tuple[Row, Row] | None]:
    """The trails that a beat reaches, and what the target writes; None where a process discards it."""
    now, clock = link.extract.passes(now, random)
    written = extracted(row, link.extract, clock, random)
    hops: list[Hop] = []
    if written is None:
        return hops, None
    hops.append(Hop(link.extract.name, written, now))
    for pump in link.pumps:
        now, clock = pump.passes(now, random)
        passed = routed(written, pump, clock)
        if passed is None:
            return hops, None
        written = passed
        hops.append(Hop(pump.name, written, now))
    now, clock = link.replicat.passes(now, random)
    applied = mapped(written, link.replicat, clock)
    if applied is None:
        return hops, None
    return hops, link.target.receive(applied, clock + random.randint(0, 10**6))


class Spelling(NamedTuple):
    """What a database spells in its own way: seconds between two timestamps, equal or both null, order of rows."""

    seconds: str
    same: str
    order: str


SQLITE = Spelling("round(({} - {}) / 1000000.0, 6)", "{} IS {}", "rowid")
POSTGRESQL = Spelling("extract(epoch FROM {} - {})", "{} IS NOT DISTINCT FROM {}", "ctid")
"""With timestamps in place of microseconds."""


def _way(prefix: str) -> str:
    parts = (f"{prefix}_EXTRACT", f"replace({prefix}_ROUTING_PATH, ',', ' ==> ')", f"{prefix}_REPLICAT")
    joined = " || ".join(f"coalesce(' ==> ' || {part}, '')" for part in parts)
    return f"nullif(substr({joined}, 6), '')"


def lag_history_query(spelling: Spelling) -> str:
    """GG_LAG_HISTORY."""
    seconds = spelling.seconds.format
    return f"""
    SELECT LOCAL_DATABASE, HEARTBEAT_RECEIVED_TS, REMOTE_DATABASE,
      REMOTE_DATABASE AS db_name, REMOTE_DATABASE AS db_unique_name,
      {seconds("HEARTBEAT_RECEIVED_TS", "INCOMING_HEARTBEAT_TS")} AS incoming_heartbeat_age,
      {_way("INCOMING")} AS incoming_path,
      {seconds("HEARTBEAT_RECEIVED_TS", "INCOMING_HEARTBEAT_TS")} AS incoming_lag,
      {seconds("HEARTBEAT_RECEIVED_TS", "OUTGOING_HEARTBEAT_TS")} AS outgoing_heartbeat_age,
      {_way("OUTGOING")} AS outgoing_path,
      {seconds("OUTGOING_REPLICAT_TS", "OUTGOING_HEARTBEAT_TS")} AS outgoing_lag,
      SOURCE_EXTRACT_RESTART_CSN AS remote_extract_restart_csn,
      SOURCE_EXTRACT_RESTART_CSN_TS AS remote_extract_restart_csn_time,
      {seconds("HEARTBEAT_RECEIVED_TS", "SOURCE_EXTRACT_RESTART_CSN_TS")} AS remote_db_oldest_open_txn_age,
      REPLICAT_LOW_WATERMARK_CSN AS local_replicat_lwm_csn,
      {seconds("INCOMING_EXTRACT_TS", "INCOMING_HEARTBEAT_TS")} AS incoming_extract_lag,
      {seconds("INCOMING_ROUTING_TS", "INCOMING_EXTRACT_TS")} AS incoming_routine_lag,
      {seconds("INCOMING_REPLICAT_TS", "coalesce(INCOMING_ROUTING_TS, INCOMING_EXTRACT_TS)")}
        AS incoming_replicat_read_lag,
      {seconds("HEARTBEAT_RECEIVED_TS", "INCOMING_REPLICAT_TS")} AS incoming_repicat_lag,
      {seconds("OUTGOING_EXTRACT_TS", "OUTGOING_HEARTBEAT_TS")} AS outgoing_extract_lag,
      {seconds("OUTGOING_ROUTING_TS", "OUTGOING_EXTRACT_TS")} AS outgoing_routine_lag,
      {seconds("OUTGOING_REPLICAT_TS", "coalesce(OUTGOING_ROUTING_TS, OUTGOING_EXTRACT_TS)")}
        AS outgoing_replicat_read_lag,
      NULL AS outgoing_replicat_lag
    FROM gg_heartbeat_history ORDER BY {spelling.order}
    """


def lag_query(spelling: Spelling) -> str:
    """GG_LAG, as of the moment ``:at``, where the history has the row of each beat."""
    seconds = spelling.seconds.format
    same = " AND ".join(spelling.same.format(f"y.{name}", f"h.{name}") for name in ("INCOMING_HEARTBEAT_TS", *PATHS))
    received = f"(SELECT max(y.HEARTBEAT_RECEIVED_TS) FROM gg_heartbeat_history y WHERE {same})"
    return f"""
    SELECT LOCAL_DATABASE, :at AS current_local_ts, REMOTE_DATABASE,
      {seconds(":at", "INCOMING_HEARTBEAT_TS")} AS incoming_heartbeat_age,
      {_way("INCOMING")} AS incoming_path,
      {seconds(received, "INCOMING_HEARTBEAT_TS")} AS incoming_lag,
      {seconds(":at", "OUTGOING_HEARTBEAT_TS")} AS outgoing_heartbeat_age,
      {_way("OUTGOING")} AS outgoing_path,
      {seconds("OUTGOING_REPLICAT_TS", "OUTGOING_HEARTBEAT_TS")} AS outgoing_lag,
      INCOMING_EXTRACT_RESTART_CSN AS remote_extract_restart_csn,
      REMOTE_DATABASE AS db_unique_name,
      INCOMING_EXTRACT_RESTART_TS AS remote_extract_restart_csn_time,
      {seconds(":at", "INCOMING_EXTRACT_RESTART_TS")} AS remote_db_oldest_open_txn_age,
      INCOMING_REPLICAT_LW_CSN AS local_replicat_lwm_csn
    FROM gg_heartbeat h ORDER BY {spelling.order}
    """


LAG_HISTORY = lag_history_query(SQLITE)
LAG = lag_query(SQLITE)
"""In SQLite, the moment in microseconds."""


def asked(database: Database, query: str, **values: int) -> list[Row]:
    """The rows that a database answers, with durations as decimals of microseconds: SQLite adds up in binary."""

    def decimal(value: Any) -> Any:
        return round(value, 6) if isinstance(value, float) else value

    rows = database.tables.execute(query, values)
    return [{name: decimal(value) for name, value in dict(row).items()} for row in rows]


def drawn_links(random: Random, databases: Iterable[Database]) -> Iterator[Link]:
    """A way from each database to the next, with none, one or two pumps, late and with wrong clocks."""
    all_of_them = list(databases)
    for number, source in enumerate(all_of_them):
        target = all_of_them[(number + 1) % len(all_of_them)]
        extract, replicat = (
            Process(f"{kind}{number}", 10**7, random.choice((0, 0, -(10**6), 2 * 10**6))) for kind in ("EXT", "REP")
        )
        pumps = tuple(Process(f"PMP{number}{pump_number}", 10**6) for pump_number in range(random.randint(0, 2)))
        yield Link(source, extract, pumps, replicat, target)
