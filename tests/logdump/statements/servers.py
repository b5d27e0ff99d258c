"""Database servers of our own: each in a folder of its own, on a socket there, which other users may enter."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest

from tests.short_folder import short_folder

POSTGRESQL = [path for path in sorted(Path("/usr/lib/postgresql").glob("*/bin")) if (path / "initdb").exists()]
_IS_ROOT = os.getuid() == 0
_PATIENCE = 60
_ATTEMPTS = 3
"""A busy machine may lack what MariaDB needs for a moment."""
_TEAS = """
DROP SCHEMA IF EXISTS teahouse CASCADE;
CREATE SCHEMA teahouse;
CREATE TABLE teahouse.teas (tea_code text, name text, origin text, grade text, price numeric, stock_kg numeric);
"""


def _folder(name: str, user: str | None) -> Path:
    folder = short_folder(f"logdump-{name}-")
    if user:
        shutil.chown(folder, user)
    return folder


class PostgreSQLServer:
    """A PostgreSQL, and its client psql."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._user = "postgres" if _IS_ROOT else None
        self.folder = folder
        self._data = folder / "data"
        self.port = str(_free_port())

    def _run(self, program: str, *arguments: str, text: str = "", check: bool = True) -> str:
        done = subprocess.run(
            [self._programs / program, *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            user=self._user,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def start(self) -> None:
        self._run("initdb", "-D", str(self._data), "-U", "logdump", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        self.restart()

    def restart(self) -> None:
        """Start what was stopped or has crashed."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses= -c wal_level=logical -F"
        self._run("pg_ctl", "-D", str(self._data), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def crash(self) -> None:
        """kill -9 of the server and its processes."""
        own = int((self._data / "postmaster.pid").read_text().split()[0])
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(own)], capture_output=True, text=True, check=False)
        pids = [own, *map(int, listed.stdout.split())]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(_is_alive(pid) for pid in pids):
            time.sleep(0.01)
        for file in (self._data / "postmaster.pid", self.folder / f".s.PGSQL.{self.port}.lock"):
            file.unlink()

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")

    def execute(self, script: str) -> str:
        """Run SQL, which must not fail anywhere."""
        return self._psql(script, "-v", "ON_ERROR_STOP=1")

    def paste(self, script: str) -> str:
        """Give a script to psql as one pastes it: an error does not end it."""
        return self._psql(script, check=False)

    def _psql(self, script: str, *options: str, check: bool = True) -> str:
        place = ("-h", str(self.folder), "-p", self.port, "-U", "logdump", "-d", "postgres")
        return self._run("psql", "-X", "-q", "-A", "-t", *options, *place, text=script, check=check)

    def rows_after(self, rows: dict[str, tuple[str | Decimal | None, ...]], script: Iterator[str]) -> list[str]:
        """The rows of the shop's teas that a script leaves of these, their values behind each other."""
        filled = [f"INSERT INTO teahouse.teas VALUES ({', '.join(map(_literal, row))});" for row in rows.values()]
        columns = "tea_code, coalesce(name, 'NULL'), origin, grade, price, stock_kg"
        shown = f"SELECT concat_ws('|', {columns}) FROM teahouse.teas;"
        return sorted(self.execute("\n".join([_TEAS, *filled, *script, shown])).splitlines())


class MariaDBServer:
    """A MariaDB, and its client."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "socket"
        self.user = "root" if _IS_ROOT else getpass.getuser()
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        user = ["--user=mysql"] if _IS_ROOT else []
        environment = {**os.environ, "TMPDIR": str(self.folder)}  # its user need not have access to ours
        data = f"--datadir={self.folder / 'data'}"
        install = ["mariadb-install-db", "--no-defaults", data, *user, "--auth-root-authentication-method=normal"]
        for _ in range(_ATTEMPTS):
            shutil.rmtree(self.folder / "data", ignore_errors=True)
            done = subprocess.run(install, check=False, capture_output=True, text=True, env=environment)
            if not done.returncode:
                break
            time.sleep(1)
        assert done.returncode == 0, done.stdout + done.stderr
        self.restart()

    def restart(self) -> None:
        """Start what was stopped or has crashed."""
        program, user = shutil.which("mariadbd") or "mariadbd", ["--user=mysql"] if _IS_ROOT else []
        files = {"datadir": "data", "socket": self.socket.name, "pid-file": "pid"}
        options = [f"--{option}={self.folder / name}" for option, name in files.items()]
        # a commit outlives the process, not the machine
        options += ["--skip-networking", "--innodb-flush-log-at-trx-commit=2"]
        self._server = subprocess.Popen(
            [program, "--no-defaults", *options, *user],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(self.folder)},
        )
        end = time.monotonic() + _PATIENCE
        while self._client("SELECT 1;").returncode:
            assert self._server.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)

    def crash(self) -> None:
        """kill -9 of the server."""
        self.stop()

    def stop(self) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.wait()

    def _client(self, script: str, *options: str) -> subprocess.CompletedProcess[str]:
        command = ["mariadb", "--no-defaults", f"--socket={self.socket}", f"--user={self.user}", "-N"]
        return subprocess.run(
            [*command, *options], input=script, capture_output=True, text=True, check=False, cwd=self.folder
        )

    def execute(self, script: str) -> str:
        """Run SQL, which must not fail anywhere."""
        done = self._client(script)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def paste(self, script: str, *options: str) -> str:
        """Give a script to the client as one pastes it: an error does not end it."""
        return self._client(script, "--force", *options).stdout


def _is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _literal(value: str | Decimal | None) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, Decimal) else "'{}'".format(value.replace("'", "''"))


def postgresql_server() -> Iterator[PostgreSQLServer]:
    """One that lives as long as the tests want it."""
    if not POSTGRESQL:
        pytest.skip("no PostgreSQL on this machine: Debian's package postgresql has one")
    server = PostgreSQLServer(POSTGRESQL[-1], _folder("postgresql", "postgres" if _IS_ROOT else None))
    server.start()
    yield server
    server.stop()
    shutil.rmtree(server.folder)


def mariadb_server() -> Iterator[MariaDBServer]:
    """The same."""
    if not all(map(shutil.which, ("mariadbd", "mariadb-install-db", "mariadb"))):
        pytest.skip("no MariaDB on this machine: Debian's package mariadb-server has one")
    server = MariaDBServer(_folder("mariadb", "mysql" if _IS_ROOT else None))
    server.start()
    yield server
    server.stop()
    shutil.rmtree(server.folder)
