"""The dialects by the word that names them."""

from __future__ import annotations

from logdump.display.sql.dialect import Dialect
from logdump.display.sql.mysql import MySQL
from logdump.display.sql.oracle import Oracle
from logdump.display.sql.postgresql import PostgreSQL

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (Oracle(), MySQL(), PostgreSQL(), Dialect())}
"""ORACLE, MYSQL, POSTGRESQL, ANSI."""


def dialect_of(database: str) -> Dialect:
    """The dialect of a source database by the name that file headers give it; ANSI where none fits."""
    wanted = database.upper()
    return next((dialect for word, dialect in DIALECTS.items() if word in wanted), DIALECTS["ANSI"])
