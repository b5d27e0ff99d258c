"""Rows of heartbeat tables: what a change of one says, with what it leaves out taken from the change before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from logdump.features.heartbeat.model import KEY, HeartbeatRow, Key, Role
from logdump.features.heartbeat.recent import Recent
from logdump.features.heartbeat.tables import TEXTS, TIMES
from trailformat.changes.row_changes import Change
from trailformat.codec.timestamps import from_datetime
from trailformat.trail.sequence import Spot
from trailformat.values import Value

_TIMESTAMP = re.compile(r"(\d{4}-\d{2}-\d{2})[ T:](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?")

Members = dict[str, str | int | None]
"""Columns by what they are called in ``tables``; timestamps in Julian microseconds."""


class RowHistory:
    """Makes rows of changes that come in the order of the trail.

    An update may carry its key and the changed columns alone; the others are those of the change before of the same
    row, or None where that is not in the trail.
    """

    def __init__(self) -> None:
        self._known: Recent[tuple[str, Key], Members] = Recent()

    def row(self, change: Change, role: Role, path: Path) -> HeartbeatRow:
        """The row that a change leaves, or the one that it deletes."""
        members, other, problems = _members(change)
        if change.op in ("UPDATE", "PK UPDATE"):
            members = self._before(change, members) | members
        row = HeartbeatRow(
            role,
            change.table,
            change.op,
            Spot(path, change.records[-1].rba),
            change.csn,
            change.time,
            **members,  # type: ignore[arg-type]  # each member has the type of its table of columns
            other=other,
            problems=tuple(problems),
        )
        if change.op != "DELETE" and role is not Role.HISTORY:
            self._known.set((change.table, row.key), members)
        return row

    def _before(self, change: Change, members: Members) -> Members:
        """The former columns of the row, found by as much of its key as the change carries."""
        old = _members(change, before=True)[0]
        carried = {name: {**members, **old}[name] for name in KEY if name in members or name in old}
        if len(carried) == len(KEY):
            return self._known.get((change.table, _key(carried))) or {}
        fitting = (
            known
            for (table, _), known in self._known.newest_first()
            if table == change.table and all(known.get(name) == value for name, value in carried.items())
        )
        return next(fitting, {})


def _key(members: Mapping[str, Any]) -> Key:
    return tuple(members[name] for name in KEY)


def _members(change: Change, *, before: bool = False) -> tuple[Members, dict[str, str], list[str]]:
    """The columns that the change carries by their names here, the others, and what does not decode."""
    members: Members = {}
    other: dict[str, str] = {}
    problems = [change.problem] if change.problem else []
    for column in change.columns:
        value = column.before if before or column.after is None else column.after
        if value is None:
            continue
        name = column.name.upper()
        if value.problem is not None:
            problems.append(f"{column.name}: {value.problem}")
        elif name in TEXTS:
            members[TEXTS[name]] = None if value.is_null else value.text
        elif name not in TIMES:
            other[column.name] = value.text
        else:
            moment = timestamp(value)
            if moment is None and not value.is_null:
                problems.append(f"{column.name}: {value.text!r} is not a timestamp")
            members[TIMES[name]] = moment
    return members, other, problems


def timestamp(value: Value) -> int | None:
    """A timestamp without a zone, which is UTC, in Julian microseconds; None for NULL and for what is none.

    Digits behind the sixth decimal are dropped.
    """
    if isinstance(value.value, datetime):
        return from_datetime(value.value)
    match = _TIMESTAMP.fullmatch(value.text.strip())
    if match is None:
        return None
    try:
        seconds = datetime.strptime(f"{match[1]} {match[2]}", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return from_datetime(seconds) + int((match[3] or "0").ljust(6, "0")[:6])
