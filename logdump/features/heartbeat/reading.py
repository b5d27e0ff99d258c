"""Reads the heartbeat rows of trail files: rows are selected by table name, and only those are decoded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from logdump.features.heartbeat.beats import Recent
from logdump.features.heartbeat.model import KEY, HeartbeatRow, Key
from logdump.session.selection import Selection
from logdump.tables.heartbeat_tables import BASE_NAME, TEXTS, TIMES, Role, has_beats, role_of
from trailformat.changes.row_changes import OPERATIONS, Change, changes
from trailformat.codec.on_demand import on_demand
from trailformat.codec.timestamps import from_datetime
from trailformat.records.record import Record
from trailformat.scan import BAD_SPAN, Batch, Workers, scan_in_threads
from trailformat.scan.rows import learn_definitions
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.not_applied import Ranges, no_ranges
from trailformat.transactions.whole_trail import note_incomplete
from trailformat.values import Value

with on_demand:
    import numpy as np

_TIMESTAMP = re.compile(r"(\d{4}-\d{2}-\d{2})[ T:](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?")

_CHANGES_A_ROW = frozenset({"UPDATE", "PK UPDATE", "DELETE"})
_KINDS = dict.fromkeys(TEXTS.values(), str) | dict.fromkeys(TIMES.values(), int)
Members = dict[str, str | int | None]
"""Columns by their attribute names in ``tables``; timestamps are Julian microseconds."""


class RowHistory:
    """Makes rows from changes, which must come in trail order.

    An update may have only its key and the changed columns; the others are taken from the last change of the same row,
    or None if the trail does not have it. A row that was deleted, or has another key now, is no longer known.
    """

    def __init__(self) -> None:
        self._known: Recent[tuple[str, Key], Members] = Recent()

    def row(self, change: Change, role: Role, path: Path) -> HeartbeatRow:
        """Return the row after a change, or the deleted row."""
        members, other, problems = _members(change)
        former = self._former(change, members) if change.op in _CHANGES_A_ROW else None
        if former is not None and change.op != "DELETE":
            members = (self._known.get(former) or {}) | members
        row = HeartbeatRow(
            role,
            change.table,
            change.op,
            FilePosition(path, change.records[-1].rba),
            change.csn,
            change.time,
            **members,  # type: ignore[arg-type]  # each member has the type of its table of columns
            other=other,
            problems=tuple(problems),
        )
        if former is not None:
            self._known.drop(former)
        if change.op != "DELETE" and role is not Role.HISTORY:
            self._known.set((change.table, row.key), members)
        return row

    def rows(self, most: int) -> list[tuple[str, Members]]:
        """Return tables and columns of rows, in the order of their changes; of more than ``most`` older ones lack."""
        rows = [(table, members) for (table, _), members in islice(self._known.newest_first(), most)]
        return rows[::-1]

    def note(self, table: str, members: Members) -> None:
        """Note what is known of a row, as ``rows`` of an earlier reading has it.

        Raises:
            TypeError: these are no columns of a row.
        """
        if any(value is not None and type(value) is not _KINDS.get(name) for name, value in members.items()):
            raise TypeError("columns")
        self._known.set((table, _key({name: members.get(name) for name in KEY})), members)

    def _former(self, change: Change, members: Members) -> tuple[str, Key] | None:
        """Return the key of the row before the change, by those columns of its key that the change has."""
        old = _members(change, before=True)[0]
        carried = {name: {**members, **old}[name] for name in KEY if name in members or name in old}
        if len(carried) == len(KEY):
            return change.table, _key(carried)
        fitting = (
            (table, key)
            for (table, key), known in self._known.newest_first()
            if table == change.table and all(known.get(name) == value for name, value in carried.items())
        )
        return next(fitting, None)


def _key(members: Mapping[str, Any]) -> Key:
    return tuple(members[name] for name in KEY)


def _members(change: Change, *, before: bool = False) -> tuple[Members, dict[str, str], list[str]]:
    """Return the columns of the change by attribute name, the other columns, and the problems."""
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
    """Return a timestamp without a zone (UTC) in Julian microseconds, None for NULL or for other text.

    Digits after the sixth decimal are dropped.
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


_ROWS = frozenset({"INSERT", "UPSERT", "UPDATE", "PK UPDATE", "DELETE"})


