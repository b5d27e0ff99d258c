"""The application of a net effect to a table of a database, by a stage: a temporary table with one row for each effect.

load -> remove rows -> change rows -> insert rows
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from logdump.targets.dialects import DatabaseDialect
from logdump.targets.net_effect import Key, NetEffect, RowEffect
from logdump.targets.target import ChangeRefused, SourceTable

GONE, SOUGHT = "d", "k"
"""Kinds of rows of a stage: a row that goes, and one that is looked for."""


class Keeping(enum.StrEnum):
    """The own columns of the target in which a new row has the values of the row before it, not their default."""

    ALL = "a"
    PLAIN = "p"


class OwnColumn(NamedTuple):
    """A column of the target that the source does not have: its name as written, and whether it has no default."""

    name: str
    is_plain: bool


class TargetTable(NamedTuple):
    """A table of the source and its table in the target, with names as written in statements.

    Attributes:
        columns: the columns of the target by those of the source, and by the names of those that a way of writing adds.
        stage: the temporary table; its columns are ``n`` (number of the change), ``kind``, ``o1`` … (old key), ``c1`` …
            (columns of the row), ``a`` (a digit per column, 1 if it is absent), and where the target has own columns
            ``w1`` … (these) and ``keeps`` (in which of them the row has values).
        spelled: schema and name as the target spells them; None if the table is not made yet.
        own: the columns of the target that the source does not have, and that take values.
    """

    source: SourceTable
    name: str
    columns: Mapping[str, str]
    stage: str
    spelled: str | None = None
    own: tuple[OwnColumn, ...] = ()

    @property
    def key_numbers(self) -> list[int]:
        """Numbers of the key columns among the columns, from 1."""
        names = [*self.source.columns]
        return [names.index(key) + 1 for key in self.source.keys]

    def on(self, letter: str = "o", stage: str = "s") -> str:
        """Return the condition that row ``t`` of the table has the old (o) or new (c) key of row ``s`` of the stage."""
        numbers = self.key_numbers if letter == "c" else range(1, len(self.source.keys) + 1)
        pairs = zip(self.source.keys, numbers, strict=True)
        return " AND ".join(f"t.{self.columns[key]} = {stage}.{letter}{number}" for key, number in pairs)

    @property
    def is_there(self) -> str:
        """The condition that row ``t`` of the table is one of the source now, and not one that has ended."""
        ended_by = self.source.writing.ended_by
        return "1 = 1" if ended_by is None else f"t.{self.columns[ended_by[1]]} IS NULL"

    def inserts(self, dialect: DatabaseDialect, where: str, keepings: Collection[Keeping] = ()) -> Iterator[str]:
        """Yield the statements that insert rows ``s`` of the stage; ``keepings``: those that some of these have."""
        yield self._insert(dialect, f"{where} AND s.keeps IS NULL" if keepings else where, ())
        for keeping in keepings:
            numbers = [n for n, column in enumerate(self.own, 1) if column.is_plain or keeping is Keeping.ALL]
            yield self._insert(dialect, f"{where} AND s.keeps = '{keeping}'", numbers)

    def _insert(self, dialect: DatabaseDialect, where: str, own: Sequence[int]) -> str:
        columns = [*self.columns.values(), *(self.own[number - 1].name for number in own)]
        values = [*(f"s.c{number + 1}" for number in range(len(self.columns))), *(f"s.w{number}" for number in own)]
        head = f"INSERT INTO {self.name} ({', '.join(columns)}) {dialect.overriding}"
        return f"{head}SELECT {', '.join(values)} FROM {self.stage} s WHERE {where}"

    @property
    def own_values(self) -> dict[str, str]:
        """The own columns of row ``t`` of the target by those of the stage."""
        return {f"w{number}": f"t.{column.name}" for number, column in enumerate(self.own, 1)}


def filled(dialect: DatabaseDialect, table: TargetTable, absent: Collection[str], where: str) -> str:
    """Return the statement that copies columns that the trail lacks from rows of the table to the stage."""
    sets = table.own_values | {
        f"c{number}": f"CASE WHEN {_has(number)} THEN s.c{number} ELSE t.{table.columns[name]} END"
        for number, name in enumerate(table.source.columns, 1)
        if name in absent
    }
    return dialect.update((table.stage, "s"), (table.name, "t"), table.on(), sets, where)


def _has(number: int) -> str:
    return f"SUBSTR(s.a, {number}, 1) = '0'"


class StagingDatabase(Protocol):
    """A database in which tables have stages."""

    @property
    def dialect(self) -> DatabaseDialect:
        """Its dialect."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of rows it has changed."""

    def first(self, statement: str) -> Any:
        """Return what a query for one value returns; None for no row."""

    def fill(self, table: TargetTable, rows: pa.Table) -> None:
        """Load rows into the stage of a table."""


