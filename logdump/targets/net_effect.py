"""The net effect of successive changes of one table: rows that are removed, inserted, changed or moved.

    insert 1, update 1        -> insert 1
    update 2 (A), update 2 (B) -> update 2 (A, B)
    key update 3 to 4, 4 to 3  -> two moves, in any order of the rows
    upsert 6                   -> insert 6, or update 6 if the table has such a row
    delete 5, insert 5         -> 5 is removed, 5 is inserted

Each target applies it in this order: all rows are removed (truncate), rows are removed, changed, inserted. A row that
moves is removed under its old key and inserted under the new one; its columns that the trail lacks are copied from the
old row before that is removed.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Key = tuple[Any, ...]
Absent = frozenset[str]
_NOTHING: Absent = frozenset()
_SEPARATOR = "\0"
LOAD = "load"
"""The operation of a row of an initial load, which is inserted."""
OPS = frozenset({LOAD, "insert", "upsert", "update", "delete", "truncate", "move"})
"""The operations whose effect is known; a ``move`` is the delete and the insert of an update of the key."""


class RowEffect(enum.StrEnum):
    """The effect on one row."""

    INSERT = "i"
    UPDATE = "u"
    MOVE = "m"


class Conflict(NamedTuple):
    """A change that contradicts earlier ones: its number, the problem, and whether later changes may resolve it."""

    number: int
    problem: str
    is_open: bool = False


class NetEffect(NamedTuple):
    """The net effect of a run of changes.

    Attributes:
        is_truncated: whether all existing rows are removed first.
        gone: keys of the rows that are removed, each with the number of the change that removes it.
        rows: the rows that change, move or are inserted: the columns of the table, null where absent.
        kinds: kind of each row; a row that moves is among ``gone`` under its old key.
        origins: old key of each row, None if it is inserted.
        absent: columns of each row whose values do not change.
        changed_by: number of the last change of each row.
        conflicts: impossible changes: of a missing row, or of two rows with the same key; with ``overwrite`` only those
            whose effect is not known.
    """

    is_truncated: bool
    gone: dict[Key, int]
    rows: pa.Table
    kinds: list[RowEffect]
    origins: list[Key | None]
    absent: list[Absent]
    changed_by: list[int]
    conflicts: list[Conflict]


class RowState:
    """A row after the changes so far.

    Attributes:
        origin: its key before them; None if they have inserted it.
        number: number of its last change.
        older: numbers of earlier changes, by columns for which the last one has no value.
        absent: columns for which no change has a value.
        has_moved: whether a change has given it another key.
    """

    __slots__ = ("absent", "has_moved", "number", "older", "origin")

    def __init__(self, origin: Key | None, number: int, absent: Absent) -> None:
        self.origin = origin
        self.number = number
        self.older: dict[str, int] = {}
        self.absent = absent
        self.has_moved = False

    def change(self, number: int, absent: Absent) -> None:
        if absent:
            self.older = {name: self.older.get(name, self.number) for name in absent if name not in self.absent}
            absent &= self.absent
        else:
            self.older = {}
        self.number, self.absent = number, absent


class Changes:
    """Changes of one table in order, added batch by batch.

    Args:
        columns: the columns of the table.
        keys: its key columns.
    """

    def __init__(self, columns: Sequence[str], keys: Sequence[str]) -> None:
        self.columns, self.keys = tuple(columns), tuple(keys)
        self._batches: list[pa.Table] = []
        self.count = 0

    def add(self, batch: pa.Table) -> None:
        """Add later changes: the columns of the table, ``_op``, ``_sequence`` and ``_absent``."""
        self._batches.append(batch)
        self.count += len(batch)

    def rows(self, net: NetEffect) -> pa.Table:
        """Return the rows that an empty table has after a net effect: its columns, and ``_absent``."""
        absent = [sorted(names) or None for names in net.absent]
        return net.rows.append_column("_absent", pa.array(absent, pa.list_(pa.string())))

    def all(self) -> pa.Table:
        """Return the changes as one table."""
        self._batches = [pa.concat_tables(self._batches).combine_chunks()]
        return self._batches[0]

    def sought(self, *, overwrite: bool = False) -> set[Key]:
        """Return the keys for which the effect depends on whether the table has a row with them.

        They are those of upserts, and those to which rows move, as in a swap; where rows are replaced, also those from
        which they move: a row may have moved already.
        """
        if not self.count:
            return set()
        is_sought = pc.equal(self.all()["_op"], "upsert")
        is_sought = pc.or_(is_sought, pc.ends_with(self.all()["_sequence"], "1"))
        if not pc.any(is_sought).as_py():
            return set()
        keys = set[Key]()
        for op, key, _, _, before in self.steps(self.all()):
            if op in ("upsert", "move"):
                keys.add(key)
            if op == "move" and overwrite:
                keys.add(before)
        return {key for key in keys if None not in key}

    def net(self, present: Collection[Key] = (), *, overwrite: bool = False) -> NetEffect:
        """Return their net effect on a table.

        Args:
            present: keys for which the table has a row: those of ``sought``, and maybe others.
            overwrite: whether a row replaces another with its key.
        """
        table = self.all()
        replay = Replay(present, frozenset(self.columns), overwrite=overwrite)
        for step in self.steps(table):
            replay.take(*step)
        return self._effect(table, replay)

    def steps(self, table: pa.Table) -> Iterator[tuple[str, Key, int, Absent, Key]]:
        """Yield operation, key, number, absent columns and, for a move, the old key of each change."""
        keys = [*zip(*(table[name].to_pylist() for name in self.keys), strict=True)]
        ops, sequences, absent = (
            table["_op"].to_pylist(),
            table["_sequence"].to_pylist(),
            _absent_in(table["_absent"], frozenset(self.columns)),
        )
        before: Key | None = None
        for number, op in enumerate(ops):
            if before is not None:
                yield "move", keys[number], number, absent[number], before
                before = None
            elif op == "delete" and number + 1 < len(ops) and _are_one(sequences[number], sequences[number + 1]):
                before = keys[number]
            else:
                yield op, keys[number], number, absent[number], ()

    def _effect(self, table: pa.Table, replay: Replay) -> NetEffect:
        rows = [*replay.rows()]
        kinds = [
            RowEffect.INSERT
            if row.origin is None
            else RowEffect.MOVE
            if row.origin in replay.gone
            else RowEffect.UPDATE
            for row in rows
        ]
        return NetEffect(
            replay.is_truncated,
            replay.gone,
            values_of(table, self.columns, rows),
            kinds,
            [row.origin for row in rows],
            [row.absent for row in rows],
            [row.number for row in rows],
            [*replay.unknown, *(() if replay.overwrite else (*replay.conflicts, *replay.shared_keys()))],
        )


class StateByNumbers(Protocol):
    """A state of a row, by the numbers of the changes that have its values."""

    @property
    def number(self) -> int:
        """Number of the change that has its values."""

    @property
    def older(self) -> Mapping[str, int]:
        """Numbers of the changes that have the values which that one lacks, by columns."""


def values_of(table: pa.Table, columns: Sequence[str], rows: Sequence[StateByNumbers]) -> pa.Table:
    """Return the values of states of rows, given the changes; null in columns that none of them has."""
    numbers = np.fromiter((row.number for row in rows), np.int64, len(rows))
    sources = dict.fromkeys(columns, numbers)
    for index, row in enumerate(rows):
        for name, number in row.older.items():
            if sources[name] is numbers:
                sources[name] = numbers.copy()
            sources[name][index] = number
    return pa.table({name: table[name].take(pa.array(sources[name])) for name in columns})


class Replay:
    """Rows by key while changes are replayed in order.

    Two rows share a key in the middle of a swap: the one that was there first is the one that leaves.

    Args:
        present: keys that the table has: those that are sought, and maybe others.
        columns: the columns of the table.
        overwrite: whether a row replaces another with its key.
    """

    def __init__(self, present: Collection[Key], columns: Absent, *, overwrite: bool) -> None:
        self.overwrite = overwrite
        self._present = {*present}
        self._columns = columns
        self._rows: dict[Key, list[RowState]] = {}
        self.gone: dict[Key, int] = {}
        self.is_truncated = False
        self.conflicts: list[Conflict] = []
        self.unknown: list[Conflict] = []

    def rows(self) -> Iterable[RowState]:
        """Return the rows that are left."""
        return (row for rows in self._rows.values() for row in (rows[-1:] if self.overwrite else rows))

    def rows_with(self, key: Key) -> Sequence[RowState]:
        """Return the rows that have a key: several in the middle of a swap."""
        return self._rows.get(key, ())

    def shared_keys(self) -> Iterator[Conflict]:
        """Yield the conflicts of rows that have moved to a key which another row has kept."""
        for key, rows in self._rows.items():
            if len(rows) > 1:
                yield Conflict(rows[-1].number, f"two rows have the key {_shown(key)}", is_open=True)

    def take(self, op: str, key: Key, number: int, absent: Absent, before: Key) -> None:
        if op not in OPS:
            self.unknown.append(Conflict(number, "its effect on the table is not known"))
        elif op == "truncate":
            self.is_truncated = True
            self._present.clear()
            self._rows.clear()
            self.gone.clear()
        elif None in key:
            self.conflicts.append(Conflict(number, f"the {op} has no value for a column of the key"))
        elif op == "upsert" and (self._rows.get(key) or (key in self._present and key not in self.gone)):
            self._change(key, number, absent)
        elif op in ("insert", "upsert", LOAD):
            row = RowState(None, number, absent)
            self._rows[key] = [row] if self.overwrite else [*self._rows.get(key, ()), row]
        elif op == "update":
            if not self._rows.get(key):
                self._expect(op, key, number)
            self._change(key, number, absent)
        elif op == "delete":
            self._leave(op, key, number)
        else:
            self._move(before, key, number, absent)

    def _change(self, key: Key, number: int, absent: Absent) -> None:
        if rows := self._rows.get(key):
            rows[-1].change(number, absent)
        else:
            self._rows[key] = [RowState(key, number, absent)]

    def _expect(self, op: str, key: Key, number: int) -> None:
        if self.is_truncated or key in self.gone:
            self.conflicts.append(Conflict(number, f"{op} of a row that is not there: {_shown(key)}"))

    def _leave(self, op: str, key: Key, number: int) -> RowState | None:
        """Remove and return the row of a key; None if no change has touched it."""
        rows = self._rows.get(key)
        if not rows:
            self._expect(op, key, number)
            self.gone[key] = number
            return None
        row = rows.pop(0)
        if not rows:
            del self._rows[key]
        if row.origin is not None:
            self.gone[row.origin] = number
        if self.overwrite:
            self.gone[key] = number  # also the row of the table that this one has replaced there
        return row

    def _move(self, before: Key, key: Key, number: int, absent: Absent) -> None:
        row = self._leave("key update", before, number)
        if row is None:
            row = RowState(before, number, absent)
        else:
            row.change(number, absent)
        if self.overwrite and self._is_known(key) and row.origin is not None and row.origin not in self._present:
            row.origin = key  # the row has moved already
        row.has_moved = row.has_moved or before != key
        if not self.overwrite and self._is_known(key):
            self._rows[key] = [RowState(key, number, self._columns)]
        self._rows.setdefault(key, []).append(row)

    def _is_known(self, key: Key) -> bool:
        """Return whether the row of a key is one that the table had and no change has touched."""
        return key in self._present and key not in self._rows and key not in self.gone


def _are_one(first: str, second: str) -> bool:
    """Return whether two changes are the parts of one key update, by their ``_sequence``."""
    return first[-1] == "0" and second[-1] == "1" and first[:-1] == second[:-1]


def _absent_in(lists: Any, columns: Absent) -> list[Absent]:
    """Return those of the columns that are absent in each change; equal sets are one object."""
    if lists.null_count == len(lists):
        return [_NOTHING] * len(lists)
    texts = pc.binary_join(lists, _SEPARATOR).combine_chunks().dictionary_encode()
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    sets = [columns.intersection(text.split(_SEPARATOR)) for text in texts.dictionary.to_pylist()]
    return [_NOTHING if index is None else sets[index] for index in texts.indices.to_pylist()]


def _shown(key: Key) -> str:
    return ", ".join(map(str, key))


def problem_with(net: NetEffect, keys: Sequence[Key], there: Collection[Key], table: str) -> str | None:
    """Return why a net effect does not fit a table: it changes a row that is not there, or inserts one that is.

    None if it fits. ``keys`` are those of the rows of the effect, ``there`` those that the table has.
    """
    if net.is_truncated:
        return None
    if (missing := next((key for key in net.gone if key not in there), None)) is not None:
        return f"{table} does not have the row {missing}"
    for kind, key in zip(net.kinds, keys, strict=True):
        if kind is RowEffect.UPDATE and key not in there:
            return f"{table} does not have the row {key}"
        if kind is not RowEffect.UPDATE and key in there and key not in net.gone:
            return f"{table} has a row {key} already"
    return None


def whole_rows(
    net: NetEffect,
    keys: Sequence[Key],
    there: Mapping[Key, Mapping[str, Any]],
    former: Collection[str],
    own: Collection[str],
) -> pa.Table:
    """Return the rows of a net effect, completed from those of the table by the columns that the trail lacks.

    Args:
        net: the net effect; the columns of its rows are those of the table.
        keys: the key of each row.
        there: rows of the table by key.
        former: columns that all changes lack.
        own: those of them that the target alone has: a row that replaces another one has the values of that.
    """
    if not any(net.absent):
        return net.rows
    rows, whole, lacked = net.rows.to_pylist(), [], frozenset(former)
    for row, kind, origin, key, absent in zip(rows, net.kinds, net.origins, keys, net.absent, strict=True):
        before = there.get(origin) or there.get(key) if origin is not None else None
        if absent and before is not None:
            row |= {name: before[name] for name in absent}
        elif own and key in there and key not in net.gone and not net.is_truncated:
            row |= {name: there[key][name] for name in own}
        if before is not None or absent <= lacked or kind is RowEffect.INSERT:
            whole.append(row)
    return pa.Table.from_pylist(whole, net.rows.schema)
