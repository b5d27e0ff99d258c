"""Write-ahead log for pg_waldump, written by a temporary PostgreSQL cluster in a folder of its own."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
from itertools import count
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import ENVIRONMENT, Missing

_SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
fsync = off
full_page_writes = off
max_wal_size = '64GB'
wal_keep_size = '64GB'
checkpoint_timeout = '1d'
autovacuum = off
"""
_BATCH = 50_000
_SQL = """
insert into trail select g, repeat(md5(g::text), 1 + g % 17) from generate_series({first}, {last}) g;
update trail set note = md5(note) where id between {first} and {first} + 9999;
delete from trail where id between {first} + 10000 and {first} + 14999;
"""


class Wal(NamedTuple):
    """The folder of the segments, the log positions from and to which they are read, and the number of bytes."""

    folder: Path
    start: str
    end: str
    size: int


def find_pg_waldump() -> str:
    """Return the pg_waldump on the path, or else the newest in Debian's folders of releases.

    Raises:
        Missing: it is not installed.
    """
    program = shutil.which("pg_waldump")
    if program is not None and (Path(program).resolve().parent / "initdb").exists():
        return str(Path(program).resolve())
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_waldump"), key=lambda path: path.parts[-3].zfill(4))
    if not debian:
        raise Missing("pg_waldump is not installed")
    return str(debian[-1])


def wal_of(size: int, cache: Path) -> Wal:
    """Return at least ``size`` bytes of log, which is made unless it exists already.

    Raises:
        Missing: PostgreSQL is not installed, or its cluster cannot be made.
    """
    folder = cache / f"wal-{size}"
    notes = folder / "wal.json"
    try:
        start, end, wal_size = json.loads(notes.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        shutil.rmtree(folder, ignore_errors=True)
        start, end, wal_size = _Cluster(folder, Path(find_pg_waldump()).parent).write(size)
        notes.write_text(json.dumps([start, end, wal_size]), encoding="utf-8")
    return Wal(folder / "pg_wal", start, end, wal_size)


class _Cluster:
    """A temporary cluster, run by the owner of this process or, under root, by an ordinary user."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder = folder
        self._data = folder / "data"
        self._programs = programs
        self._user = _ordinary_user()
        folder.mkdir(parents=True)
        if self._user is not None:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)

    def write(self, size: int) -> tuple[str, str, int]:
        """Have at least ``size`` bytes of log written; return their start, their end and their number."""
        try:
            self._run("initdb", "-D", str(self._data), "-A", "trust", "-U", "bench", "--no-sync")
            with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
                file.write(_SETTINGS.format(folder=self._folder))
            self._run("pg_ctl", "-D", str(self._data), "-l", str(self._folder / "server.log"), "-w", "start")
            try:
                written = self._fill(size)
            finally:
                self._run("pg_ctl", "-D", str(self._data), "-m", "fast", "-w", "stop")
            (self._data / "pg_wal").rename(self._folder / "pg_wal")
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        shutil.rmtree(self._data)
        return written

    def _fill(self, size: int) -> tuple[str, str, int]:
        self._sql("create table trail (id bigint primary key, note text)")
        start = self._sql("select pg_current_wal_flush_lsn()")
        for batch in count():
            first = batch * _BATCH
            self._sql(_SQL.format(first=first, last=first + _BATCH - 1))
            end, written = self._sql(f"select lsn, lsn - '{start}' from pg_current_wal_flush_lsn() lsn").split("|")
            if int(written) >= size:
                break
        return start, end, int(written)

    def _sql(self, statements: str) -> str:
        return self._run("psql", "-h", str(self._folder), "-U", "bench", "-d", "postgres", "-XAtqc", statements)

    def _run(self, name: str, *arguments: str) -> str:
        """Run one of PostgreSQL's programs, with output to a file: a server that it starts would keep a pipe open."""
        output = self._folder / f"{name}.out"
        with output.open("w+b") as file:
            done = subprocess.run(
                [str(self._programs / name), *arguments],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=ENVIRONMENT,
                user=self._user.pw_uid if self._user else None,
                group=self._user.pw_gid if self._user else None,
            )
        text = output.read_text(encoding="utf-8", errors="replace").strip()
        if done.returncode:
            raise Missing(f"{name} failed: {text[-200:]}")
        return text


def _ordinary_user() -> pwd.struct_passwd | None:
    """Return the user for the server, since PostgreSQL refuses root; None for the user of this process."""
    if os.geteuid():
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise Missing("no ordinary user to run PostgreSQL as")
