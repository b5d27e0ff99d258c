"""The databases that tests apply changes to, each empty, and how their rows are read."""

from __future__ import annotations

import sqlite3
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logdump.targets.run import target_for
from logdump.targets.target import ApplyTarget
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer


class Place(NamedTuple):
    """A target: its URL, and connections to it."""

    url: str
    connect: Callable[[], Any]

    def target(self) -> ApplyTarget:
        """It, to be opened."""
        return target_for(self.url)

    def rows(self, name: str) -> list[tuple[Any, ...]]:
        """The rows of a table."""
        return self.query(f"SELECT * FROM {name.rpartition('.')[2].lower()}")

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows that a query gives."""
        with closing(self.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            return [tuple(row) for row in cursor.fetchall()] if cursor.description else [connection.commit() or ()]

    def at_once(self, *queries: str) -> list[list[tuple[Any, ...]]]:
        """The rows that queries give at one moment."""
        with closing(self.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            found = []
            for query in queries:
                cursor.execute(query)
                found.append([tuple(row) for row in cursor.fetchall()])
            return found

    def lose_connections(self) -> None:
        """Have the server end all other connections to this database."""
        if self.url.startswith("postgresql"):
            other = "datname = current_database() AND pid <> pg_backend_pid()"
            self.query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {other}")
            return
        other = "db = database() AND id <> connection_id()"
        self.run(
            *(f"KILL {row[0]}" for row in self.query(f"SELECT id FROM information_schema.processlist WHERE {other}"))
        )

    def run(self, *statements: str) -> None:
        """Run statements."""
        with closing(self.connect()) as connection:
            for statement in statements:
                connection.cursor().execute(statement)
            connection.commit()


def sqlite_place(folder: Path) -> Place:
    """A file of SQLite."""
    path = folder / "target.db"
    return Place(f"sqlite:///{path}", lambda: sqlite3.connect(path))


def postgresql_place(server: PostgreSQLServer, name: str = "bank") -> Place:
    """A database of PostgreSQL."""
    psycopg = pytest.importorskip("psycopg")
    url, every = (
        f"postgresql://logdump@/{database}?host={server.folder}&port={server.port}" for database in (name, "postgres")
    )
    with psycopg.connect(every, autocommit=True) as connection:  # each psql would be a server of its own
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    return Place(url, lambda: psycopg.connect(url))


def mariadb_place(server: MariaDBServer, name: str = "bank") -> Place:
    """A database of MariaDB."""
    pymysql = pytest.importorskip("pymysql")
    server.execute(f"DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4;")
    user = server.user
    url = f"mariadb://{user}@localhost/{name}?unix_socket={server.socket}"
    given = {"unix_socket": str(server.socket), "user": user, "database": name}
    return Place(url, lambda: pymysql.connect(**given, init_command="SET time_zone = '+00:00'"))


_context = cache(ssl.create_default_context)
"""Each connection of pymysql makes one, and reads all certificates of this machine for it."""


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Each of the databases."""
    if request.param == "sqlite":
        yield sqlite_place(tmp_path)
    elif request.param == "postgresql":
        yield postgresql_place(request.getfixturevalue("postgresql"))
    else:
        monkeypatch.setattr(ssl, "create_default_context", _context)
        yield mariadb_place(request.getfixturevalue("mariadb"))
