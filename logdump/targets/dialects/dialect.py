"""What the dialects of the databases have in common: families of types, spelling, statements."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.csv

from logdump.notation.names import TablePart
from logdump.targets.dialects.target_url import TargetUrl
from logdump.targets.target import BadTarget, TableDifference, TargetColumn
from trailformat.codec.on_demand import on_demand

with on_demand:
    import importlib

POSITION_TABLE = "logdump_position"


_WORDS = {
    "integer": "smallint integer int bigint tinyint mediumint int2 int4 int8 serial bigserial smallserial",
    "decimal": "numeric decimal number",
    "float": "real float double float4 float8 binary_double binary_float",
    "text": "text varchar char character bpchar tinytext mediumtext longtext varchar2 nvarchar2 nchar clob nclob long "
    "citext name",
    "binary": "bytea blob binary varbinary tinyblob mediumblob longblob raw",
    "date": "date",
    "timestamp": "timestamp datetime",
    "zoned": "timestamptz",
}
_SIZES = {
    **dict.fromkeys(("tinyint",), 1),
    **dict.fromkeys(("smallint", "int2", "smallserial"), 2),
    **dict.fromkeys(("mediumint",), 3),
    **dict.fromkeys(("integer", "int", "int4", "serial"), 4),
    **dict.fromkeys(("bigint", "int8", "bigserial"), 8),
}
"""Bytes of the integer types."""
_UNLIMITED = 1 << 24
"""Bytes from which on a text has no limit that matters."""
DIGITS = {8: 3, 16: 5, 32: 10, 64: 19}
"""Digits of the largest integer, by bits."""
FAMILIES: dict[str, str] = {word: family for family, words in _WORDS.items() for word in words.split()}
"""Family of a database's type, by the first word of the type's name."""
STORABLE_IN: dict[str, frozenset[str]] = {
    "integer": frozenset({"integer", "decimal", "text"}),
    "decimal": frozenset({"decimal", "integer", "text"}),
    "float": frozenset({"float", "text"}),
    "text": frozenset({"text", "integer", "decimal", "float", "date", "timestamp", "zoned"}),
    "binary": frozenset({"binary"}),
    "date": frozenset({"date", "timestamp", "text"}),
    "timestamp": frozenset({"timestamp", "text"}),
    "zoned": frozenset({"zoned", "text"}),
}
"""Families of columns that take a value, by the family of the value. The database converts texts."""


def family_of(kind: pa.DataType) -> str:
    """Return the family of an Arrow type."""
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_decimal(kind):
        return "decimal"
    if pa.types.is_floating(kind):
        return "float"
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_timestamp(kind):
        return "zoned" if kind.tz else "timestamp"
    return "binary" if pa.types.is_binary(kind) else "text"


class DatabaseDialect:
    """Base class of the dialects.

    Args:
        url: the URL of the database.
    """

    mark: ClassVar[str] = "%s"
    quote_mark: ClassVar[str] = '"'
    types: ClassVar[Mapping[str, str]]
    """Type of a new column by family."""
    position_types: ClassVar[tuple[str, str, str]] = ("VARCHAR(255)", "TIMESTAMP", "BIGINT")
    """Types of text, time and number in the table of positions."""
    note_type: ClassVar[str] = "VARCHAR(1000)"
    """Type of what a position notes of its trail and its table."""
    overriding: ClassVar[str] = ""
    """Words of an INSERT that has values for columns whose values the database generates always."""
    temporary: ClassVar[str] = "TEMPORARY TABLE"
    integer: ClassVar[str] = "INTEGER"
    character: ClassVar[str] = "VARCHAR"
    """``integer`` and ``character`` are types for CAST."""
    stage_prefix: ClassVar[str] = ""
    stage_options: ClassVar[str] = ""
    """Words after the name of the stage, so that it outlives a commit."""
    releases_marks: ClassVar[bool] = True
    """True if a savepoint is kept until it is released, also if another one has its name."""
    checks_at_commit: ClassVar[bool] = False
    """True if a constraint may be checked at the commit."""
    clear: ClassVar[str] = "DELETE FROM"
    truncate: ClassVar[str] = "DELETE FROM"

    def __init__(self, url: TargetUrl) -> None:
        self.url = url

    def connect(self) -> Any:
        """Return a connection without automatic commits. Raises errors of the driver."""
        raise NotImplementedError

    def is_refusal(self, error: Exception) -> bool:
        """Return whether an error of connecting means that the server is there, and lets nobody in with this URL."""
        return False

    def quoted(self, name: str) -> str:
        """Return a name as written in a statement."""
        mark = self.quote_mark
        return mark + name.replace(mark, mark * 2) + mark

    def new_name(self, name: TablePart) -> str:
        """Return the name of a new table or column as written in a statement; without quotes it has the usual case."""
        return self.quoted(name.text if name.is_quoted else self.usual_case(name.text))

    def usual_case(self, name: str) -> str:
        """Return a name in the case that the database gives to names without quotes."""
        return name.lower()

    longest_name: ClassVar[int | None] = None
    name_unit: ClassVar[str] = "bytes"
    """Most bytes, or characters, in a name; None for no limit."""

    def why_not_named(self, name: TablePart) -> str | None:
        """Return why no new table or column can have this name; None if one can."""
        size = len(name.text.encode() if self.name_unit == "bytes" else name.text)
        if self.longest_name is not None and size > self.longest_name:
            return f"{name.text} has {size} {self.name_unit}, and a name has {self.longest_name} at most"
        return None

    def lock(self, connection: Any, name: str) -> bool:
        """Take a lock until the connection ends; return False if another connection has it."""
        raise NotImplementedError

    def unlock(self, connection: Any) -> None:
        """Give up the locks before the connection ends, where the server takes its time to end it; nothing by default.

        What is not committed is lost.
        """

    def tables(self, cursor: Any, name: Sequence[str]) -> list[tuple[str, str]]:
        """Return schema and name, as spelled in the database, of the tables with this name; case is ignored.

        ``name`` has the name of the table, and before it that of its schema if it is not the one in use.
        """
        schema, table = schema_and_table(name)
        cursor.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            f"WHERE lower(table_name) = {self.mark} AND table_type = 'BASE TABLE' AND "
            f"({self.mark} = lower(table_schema) OR ({self.mark} = '' AND table_schema = {self.current_schema}))",
            (table.lower(), schema.lower(), schema),
        )
        return [(str(row[0]), str(row[1])) for row in cursor.fetchall()]

    current_schema: ClassVar[str] = "current_schema()"

    def columns(self, cursor: Any, schema: str, table: str) -> list[TargetColumn]:
        """Return the columns of a table."""
        cursor.execute(self.columns_query, self.columns_of(schema, table))
        return [
            TargetColumn(
                name,
                self.family(kind.lower()),
                kind,
                scale,
                nullable[0] == "N" and default is None and computed != "Y",
                self.size(kind),
                precision,
                length,
                nullable[0] != "N" and default in (None, "NULL"),
                computed == "Y",
            )
            for name, kind, scale, nullable, default, precision, length, computed in cursor.fetchall()
        ]

    def columns_of(self, schema: str, table: str) -> tuple[str, ...]:
        """Return the values of ``columns_query``, in its order."""
        return schema, table

    columns_query: ClassVar[str] = (
        "SELECT column_name, data_type, numeric_scale, is_nullable, "
        "CASE WHEN is_identity = 'YES' THEN 'number' ELSE column_default END, numeric_precision, "
        "character_maximum_length, CASE WHEN generation_expression <> '' THEN 'Y' ELSE 'N' END "
        "FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position"
    )
    """Query for name, type, scale, nullability (Y or N), default, precision and length of each column of a table, and
    whether the database alone gives it values (Y or N); what numbers rows by itself is a default."""

    def add(self, table: str, column: str, kind: str) -> str:
        """Return the statement that adds a column to a table."""
        return f"ALTER TABLE {table} ADD {column} {kind}"

    def drop(self, table: str, column: str) -> str:
        """Return the statement that takes a column from a table."""
        return f"ALTER TABLE {table} DROP COLUMN {column}"

    def retype(self, table: str, column: str, kind: str) -> str | None:
        """Return the statement that gives a column another type; None if there is none."""
        return f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind}"

    retypes_plain_alone: ClassVar[bool] = False
    """True if that statement takes NOT NULL and the default from the column."""

    def holds(self, column: TargetColumn, kind: pa.DataType, *, is_number: bool, length: int | None) -> bool:
        """Return whether a column has room for a type of the source; ``length``: its most bytes, None for no limit."""
        family = family_of(kind)
        if column.family is None:
            return True
        if is_number:
            return column.family == "text" or (column.family == "decimal" and not column.precision)
        if column.family == "text":
            return family != "text" or column.length is None or column.length >= (length or _UNLIMITED)
        if family in ("text", "binary"):
            is_long = column.length is None or column.length >= (length or _UNLIMITED)
            return column.family == family and is_long
        if family in ("integer", "decimal"):
            return self._holds_number(column, kind)
        return column.family in STORABLE_IN[family]

    def _holds_number(self, column: TargetColumn, kind: pa.DataType) -> bool:
        is_integer = pa.types.is_integer(kind)
        whole, scale = (DIGITS[kind.bit_width], 0) if is_integer else (kind.precision - kind.scale, kind.scale)
        if column.family == "integer":
            return is_integer and (column.size is None or column.size * 8 >= kind.bit_width)
        if column.family != "decimal" or column.precision is None:
            return column.family == "decimal" and (column.scale is None or column.scale >= scale)
        return column.precision - (column.scale or 0) >= whole and (column.scale or 0) >= scale

    def altering(
        self, table: str, columns: Mapping[str, TargetColumn], difference: TableDifference
    ) -> tuple[list[str], list[str]]:
        """Return the statements that alter a table, and why there is none for a column.

        Args:
            table: its name as written in a statement.
            columns: its columns by lower-case name.
            difference: what has come, is wider or has gone; what the table has so already needs no statement.
        """
        source, statements, problems = difference.table, list[str](), list[str]()
        for name in difference.added:
            part, is_number = source.target(name), name in source.numbers
            if part.text.lower() not in columns:
                kind = self.type_for(source.columns[name], is_key=False, is_number=is_number)
                statements.append(self.add(table, self.new_name(part), kind))
                problems += filter(None, [self.why_not_named(part)])
        for name, length in difference.wider.items():
            column, is_number = columns.get(source.target(name).text.lower()), name in source.numbers
            if column is None or self.holds(column, source.columns[name], is_number=is_number, length=length):
                continue
            is_key = name in source.keys
            kind = self.type_for(source.columns[name], is_key=is_key, is_number=is_number)
            kind = self.wider(column, kind, length)
            statement = self.retype(table, self.quoted(column.name), kind)
            if statement is None:
                problems.append(f"column {column.name} is {column.kind}, has to be {kind}, and no statement does that")
                continue
            if self.retypes_plain_alone and not column.is_plain:
                problems.append(
                    f"column {column.name} has a default or is NOT NULL, which this would take: {statement}"
                )
            statements.append(statement)
        there = [columns[name.lower()].name for name in difference.gone if name.lower() in columns]
        return [*statements, *(self.drop(table, self.quoted(name)) for name in there)], problems

    longest_text: ClassVar[int] = 10_000
    """Most characters of a text with a limit."""

    def wider(self, column: TargetColumn, kind: str, length: int | None) -> str:
        """Return the type for a column that gets room for more, given that of a new one."""
        if column.family not in ("text", "binary") or column.length is None or not length:
            return kind
        return f"{column.kind}({length})" if length <= self.longest_text else kind

    def family(self, kind: str) -> str | None:
        """Return the family of a type as the database spells it; None if unknown."""
        if "with time zone" in kind:
            return "zoned"
        return FAMILIES.get(re.split(r"[ (]", kind.lower(), maxsplit=1)[0])

    def size(self, kind: str) -> int | None:
        """Return the bytes of an integer type as the database spells it; None for other types."""
        return _SIZES.get(re.split(r"[ (]", kind.lower(), maxsplit=1)[0])

    number: ClassVar[str | None] = None
    """Type of a new column for numbers of any digits; None if there is none, and text is exact."""

    def type_for(self, kind: pa.DataType, *, is_key: bool, is_number: bool = False) -> str:
        """Return the type of a new column for values of an Arrow type; ``is_number`` if their text is a number."""
        if is_number and self.number is not None:
            return self.number
        return self.kind_for(kind, is_key=is_key)

    def kind_for(self, kind: pa.DataType, *, is_key: bool) -> str:
        """Return the type of a new column for values of an Arrow type."""
        family = family_of(kind)
        return f"{self.types['decimal']}({kind.precision},{kind.scale})" if family == "decimal" else self.types[family]

    def type_of_added(self, kind: pa.DataType, *, is_long: bool) -> str:
        """Return the type of a column that a way of writing adds to a table."""
        is_short = family_of(kind) == "text" and not is_long
        return self.position_types[0] if is_short else self.kind_for(kind, is_key=False)

    has_partial_indexes: ClassVar[bool] = False

    def index_of_open(self, table: str, key: str, end: str) -> str:
        """Return the statement that makes an index on the key of a history: of open versions only, if there is such."""
        name = f"logdump_{hashlib.sha256(table.encode()).hexdigest()[:16]}"
        if self.has_partial_indexes:
            return f"CREATE UNIQUE INDEX {name} ON {table} ({key}) WHERE {end} IS NULL"
        return f"CREATE INDEX {name} ON {table} ({key})"

    has_flashback: ClassVar[bool] = False
    has_snapshots: ClassVar[bool] = False
    """True if a query names the CSN of its rows, or if a snapshot has those at a CSN."""

    def enter_snapshot(self, connection: Any, snapshot: str | None) -> None:
        """Begin a transaction that reads only, in a snapshot if one is given. Raises errors of the driver."""

    def present_csn(self, cursor: Any) -> str:
        """Return the CSN of this moment, where the database has flashback."""
        raise NotImplementedError

    def reading_cursor(self, connection: Any) -> Any:
        """Return a cursor that fetches the rows of a query in portions."""
        return connection.cursor()

    def query_at(self, columns: Sequence[str], table: str, csn: str) -> str:
        """Return the query of columns of a table at a CSN, or in the snapshot that was entered."""
        return f"SELECT {', '.join(columns)} FROM {table}"

    def as_text(self, column: str) -> str:
        """Return a column of a query, of any type, as text."""
        return column

    def load(self, cursor: Any, table: str, rows: pa.Table) -> None:
        """Insert rows into a table."""
        names = ", ".join(rows.column_names)
        marks = ", ".join(self.mark_of(number) for number in range(rows.num_columns))
        values = [[*map(self.value, column.to_pylist())] for column in rows.columns]
        cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", [*zip(*values, strict=True)])

    def mark_of(self, number: int) -> str:
        """Return the mark of a parameter with this number, from 0."""
        return self.mark

    def value(self, value: Any) -> Any:
        """Return a value in the form that the driver takes."""
        return value

    def no_rows(self, columns: Mapping[str, str], table: str) -> str:
        """Return a query without rows whose columns have the types of those of a table ``t``, and may be NULL."""
        return f"SELECT {named_columns(columns)} FROM {self.one_row} LEFT JOIN {table} t ON 1 = 0 WHERE 1 = 0"

    one_row: ClassVar[str] = "(SELECT 1 AS x) d"

    def delete(self, table: str, stage: str, on: str, where: str) -> str:
        """Return the statement that deletes the rows ``t`` of a table for which the stage has a row ``s``."""
        return f"DELETE FROM {table} AS t USING {stage} AS s WHERE {on} AND {where}"

    def update(
        self, table: tuple[str, str], other: tuple[str, str], on: str, sets: Mapping[str, str], where: str
    ) -> str:
        """Return the statement that sets columns of a table from another; each is given with its letter, s or t."""
        assigned = ", ".join(f"{name} = {value}" for name, value in sets.items())
        return f"UPDATE {' AS '.join(table)} SET {assigned} FROM {' AS '.join(other)} WHERE {on} AND {where}"

    def is_lost(self, connection: Any, error: Exception) -> bool:
        """Return whether an error means that the connection is lost, or that a retry may succeed."""
        try:
            connection.cursor().execute("SELECT 1")
        except Exception:
            return True
        return False


def is_of_driver(error: Exception) -> bool:
    """Return whether an error is one of the drivers."""
    return type(error).__module__.startswith(("psycopg", "pymysql", "oracledb", "sqlite3"))


def schema_and_table(name: Sequence[str]) -> tuple[str, str]:
    """Return the last two parts of a name; the schema is empty if it has one part."""
    return (name[-2] if len(name) > 1 else ""), name[-1]


def named_columns(columns: Mapping[str, str]) -> str:
    """Return the list of a SELECT: expressions, each with its name."""
    return ", ".join(f"{value} AS {name}" for name, value in columns.items())


def in_utc(moment: dt.datetime | None) -> dt.datetime | None:
    """Return a time in UTC, without a zone; one without a zone is in UTC."""
    return moment.astimezone(dt.UTC).replace(tzinfo=None) if is_zoned(moment) and moment else moment


def is_zoned(value: Any) -> bool:
    """Return whether a value is a time with a zone."""
    return isinstance(value, dt.datetime) and value.tzinfo is not None


def driver_of(module: str, url: TargetUrl) -> Any:
    """Import the driver of a database. Raises BadTarget if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BadTarget(f"{url.scheme}: {error}; pip install 'logdump[apply]' has the drivers") from None
