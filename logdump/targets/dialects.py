"""The dialects of the databases: connecting, spelling, loading and locking; ``database`` uses them.

| URL | Driver |
|---|---|
| ``postgresql://user@host/database`` | psycopg |
| ``mysql://``, ``mariadb://`` | PyMySQL |
| ``oracle://user:password@host:1521/service`` | oracledb |
| ``sqlite:///file`` | Python's own |
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import pyarrow as pa
import pyarrow.csv

from logdump.notation.names import TablePart
from logdump.targets.target import BadTarget, TargetColumn, lock_file
from trailformat.codec.on_demand import on_demand

with on_demand:
    import importlib
    import sqlite3

POSITION_TABLE = "logdump_position"


_DIGITS_OF_DOUBLE = 15


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
FAMILIES: dict[str, str] = {word: family for family, words in _WORDS.items() for word in words.split()}
"""Family of a database's type, by the first word of the type's name."""
TAKEN_BY: dict[str, frozenset[str]] = {
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
    clear: ClassVar[str] = "DELETE FROM"
    truncate: ClassVar[str] = "DELETE FROM"

    def __init__(self, url: SplitResult) -> None:
        self.url = url

    def connect(self) -> Any:
        """Return a connection without automatic commits. Raises errors of the driver."""
        raise NotImplementedError

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

    def tables(self, cursor: Any, name: Sequence[str]) -> list[tuple[str, str]]:
        """Return schema and name, as spelled in the database, of the tables with this name; case is ignored.

        ``name`` has the name of the table, and before it that of its schema if it is not the one in use.
        """
        schema, table = _schema_and_table(name)
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
        cursor.execute(self.columns_query, (schema, table))
        return [
            TargetColumn(
                name, self.family(kind.lower()), kind, scale, nullable[0] == "N" and default is None, self.size(kind)
            )
            for name, kind, scale, nullable, default in cursor.fetchall()
        ]

    columns_query: ClassVar[str] = (
        "SELECT column_name, data_type, numeric_scale, is_nullable, column_default FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position"
    )
    """Query for name, type, scale, nullability (Y or N) and default of each column of a table."""

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
        return f"SELECT {_as(columns)} FROM {self.one_row} LEFT JOIN {table} t ON 1 = 0 WHERE 1 = 0"

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


class PostgreSQLDialect(DatabaseDialect):
    """PostgreSQL; rows are loaded by COPY."""

    longest_name: ClassVar[int | None] = 63
    number: ClassVar[str | None] = "numeric"
    overriding: ClassVar[str] = "OVERRIDING SYSTEM VALUE "
    types: ClassVar[Mapping[str, str]] = {
        "integer": "bigint",
        "decimal": "numeric",
        "float": "double precision",
        "text": "text",
        "binary": "bytea",
        "date": "date",
        "timestamp": "timestamp",
        "zoned": "timestamptz",
    }
    clear: ClassVar[str] = "TRUNCATE"
    truncate: ClassVar[str] = "TRUNCATE"

    def connect(self) -> Any:
        psycopg = _driver("psycopg", self.url)
        connection = psycopg.connect(self.url.geturl(), connect_timeout=10)
        connection.execute("SET client_min_messages = warning")
        connection.execute("SET TimeZone = 'UTC'")
        connection.commit()
        return connection

    def lock(self, connection: Any, name: str) -> bool:
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
        return bool(connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()[0])

    def load(self, cursor: Any, table: str, rows: pa.Table) -> None:
        columns = [_as_text(column) if pa.types.is_binary(column.type) else column for column in rows.columns]
        sink = io.BytesIO()
        options = pyarrow.csv.WriteOptions(include_header=False)
        pyarrow.csv.write_csv(pa.table(columns, rows.column_names), sink, options)
        with cursor.copy(f"COPY {table} ({', '.join(rows.column_names)}) FROM STDIN (FORMAT csv)") as copy:
            copy.write(sink.getbuffer())

    def is_lost(self, connection: Any, error: Exception) -> bool:
        state = getattr(error, "sqlstate", None) or ""
        return bool(connection.broken or connection.closed or state.startswith(("40", "57P", "08", "55P03")))


def _as_text(column: pa.ChunkedArray) -> pa.Array:
    """Return bytes as text that PostgreSQL reads."""
    return pa.array([None if value is None else f"\\x{value.hex()}" for value in column.to_pylist()], pa.string())


class MySQLDialect(DatabaseDialect):
    """MySQL and MariaDB."""

    quote_mark: ClassVar[str] = "`"
    longest_name: ClassVar[int | None] = 64
    name_unit: ClassVar[str] = "characters"
    types: ClassVar[Mapping[str, str]] = {
        "integer": "BIGINT",
        "decimal": "DECIMAL",
        "float": "DOUBLE",
        "text": "LONGTEXT",
        "binary": "LONGBLOB",
        "date": "DATE",
        "timestamp": "DATETIME(6)",
        "zoned": "TIMESTAMP(6)",
    }
    position_types: ClassVar[tuple[str, str, str]] = ("VARCHAR(255)", "DATETIME(6) NULL", "BIGINT")
    current_schema: ClassVar[str] = "database()"
    integer: ClassVar[str] = "SIGNED"
    character: ClassVar[str] = "CHAR"
    _TRY_AGAIN: ClassVar[frozenset[int]] = frozenset({1205, 1213, 1053, 2003, 2006, 2013, 2014, 2055})

    def connect(self) -> Any:
        pymysql = _driver("pymysql", self.url)
        url, given = self.url, dict(parse_qsl(self.url.query))
        return pymysql.connect(
            host=url.hostname or "localhost",
            port=url.port or 3306,
            user=unquote(url.username) if url.username else None,
            password=unquote(url.password or ""),
            database=unquote(url.path.lstrip("/")) or None,
            unix_socket=given.get("unix_socket"),
            charset="utf8mb4",
            connect_timeout=10,
            autocommit=False,
            client_flag=pymysql.constants.CLIENT.FOUND_ROWS,
            init_command="SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE', "
            "time_zone = '+00:00', innodb_lock_wait_timeout = 50",
        )

    def lock(self, connection: Any, name: str) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT GET_LOCK(%s, 0)", (f"logdump {hashlib.sha256(name.encode()).hexdigest()[:40]}",))
            return bool(cursor.fetchone()[0])

    def family(self, kind: str) -> str | None:
        return "zoned" if kind.lower() == "timestamp" else super().family(kind)

    def kind_for(self, kind: pa.DataType, *, is_key: bool) -> str:
        if is_key and family_of(kind) in ("text", "binary"):
            return "VARCHAR(255)" if family_of(kind) == "text" else "VARBINARY(255)"
        return super().kind_for(kind, is_key=is_key)

    def value(self, value: Any) -> Any:
        return value.astimezone(dt.UTC).replace(tzinfo=None) if _is_zoned(value) else value

    def no_rows(self, columns: Mapping[str, str], table: str) -> str:
        nulls = ", ".join(f"NULL AS {name}" for name in columns)
        return f"SELECT {nulls} WHERE 1 = 0 UNION ALL SELECT {_as(columns)} FROM {table} t WHERE 1 = 0"

    def delete(self, table: str, stage: str, on: str, where: str) -> str:
        return f"DELETE t FROM {stage} AS s JOIN {table} AS t ON {on} WHERE {where}"

    def update(
        self, table: tuple[str, str], other: tuple[str, str], on: str, sets: Mapping[str, str], where: str
    ) -> str:
        assigned = ", ".join(f"{table[1]}.{name} = {value}" for name, value in sets.items())
        return f"UPDATE {' AS '.join(other)} JOIN {' AS '.join(table)} ON {on} SET {assigned} WHERE {where}"

    def is_lost(self, connection: Any, error: Exception) -> bool:
        return not connection.open or (bool(error.args) and error.args[0] in self._TRY_AGAIN)


class OracleDialect(DatabaseDialect):
    """Oracle 18 and later: the stage is a private temporary table."""

    longest_name: ClassVar[int | None] = 128
    number: ClassVar[str | None] = "NUMBER"
    note_type: ClassVar[str] = "VARCHAR2(1000)"
    types: ClassVar[Mapping[str, str]] = {
        "integer": "NUMBER(19)",
        "decimal": "NUMBER",
        "float": "BINARY_DOUBLE",
        "text": "CLOB",
        "binary": "BLOB",
        "date": "DATE",
        "timestamp": "TIMESTAMP(6)",
        "zoned": "TIMESTAMP(6) WITH TIME ZONE",
    }
    position_types: ClassVar[tuple[str, str, str]] = ("VARCHAR2(255)", "TIMESTAMP", "NUMBER(19)")
    temporary: ClassVar[str] = "PRIVATE TEMPORARY TABLE"
    one_row: ClassVar[str] = "dual d"
    stage_prefix: ClassVar[str] = "ora$ptt_"
    stage_options: ClassVar[str] = "ON COMMIT PRESERVE DEFINITION "
    columns_query: ClassVar[str] = (
        "SELECT column_name, data_type, data_scale, nullable, data_default FROM all_tab_columns "
        "WHERE owner = :1 AND table_name = :2 ORDER BY column_id"
    )
    _LOST: ClassVar[tuple[str, ...]] = ("DPY-4011", "DPY-1001", "ORA-03113", "ORA-03114", "ORA-00060", "ORA-01012")

    def connect(self) -> Any:
        oracledb = _driver("oracledb", self.url)
        url = self.url
        dsn = f"{url.hostname}:{url.port or 1521}/{url.path.lstrip('/')}"
        return oracledb.connect(user=unquote(url.username or ""), password=unquote(url.password or ""), dsn=dsn)

    def mark_of(self, number: int) -> str:
        return f":{number + 1}"

    def usual_case(self, name: str) -> str:
        return name.upper()

    def lock(self, connection: Any, name: str) -> bool:
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % 1073741823
        with connection.cursor() as cursor:
            result = cursor.callfunc("DBMS_LOCK.REQUEST", int, [number, 6, 0, False])
        return result in (0, 4)

    def tables(self, cursor: Any, name: Sequence[str]) -> list[tuple[str, str]]:
        schema, table = _schema_and_table(name)
        cursor.execute(
            "SELECT owner, table_name FROM all_tables WHERE upper(table_name) = :1 AND "
            "owner = nvl(upper(:2), sys_context('userenv', 'current_schema'))",
            (table.upper(), schema),
        )
        return [*cursor.fetchall()]

    def family(self, kind: str) -> str | None:
        return "timestamp" if kind.lower() == "date" else super().family(kind)

    def kind_for(self, kind: pa.DataType, *, is_key: bool) -> str:
        if is_key and family_of(kind) in ("text", "binary"):
            return "VARCHAR2(1000)" if family_of(kind) == "text" else "RAW(1000)"
        return super().kind_for(kind, is_key=is_key)

    def delete(self, table: str, stage: str, on: str, where: str) -> str:
        return f"DELETE FROM {table} t WHERE EXISTS (SELECT 1 FROM {stage} s WHERE {on} AND {where})"

    def update(
        self, table: tuple[str, str], other: tuple[str, str], on: str, sets: Mapping[str, str], where: str
    ) -> str:
        assigned = ", ".join(f"{table[1]}.{name} = {value}" for name, value in sets.items())
        merged = f"MERGE INTO {' '.join(table)} USING {' '.join(other)} ON ({on} AND {where})"
        return f"{merged} WHEN MATCHED THEN UPDATE SET {assigned}"

    def is_lost(self, connection: Any, error: Exception) -> bool:
        return str(error).startswith(self._LOST)


class SQLiteDialect(DatabaseDialect):
    """SQLite, a file for trials: its decimals have 15 digits."""

    mark: ClassVar[str] = "?"
    types: ClassVar[Mapping[str, str]] = {
        "integer": "INTEGER",
        "decimal": "NUMERIC",
        "float": "REAL",
        "text": "TEXT",
        "binary": "BLOB",
        "date": "TEXT",
        "timestamp": "TEXT",
        "zoned": "TEXT",
    }
    columns_query: ClassVar[str] = (
        "SELECT name, type, NULL, CASE WHEN \"notnull\" THEN 'N' ELSE 'Y' END, dflt_value "
        "FROM pragma_table_info(?2, ?1) ORDER BY cid"
    )

    def connect(self) -> Any:
        connection = sqlite3.connect(unquote(self.url.path)[1:], isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        return _ManualTransactions(connection)

    def lock(self, connection: Any, name: str) -> bool:
        number = hashlib.sha256(name.encode()).hexdigest()[:12]
        file = lock_file(Path(unquote(self.url.path)[1:] + f"-{number}.lock"))
        if file is None:
            return False
        connection.locks.append(file)
        return True

    def tables(self, cursor: Any, name: Sequence[str]) -> list[tuple[str, str]]:
        table = name[-1].lower()
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND lower(name) = ?", (table,))
        return [("main", row[0]) for row in cursor.fetchall()]

    def size(self, kind: str) -> int | None:
        return None  # each integer has room for 8 bytes, whatever its type is called

    def kind_for(self, kind: pa.DataType, *, is_key: bool) -> str:
        """Return the type of a new column: TEXT for decimals with more digits than SQLite keeps."""
        is_long = pa.types.is_decimal(kind) and kind.precision > _DIGITS_OF_DOUBLE
        return "TEXT" if is_long else super().kind_for(kind, is_key=is_key)

    def value(self, value: Any) -> Any:
        if isinstance(value, Decimal):
            return str(value)
        return (
            value.isoformat(" ")
            if isinstance(value, dt.datetime)
            else str(value)
            if isinstance(value, dt.date)
            else value
        )

    def delete(self, table: str, stage: str, on: str, where: str) -> str:
        return f"DELETE FROM {table} AS t WHERE EXISTS (SELECT 1 FROM {stage} AS s WHERE {on} AND {where})"


class _ManualTransactions:
    """A connection of sqlite3 that begins a transaction before any statement that needs one, including DDL."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.locks: list[Any] = []

    def cursor(self) -> Any:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        return self._connection.cursor()

    def commit(self) -> None:
        self._connection.commit()

    def rollback(self) -> None:
        self._connection.rollback()

    def close(self) -> None:
        self._connection.close()
        for file in self.locks:
            file.close()


def _schema_and_table(name: Sequence[str]) -> tuple[str, str]:
    return (name[-2] if len(name) > 1 else ""), name[-1]


def _as(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{value} AS {name}" for name, value in columns.items())


def _is_zoned(value: Any) -> bool:
    return isinstance(value, dt.datetime) and value.tzinfo is not None


def _driver(module: str, url: SplitResult) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BadTarget(f"{url.scheme}: {error}; pip install 'logdump[apply]' has the drivers") from None


_BY_SCHEME: dict[str, type[DatabaseDialect]] = {
    "postgresql": PostgreSQLDialect,
    "postgres": PostgreSQLDialect,
    "mysql": MySQLDialect,
    "mariadb": MySQLDialect,
    "oracle": OracleDialect,
    "sqlite": SQLiteDialect,
}


def dialect_for(url: str) -> DatabaseDialect | None:
    """Return the dialect of a URL, which may begin with ``jdbc:``; None if it is not that of a database."""
    parts = urlsplit(url.removeprefix("jdbc:"))
    kind = _BY_SCHEME.get(parts.scheme)
    return kind(parts) if kind else None
