"""The servers that statements are run on, started for the first test that wants one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer, mariadb_server, postgresql_server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQLServer]:
    yield from postgresql_server()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDBServer]:
    yield from mariadb_server()
