"""The name of the heartbeat tables: HEARTBEATTABLE of the parameter files in use, unless a command is given one."""

from __future__ import annotations

import re
from typing import NamedTuple

from logdump.features.heartbeat.tables import BASE_NAME
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import Rule
from logdump.parameters.not_used import HEARTBEAT_TABLE
from logdump.session.session import Session

_VALUE = re.compile(rf"{HEARTBEAT_TABLE}\s+(\S+?)\s*;?\s*", re.IGNORECASE)


class HeartbeatTable(NamedTuple):
    """The name of the tables, and the statement of a parameter file where one gives it."""

    name: str
    rule: Rule | None = None


def heartbeat_table(session: Session, given: str | None = None) -> HeartbeatTable:
    """The name as given to a command, else that of the parameter files of a session."""
    if given is not None:
        return HeartbeatTable(given)
    return table_of(session.kept(ParametersInUse) or ParametersInUse())


def table_of(parameters: ParametersInUse) -> HeartbeatTable:
    """The name by HEARTBEATTABLE in the file of a process, else in GLOBALS, else GG_HEARTBEAT."""
    for file in (parameters.extract, parameters.replicat, parameters.globals):
        if file is None:
            continue
        from logdump.parameters.tree import Other  # noqa: PLC0415 - a session without PARAMS starts faster

        rules = [node.rule for node in file.of(Other) if node.keyword == HEARTBEAT_TABLE]
        found = _VALUE.fullmatch(rules[-1].text) if rules else None
        if found is not None:
            return HeartbeatTable(found[1].replace('"', ""), rules[-1])
    return HeartbeatTable(BASE_NAME)