class HeartbeatReader:
    """Reads heartbeat rows of files, in trail order.

    Args:
        definitions_of: returns the row definitions of a file.
        base: name of the tables, from HEARTBEATTABLE in GLOBALS.
        selection_of: returns the filter of a file's records; by default all pass.
        note_damage: called with file and RBA of each place with damage.
        not_applied_in: returns the ranges of a file that a Replicat does not apply; by default none.
        uses_threads: whether several threads scan a large file.

    Attributes:
        history: what is known of the rows.
        not_applied: number of rows in such ranges, which are skipped.
        not_beats: tables with the name of a heartbeat table and without a time of a beat; their rows are skipped.
        problems: number of rows with columns that cannot be decoded.
        records: number of records read, of any table.
        damaged: number of places with damage; an incomplete last record does not count.
        io_time: the latest IO Time of all records read, Julian microseconds; None before the first.
        newest: the later of ``io_time`` and the latest CreationTime of a file header.
    """

    def __init__(
        self,
        definitions_of: Callable[[TrailFile], RowDefinitions] = RowDefinitions,
        base: str = BASE_NAME,
        selection_of: Callable[[TrailFile], Selection] | None = None,
        note_damage: Callable[[TrailFile, int], None] = lambda _trail, _rba: None,
        not_applied_in: Callable[[Path], Ranges] = lambda _: no_ranges(),
        *,
        uses_threads: bool = False,
    ) -> None:
        self._definitions_of = definitions_of
        self._base = base
        self._selection_of = selection_of
        self._note_damage = note_damage
        self._not_applied_in = not_applied_in
        self._uses_threads = uses_threads
        self.history = RowHistory()
        self.not_beats: set[str] = set()
        self.problems = self.records = self.damaged = self.not_applied = 0
        self.io_time: int | None = None
        self.newest: int | None = None

    def rows(self, trail: TrailFile, start: int = 0) -> Iterator[HeartbeatRow | Batch]:
        """Yield the rows of a file from an RBA, in order, and each batch of records after the rows found in it."""
        definitions = self._definitions_of(trail)
        selection = self._selection_of(trail) if self._selection_of is not None else None
        waiting: list[Record] = []
        header = trail.file_header
        self._note_clock(header.created if header is not None else None)
        for batch in self._batches(trail, start):
            learn_definitions(trail, batch)
            passing = selection.rows(batch) if selection is not None else None
            records = [*waiting, *self._records(trail, batch, passing)]
            # the after image of an update may be in the next batch
            waiting = records[-1:] if records and records[-1].header.is_before else []
            yield from self._rows(trail, records[: len(records) - len(waiting)], definitions)
            self.records += len(batch)
            for row in batch.spans():
                if int(batch.kind[row]) == BAD_SPAN:
                    self.damaged += 1
                    self._note_damage(trail, int(batch.rba[row]))
                else:
                    note_incomplete(trail, int(batch.rba[row]))
            if len(batch):
                self.io_time = max(int(np.max(np.asarray(batch.io_time))), self.io_time or 0) or None
                self._note_clock(self.io_time)
                yield batch
        yield from self._rows(trail, waiting, definitions)

    def _note_clock(self, moment: int | None) -> None:
        self.newest = max(moment or 0, self.newest or 0) or None

    def _batches(self, trail: TrailFile, start: int) -> Iterator[Batch]:
        with Workers(None if self._uses_threads else 1) as workers:
            yield from scan_in_threads(trail, workers, start)

    def _rows(self, trail: TrailFile, records: list[Record], definitions: RowDefinitions) -> Iterator[HeartbeatRow]:
        for change in changes(trail, records, definitions):
            role = role_of(change.table, self._base)
            if role is None or change.op not in _ROWS:
                continue
            if change.definition is not None and not has_beats(column.name for column in change.definition.columns):
                self.not_beats.add(change.table)
                continue
            if self._not_applied_in(trail.path).hold(change.records[0].rba):
                self.not_applied += 1
                continue
            row = self.history.row(change, role, trail.path)
            self.problems += bool(row.problems)
            yield row

    def _records(self, trail: TrailFile, batch: Batch, passing: Any) -> Iterator[Record]:
        """Yield the records of a batch that are changes of heartbeat tables and pass; ``passing`` None: all pass."""
        names = batch.names
        wanted = {key for key in range(1, len(names)) if role_of(names[key], self._base) is not None}
        for row in batch.rows_of_tables(wanted):
            if int(batch.io_type[row]) in OPERATIONS and (passing is None or passing[row]):
                record = trail.record_at(int(batch.rba[row]))
                if record is not None:
                    yield record
