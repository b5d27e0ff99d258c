"""A session at GMT, a trail open in it, and the database servers, started for the first test that wants one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer, mariadb_server, postgresql_server


@pytest.fixture
def line() -> Iterator[Line]:
    """A session without a trail, its times in GMT."""
    one = Line()
    one("timeoffset gmt")
    yield one
    one.session.close()


@pytest.fixture
def shop(line: Line, trails: Path) -> Line:
    """A session in which the tea shop's big-endian trail is open."""
    line(f"open {trails / 'et000000000'}")
    return line


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQLServer]:
    yield from postgresql_server()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDBServer]:
    yield from mariadb_server()
