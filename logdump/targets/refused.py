"""Changes that a target has refused, which are noted in it while the rest goes on, and are applied again on request.

A row of which a change is noted gets no later change either: those are noted too, in order, so that none overtakes
another. A change of the key makes two keys wait. A truncate of a mirror ends all waiting: its rows are gone. Where
former rows are kept it is refused while a row waits that it would end; where changes are kept it ends no waiting.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from logdump.tables.change_columns import CHANGE_COLUMNS
from logdump.targets.net_effect import Changes
from logdump.targets.positions import moment_of, readable, text_of
from logdump.targets.target import PLACE, ApplyTarget, BadTarget, ChangeRefused, RefusedChange, SourceTable, value_text
from logdump.targets.writing import Writing

Waiting = Mapping[str, Collection[str]]
"""The keys, as text, of the rows that wait, by table."""
EARLIER = "an earlier change of the row is noted here"
"""The reason for a change of a row that waits."""
ENDS_WAITING = "it ends rows of which changes are noted in logdump_errors: apply these before (retry), or delete them"
"""The reason for a truncate of a table that keeps former rows, and for a statement that drops a table."""

_UNKNOWN = ""
"""The text of a key of which a column has no value."""


class Parted(NamedTuple):
    """Changes of a table in order: those to be applied, and those to be noted.

    ``truncated`` is the place of the last truncate by which what was noted before it counts no more.
    """

    applied: pa.Table
    noted: list[RefusedChange]
    truncated: str | None


def part_changes(
    table: SourceTable, rows: pa.Table, waiting: set[str], refused: Mapping[str, str], *, least: bool
) -> Parted:
    """Part changes of a table into those to be applied and those to be noted.

    Args:
        table: the table.
        rows: its changes in order; both parts of an update of the key are among them, or none.
        waiting: the keys that wait; keys are added and removed.
        refused: the reason for each refused change by its place without the last digit.
        least: whether nothing is refused or waits in this table, so that only truncates matter.

    Raises:
        ChangeRefused: a truncate, or a change of an unknown row, is refused: it cannot be noted. So is a truncate that
            ends rows that wait, where former rows are kept.
    """
    writing = table.writing
    ops, places = rows["_op"].to_pylist(), rows["_sequence"].to_pylist()
    truncates = [place for op, place in zip(ops, places, strict=True) if op == "truncate"] if "truncate" in ops else []
    truncated = truncates[-1] if truncates and writing == Writing() else None
    if least:
        return Parted(rows, [], truncated)
    keys = [_key_text(table, key) for key in zip(*(rows[name].to_pylist() for name in table.keys), strict=True)]
    kept, noted = list[int](), list[RefusedChange]()
    for unit in _units(places):
        own = [keys[number] for number in unit]
        reason = refused.get(places[unit[0]][:-1])
        if reason is not None and ops[unit[0]] == "truncate":
            raise ChangeRefused(reason)  # nobody knows which rows would have to wait
        if ops[unit[0]] == "truncate" and waiting and writing.ended_by is not None:
            raise ChangeRefused(ENDS_WAITING)
        if ops[unit[0]] == "truncate" and writing == Writing():
            waiting.clear()
        if reason is None and not waiting.intersection(own):
            kept += unit
            continue
        if _UNKNOWN in own:
            raise ChangeRefused(reason or EARLIER)
        waiting.update(own)
        noted.append(_noted(table, rows.take(pa.array(unit)), own, reason or EARLIER))
    return Parted(rows.take(pa.array(kept, pa.int64())), noted, truncated)


def _units(places: Sequence[str]) -> Iterator[list[int]]:
    """Yield the numbers of the rows of each change: two for an update of the key."""
    number = 0
    while number < len(places):
        is_pair = number + 1 < len(places) and places[number][:-1] == places[number + 1][:-1]
        yield [number, number + 1] if is_pair else [number]
        number += 1 + is_pair


def _key_text(table: SourceTable, key: tuple[Any, ...]) -> str:
    texts = dict(zip(map(table.column, table.keys), map(value_text, key), strict=True))
    return _UNKNOWN if None in key else json.dumps(texts, ensure_ascii=False)


def noted_of(row: Sequence[Any]) -> RefusedChange:
    """Return a change from its row. Raises BadTarget if a value is none that a noted change has."""
    values = dict(zip(RefusedChange._fields, row, strict=True))
    with readable("logdump_errors", str(text_of(row[0])), values, "or delete the row to give the change up"):
        own: dict[str, Any] = {name: text_of(value) for name, value in values.items()}
        own |= {"source_time": moment_of(values["source_time"]), "rba": int(values["rba"])}
        change = RefusedChange(**own)
        if not PLACE.fullmatch(change.place):
            raise ValueError("place")
        if not all(isinstance(json.loads(key), dict) for key in change.key_texts) or not len(change.rows):
            raise ValueError("row_keys")
        return change


def _noted(table: SourceTable, rows: pa.Table, keys: list[str], reason: str) -> RefusedChange:
    last = rows.slice(len(rows) - 1).to_pylist()[0]
    absent = {*(last["_absent"] or ())}
    image = {table.column(name): value_text(last[name]) for name in table.columns if name not in absent}
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows.combine_chunks())
    return RefusedChange(
        table.name,
        last["_sequence"],
        last["_csn"],
        last["_xid"],
        last["_time"],
        last["_file"],
        last["_rba"],
        "key update" if len(rows) > 1 else last["_op"],
        json.dumps(keys, ensure_ascii=False),
        json.dumps(image, ensure_ascii=False),
        reason,
        base64.b64encode(sink.getvalue()).decode(),
    )


def waiting_of(changes: Collection[RefusedChange], tables: Sequence[SourceTable]) -> dict[str, set[str]]:
    """Return the keys that wait, by table, given noted changes; those of other tables are left aside.

    Raises:
        BadTarget: a change was noted with a key of other columns: nobody could tell its row from others.
    """
    columns = {table.name: [*map(table.column, table.keys)] for table in tables}
    waiting: dict[str, set[str]] = {}
    changes = [change for change in changes if change.table_name in columns]  # a table may be defined only later
    for change in changes:
        if any([*json.loads(key)] != columns.get(change.table_name) for key in change.key_texts):
            raise BadTarget(
                f"nothing was written: logdump_errors has changes of {change.table_name} with a key of other columns: "
                f"{change.row_keys[:80]}"
            )
    for change in changes:
        waiting.setdefault(change.table_name, set()).update(change.key_texts)
    return waiting


def has_place(rows: pa.Table, places: Collection[str]) -> bool:
    """Return whether one of the rows is at one of these places, which are without their last digit."""
    if not places:
        return False
    known = pa.array([f"{place}{digit}" for place in places for digit in "0123456789"])
    return bool(pc.any(pc.is_in(rows["_sequence"], known)).as_py())


def retry_noted(
    target: ApplyTarget, tables: Sequence[SourceTable], changes: Sequence[RefusedChange], *, overwrite: bool
) -> Iterator[int]:
    """Apply noted changes in order, each in a transaction with its removal; yield the number of applied ones so far.

    Those of a transaction are applied together if they can be: two rows that swap their keys fit in no other way.

    Args:
        target: a target that is prepared for the tables.
        tables: tables of the source; changes of others are left.
        changes: the noted changes, in order.
        overwrite: whether existing rows are replaced, and changes of missing rows left out.

    Raises:
        TargetLost: the connection is lost; changes that are still noted are not applied.
    """
    retry = _Retry(target, {table.name: table for table in tables}, overwrite=overwrite)
    done = 0
    for _, of_transaction in groupby(changes, key=lambda change: (change.csn, change.xid)):
        by_table: dict[str, list[RefusedChange]] = {}
        for change in of_transaction:
            by_table.setdefault(change.table_name, []).append(change)
        for noted in by_table.values():
            if len(noted) > 1 and retry.has_applied(noted):
                done += len(noted)
                yield done
                continue
            for change in noted:
                if retry.has_applied([change]):
                    done += 1
                    yield done
                else:
                    retry.block(change)


class _Retry:
    """Applies noted changes, but none of a row of which an earlier one is left."""

    def __init__(self, target: ApplyTarget, tables: Mapping[str, SourceTable], *, overwrite: bool) -> None:
        self._target, self._tables, self._overwrite = target, tables, overwrite
        self._blocked: dict[str, set[str]] = {}

    def block(self, change: RefusedChange) -> None:
        """Leave the later changes of the row."""
        self._blocked.setdefault(change.table_name, set()).update(change.key_texts)

    def has_applied(self, changes: Sequence[RefusedChange]) -> bool:
        """Return whether all these changes of one table are applied; else none of them is."""
        table = self._tables.get(changes[0].table_name)
        blocked = self._blocked.get(changes[0].table_name, set())
        if table is None or any(blocked.intersection(change.key_texts) for change in changes):
            return False
        if any(_may_be_renamed(table, change.rows) for change in changes):
            return False
        own = Changes([*table.columns], table.keys)
        try:
            for change in changes:
                own.add(_with_columns(table, change.rows))
            self._target.apply(table.name, own, overwrite=self._overwrite)
            for change in changes:
                self._target.forget_refused(change)
            self._target.commit({})
        except (ChangeRefused, pa.ArrowInvalid, pa.ArrowNotImplementedError):  # a column has another type now
            self._target.rollback()
            return False
        return True


def _may_be_renamed(table: SourceTable, rows: pa.Table) -> bool:
    """Return whether a noted change has a value in a column that the table has lost, and lacks one that has come."""
    fixed = {column.name for column in CHANGE_COLUMNS}
    images = rows.filter(pc.not_equal(rows["_op"], "delete"))
    own = {name for name in images.column_names if images[name].null_count < len(images)} - fixed
    return bool(own - table.columns.keys()) and not table.columns.keys() <= {*rows.column_names}


def _with_columns(table: SourceTable, rows: pa.Table) -> pa.Table:
    """Return rows with the columns that the table has now; those that it did not have are absent."""
    new = [name for name in table.columns if name not in rows.column_names]
    columns = {
        name: _as(rows[name], kind) if name in rows.column_names else pa.nulls(len(rows), kind)
        for name, kind in table.columns.items()
    }
    absent = [[*(names or ()), *new] or None for names in rows["_absent"].to_pylist()]
    fixed = {name: rows[name] for name in ("_op", "_sequence", "_csn", "_xid", "_time")}
    return pa.table({**columns, **fixed, "_absent": pa.array(absent, pa.list_(pa.string()))})


def _as(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Return values in another type. Raises ArrowInvalid or ArrowNotImplementedError if it does not hold them."""
    kinds = (column.type, kind)
    is_text = any(map(pa.types.is_string, kinds))
    if len({*map(pa.types.is_temporal, kinds)}) > 1 and not is_text and column.null_count < len(column):
        raise pa.ArrowInvalid("a number is no time")  # it would be one since 1970
    return column.cast(kind)
