"""The dialect of PostgreSQL."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.csv

from logdump.targets.dialects.dialect import DatabaseDialect, driver_of

_REFUSAL = re.compile(
    r'authentication failed|no pg_hba\.conf entry|no password supplied|(?:database|role) ".*" does not exist'
    r"|permission denied for database|invalid (?:connection option|URI)|unrecognized"
)
"""Messages of connecting to a server that is there: no error of connecting has a number."""


class PostgreSQLDialect(DatabaseDialect):
    """PostgreSQL; rows are loaded by COPY."""

    longest_name: ClassVar[int | None] = 63
    checks_at_commit: ClassVar[bool] = True
    number: ClassVar[str | None] = "numeric"
    overriding: ClassVar[str] = "OVERRIDING SYSTEM VALUE "
    has_partial_indexes: ClassVar[bool] = True
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
        psycopg = driver_of("psycopg", self.url)
        given = {"password": self.url.password} if self.url.password else {}
        connection = psycopg.connect(self.url.for_driver("postgresql"), connect_timeout=10, **given)
        connection.execute("SET client_min_messages = warning")
        connection.execute("SET TimeZone = 'UTC'")
        connection.commit()
        return connection

    def is_refusal(self, error: Exception) -> bool:
        return _REFUSAL.search(str(error)) is not None

    def lock(self, connection: Any, name: str) -> bool:
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
        return bool(connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()[0])

    def unlock(self, connection: Any) -> None:
        # the server drops the temporary tables of 1,000 tables before it gives up the locks of their connection
        connection.rollback()
        connection.execute("SELECT pg_advisory_unlock_all()")
        connection.commit()

    def load(self, cursor: Any, table: str, rows: pa.Table) -> None:
        columns = [_as_text(column) if pa.types.is_binary(column.type) else column for column in rows.columns]
        sink = io.BytesIO()
        options = pyarrow.csv.WriteOptions(include_header=False)
        pyarrow.csv.write_csv(pa.table(columns, rows.column_names), sink, options)
        with cursor.copy(f"COPY {table} ({', '.join(rows.column_names)}) FROM STDIN (FORMAT csv)") as copy:
            copy.write(sink.getbuffer())

    has_snapshots: ClassVar[bool] = True

    def enter_snapshot(self, connection: Any, snapshot: str | None) -> None:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        connection.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")

    def reading_cursor(self, connection: Any) -> Any:
        return connection.cursor(name="logdump_load")

    def as_text(self, column: str) -> str:
        return f"CAST({column} AS text)"

    def is_lost(self, connection: Any, error: Exception) -> bool:
        state = getattr(error, "sqlstate", None) or ""
        return bool(connection.broken or connection.closed or state.startswith(("40", "57P", "08", "55P03")))


def _as_text(column: pa.ChunkedArray) -> pa.Array:
    """Return bytes as text that PostgreSQL reads."""
    return pa.array([None if value is None else f"\\x{value.hex()}" for value in column.to_pylist()], pa.string())