class Application:
    """The application of a net effect to a table."""

    def __init__(self, database: StagingDatabase, table: TargetTable, net: NetEffect, *, overwrite: bool) -> None:
        self._database, self._table, self._net, self._overwrite = database, table, net, overwrite
        self._dialect = database.dialect
        self._keeps_own = overwrite or RowEffect.MOVE in net.kinds

    def run(self) -> None:
        """Run all statements. Raises ChangeRefused."""
        table, net, database = self._table, self._net, self._database
        if net.is_truncated:
            database.execute(f"{self._dialect.truncate} {table.name}")
        database.execute(f"{self._dialect.clear} {table.stage}")
        if net.gone:
            database.fill(table, keys_table(table, [*net.gone], GONE, net.gone.values()))
        if len(net.rows):
            database.fill(table, _rows_table(table, net))
        kinds = {*net.kinds}
        if RowEffect.MOVE in kinds and (any(net.absent) or table.own):
            absent = frozenset[str]().union(*net.absent)
            database.execute(filled(self._dialect, table, absent, "s.kind = 'm'"))
        if RowEffect.MOVE in kinds and self._overwrite:
            self._stay()
            kinds.add(RowEffect.UPDATE)
        if net.gone:
            self._expect(GONE)
            database.execute(self._dialect.delete(table.name, table.stage, table.on(), f"s.kind = '{GONE}'"))
        if RowEffect.UPDATE in kinds:
            self._update(sum(kind is RowEffect.UPDATE for kind in net.kinds))
        if self._overwrite:
            self._replace()
        if kinds - {RowEffect.UPDATE}:
            self._insert("s.kind IN ('i', 'm')")

    def _stay(self) -> None:
        """Make an update of each move whose old key is not in the table: the row has moved already."""
        table = self._table
        keys = ", ".join(f"o{position} = c{number}" for position, number in enumerate(table.key_numbers, 1))
        missing = f"NOT EXISTS (SELECT 1 FROM {table.name} t WHERE {table.on(stage=table.stage)})"
        sets = f"kind = 'u', {keys}, keeps = NULL" if table.own else f"kind = 'u', {keys}"
        self._database.execute(f"UPDATE {table.stage} SET {sets} WHERE kind = 'm' AND {missing}")

    def _expect(self, kind: str) -> None:
        """Refuse changes of this kind of rows that the table does not have. Raises ChangeRefused."""
        if self._overwrite:
            return
        table, database = self._table, self._database
        there = f"FROM {table.stage} s WHERE s.kind = '{kind}' AND"
        missing = f"NOT EXISTS (SELECT 1 FROM {table.name} t WHERE {table.on()})"
        if database.first(f"SELECT count(*) {there} {missing}"):
            raise ChangeRefused(f"{table.name} does not have the row that it changes")

    def _update(self, count: int) -> None:
        table, net = self._table, self._net
        changed = {RowEffect.UPDATE, RowEffect.MOVE} if self._overwrite else {RowEffect.UPDATE}
        absent = [names for names, kind in zip(net.absent, net.kinds, strict=True) if kind in changed]
        always, sometimes = frozenset.intersection(*absent), frozenset[str]().union(*absent)
        sets = {}
        for number, name in enumerate(table.source.columns, 1):
            column = table.columns[name]
            if name in always or name in table.source.keys:
                continue
            value = f"s.c{number}"
            sets[column] = f"CASE WHEN {_has(number)} THEN {value} ELSE t.{column} END" if name in sometimes else value
        if not sets:
            return
        pair = (table.name, "t"), (table.stage, "s")
        if self._database.execute(self._dialect.update(*pair, table.on(), sets, "s.kind = 'u'")) != count:
            self._expect(RowEffect.UPDATE)

    def _replace(self) -> None:
        """Remove the rows that are inserted again; insert the changed rows that are missing and have all columns."""
        table, database = self._table, self._database
        flags = ("_" if name in table.source.former else "0" for name in table.source.columns)
        whole = f"s.a LIKE '{''.join(flags)}'"
        missing = f"NOT EXISTS (SELECT 1 FROM {table.name} t WHERE {table.on('c')})"
        if table.own:
            kept = {**table.own_values, "keeps": f"'{Keeping.ALL}'"}
            pair = (table.stage, "s"), (table.name, "t")
            database.execute(self._dialect.update(*pair, table.on("c"), kept, "s.kind = 'i'"))
        database.execute(self._dialect.delete(table.name, table.stage, table.on("c"), "s.kind IN ('i', 'm')"))
        self._insert(f"s.kind = 'u' AND {whole} AND {missing}")

    def _insert(self, where: str) -> None:
        keepings = [Keeping.ALL] if self._table.own and self._keeps_own else []
        for statement in self._table.inserts(self._dialect, where, keepings):
            self._database.execute(statement)


def key_columns(table: TargetTable, keys: Sequence[Key | None]) -> dict[str, pa.Array]:
    """Return the old keys as columns of a stage."""
    source = table.source
    return {
        f"o{number + 1}": pa.array([None if key is None else key[number] for key in keys], source.columns[name])
        for number, name in enumerate(source.keys)
    }


def keys_table(table: TargetTable, keys: Sequence[Key], kind: str, numbers: Collection[int]) -> pa.Table:
    """Return rows of a stage: keys, each with the number of a change."""
    head = {"n": pa.array([*numbers], pa.int64()), "kind": pa.array([kind] * len(keys))}
    return pa.table({**head, **key_columns(table, keys)})


def absence(table: TargetTable, absent: Sequence[frozenset[str]]) -> pa.Array:
    """Return the column of a stage that says which columns of each row are absent."""
    names = [*table.source.columns]
    flags = {missing: "".join("1" if name in missing else "0" for name in names) for missing in {*absent}}
    return pa.array([flags[missing] for missing in absent])


def keeping_column(table: TargetTable, keeps: Sequence[Keeping | None]) -> dict[str, pa.Array]:
    """Return the column of a stage that says in which own columns of the target each row has values, if it has any."""
    return {"keeps": pa.array(keeps, pa.string())} if table.own else {}


def _rows_table(table: TargetTable, net: NetEffect) -> pa.Table:
    head = {"n": pa.array(net.changed_by, pa.int64()), "kind": pa.array([str(kind) for kind in net.kinds])}
    own = {f"c{number}": net.rows[name] for number, name in enumerate(table.source.columns, 1)}
    keeps = [Keeping.ALL if kind is RowEffect.MOVE else None for kind in net.kinds]
    more = {"a": absence(table, net.absent), **keeping_column(table, keeps)}
    return pa.table({**head, **key_columns(table, net.origins), **own, **more})
