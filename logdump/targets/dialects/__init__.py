"""The dialects of the databases: connecting, spelling, loading and locking; ``database`` uses them.

| URL | Driver |
|---|---|
| ``postgresql://user@host/database`` | psycopg |
| ``mysql://``, ``mariadb://`` | PyMySQL |
| ``oracle://user@host:1521/service`` | oracledb |
| ``sqlite:///file`` | Python's own |
"""

from __future__ import annotations

from logdump.targets.dialects.dialect import (
    POSITION_TABLE,
    STORABLE_IN,
    DatabaseDialect,
    family_of,
    in_utc,
    is_of_driver,
)
from logdump.targets.dialects.mysql import MySQLDialect
from logdump.targets.dialects.oracle import OracleDialect
from logdump.targets.dialects.postgresql import PostgreSQLDialect
from logdump.targets.dialects.sqlite import SQLiteDialect
from logdump.targets.dialects.target_url import PASSWORD, TargetUrl

__all__ = [
    "POSITION_TABLE",
    "STORABLE_IN",
    "DatabaseDialect",
    "MySQLDialect",
    "OracleDialect",
    "PostgreSQLDialect",
    "SQLiteDialect",
    "dialect_for",
    "family_of",
    "in_utc",
    "is_of_driver",
]

_BY_SCHEME: dict[str, type[DatabaseDialect]] = {
    "postgresql": PostgreSQLDialect,
    "postgres": PostgreSQLDialect,
    "mysql": MySQLDialect,
    "mariadb": MySQLDialect,
    "oracle": OracleDialect,
    "sqlite": SQLiteDialect,
}


def dialect_for(text: str, *, password_in: str = PASSWORD) -> DatabaseDialect | None:
    """Return the dialect of a URL, which may begin with ``jdbc:``; None if it is not that of a database.

    ``password_in`` is the variable that has the password if the URL has none.

    Raises:
        BadTarget: the URL is not as those of its database.
    """
    scheme = text.removeprefix("jdbc:").partition(":")[0].lower()
    kind = _BY_SCHEME.get(scheme)
    return kind(TargetUrl.of(text, scheme, password_in)) if kind else None
