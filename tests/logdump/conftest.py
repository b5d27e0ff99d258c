"""A session at GMT, a trail open in it, and the database servers, started for the first test that wants one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.generate import large_trail
from tests.logdump.line import Line
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer, mariadb_server, postgresql_server
from trailformat import TrailFile
from trailformat.scan import scan


@pytest.fixture
def line() -> Iterator[Line]:
    """A session without a trail, its times in GMT."""
    line_mode = Line()
    line_mode("timeoffset gmt")
    yield line_mode
    line_mode.session.close()


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


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trail of some megabytes whose definitions stand at its beginning, and that nobody is writing."""
    path = large_trail(16, path=tmp_path_factory.mktemp("large") / "lt000000000").path
    os.utime(path, (0, 0))
    return path


@pytest.fixture(scope="session")
def megabyte(large: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records of its first megabyte."""
    with TrailFile(large) as trail:
        stop = max(int(rba) for rba in next(iter(scan(trail))).rba if rba <= 1 << 20)
        path = tmp_path_factory.mktemp("megabyte") / large.name
        path.write_bytes(trail.bytes[0:stop])
    return path
