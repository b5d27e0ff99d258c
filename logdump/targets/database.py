"""Applies changes to a database by a stage, a temporary table into which each net effect is loaded.

    load -> remove rows -> change rows -> insert rows -> position -> commit

Each step is one statement for all rows of a table. The position is a row for each table in ``logdump_position``.
"""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from logdump.notation.names import TablePart
from logdump.targets.application import SOUGHT, Application, OwnColumn, TargetTable, keys_table
from logdump.targets.dialects import POSITION_TABLE, STORABLE_IN, DatabaseDialect, family_of, in_utc, is_of_driver
from logdump.targets.kept_rows import KeptRows
from logdump.targets.net_effect import Changes, Key
from logdump.targets.positions import BEGINNING, position_of, text_of
from logdump.targets.refused import noted_of
from logdump.targets.target import (
    AppliedPosition,
    ApplyTarget,
    BadTarget,
    ChangeRefused,
    LastTransaction,
    RefusedChange,
    SourceTable,
    TableDifference,
    TargetLost,
    differences,
    plain_columns,
    rows_of_changes,
    why_not_written,
)
from logdump.targets.writing import ABSENT

if TYPE_CHECKING:
    import pyarrow as pa

_PATIENCE, _PAUSE = 3.0, 0.05
"""Seconds to wait for a lock, and between two attempts."""
_WITNESS = ("trail", "last_at", "last_csn", "last_xid")
_ADDED = (*_WITNESS, "target_table", "masks")
"""Columns of the table of positions that release 1.0.0 does not have."""
ERROR_TABLE = "logdump_errors"
_MARK = "logdump_mark"
_ERROR_COLUMNS = RefusedChange._fields
_POSITION_COLUMNS = ("place", "start_at", "csn", "source_time", "changes", *_ADDED)


