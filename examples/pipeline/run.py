"""A pipeline that is killed again and again, from a shop to tables, and at the end the proof that nothing is missing.

    pip install 'logdump[apply]'
    python examples/pipeline/run.py

An Extract writes a trail, ``logdump apply`` keeps a table of PostgreSQL equal to the shop, a second one a Delta table.
A dashboard asks the table each second. Something is killed (kill -9) every few seconds, and started again as systemd
would do it. After ``--seconds`` (300) Extract is stopped, what is left is applied, and the tables are compared with the
shop, row by row: status 0 if they are equal.

    --target URL     another target: postgresql://user@host/shop, sqlite:///shop.db
    --seconds N      how long it runs
    --calm           kill nothing: do it yourself, the numbers of the processes are shown
    --spark          the Delta table by Spark (needs Java and logdump[spark])

Without --target a PostgreSQL is started in a folder of its own where ``initdb`` and ``pg_ctl`` are found, else the
target is a file of SQLite. docs/pipeline.md explains it line by line.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from extract import PREFIX, Row, Shop, files_in, last_transaction

HERE = Path(__file__).parent
DASHBOARD = "SELECT state, count(*), sum(cents) / 100 FROM orders GROUP BY state ORDER BY state"
POSITION = "SELECT csn, changes FROM logdump_position"
ROWS = "SELECT id, city, cents, state FROM orders"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Keeper:
    """Starts processes, and starts them again when they have died, as ``Restart=on-failure`` of systemd does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: dict[str, list[str]] = {}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.deaths = 0

    def start(self, name: str, *line: str) -> None:
        """Start a process by a line."""
        self._lines[name] = [*line]
        self._start(name)

    def _start(self, name: str) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(self._lines[name], stdout=log, stderr=log, cwd=self._folder)  # noqa: S603

    def look(self) -> None:
        """Start again what has died."""
        for name, process in self._running.items():
            if process.poll() is not None:
                self.deaths += 1
                self._start(name)

    def kill(self, name: str) -> None:
        """End a process at once, as kill -9 does."""
        self._running[name].kill()
        self._running[name].wait()

    @property
    def names(self) -> dict[str, int]:
        """The processes by name, with their numbers."""
        return {name: process.pid for name, process in self._running.items()}

    def stop(self, name: str) -> None:
        """Stop a process for good, politely."""
        process = self._running.pop(name)
        process.send_signal(signal.SIGTERM)
        process.wait()

    def end(self) -> None:
        """End all processes."""
        for process in self._running.values():
            process.kill()
            process.wait()


class OwnPostgreSQL:
    """A server in a folder, which only this program reaches."""

    def __init__(self, folder: Path) -> None:
        self._data, self._folder = folder / "postgresql", folder
        self._user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
        if self._user:
            folder.chmod(0o755)
            self._data.mkdir()
            shutil.chown(self._data, self._user)
        self._run("initdb", "-D", str(self._data), "-U", "shop", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        options = f"-k {self._data} -c listen_addresses= -p 5432"
        self._run("pg_ctl", "-D", str(self._data), "-w", "-l", str(self._data / "log"), "-o", options, "start")
        self.url = f"postgresql://shop@/postgres?host={self._data}&port=5432"

    def _run(self, *line: str) -> None:
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, cwd=self._data.parent, user=self._user)  # noqa: S603

    def stop(self) -> None:
        """Stop the server."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "fast", "stop")


def asked(target: str, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query; none as long as there is no table."""
    driver: Any = importlib.import_module("sqlite3" if target.startswith("sqlite:///") else "psycopg")
    with suppress(Exception), closing(driver.connect(target.removeprefix("sqlite:///"))) as connection:
        cursor = connection.cursor()
        cursor.execute(query)
        return [tuple(row) for row in cursor.fetchall()]
    return []


def rows_of_lake(folder: Path) -> list[Row]:
    from deltalake import DeltaTable  # noqa: PLC0415

    table = DeltaTable(str(next(folder.glob("**/_delta_log")).parent)).to_pyarrow_table()
    columns = {name.lower(): table[name].to_pylist() for name in table.column_names}
    return [*zip(*(columns[name] for name in ("id", "city", "cents", "state")), strict=True)]


