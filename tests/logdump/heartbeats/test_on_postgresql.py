"""A PostgreSQL with the tables of the target answers Oracle's formulas with the values of HEARTBEAT's JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.commands.test_heartbeat import objects
from tests.logdump.heartbeats.target import MINUTE, captured
from tests.logdump.statements.servers import PostgreSQLServer
from tests.searching import Random, examples, in_turn
from tests.simulated.heartbeat_trails import EPOCH, HeartbeatTrail
from tests.simulated.heartbeats import POSTGRESQL, Database, Row, asked, drawn_links, lag_history_query, lag_query

LINKS = pytest.mark.parametrize(("seed", "is_mutual"), in_turn(range(examples(3)), [True, False]))
OF_BEAT = {
    "local_database": "local_database",
    "remote_database": "remote_database",
    "path": "incoming_path",
    "received_ts": "heartbeat_received_ts",
    "extract_lag": "incoming_extract_lag",
    "routing_lag": "incoming_routine_lag",
    "replicat_read_lag": "incoming_replicat_read_lag",
    "replicat_lag": "incoming_repicat_lag",
    "total_lag": "incoming_lag",
    "restart_csn": "remote_extract_restart_csn",
    "restart_ts": "remote_extract_restart_csn_time",
    "low_watermark_csn": "local_replicat_lwm_csn",
}
"""Members of a beat, and the columns of GG_LAG_HISTORY that hold the same."""
OF_WAY = {
    "source_database": "remote_database",
    "target_database": "local_database",
    "path": "incoming_path",
    "at": "current_local_ts",
    "age": "incoming_heartbeat_age",
    "total_lag": "incoming_lag",
    "restart_csn": "remote_extract_restart_csn",
    "restart_ts": "remote_extract_restart_csn_time",
    "oldest_open_age": "remote_db_oldest_open_txn_age",
    "low_watermark_csn": "local_replicat_lwm_csn",
}
"""Members of a way, of its last beat, and the columns of GG_LAG."""
OF_WAY_OUT = {
    "source_database": "local_database",
    "target_database": "remote_database",
    "path": "outgoing_path",
    "at": "current_local_ts",
    "age": "outgoing_heartbeat_age",
    "total_lag": "outgoing_lag",
}
"""The same of the way out."""


def target(seed: int, folder: Path, *, is_mutual: bool) -> tuple[Database, Path]:
    """A database that has received beats, and has sent some, and the trail that is captured there."""
    random = Random(seed)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    return link.target, captured(link, random, HeartbeatTrail(folder / "hh000000000"), is_mutual=is_mutual)


def is_time(column: str) -> bool:
    return column.endswith(("_TS", "_TIMESTAMP"))


def literal(value: str | int | None) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else f"'{moment(value)}'"


def moment(microseconds: int) -> str:
    return f"{EPOCH + timedelta(microseconds=microseconds):%Y-%m-%d %H:%M:%S.%f}"


def tables(database: Database) -> Iterator[str]:
    """Statements that make the heartbeat tables as they are in the database."""
    for table in ("gg_heartbeat", "gg_heartbeat_history"):
        rows: list[Row] = asked(database, f"SELECT * FROM {table} ORDER BY rowid")
        columns = (f"{name} {'timestamp' if is_time(name) else 'text'}" for name in rows[0])
        yield f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({', '.join(columns)});"
        for row in rows:
            yield f"INSERT INTO {table} VALUES ({', '.join(map(literal, row.values()))});"


def answered(server: PostgreSQLServer, database: Database, query: str, at: int = 0) -> list[dict[str, Any]]:
    """The rows of a view over its tables, as of a moment."""
    script = [*tables(database), f"\\set at 'timestamp ''{moment(at)}'''", f"SELECT row_to_json(v) FROM ({query}) v;"]
    return [json.loads(text) for text in server.execute("\n".join(script)).splitlines()]


def told(path: Path, command: str, kind: str, direction: str = "incoming") -> list[dict[str, Any]]:
    """The objects of a type and direction that HEARTBEAT prints, a path as the views have it."""
    found = [item for item in objects(path, command) if item["type"] == kind and item["direction"] == direction]
    return [{**row, "path": " ==> ".join(row["path"])} for row in found]


def chosen(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Values under the names of a view, timestamps whatever their spelling."""
    found = {column: row[name] for name, column in names.items()}
    times = ("heartbeat_received_ts", "current_local_ts", "remote_extract_restart_csn_time")
    return found | {name: datetime.fromisoformat(found[name].rstrip("Z")) for name in times if found.get(name)}


@LINKS
def test_a_beat_has_the_lags_of_its_row_in_the_history(
    seed: int, is_mutual: bool, postgresql: PostgreSQLServer, tmp_path: Path
) -> None:
    database, path = target(seed, tmp_path, is_mutual=is_mutual)
    beats = told(path, "heartbeat history", "heartbeat")
    rows = answered(postgresql, database, lag_history_query(POSTGRESQL))
    names = {name: name for name in OF_BEAT.values()}
    assert [chosen(beat, OF_BEAT) for beat in beats] == [chosen(row, names) for row in rows]


@LINKS
def test_ways_in_and_out_have_the_lag_and_the_age_of_the_newest_row(
    seed: int, is_mutual: bool, postgresql: PostgreSQLServer, tmp_path: Path
) -> None:
    database, path = target(seed, tmp_path, is_mutual=is_mutual)
    at = Random(seed).randrange(60 * MINUTE)
    command = f"heartbeat at {moment(at).replace(' ', 'T')}Z"
    rows = answered(postgresql, database, lag_query(POSTGRESQL), at)
    for direction, members in (("incoming", OF_WAY), ("outgoing", OF_WAY_OUT)):
        found = told(path, command, "heartbeat_lag", direction)
        ways = [{**row, "total_lag": row["total_lag"]["last"]} for row in found]
        names = {name: name for name in members.values()}
        expected = [chosen(row, names) for row in rows if direction == "incoming" or is_mutual]
        assert [chosen(way, members) for way in ways] == expected
        assert len(expected) == (1 if direction == "incoming" or is_mutual else 0)
