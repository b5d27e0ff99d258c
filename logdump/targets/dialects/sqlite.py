"""The dialect of SQLite."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from logdump.targets.dialects.dialect import DatabaseDialect, family_of
from logdump.targets.target import BadTarget, TargetColumn, lock_file
from trailformat.codec.on_demand import on_demand

with on_demand:
    import sqlite3

_DIGITS_OF_DOUBLE = 15
_CANNOT = ("unable to open", "attempt to write a readonly")
"""Errors of a file that nobody holds."""


class SQLiteDialect(DatabaseDialect):
    """SQLite, a file for trials: its decimals have 15 digits."""

    mark: ClassVar[str] = "?"
    has_partial_indexes: ClassVar[bool] = True
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
        "SELECT name, type, NULL, CASE WHEN \"notnull\" THEN 'N' ELSE 'Y' END, "
        "CASE WHEN pk AND NOT \"notnull\" THEN 'rowid' ELSE dflt_value END, NULL, NULL, 'N' "
        "FROM pragma_table_info(?, ?) ORDER BY cid"
    )

    def columns_of(self, schema: str, table: str) -> tuple[str, ...]:
        return table, schema

    def connect(self) -> Any:
        path = self._path()
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            connection.close()
            raise
        return _ManualTransactions(connection)

    def _path(self) -> Path:
        """Return the path of the file. Raises BadTarget if there can be none."""
        name, query = self.url.name, self.url.query
        if self.url.server or query or not name or name.startswith((":", "file:")):
            raise BadTarget(
                "sqlite: the target is a file, as in sqlite:///folder/shop.db or sqlite:////absolute/shop.db"
            )
        path = Path(name)
        try:
            if path.exists() and not path.is_file():
                raise BadTarget(f"{path}: it is no file")
            if not path.parent.is_dir():
                raise BadTarget(f"{path.parent}: there is no such folder")
        except OSError as error:
            raise BadTarget(f"{path}: {error.strerror}") from None
        return path

    def is_refusal(self, error: Exception) -> bool:
        return not isinstance(error, sqlite3.OperationalError) or str(error).startswith(_CANNOT)

    def lock(self, connection: Any, name: str) -> bool:
        number = hashlib.sha256(name.encode()).hexdigest()[:12]
        file = lock_file(Path(f"{self._path()}-{number}.lock"))
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

    def holds(self, column: TargetColumn, kind: pa.DataType, *, is_number: bool, length: int | None) -> bool:
        if is_number or (pa.types.is_decimal(kind) and kind.precision > _DIGITS_OF_DOUBLE):
            return column.family in (None, "text")
        if family_of(kind) in ("integer", "decimal"):
            return column.family in (None, "integer", "decimal", "text")
        return super().holds(column, kind, is_number=is_number, length=length)

    def retype(self, table: str, column: str, kind: str) -> None:
        return None

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
