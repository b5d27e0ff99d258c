"""The application of versions to a table of a database that keeps rows which have ended: a history, or soft deletes.

    load -> check -> copy absent columns -> end rows -> insert versions

A history keeps all versions; with soft deletes a row that has ended is replaced by the next one with its key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import pyarrow as pa

from logdump.targets.application import (
    GONE,
    Keeping,
    StagingDatabase,
    TargetTable,
    absence,
    filled,
    keeping_column,
    key_columns,
    keys_table,
)
from logdump.targets.net_effect import Changes, Conflict, Key
from logdump.targets.target import ChangeRefused
from logdump.targets.versions import Versions

_NEW, _NEXT = "i", "v"
"""Kinds of versions in a stage: the table must have no open row with the key, or has one that ends."""


class _Ending(NamedTuple):
    """CSN, XID and time of the transaction with which rows end."""

    csn: Any
    xid: Any
    time: Any


class KeptRows:
    """The application of versions to a table.

    Args:
        database: the database.
        table: the table.
        changes: the changes from which the versions are made.
        versions: the versions.
    """

    def __init__(self, database: StagingDatabase, table: TargetTable, changes: pa.Table, versions: Versions) -> None:
        self._database, self._dialect, self._table, self._changes = database, database.dialect, table, changes
        self._is_history = table.source.writing.write == "history"
        self._versions = versions if self._is_history else versions.newest()
        self._numbers = {name: number for number, name in enumerate(table.columns, 1)}
        self._end_csn, self._end_time = table.source.writing.ended_by or ("", "")
        is_kept = any(column.is_plain or not self._is_history for column in table.own)
        self._keeps = [*self._kept()] if is_kept else [None] * len(self._versions.keys)

    def _kept(self) -> Iterator[Keeping | None]:
        """Yield in which own columns of the target each version has the values of the row before it.

        Where that row stays too, a value that the target has made for it, as a number of its own, is not one for two.
        """
        for origin, has_moved in zip(self._versions.origins, self._versions.have_moved, strict=True):
            stays = self._is_history or has_moved
            yield None if origin is None else Keeping.PLAIN if stays else Keeping.ALL

    @classmethod
    def of(
        cls, database: StagingDatabase, table: TargetTable, changes: Changes, present: Collection[Key]
    ) -> tuple[list[Conflict], Self]:
        """Return what is impossible among changes, and the application of the versions that they make.

        ``present``: those keys that are sought which an open row of the table has.
        """
        versions = Versions.of(changes, present)
        return versions.conflicts, cls(database, table, changes.all(), versions)

    def run(self) -> None:
        """Run all statements. Raises ChangeRefused."""
        table, versions, database = self._table, self._versions, self._database
        database.execute(f"{self._dialect.clear} {table.stage}")
        if versions.ended:
            database.fill(table, self._ended_rows())
        if versions.keys:
            database.fill(table, self._version_rows())
        self._expect()
        if any(versions.absent) or any(self._keeps):
            absent = frozenset[str]().union(*versions.absent)
            where = f"s.kind <> '{GONE}' AND {table.is_there}"
            database.execute(filled(self._dialect, table, absent, where))
        if versions.ended:
            self._end()
        if versions.truncated_by is not None:
            self._end_all(versions.truncated_by)
        if not versions.keys:
            return
        if not self._is_history:
            kinds = f"s.kind IN ('{_NEW}', '{_NEXT}')"
            database.execute(self._dialect.delete(table.name, table.stage, table.on("c"), kinds))
        keepings = [keeping for keeping in Keeping if keeping in self._keeps]
        for statement in table.inserts(self._dialect, f"s.kind <> '{GONE}'", keepings):
            database.execute(statement)

    def _expect(self) -> None:
        """Refuse changes of rows that are not there, and new rows that are. Raises ChangeRefused."""
        table, versions = self._table, self._versions
        if versions.ended:
            there = f"SELECT 1 FROM {table.name} t WHERE {table.on()} AND {table.is_there}"
            query = f"SELECT count(*) FROM {table.stage} s WHERE s.kind = '{GONE}' AND NOT EXISTS ({there})"
            if self._database.first(query):
                raise ChangeRefused(f"{table.name} does not have the row that it changes")
        if any(versions.are_new):
            on = f"{table.on('c')} AND {table.is_there} AND s.kind = '{_NEW}'"
            if self._database.first(f"SELECT count(*) FROM {table.stage} s JOIN {table.name} t ON {on}"):
                raise ChangeRefused(f"{table.name} has the row that it inserts")

    def _end(self) -> None:
        """End the rows of the table that are to end; remove those that the same transaction has begun."""
        table, dialect, columns = self._table, self._dialect, self._table.columns
        is_one = f"s.kind = '{GONE}' AND {table.is_there}"
        if self._is_history:
            csn, xid = (self._pair(name) for name in ("_valid_from_csn", "_valid_from_xid"))
            same = f"{csn[0]} = {csn[1]} AND ({xid[0]} = {xid[1]} OR ({xid[0]} IS NULL AND {xid[1]} IS NULL))"
            self._database.execute(dialect.delete(table.name, table.stage, table.on(), f"{is_one} AND {same}"))
        sets = {columns[name]: self._pair(name)[1] for name in (self._end_csn, self._end_time)}
        self._database.execute(dialect.update((table.name, "t"), (table.stage, "s"), table.on(), sets, is_one))

    def _pair(self, name: str) -> tuple[str, str]:
        """Return a column as it is in the table and in the stage."""
        return f"t.{self._table.columns[name]}", f"s.c{self._numbers[name]}"

    def _end_all(self, number: int) -> None:
        """End all rows that are there, by a truncate."""
        table, mark, columns = self._table, self._dialect.mark_of, self._table.columns
        ending = _Ending(*(self._changes[name][number].as_py() for name in ("_csn", "_xid", "_time")))
        is_there = f"{columns[self._end_time]} IS NULL"
        if self._is_history and ending.csn is not None:
            csn, xid = columns["_valid_from_csn"], columns["_valid_from_xid"]
            given = [ending.csn] if ending.xid is None else [ending.csn, ending.xid]
            is_one = f"{csn} = {mark(0)} AND {xid} " + ("IS NULL" if ending.xid is None else f"= {mark(1)}")
            self._database.execute(f"DELETE FROM {table.name} WHERE {is_there} AND {is_one}", given)
        sets = f"{columns[self._end_csn]} = {mark(0)}, {columns[self._end_time]} = {mark(1)}"
        self._database.execute(f"UPDATE {table.name} SET {sets} WHERE {is_there}", [ending.csn, ending.time])

    def _ended_rows(self) -> pa.Table:
        """Return the rows of the stage for the rows of the table that end, each with what ends it."""
        ended = self._versions.ended
        rows = keys_table(self._table, [*ended], GONE, ended.values())
        marks = {self._end_csn: "_csn", self._end_time: "_time"}
        if self._is_history:
            marks |= {"_valid_from_csn": "_csn", "_valid_from_xid": "_xid"}
        return self._with_marks(rows, marks, [*ended.values()])

    def _with_marks(self, rows: pa.Table, marks: Mapping[str, str], numbers: Sequence[int | None]) -> pa.Table:
        """Return rows of the stage with columns of the changes that have these numbers."""
        indexes = pa.array(numbers, pa.int64())
        for name, of_change in marks.items():
            rows = rows.append_column(f"c{self._numbers[name]}", self._changes[of_change].take(indexes))
        return rows

    def _version_rows(self) -> pa.Table:
        versions, table = self._versions, self._table
        origins: list[Key | None] = [
            origin if absent or keeps else None
            for origin, absent, keeps in zip(versions.origins, versions.absent, self._keeps, strict=True)
        ]
        kinds = [_NEW if is_new else _NEXT for is_new in versions.are_new]
        head = {"n": pa.array(versions.begins, pa.int64()), "kind": pa.array(kinds)}
        own = {f"c{self._numbers[name]}": versions.rows[name] for name in table.source.columns}
        rows = pa.table({**head, **key_columns(table, origins), **own, "a": absence(table, versions.absent)})
        for name, column in keeping_column(table, self._keeps).items():
            rows = rows.append_column(name, column)
        if self._is_history:
            begin = {"_valid_from_csn": "_csn", "_valid_from": "_time", "_valid_from_xid": "_xid"}
            rows = self._with_marks(rows, begin, versions.begins)
        return self._with_marks(rows, {self._end_csn: "_csn", self._end_time: "_time"}, versions.ends)
