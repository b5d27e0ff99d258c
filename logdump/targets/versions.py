"""The versions of the rows of one table that successive changes make: one for each transaction that changes a row.

    transaction 1: insert 1 (A), update 1 (B)  -> version 1 (B) begins
    transaction 2: update 1 (C)                -> version 1 (B) ends, version 1 (C) begins
    transaction 3: key update 1 to 2           -> version 1 (C) ends, version 2 (C) begins
    transaction 4: insert 3, delete 3          -> nothing

What a transaction changes and does not leave is no version: nobody outside of it has seen it. Where a transaction is
applied in several parts, a later part replaces a version that an earlier one has begun.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import pyarrow as pa

from logdump.targets.net_effect import LOAD, Absent, Changes, Conflict, Key, Replay, RowState, values_of


class Versions(NamedTuple):
    """The versions that a run of changes makes, and those of the table that it ends.

    Attributes:
        truncated_by: number of the change that ends all versions of the table that are open and not in ``ended``; None
            if there is none.
        ended: keys of the open versions of the table that end, each with the number of a change of the transaction that
            ends it.
        rows: the values of the versions: the columns of the table, null where absent.
        keys: the key of each.
        origins: the key of the open version of the table from which the absent columns of each are taken, or None.
        absent: columns of each whose values do not change.
        have_moved: whether the row of each has had another key.
        begins: number of the last change of the transaction with which each begins.
        ends: number of a change of the transaction with which it ends; None if it is open.
        are_new: whether the table must have no open version with the key of each.
        conflicts: impossible changes.
    """

    truncated_by: int | None
    ended: dict[Key, int]
    rows: pa.Table
    keys: list[Key]
    origins: list[Key | None]
    absent: list[Absent]
    have_moved: list[bool]
    begins: list[int]
    ends: list[int | None]
    are_new: list[bool]
    conflicts: list[Conflict]

    @classmethod
    def of(cls, changes: Changes, present: Collection[Key] = ()) -> Versions:
        """Return the versions that changes make.

        Args:
            changes: the changes, with ``_csn``, ``_xid`` and ``_time``.
            present: those keys that are sought for which the table has an open version.
        """
        table = changes.all()
        walk = _Walk(Replay(present, frozenset(changes.columns), overwrite=False))
        names = ("_csn", "_xid")
        transactions = [*zip(*(table[name].to_pylist() for name in names), strict=True)]
        last = None
        for op, key, number, absent, before in changes.steps(table):
            if last is not None and not _are_one(transactions[last], transactions[number]):
                walk.end_transaction()
            walk.take(op, key, number, absent, before)
            last = number
        walk.end_transaction()
        made = walk.made
        timeless = [Conflict(number, "it has no time") for number in _without_time(table)]
        return cls(
            walk.truncated_by,
            walk.ended,
            values_of(table, changes.columns, made),
            [version.key for version in made],
            [version.origin for version in made],
            [version.absent for version in made],
            [version.has_moved for version in made],
            [version.number for version in made],
            [version.end for version in made],
            [version.is_new for version in made],
            [*timeless, *walk.conflicts()],
        )

    def newest(self) -> Versions:
        """Return the same with one version of each key, that which no other one follows."""
        numbers = {key: number for number, key in enumerate(self.keys)}
        new = {key for key, is_new in zip(self.keys, self.are_new, strict=True) if is_new}
        kept = sorted(numbers.values())
        return self._replace(
            rows=self.rows.take(pa.array(kept, pa.int64())),
            keys=[self.keys[number] for number in kept],
            origins=[self.origins[number] for number in kept],
            absent=[self.absent[number] for number in kept],
            have_moved=[self.have_moved[number] for number in kept],
            begins=[self.begins[number] for number in kept],
            ends=[self.ends[number] for number in kept],
            are_new=[self.keys[number] in new for number in kept],
        )


class _Version:
    """A version of a row: what the row was like when its transaction ended."""

    __slots__ = ("absent", "end", "has_moved", "is_new", "key", "number", "older", "origin", "row")

    def __init__(self, key: Key, row: RowState, *, is_new: bool) -> None:
        self.key, self.row, self.is_new = key, row, is_new
        self.number, self.origin, self.absent = row.number, row.origin, row.absent
        self.older: Mapping[str, int] = row.older
        self.has_moved = row.has_moved
        self.end: int | None = None


class _Walk:
    """Versions by key while changes are replayed in order."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._open: dict[Key, _Version] = {}
        self._touched: dict[Key, int] = {}
        self._truncate: int | None = None
        self.truncated_by: int | None = None
        self.ended: dict[Key, int] = {}
        self.made: list[_Version] = []

    def conflicts(self) -> list[Conflict]:
        return [*self._replay.unknown, *self._replay.conflicts, *self._replay.shared_keys()]

    def take(self, op: str, key: Key, number: int, absent: Absent, before: Key) -> None:
        self._replay.take(op, key, number, absent, before)
        if op == "truncate":
            self._truncate = number
        elif None not in key:
            self._touched[key] = number
            if before:
                self._touched[before] = number

    def end_transaction(self) -> None:
        if self._truncate is not None:
            for version in self._open.values():
                version.end = self._truncate
            self._open.clear()
            if self.truncated_by is None:
                self.truncated_by = self._truncate
        for key, number in self._touched.items():
            self._settle(key, number)
        self._touched, self._truncate = {}, None

    def _settle(self, key: Key, number: int) -> None:
        """End the version of a key that was open before a transaction; begin that which the transaction leaves."""
        rows = self._replay.rows_with(key)
        if (before := self._open.pop(key, None)) is not None:
            before.end = number
        elif key not in self.ended and self._was_there(key, rows):
            self.ended[key] = number
        if rows:
            is_new = self.truncated_by is None and key not in self.ended
            self._open[key] = version = _Version(key, rows[-1], is_new=is_new)
            self.made.append(version)

    def _was_there(self, key: Key, rows: Collection[RowState]) -> bool:
        """Return whether the table has an open version of a key, going by what the changes do with it."""
        return key in self._replay.gone or any(row.origin == key for row in rows)


def _are_one(first: tuple[str | None, str | None], second: tuple[str | None, str | None]) -> bool:
    """Return whether two changes are of one transaction, by CSN and XID; those without a CSN are not."""
    return first == second and first[0] is not None


def _without_time(table: pa.Table) -> list[int]:
    """Return the numbers of changes without a time, with which no version can end; rows of a load have none."""
    if not table["_time"].null_count:
        return []
    pairs = zip(table["_time"].to_pylist(), table["_op"].to_pylist(), strict=True)
    return [number for number, (time, op) in enumerate(pairs) if time is None and op != LOAD]
