"""Heartbeat tables: their names, and the meaning of their columns.

    GGADMIN.GG_HEARTBEAT_SEED       the database's own row, which the job updates
    GGADMIN.GG_HEARTBEAT            a row for each pair of paths, brought up to date by every beat
    GGADMIN.GG_HEARTBEAT_HISTORY    a row for each beat received

HEARTBEATTABLE in GLOBALS changes the names: ``name_SEED``, ``name``, ``name_HISTORY``. A table counts as a heartbeat
table if it has such a name and its definition has a time of a beat. Columns are identified by name, never by position;
releases add columns. Sources: the documentation of the heartbeat tables and of their flow.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from typing import NamedTuple

from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import Rule
from logdump.parameters.not_used import HEARTBEAT_TABLE
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.parameters import tree

BASE_NAME = "GG_HEARTBEAT"


class Role(enum.Enum):
    """The role of a heartbeat table."""

    SEED = "seed"
    BEAT = "heartbeat"
    HISTORY = "history"


_ENDINGS = {"": Role.BEAT, "_SEED": Role.SEED, "_HISTORY": Role.HISTORY}

TIMES = {
    "HEARTBEAT_TIMESTAMP": "heartbeat_timestamp",
    "HEARTBEAT_RECEIVED_TS": "received_ts",
    "INCOMING_HEARTBEAT_TS": "incoming_heartbeat_ts",
    "INCOMING_EXTRACT_TS": "incoming_extract_ts",
    "INCOMING_ROUTING_TS": "incoming_routing_ts",
    "INCOMING_REPLICAT_TS": "incoming_replicat_ts",
    "OUTGOING_HEARTBEAT_TS": "outgoing_heartbeat_ts",
    "OUTGOING_EXTRACT_TS": "outgoing_extract_ts",
    "OUTGOING_ROUTING_TS": "outgoing_routing_ts",
    "OUTGOING_REPLICAT_TS": "outgoing_replicat_ts",
    "INCOMING_EXTRACT_RESTART_TS": "restart_ts",
    "SOURCE_EXTRACT_RESTART_CSN_TS": "restart_ts",
}
"""Column -> attribute of HeartbeatRow, for columns with a timestamp in UTC without a zone.

The two tables spell the last one differently; both spellings are accepted in both tables.
"""

TEXTS = {
    "LOCAL_DATABASE": "local_database",
    "REMOTE_DATABASE": "remote_database",
    "DB_NAME": "db_name",
    "DB_UNIQUE_NAME": "db_unique_name",
    "INCOMING_EXTRACT": "incoming_extract",
    "INCOMING_ROUTING_PATH": "incoming_routing_path",
    "INCOMING_REPLICAT": "incoming_replicat",
    "OUTGOING_EXTRACT": "outgoing_extract",
    "OUTGOING_ROUTING_PATH": "outgoing_routing_path",
    "OUTGOING_REPLICAT": "outgoing_replicat",
    "INCOMING_REPLICAT_LW_CSN": "low_watermark_csn",
    "REPLICAT_LOW_WATERMARK_CSN": "low_watermark_csn",
    "INCOMING_EXTRACT_HEARTBEAT_CSN": "heartbeat_csn",
    "SOURCE_EXTRACT_HEARTBEAT_CSN": "heartbeat_csn",
    "INCOMING_EXTRACT_RESTART_CSN": "restart_csn",
    "SOURCE_EXTRACT_RESTART_CSN": "restart_csn",
}
"""Column -> attribute of HeartbeatRow, for columns with text."""


_BEATS = frozenset({"HEARTBEAT_TIMESTAMP", "INCOMING_HEARTBEAT_TS", "OUTGOING_HEARTBEAT_TS"})


def role_of(table: str, base: str = BASE_NAME) -> Role | None:
    """Return the role of a table by its name, None if it does not have the name of a heartbeat table.

    Args:
        table: its name, with or without schema and container.
        base: the name given by HEARTBEATTABLE; with a schema only tables of that schema match.
    """
    name, base = table.upper(), base.upper()
    if "." not in base:
        name = name.rpartition(".")[2]
    elif name.count(".") > base.count("."):
        name = ".".join(name.split(".")[-base.count(".") - 1 :])
    return _ENDINGS.get(name.removeprefix(base)) if name.startswith(base) else None


def has_beats(columns: Iterable[str]) -> bool:
    """True if a table with these columns holds the time of a beat."""
    return not _BEATS.isdisjoint(name.upper() for name in columns)


_VALUE = re.compile(rf"{HEARTBEAT_TABLE}\s+(\S+?)\s*;?\s*", re.IGNORECASE)


class HeartbeatTable(NamedTuple):
    """The name of the tables, and the statement of a parameter file that gives it, if any."""

    name: str
    rule: Rule | None = None


def heartbeat_table(session: Session, given: str | None = None) -> HeartbeatTable:
    """Return the given name, else the one in the parameter files of the session."""
    if given is not None:
        return HeartbeatTable(given)
    return table_of(session.kept(ParametersInUse) or ParametersInUse())


def table_of(parameters: ParametersInUse) -> HeartbeatTable:
    """Return the name from HEARTBEATTABLE in the file of Extract, of Replicat or in GLOBALS, else GG_HEARTBEAT."""
    for file in (parameters.extract, parameters.replicat, parameters.globals):
        if file is None:
            continue
        rules = [node.rule for node in file.of(tree.Other) if node.keyword == HEARTBEAT_TABLE]
        match = _VALUE.fullmatch(rules[-1].text) if rules else None
        if match is not None:
            return HeartbeatTable(match[1].replace('"', ""), rules[-1])
    return HeartbeatTable(BASE_NAME)