def differences(shop: Shop, rows: list[Row]) -> int:
    """Return the number of rows that are missing, too many or other than in the shop."""
    return len({*shop.rows.values()} ^ {*rows}) + len(rows) - len({*rows})


def run(given: argparse.Namespace, folder: Path, target: str) -> int:
    trail, keeper = folder / "dirdat", Keeper(folder)
    trail.mkdir()
    lake = folder / "lake" if importlib.util.find_spec("deltalake") else None
    apply: tuple[str, ...] = (sys.executable, "-m", "logdump", "apply", str(trail / PREFIX))
    streams: dict[str, tuple[str, ...]] = {"table": (*apply, target, "--create")}
    if lake is not None:
        streams["lake"] = (*apply, f"delta:{lake}", "--create")
        if given.spark:
            replicate = str(HERE.parent / "replicate.py")
            streams["lake"] = (sys.executable, replicate, f"{trail / PREFIX}*", f"delta:{lake}", "SHOP.ORDERS")
    try:
        keeper.start("extract", sys.executable, str(HERE / "extract.py"), str(trail))
        while not any(path.stat().st_size for path in trail.iterdir()):
            time.sleep(0.1)
        for name, line in streams.items():
            keeper.start(name, *line)
        say(f"in {folder}: {', '.join(f'{name} is process {pid}' for name, pid in keeper.names.items())}")
        watch(keeper, target, trail, given.seconds, is_calm=given.calm)
        for name in keeper.names:
            keeper.stop(name)
    finally:
        keeper.end()
    shop = Shop()
    shop.go_to(last_transaction(files_in(trail)))
    for line in streams.values():
        subprocess.run([*line, "--once"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    wrong = {"table": differences(shop, [(row[0], row[1], row[2], row[3]) for row in asked(target, ROWS)])}
    if lake is not None:
        wrong["lake"] = differences(shop, rows_of_lake(lake))
    files = len(files_in(trail))
    say(f"{shop.number:,} transactions in {files} files, {keeper.deaths} starts again, {len(shop.rows):,} orders")
    for name, number in wrong.items():
        say(f"{name}: {'equal to the shop' if not number else f'{number} rows differ from the shop'}")
    return int(any(wrong.values()))


def watch(keeper: Keeper, target: str, trail: Path, seconds: float, *, is_calm: bool) -> None:
    """Show the dashboard each second, start again what has died, and kill something every few seconds."""
    draw = random.Random()  # noqa: S311 - what is killed is no secret
    end, next_kill = time.monotonic() + seconds, time.monotonic() + draw.uniform(5, 10)
    while time.monotonic() < end:
        time.sleep(1)
        keeper.look()
        show(target, len([*trail.iterdir()]), keeper.deaths)
        if not is_calm and time.monotonic() > next_kill:
            name = draw.choice([*keeper.names])
            say(f"kill -9 {keeper.names[name]} ({name})")
            keeper.kill(name)
            next_kill = time.monotonic() + draw.uniform(5, max(10, seconds / 15))


def show(target: str, files: int, deaths: int) -> None:
    """Show what a dashboard shows: orders and money by state, how far the table is."""
    states = ", ".join(f"{count} {state} ({int(money):,})" for state, count, money in asked(target, DASHBOARD))
    position = asked(target, POSITION)
    csn = f"CSN {position[0][0]}, {position[0][1]:,} changes" if position else "no position yet"
    say(f"{csn}; {files} files, {deaths} starts again | {states or 'no order yet'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--calm", action="store_true")
    parser.add_argument("--spark", action="store_true")
    given = parser.parse_args()
    server, target = None, given.target
    with tempfile.TemporaryDirectory(prefix="pipeline-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if target is None and shutil.which("initdb") and shutil.which("pg_ctl") and importlib.util.find_spec("psycopg"):
            server = OwnPostgreSQL(folder)
            target = server.url
        try:
            return run(given, folder, target or f"sqlite:///{folder}/shop.db")
        finally:
            if server is not None:
                server.stop()


if __name__ == "__main__":
    sys.exit(main())