class DatabaseTarget(ApplyTarget):
    """A database.

    Args:
        dialect: its dialect, with its URL.
    """

    def __init__(self, dialect: DatabaseDialect) -> None:
        self._dialect = dialect
        self._connection: Any = None
        self._tables: dict[str, TargetTable] = {}
        self._positions: dict[str, AppliedPosition] = {}
        self._asked: Collection[str] = ()
        self._known: set[str] = set()

    def open(self, tables: Mapping[str, str]) -> None:
        self._asked = tables.keys()
        try:
            self._connection = self._dialect.connect()
        except BadTarget:
            raise
        except Exception as error:
            text = f"{self._dialect.url.scheme}: {self._line(error)}"
            raise (BadTarget if self._dialect.is_refusal(error) else TargetLost)(text) from None
        try:
            with self._errors(BadTarget):
                self._lock(tables)
                self._make_positions()
        except BaseException:
            self.close()
            raise

    def _lock(self, tables: Collection[str]) -> None:
        """Lock the tables; a lost connection may keep its locks for a moment."""
        end = time.monotonic() + _PATIENCE
        for name in sorted(tables):
            while not self._dialect.lock(self._connection, name):
                if time.monotonic() >= end:
                    raise BadTarget(f"another stream applies changes to {name} in this database: one table, one stream")
                time.sleep(_PAUSE)

    def close(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._dialect.unlock(self._connection)
            with suppress(Exception):
                self._connection.close()
        self._connection, self._tables = None, {}

    def positions(self) -> dict[str, AppliedPosition]:
        with self._errors():
            names = ", ".join(_POSITION_COLUMNS)
            rows = self._query(f"SELECT table_name, {names} FROM {POSITION_TABLE}")
            self._connection.commit()
        kept = {text_of(name): dict(zip(_POSITION_COLUMNS, values, strict=True)) for name, *values in rows}
        self._known = {name for name in kept if name is not None}
        self._positions = {name: position_of(name, kept[name]) for name in self._asked if name in kept}
        return self._positions

    def prepare(self, tables: Sequence[SourceTable], *, create: bool) -> None:
        with self._errors(BadTarget):
            problems, missing = [], []
            for number, source in enumerate(tables):
                matches = self._matches(source)
                if len(matches) == 1:
                    problems += self._take(number, source, *matches[0])
                elif matches:
                    spelled = ", ".join(".".join(match) for match in matches)
                    problems.append(f"{source.name}: several tables have this name: {spelled}")
                elif create:
                    problems += self._plan(number, source)
                    missing.append(source)
                else:
                    problems.append(f"{source.name}: there is no table {source.wanted or source.name}")
            if problems := [*problems, *self._shared(), *self._moved()]:
                raise BadTarget(f"nothing was written: {'; '.join(problems)}")
            for source in missing:
                self._create(source)
            for table in self._tables.values():
                self._make_stage(table)
            self._connection.commit()

    def _matches(self, source: SourceTable) -> list[tuple[str, str]]:
        """Return schema and name of the tables of the target that may be meant by a table of the source."""
        parts = source.parts
        matches = self._dialect.tables(self._cursor(), [part.text for part in parts])
        if not matches and source.wanted is None and len(parts) > 1:
            matches = self._dialect.tables(self._cursor(), [parts[-1].text])
        alike = [match for match in matches if match[1] == parts[-1].text]
        return alike if parts[-1].is_quoted and len(alike) == 1 else matches

    def has_table(self, source: SourceTable) -> bool:
        with self._errors(BadTarget):
            return bool(self._matches(source))

    def kept_columns(self, source: SourceTable) -> set[str]:
        with self._errors(BadTarget):
            own = [
                column for match in self._matches(source) for column in self._dialect.columns(self._cursor(), *match)
            ]
        return plain_columns(source, {column.name.lower(): column for column in own}, _taking)

    def alter(self, difference: TableDifference, *, is_to_run: bool) -> list[str]:
        about = f"all before it is applied; {difference.table.name}: "
        with self._errors(BadTarget, about):
            matches = self._matches(difference.table)
            if len(matches) != 1:
                raise BadTarget(f"{about}the target has no table, or several, of this name")
            table = ".".join(map(self._dialect.quoted, matches[0]))
            columns = {column.name.lower(): column for column in self._dialect.columns(self._cursor(), *matches[0])}
            statements, problems = self._dialect.altering(table, columns, difference)
            self._connection.commit()
        if is_to_run and problems:
            raise BadTarget(about + "; ".join(problems))
        for statement in statements if is_to_run else ():
            with self._errors(BadTarget, f"{about}{statement}: "):
                self.execute(statement)
        with self._errors(BadTarget, about):
            self._connection.commit()
        return statements

    def apply(self, table: str, changes: Changes, *, overwrite: bool) -> None:
        with self._errors():
            known = self._tables[table]
            if known.source.writing.write == "append":
                self._append(known, changes.all())
                return
            sought = changes.sought(overwrite=overwrite)
            present = self._present(known, sought) if sought else ()
            application: Application | KeptRows
            if known.source.writing.ended_by is not None:
                conflicts, application = KeptRows.of(self, known, changes, present)
            else:
                net = changes.net(present, overwrite=overwrite)
                conflicts, application = net.conflicts, Application(self, known, net, overwrite=overwrite)
            if conflicts:
                raise ChangeRefused.of(conflicts[0])
            application.run()

    def _append(self, table: TargetTable, changes: pa.Table) -> None:
        """Insert a row for each change."""
        rows = rows_of_changes(table.source, changes)
        self._dialect.load(self._cursor(), table.name, rows.rename_columns([*table.columns.values()]))

    def commit(self, positions: Mapping[str, AppliedPosition]) -> None:
        with self._errors():
            kept = {name: self._values_of(name, position) for name, position in positions.items()}
            for is_known in (True, False):
                self._keep([values for name, values in kept.items() if (name in self._known) is is_known])
            self._connection.commit()
        self._known |= kept.keys()

    def _values_of(self, name: str, position: AppliedPosition) -> tuple[Any, ...]:
        """Return the values of the row of a position, the name of its table at the end."""
        proof = position.witness or (None,) * len(LastTransaction._fields)
        values = [
            position.place or BEGINNING,
            position.start or BEGINNING,
            position.csn,
            in_utc(position.time),
            position.changes,
            *proof,
            self._tables[name].spelled,
            position.masks,
            in_utc(dt.datetime.now(dt.UTC)),
            name,
        ]
        return tuple(map(self._dialect.value, values))

    def _keep(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Write rows of positions: all in one call where all of them are there, or none."""
        if not rows:
            return
        mark, names = self._dialect.mark_of, (*_POSITION_COLUMNS, "applied_at")
        sets = ", ".join(f"{column} = {mark(number)}" for number, column in enumerate(names))
        cursor = self._cursor()
        cursor.executemany(f"UPDATE {POSITION_TABLE} SET {sets} WHERE table_name = {mark(len(names))}", rows)
        if cursor.rowcount == len(rows):
            return
        if cursor.rowcount and len(rows) > 1:  # somebody has deleted some of them
            for row in rows:
                self._keep([row])
            return
        marks = ", ".join(map(mark, range(len(rows[0]))))
        cursor.executemany(f"INSERT INTO {POSITION_TABLE} ({', '.join(names)}, table_name) VALUES ({marks})", rows)

    def has_rows(self, table: str) -> bool:
        with self._errors():
            exists = f"EXISTS (SELECT 1 FROM {self._tables[table].name})"
            return bool(self.first(f"SELECT CASE WHEN {exists} THEN 1 ELSE 0 END FROM {self._dialect.one_row}"))

    def refused(self, *, create: bool) -> list[RefusedChange]:
        with self._errors(BadTarget):
            there = self._dialect.tables(self._cursor(), [ERROR_TABLE])
            if not there and create:
                text, moment, number = self._dialect.position_types
                kinds = {"table_name": f"{text} NOT NULL", "place": f"{text} NOT NULL", "source_time": moment}
                kinds |= dict.fromkeys(("csn", "xid", "op"), text) | {"rba": number}
                long = self._dialect.types["text"]
                columns = [f"{name} {kinds.get(name, long)}" for name in _ERROR_COLUMNS]
                key = "PRIMARY KEY (table_name, place)"
                self.execute(f"CREATE TABLE {ERROR_TABLE} ({', '.join(columns)}, noted_at {moment}, {key})")
            rows = self._query(f"SELECT {', '.join(_ERROR_COLUMNS)} FROM {ERROR_TABLE}") if there else []
            self._connection.commit()
        changes = [noted_of(row) for row in rows if text_of(row[0]) in self._asked]
        return sorted(changes, key=lambda change: change.place)

    def note_refused(self, changes: Sequence[RefusedChange], truncated: Mapping[str, str]) -> None:
        with self._errors():
            first, second = map(self._dialect.mark_of, range(2))
            for name, place in truncated.items():
                where = f"table_name = {first} AND place < {second}"
                self._cursor().execute(f"DELETE FROM {ERROR_TABLE} WHERE {where}", (name, place))
            for change in changes:
                self.forget_refused(change)
                now, moment = in_utc(dt.datetime.now(dt.UTC)), in_utc(change.source_time)
                values = [*change._replace(source_time=moment), now]
                marks = ", ".join(map(self._dialect.mark_of, range(len(values))))
                head = f"INSERT INTO {ERROR_TABLE} ({', '.join(_ERROR_COLUMNS)}, noted_at)"
                self._cursor().execute(f"{head} VALUES ({marks})", tuple(map(self._dialect.value, values)))

    def forget_refused(self, change: RefusedChange) -> None:
        with self._errors():
            first, second = map(self._dialect.mark_of, range(2))
            where = f"table_name = {first} AND place = {second}"
            self._cursor().execute(f"DELETE FROM {ERROR_TABLE} WHERE {where}", (change.table_name, change.place))

    def mark(self) -> None:
        with self._errors(BadTarget):
            self.execute(f"SAVEPOINT {_MARK}")

    def back_to_mark(self) -> None:
        with self._errors(BadTarget):
            self.execute(f"ROLLBACK TO SAVEPOINT {_MARK}")
        self.forget_mark()

    def forget_mark(self) -> None:
        with self._errors(BadTarget):
            if self._dialect.releases_marks:
                self.execute(f"RELEASE SAVEPOINT {_MARK}")

    def check(self) -> None:
        if not self._dialect.checks_at_commit:
            return
        with self._errors():
            self.execute("SET CONSTRAINTS ALL IMMEDIATE")
            self.execute("SET CONSTRAINTS ALL DEFERRED")

    def rollback(self) -> None:
        with self._errors():
            self._connection.rollback()

    def execute(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of rows it has changed."""
        cursor = self._cursor()
        if values:
            cursor.execute(statement, tuple(map(self._dialect.value, values)))
        else:
            cursor.execute(statement)
        return int(cursor.rowcount)

    def first(self, statement: str) -> Any:
        """Return the first value of a query; None if it returns no row."""
        rows = self._query(statement)
        return rows[0][0] if rows else None

    @property
    def dialect(self) -> DatabaseDialect:
        return self._dialect

    def fill(self, table: TargetTable, rows: pa.Table) -> None:
        """Load rows into the stage of a table."""
        self._dialect.load(self._cursor(), table.stage, rows)

    def _cursor(self) -> Any:
        return self._connection.cursor()

    def _query(self, statement: str) -> list[Any]:
        cursor = self._cursor()
        cursor.execute(statement)
        return [*cursor.fetchall()]

    @contextmanager
    def _errors(
        self, refusal: type[BadTarget | ChangeRefused] = ChangeRefused, about: str = "nothing was written: "
    ) -> Iterator[None]:
        """Turn errors of the driver into TargetLost and ``refusal``, of which a BadTarget begins with ``about``."""
        try:
            yield
        except (BadTarget, TargetLost, ChangeRefused):
            raise
        except Exception as error:
            if not is_of_driver(error):
                raise
            if self._connection is None or self._dialect.is_lost(self._connection, error):
                raise TargetLost(self._line(error)) from None
            raise refusal(f"{about * (refusal is BadTarget)}{self._line(error)}") from None

    def _line(self, error: Exception) -> str:
        """Return the first line of an error of a driver, without the password."""
        text = str(error.args[1] if len(error.args) > 1 and isinstance(error.args[0], int) else error)
        return self._dialect.url.harmless(" ".join(text.split("\n", maxsplit=1)[0].split()))

    def _make_positions(self) -> None:
        """Create the table of positions, or add the columns that the one of an older release lacks."""
        dialect = self._dialect
        text, moment, number = dialect.position_types
        there = dialect.tables(self._cursor(), [POSITION_TABLE])
        if there:
            names = {column.name.lower() for column in dialect.columns(self._cursor(), *there[0])}
            for name in _ADDED:
                if name not in names:
                    self.execute(f"ALTER TABLE {POSITION_TABLE} ADD {name} {dialect.note_type}")
        else:
            columns = f"table_name {text} NOT NULL PRIMARY KEY, place {text} NOT NULL, start_at {text}, "
            more = f"csn {text}, source_time {moment}, changes {number} NOT NULL, applied_at {moment}"
            added = "".join(f", {name} {dialect.note_type}" for name in _ADDED)
            self.execute(f"CREATE TABLE {POSITION_TABLE} ({columns}{more}{added})")
        self._connection.commit()

    def _take(self, number: int, source: SourceTable, schema: str, name: str) -> list[str]:
        """Register a table of the target; return the problems that prevent this."""
        columns = self._dialect.columns(self._cursor(), schema, name)
        by_name = {column.name.lower(): column for column in columns}
        problems = [*differences(source, by_name, _taking)]
        if not problems:
            quoted = self._dialect.quoted
            names = {column: quoted(by_name[source.target(column).text.lower()].name) for column in source.columns}
            names |= {column: quoted(by_name[column].name) for column in source.writing.added}
            taken = {source.target(column).text.lower() for column in source.columns} | source.writing.added.keys()
            own = (column for low, column in by_name.items() if low not in taken and not column.is_computed)
            known = tuple(OwnColumn(quoted(column.name), column.is_plain) for column in own)
            self._add(number, source, f"{quoted(schema)}.{quoted(name)}", names, f"{schema}.{name}", known)
        return problems

    def _add(
        self,
        number: int,
        source: SourceTable,
        name: str,
        columns: Mapping[str, str],
        spelled: str | None = None,
        own: tuple[OwnColumn, ...] = (),
    ) -> None:
        stage = f"{self._dialect.stage_prefix}logdump_stage_{number}"
        self._tables[source.name] = TargetTable(source, name, columns, stage, spelled, own)

    def _plan(self, number: int, source: SourceTable) -> list[str]:
        """Register a table that is to be created; return the problems that prevent this."""
        dialect = self._dialect
        if (position := self._positions.get(source.name)) is not None and (position.place or position.csn):
            why = "it has a position in logdump_position: bring the table back, or delete that row to begin anew"
            return [f"{source.name}: there is no table {source.wanted or source.name}, and {why}"]
        parts = source.parts if source.wanted is not None else source.parts[-1:]
        columns = {column: source.target(column) for column in source.columns}
        columns |= {column: TablePart(column) for column in source.writing.added}
        names = {column: dialect.new_name(part) for column, part in columns.items()}
        self._add(number, source, ".".join(map(dialect.new_name, parts)), names)
        problems = [*filter(None, map(dialect.why_not_named, (*parts, *columns.values())))]
        twice = [name for name, times in Counter(names.values()).items() if times > 1]
        problems += [f"several columns would be called {name}" for name in twice]
        return [*why_not_written(source), *(f"{source.name}: {problem}" for problem in problems)]

    def _create(self, source: SourceTable) -> None:
        table, writing, dialect = self._tables[source.name], source.writing, self._dialect
        keys = () if writing.write == "append" else source.keys
        types = {
            column: dialect.type_for(kind, is_key=column in keys, is_number=column in source.numbers)
            for column, kind in source.columns.items()
        }
        types |= {
            column: dialect.type_of_added(kind, is_long=column == ABSENT) for column, kind in writing.added.items()
        }
        clauses = [f"{table.columns[column]} {kind}" for column, kind in types.items()]
        key = ", ".join(table.columns[column] for column in source.keys)
        clauses += [f"PRIMARY KEY ({key})"] if writing.write == "mirror" else []
        self.execute(f"CREATE TABLE {table.name} ({', '.join(clauses)})")
        if writing.write == "history":
            self.execute(dialect.index_of_open(table.name, key, table.columns["_valid_to"]))
        matches = self._matches(source)
        spelled = ".".join(matches[0]) if len(matches) == 1 else None
        self._tables[source.name] = table._replace(spelled=spelled)

    def _shared(self) -> Iterator[str]:
        """Yield the problems of tables of the source that share one table of the target."""
        names: dict[str, list[str]] = {}
        for table in self._tables.values():
            names.setdefault(table.name, []).append(table.source.name)
        for name, sources in names.items():
            if len(sources) > 1:
                yield f"{' and '.join(sources)} would share the table {name}: a mapping names one for each"

    def _moved(self) -> Iterator[str]:
        """Yield the problems of tables whose position is one in another table of the target."""
        for name, table in self._tables.items():
            position = self._positions.get(name)
            target = position.target if position is not None else None
            if target is not None and table.spelled is not None and target != table.spelled:
                yield (
                    f"{name} is applied to {target} in this database, and its position is that of this table, not of "
                    f"{table.spelled}: one table has one copy in a database. If it was renamed, set target_table to "
                    f"{table.spelled} in its row of logdump_position; to begin anew, delete that row"
                )

    def _make_stage(self, table: TargetTable) -> None:
        dialect = self._dialect
        columns = {
            "n": f"CAST(NULL AS {dialect.integer})",
            "kind": f"CAST(NULL AS {dialect.character}(1))",
            **{f"o{number}": f"t.{table.columns[key]}" for number, key in enumerate(table.source.keys, 1)},
            **{f"c{number}": f"t.{name}" for number, name in enumerate(table.columns.values(), 1)},
            "a": f"CAST(NULL AS {dialect.character}({len(table.columns)}))",
            **({**table.own_values, "keeps": f"CAST(NULL AS {dialect.character}(1))"} if table.own else {}),
        }
        head = f"CREATE {dialect.temporary} {table.stage} {dialect.stage_options}"
        self.execute(f"{head}AS {dialect.no_rows(columns, table.name)}")

    def _present(self, table: TargetTable, keys: Collection[Key]) -> set[Key]:
        """Return those of the keys for which the table has a row."""
        key_list = [*keys]
        self.execute(f"{self._dialect.clear} {table.stage}")
        self.fill(table, keys_table(table, key_list, SOUGHT, range(len(key_list))))
        rows = self._query(f"SELECT s.n FROM {table.stage} s JOIN {table.name} t ON {table.on()} AND {table.is_there}")
        return {key_list[int(row[0])] for row in rows}


def _taking(kind: pa.DataType) -> Collection[str]:
    """Return the families of columns that take values of a type."""
    family = family_of(kind)
    return {*STORABLE_IN} - {"binary"} if family == "text" else STORABLE_IN[family]
