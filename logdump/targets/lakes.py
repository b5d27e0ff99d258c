"""Applies changes to tables of a lake: Delta (``deltalake``) and Iceberg (``pyiceberg``), without a JVM.

Each table is committed by itself, rows and position together: the position is in the metadata of the commit (Delta) or
of the table (Iceberg). Between the commits of two tables a reader sees them at different places of the trail; after a
kill each continues from its own.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from logdump.notation.names import plain_parts
from logdump.targets.net_effect import Changes, Key, problem_with, whole_rows
from logdump.targets.positions import AFTER
from logdump.targets.target import (
    AppliedPosition,
    ApplyTarget,
    BadTarget,
    ChangeRefused,
    LastTransaction,
    SourceTable,
    TableDifference,
    TargetColumn,
    TargetLost,
    differences,
    lock_file,
    plain_columns,
    rows_of_changes,
    why_not_written,
)
from trailformat.codec.on_demand import on_demand

with on_demand:
    import deltalake

_POSITION = "logdump.position"
_COMPUTED = b"delta.generationExpression"
"""The word of Delta for a column that is computed."""
_RETRIES = "commit.retry.num-retries"
_SPECIAL = re.compile(r"[./\\%?=\x00-\x1f]")
"""Characters that a part of the name of a folder does not have as they are."""
_NO_DOMAIN = re.compile(r"[#\[\]^|\x7f]")
"""Characters with which ``deltalake`` does not find a folder again, since it makes a URL of the path."""
_NO_FOLDER = re.compile(rf"{_NO_DOMAIN.pattern}|[?\\\\]|%[0-9A-Fa-f]{{2}}")
"""The same in the path that a user gives, in which nothing is written otherwise."""
_NO_LOCATION = re.compile(r"[#?]")
"""Characters at which ``pyiceberg`` ends the location of a table that it makes."""


class LakeTarget(ApplyTarget):
    """Tables whose rows are replaced as a whole: a change of some columns is completed from the existing row."""

    commits_parts = False

    def __init__(self) -> None:
        self._tables: dict[str, SourceTable] = {}
        self._sources: dict[str, SourceTable] = {}
        self._own: dict[str, Mapping[str, pa.DataType]] = {}
        self._pending: dict[str, Changes] = {}
        self._written: dict[str, str | None] = {}
        self._positions: dict[str, AppliedPosition] = {}
        self._parts: dict[str, tuple[str, ...]] = {}
        self._wanted: dict[str, str] = {}
        self._overwrite = False

    def close(self) -> None:
        self._tables, self._pending = {}, {}

    def positions(self) -> dict[str, AppliedPosition]:
        self._positions = {}
        for name in self._names:
            self._written[name] = text = self.position_of(name)
            if text is not None:
                self._positions[name] = _position(text)
        return self._positions

    def open(self, tables: Mapping[str, str]) -> None:
        self._parts = {name: _parts(wanted or name) for name, wanted in tables.items()}
        self._wanted = dict(tables)
        self._names = [*tables]
        names: dict[tuple[str, ...], list[str]] = {}
        for name, parts in self._parts.items():
            names.setdefault(parts, []).append(name)
        if shared := [(parts, alike) for parts, alike in names.items() if len(alike) > 1]:
            parts, alike = shared[0]
            what = f"{' and '.join(alike)} would share the table {'.'.join(parts)}"
            raise BadTarget(f"nothing was written: {what}: a mapping names one for each")

    def parts_of(self, name: str) -> tuple[str, ...]:
        """Return the parts of the name in the target of a table of the trail."""
        return self._parts.get(name) or _parts(name)

    def _misplaced(self, tables: Sequence[SourceTable]) -> Iterator[str]:
        """Yield the problems of tables of the target that take changes of another table of the trail."""
        for table in tables:
            position = self._positions.get(table.name)
            if position is not None and position.target not in (None, table.name):
                yield f"{'.'.join(self.parts_of(table.name))} has the changes of {position.target}, not of {table.name}"

    def prepare(self, tables: Sequence[SourceTable], *, create: bool) -> None:
        problems, missing = [], []
        self._tables = {table.name: table for table in tables}
        self._sources, self._own = {**self._tables}, {}
        for table in tables:
            schema = self.schema_of(table)
            if schema is None:
                missing.append(table)
            else:
                columns = _columns(schema)
                problems += [*differences(table, columns, lambda kind: (_plain(kind),))]
                self._tables[table.name] = known = _renamed(
                    table, {low: column.name for low, column in columns.items()}
                )
                self._own[table.name] = _own_columns(schema, known.columns)
        kept = (table for table in tables if table.writing.ended_by is not None)
        problems += [f"{table.name}: {table.writing.words} goes with databases, not with lakes" for table in kept]
        problems += self._misplaced(tables)
        if missing and not create:
            problems += [f"there is no table {table.wanted or table.name}" for table in missing]
        problems += [problem for table in missing for problem in why_not_written(table)]
        for table in tables:
            problems += self.why_not_written(table, is_there=table not in missing)
        if problems:
            raise BadTarget(f"nothing was written: {'; '.join(problems)}")
        for table in missing:
            own = [(table.target(name).text, kind) for name, kind in table.columns.items()]
            self.create(table, pa.schema([*own, *table.writing.added.items()]))
            spelled = {table.target(name).text.lower(): table.target(name).text for name in table.columns}
            self._tables[table.name] = _renamed(table, spelled)

    def has_table(self, source: SourceTable) -> bool:
        return self.schema_of(source) is not None

    def kept_columns(self, source: SourceTable) -> set[str]:
        return plain_columns(source, _columns(self.schema_of(source) or pa.schema([])), lambda kind: (_plain(kind),))

    def alter(self, difference: TableDifference, *, is_to_run: bool) -> list[str]:
        table = difference.table
        columns = _columns(self.schema_of(table) or pa.schema([]))
        there = {name: columns.get(table.target(name).text.lower()) for name in table.columns}
        new = [pa.field(table.target(name).text, table.columns[name]) for name in difference.added if not there[name]]
        narrow = [
            name for name in difference.wider if (own := there[name]) and own.family != _plain(table.columns[name])
        ]
        if is_to_run and narrow:
            wanted = f"{table.target(narrow[0]).text} has to be {table.columns[narrow[0]]}"
            raise BadTarget(
                f"all before it is applied; {table.name}: column {wanted}: no type is altered in a lake; "
                "make the table anew with it"
            )
        if is_to_run and new:
            self.add_columns(table, new)
        gone = [name for name in difference.gone if name.lower() in columns]
        return [f"add column {field.name} ({field.type})" for field in new] + [f"drop column {name}" for name in gone]

    @abstractmethod
    def add_columns(self, table: SourceTable, fields: Sequence[pa.Field]) -> None:
        """Add columns to a table that exists, null in its rows. Raises TargetLost."""

    def apply(self, table: str, changes: Changes, *, overwrite: bool) -> None:
        self._overwrite = overwrite
        pending = self._pending.setdefault(table, Changes(changes.columns, changes.keys))
        pending.add(changes.all())

    def check(self) -> None:
        for name, changes in self._pending.items():
            self._prepared(self._tables[name], changes)

    def commit(self, positions: Mapping[str, AppliedPosition]) -> None:
        """Prepare what is written to all tables before one is written, each with a commit of its own."""
        ready = {}
        for name, position in positions.items():
            if (changes := self._pending.pop(name, None)) is not None:
                ready[name] = self._prepared(self._tables[name], changes)
            elif position.place.endswith(AFTER):  # a stop there, which would come again
                ready[name] = partial(self._append, self._tables[name], None)
        for name, position in positions.items():
            if name in ready:
                text = _text(name, position)
                ready[name](text)
                self._written[name] = text

    def check_alone(self, table: SourceTable, position: str | None) -> None:
        """Compare the position in a table, before a commit, with the one that this stream has written last.

        Raises:
            BadTarget: another stream has written to the table since.
        """
        if position != self._written.get(table.name):
            raise BadTarget(f"another stream applies changes to {table.name}: one table, one stream")

    def rollback(self) -> None:
        self._pending = {}

    def _prepared(self, table: SourceTable, changes: Changes) -> Callable[[str], None]:
        """Return what writes changes with a position to a table. Raises ChangeRefused."""
        if table.writing.write == "append":
            return partial(self._append, table, changes)
        own, spelled = self._own.get(table.name, {}), dict(zip(changes.columns, table.columns, strict=True))
        table = table._replace(columns={**table.columns, **own}, former=table.former | own.keys())
        sought = changes.sought(overwrite=self._overwrite)
        net = changes.net(self._rows(table, sought).keys(), overwrite=self._overwrite)
        absent = [frozenset((*(spelled[name] for name in names), *own)) for names in net.absent]
        values = net.rows.rename_columns([*spelled.values()])
        for name, kind in own.items():
            values = values.append_column(pa.field(name, kind), pa.nulls(len(values), kind))
        net = net._replace(rows=values, absent=absent)
        keys = [*zip(*(net.rows[name].to_pylist() for name in table.keys), strict=True)]
        origins = {origin for origin in net.origins if origin is not None}
        there = self._rows(table, origins | {*net.gone} | {*keys})
        self.check_alone(table, self.position_of(table.name))
        if net.conflicts:
            raise ChangeRefused.of(net.conflicts[0])
        if not self._overwrite and (problem := problem_with(net, keys, there, table.name)) is not None:
            raise ChangeRefused(problem)
        rows = whole_rows(net, keys, there, table.former, own)
        replaced = {*there} & (origins | {*net.gone} | {*keys})

        def write(position: str) -> None:
            self.check_alone(table, self.position_of(table.name))
            self.write(table, replaced, rows, position, is_truncated=net.is_truncated)

        return write

    def _append(self, table: SourceTable, changes: Changes | None, position: str) -> None:
        schema = self.schema_of(table)
        self.check_alone(table, self.position_of(table.name))
        if schema is None:
            raise TargetLost(f"{table.name}: the table is not there any more")
        if changes is None:
            self.append(table, schema.empty_table(), position)
            return
        spelled = {name.lower(): name for name in schema.names}
        rows = rows_of_changes(self._sources[table.name], changes.all())
        added = (spelled.get(name, name) for name in table.writing.added)
        self.append(table, _in_schema(rows.rename_columns([*table.columns, *added]), schema), position)

    def _rows(self, table: SourceTable, keys: Collection[Key]) -> dict[Key, dict[str, Any]]:
        """Return rows of the table by key, including those with these keys."""
        if not keys:
            return {}
        rows = self.read(table, keys).to_pylist()
        return {tuple(row[name] for name in table.keys): row for row in rows}

    @abstractmethod
    def position_of(self, name: str) -> str | None:
        """Return the position, as text, of the last write to a table; None if there is none."""

    @abstractmethod
    def schema_of(self, table: SourceTable) -> pa.Schema | None:
        """Return the columns of a table; None if it does not exist."""

    def why_not_written(self, table: SourceTable, *, is_there: bool) -> Iterator[str]:
        """Yield the problems of the names of a table, and of those of its key."""
        yield from ()

    @abstractmethod
    def create(self, table: SourceTable, schema: pa.Schema) -> None:
        """Create a table."""

    @abstractmethod
    def read(self, table: SourceTable, keys: Collection[Key]) -> pa.Table:
        """Return rows of a table, including those with these keys."""

    @abstractmethod
    def append(self, table: SourceTable, rows: pa.Table, position: str) -> None:
        """Add rows in the columns of the table; rows and position are one commit. Raises like write."""

    @abstractmethod
    def write(
        self, table: SourceTable, keys: Collection[Key], rows: pa.Table, position: str, *, is_truncated: bool
    ) -> None:
        """Replace all rows, or those with these keys, by ``rows``; rows and position are one commit.

        Raises:
            BadTarget: another stream has written to the table.
            TargetLost: there was another commit meanwhile, or the table cannot be reached.
        """


class DeltaTarget(LakeTarget):
    """A folder of Delta tables.

    Args:
        folder: its path, or the URL of a store that ``deltalake`` supports.
    """

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = folder.rstrip("/")
        self._locks: list[Any] = []

    def open(self, tables: Mapping[str, str]) -> None:
        super().open(tables)
        given = [*filter(None, tables.values()), *([self._folder] if "://" not in self._folder else [])]
        if sign := next((match for match in map(_NO_FOLDER.search, given) if match is not None), None):
            where = f"{sign[0]!r} in its path: {sign.string[:200]!r}"
            raise BadTarget(f"nothing was written: deltalake finds no folder again with {where}")
        if "://" not in self._folder:
            Path(self._folder).mkdir(parents=True, exist_ok=True)
            for name in tables:
                self._locks.append(_locked(Path(self._folder) / f".{self._file_name(name).lower()}.lock", name))

    def close(self) -> None:
        super().close()
        for file in self._locks:
            file.close()
        self._locks = []

    def position_of(self, name: str) -> str | None:
        path = self._path(name)
        return _position_in(deltalake.DeltaTable(path)) if deltalake.DeltaTable.is_deltatable(path) else None

    def schema_of(self, table: SourceTable) -> pa.Schema | None:
        path = self._path(table.name)
        if not deltalake.DeltaTable.is_deltatable(path):
            return None
        return pa.schema(deltalake.DeltaTable(path).schema().to_arrow())

    def create(self, table: SourceTable, schema: pa.Schema) -> None:
        deltalake.write_deltalake(self._path(table.name), schema.empty_table())

    def add_columns(self, table: SourceTable, fields: Sequence[pa.Field]) -> None:
        new = deltalake.Schema.from_arrow(pa.schema(fields)).fields
        try:
            deltalake.DeltaTable(self._path(table.name)).alter.add_columns(new)
        except deltalake.exceptions.DeltaError as error:
            raise TargetLost(str(error).split("\n", maxsplit=1)[0]) from None

    def read(self, table: SourceTable, keys: Collection[Key]) -> pa.Table:
        first = table.keys[0]
        literals = ", ".join(sorted({_literal(key[0]) for key in keys}))
        columns = ", ".join(_quoted(name) for name in table.columns)
        builder = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(self._path(table.name)))
        rows = builder.execute(f"SELECT {columns} FROM t WHERE {_quoted(first)} IN ({literals})").read_all()
        return pa.table(rows).cast(pa.schema([*table.columns.items()]))

    def append(self, table: SourceTable, rows: pa.Table, position: str) -> None:
        delta = deltalake.DeltaTable(self._path(table.name))
        noted = deltalake.CommitProperties(custom_metadata={_POSITION: position}, max_commit_retries=0)
        try:
            deltalake.write_deltalake(delta, rows, mode="append", commit_properties=noted)
        except deltalake.exceptions.DeltaError as error:
            raise TargetLost(str(error).split("\n", maxsplit=1)[0]) from None

    def write(
        self, table: SourceTable, keys: Collection[Key], rows: pa.Table, position: str, *, is_truncated: bool
    ) -> None:
        own = {tuple(row) for row in zip(*(rows[name].to_pylist() for name in table.keys), strict=True)}
        gone = [key for key in keys if key not in own]
        without = {
            name: pa.array([key[index] for key in gone], table.columns[name]) for index, name in enumerate(table.keys)
        }
        empty = {name: without.get(name, pa.nulls(len(gone), kind)) for name, kind in table.columns.items()}
        source = pa.concat_tables([rows.select([*table.columns]), pa.table(empty)])
        mark = _free_name("_gone", table.columns)
        source = source.append_column(mark, pa.array([False] * len(rows) + [True] * len(gone)))
        is_gone = f"s.{_quoted(mark)}"
        on = " AND ".join(f"t.{_quoted(name)} = s.{_quoted(name)}" for name in table.keys)
        noted = deltalake.CommitProperties(custom_metadata={_POSITION: position})
        delta = deltalake.DeltaTable(self._path(table.name))
        self.check_alone(table, _position_in(delta))
        merge = delta.merge(source, on, source_alias="s", target_alias="t", commit_properties=noted)
        merge = merge.when_matched_delete(is_gone).when_matched_update(_all(table), predicate=f"NOT {is_gone}")
        merge = merge.when_not_matched_insert(_all(table), predicate=f"NOT {is_gone}")
        if is_truncated:
            merge = merge.when_not_matched_by_source_delete()
        version = delta.version()
        try:
            merge.execute()
            if delta.version() == version:  # it commits nothing where no row changes, and the position has to move
                nothing = pa.schema([*table.columns.items()]).empty_table()
                deltalake.write_deltalake(delta, nothing, mode="append", commit_properties=noted)
        except deltalake.exceptions.DeltaError as error:
            raise TargetLost(str(error).split("\n", maxsplit=1)[0]) from None

    def _path(self, name: str) -> str:
        return f"{self._folder}/{self._file_name(name)}"

    def _file_name(self, name: str) -> str:
        """Return the name of the folder of a table; a dot or a slash inside of a part is ``=2E`` or ``=2F``."""
        if '"' in name and Path(self._folder, name).is_dir():
            return name  # release 1.0.0 made it
        if self._wanted[name]:
            return self._wanted[name]
        file_name = ".".join(_SPECIAL.sub(_escaped, part) for part in self.parts_of(name))
        return _NO_DOMAIN.sub(_escaped, file_name)


class IcebergTarget(LakeTarget):
    """Tables of a catalog of ``pyiceberg``.

    Args:
        catalog: the catalog, or its name in the configuration of ``pyiceberg``.
    """

    def __init__(self, catalog: Any) -> None:
        super().__init__()
        self._given = catalog
        self._catalog: Any = None

    def open(self, tables: Mapping[str, str]) -> None:
        super().open(tables)
        from pyiceberg.catalog import load_catalog  # noqa: PLC0415 - an extra

        self._catalog = load_catalog(self._given) if isinstance(self._given, str) else self._given

    def position_of(self, name: str) -> str | None:
        table = self._table(name)
        return None if table is None else table.properties.get(_POSITION)

    def schema_of(self, table: SourceTable) -> pa.Schema | None:
        iceberg = self._table(table.name)
        return None if iceberg is None else iceberg.schema().as_arrow()

    def why_not_written(self, table: SourceTable, *, is_there: bool) -> Iterator[str]:
        if not is_there and any(map(_NO_LOCATION.search, self.parts_of(table.name))):
            yield f"{table.name}: pyiceberg makes no table with # or ? in its name: a mapping names it otherwise"
        dotted = [name for name in table.keys if "." in table.target(name).text]
        if dotted and table.writing.write != "append":
            yield f"{table.name}: pyiceberg finds no rows by a key with a dot in its name, {dotted[0]}: rename it"

    def create(self, table: SourceTable, schema: pa.Schema) -> None:
        name = self.parts_of(table.name)
        self._catalog.create_namespace_if_not_exists(name[:-1] or "default")
        self._catalog.create_table(name, schema)

    def add_columns(self, table: SourceTable, fields: Sequence[pa.Field]) -> None:
        from pyiceberg.exceptions import CommitFailedException  # noqa: PLC0415 - an extra

        iceberg = self._table(table.name)
        try:
            with iceberg.update_schema() as update:
                update.union_by_name(pa.schema([*iceberg.schema().as_arrow(), *fields]))
        except CommitFailedException as error:
            raise TargetLost(str(error).split("\n", maxsplit=1)[0]) from None

    def read(self, table: SourceTable, keys: Collection[Key]) -> pa.Table:
        from pyiceberg.expressions import In  # noqa: PLC0415 - an extra

        rows = self._table(table.name).scan(row_filter=In(table.keys[0], {key[0] for key in keys})).to_arrow()
        return rows.select([*table.columns]).cast(pa.schema([*table.columns.items()]))

    def append(self, table: SourceTable, rows: pa.Table, position: str) -> None:
        self.write(table, (), rows, position, is_truncated=False)

    def write(
        self, table: SourceTable, keys: Collection[Key], rows: pa.Table, position: str, *, is_truncated: bool
    ) -> None:
        from pyiceberg.exceptions import CommitFailedException, ValidationException  # noqa: PLC0415 - an extra
        from pyiceberg.expressions import AlwaysTrue, And, EqualTo, In, Or  # noqa: PLC0415 - an extra

        iceberg = self._table(table.name)
        self.check_alone(table, iceberg.properties.get(_POSITION))
        iceberg.metadata.properties[_RETRIES] = "0"  # pyiceberg would repeat this commit on top of another stream's
        try:
            with warnings.catch_warnings(), iceberg.transaction() as step:
                warnings.simplefilter("ignore")  # it warns if a table has no rows
                if is_truncated:
                    step.delete(AlwaysTrue())
                elif keys and len(table.keys) == 1:
                    step.delete(In(table.keys[0], {key[0] for key in keys}))
                elif keys:
                    pairs = (zip(table.keys, key, strict=True) for key in keys)
                    terms: Iterable[Any] = (And(*(EqualTo(*column_value) for column_value in pair)) for pair in pairs)
                    step.delete(Or(*terms) if len(keys) > 1 else next(iter(terms)))
                if len(rows):
                    step.append(_in_schema(rows, iceberg.schema().as_arrow()))
                step.set_properties({_POSITION: position})
        except (CommitFailedException, ValidationException) as error:
            raise TargetLost(str(error).split("\n", maxsplit=1)[0]) from None

    def _table(self, name: str) -> Any:
        from pyiceberg.exceptions import NoSuchTableError  # noqa: PLC0415 - an extra

        try:
            return self._catalog.load_table(self.parts_of(name))
        except NoSuchTableError:
            return None


def _position_in(delta: Any) -> str | None:
    """Return the position of the last write to a Delta table."""
    return next((str(entry[_POSITION]) for entry in delta.history() if _POSITION in entry), None)


def _free_name(name: str, columns: Collection[str]) -> str:
    """Return a name that none of the columns has, case aside."""
    names = {column.lower() for column in columns}
    while name in names:
        name = f"_{name}"
    return name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Any) -> str:
    """Return a value of a key as written in a statement."""
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    return str(value) if isinstance(value, (int, Decimal)) else "'{}'".format(str(value).replace("'", "''"))


def _all(table: SourceTable) -> dict[str, str]:
    return {_quoted(name): f"s.{_quoted(name)}" for name in table.columns}


def _renamed(table: SourceTable, columns: Mapping[str, str]) -> SourceTable:
    """Return the table with its columns as a mapping of their names in small letters spells them."""
    names = {name: columns.get(table.target(name).text.lower(), name) for name in table.columns}
    types = {names[name]: kind for name, kind in table.columns.items()}
    keys, former = tuple(names[key] for key in table.keys), frozenset(names[name] for name in table.former)
    return table._replace(columns=types, keys=keys, former=former)


def _escaped(match: re.Match[str]) -> str:
    return f"={ord(match[0]):02X}"


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.text for part in plain_parts(name))


def _text(name: str, position: AppliedPosition) -> str:
    """Return a position, and the table of the trail, as text."""
    time = None if position.time is None else position.time.isoformat()
    fields = [position.place, position.start, position.csn, time, position.changes]
    return json.dumps([*fields, position.witness, name, position.masks])


def _position(text: str) -> AppliedPosition:
    """Return a position from its text; that of release 1.0.0 has neither witness, table of the trail nor masks."""
    place, start, csn, time, changes, *added = json.loads(text)
    moment = None if time is None else dt.datetime.fromisoformat(time)
    witness, table, masks = (*added, None, None, None)[:3]
    proof = LastTransaction(*witness) if witness else None
    return AppliedPosition(place, start, csn, moment, changes, proof, table, masks)


def _own_columns(schema: pa.Schema, columns: Collection[str]) -> dict[str, pa.DataType]:
    """Return the columns of a table beside those of its source, without those that are computed, and their types."""
    own = (field for field in schema if field.name not in columns)
    return {field.name: field.type for field in own if _COMPUTED not in (field.metadata or {})}


def _in_schema(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows in the columns of a table, null in columns that the rows lack."""
    arrays = [
        rows[field.name] if field.name in rows.column_names else pa.nulls(len(rows), field.type) for field in schema
    ]
    return pa.table(arrays, schema.names).cast(schema)


def _columns(schema: pa.Schema) -> dict[str, TargetColumn]:
    """Return the columns of a table by lower-case name."""
    columns = (TargetColumn(part.name, _plain(part.type), str(part.type), None, not part.nullable) for part in schema)
    return {column.name.lower(): column._replace(is_plain=not column.is_needed) for column in columns}


def _plain(kind: pa.DataType) -> str:
    """Return a type without the differences between writers of Arrow: views, large offsets, width of short integers."""
    text = str(kind).replace("large_", "").replace("_view", "")
    return (
        "int32" if text == "int16" else text.replace("decimal", "decimal128") if text.startswith("decimal(") else text
    )


def _locked(path: Path, name: str) -> Any:
    file = lock_file(path)
    if file is None:
        raise BadTarget(f"another stream applies changes to {name} in this folder: one table, one stream")
    return file
