"""The bank's trail into a real PostgreSQL while workers, drivers and the database are killed: equal, each applied once.

The short form kills in this session; the long one (``LOGDUMP_TESTS=long``) drivers too, ten times in 100,000
transactions.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import logdump.spark
from tests.logdump.spark.targets.bank import NAMES, changes_of, differences, opened
from tests.logdump.spark.targets.places import Place, postgresql_place
from tests.logdump.statements.servers import POSTGRESQL, PostgreSQLServer, postgresql_server
from tests.searching import IS_LONG
from tests.simulated.five_tables import Bank, bank_trail

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
TRANSACTIONS, KILLS = 100_000, 10
COUNTED = """
    CREATE TABLE counted (id bigint, place text);
    CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO counted VALUES (NEW.id, txid_current()::text); RETURN NEW; END $$;
    CREATE TRIGGER counts AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION count_it();
"""


@pytest.fixture
def server() -> Iterator[PostgreSQLServer]:
    """A server that may be killed."""
    if not POSTGRESQL:
        pytest.skip("no PostgreSQL on this machine: Debian's package postgresql has one")
    yield from postgresql_server()


def _check(bank: Bank, place: Place) -> None:
    """The tables are those of the source; no event was inserted twice, in one transaction or two."""
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []
    assert place.query("SELECT count(*), count(DISTINCT id) FROM counted") == [(len(bank.rows["BANK.EVENTS"]),) * 2]


def _made(place: Place, folder: Path) -> None:
    """Empty tables, with a trigger that counts what is inserted."""
    bank_trail(folder, 1)
    target = place.target()
    opened(target, changes_of(folder)[1])
    target.close()
    place.run(COUNTED)


def test_the_target_equals_the_model_after_kills(spark: SparkSession, server: PostgreSQLServer, tmp_path: Path) -> None:
    trail, first = tmp_path / "trail", tmp_path / "first"
    trail.mkdir()
    first.mkdir()
    bank, _ = bank_trail(trail, 400, seed=21)
    place = postgresql_place(server)
    _made(place, first)
    killer = threading.Event()

    def kill(_progress: logdump.spark.ApplyProgress) -> None:
        if killer.is_set():
            return
        killer.set()
        _kill_workers(os.getpid())
        server.crash()
        threading.Timer(0.5, server.restart).start()

    logdump.spark.apply(spark, f"{trail}/sm*", place.url, [*NAMES], once=True, batch="150k", progress=kill)
    assert killer.is_set()
    _check(bank, place)


@pytest.mark.skipif(not IS_LONG, reason="make test-long kills ten times while 100,000 transactions are applied")
def test_ten_kills_of_the_driver_its_workers_and_the_database(server: PostgreSQLServer, tmp_path: Path) -> None:
    trail, first, random = tmp_path / "trail", tmp_path / "first", Random(4)
    trail.mkdir()
    first.mkdir()
    bank, _ = bank_trail(trail, TRANSACTIONS, seed=11, cut_chance=0.01, roll_chance=0.00002)
    place = postgresql_place(server)
    _made(place, first)
    kills = 0
    while True:
        driver = _driver(trail, place)
        while kills < KILLS and _kill_one(driver, server, kills, random):
            kills += 1
            if kills % 3 == 2:
                break
        out, _ = driver.communicate()
        sys.stderr.write(f"{kills} kills: {out.decode().splitlines()[-1:]}\n")
        if driver.returncode == 0:
            break
    assert kills == KILLS
    _check(bank, place)


def _driver(trail: Path, place: Place) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "tests.logdump.spark.targets.killed",
        f"{trail}/sm*",
        place.url,
        ",".join(NAMES),
        "2m",
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)


def _kill_one(driver: subprocess.Popen[bytes], server: PostgreSQLServer, number: int, random: Random) -> bool:
    """Wait for some commits, then kill what it is the turn of; False where the driver has ended before."""
    assert driver.stdout is not None
    for _ in range(random.randint(1, 2)):
        if not driver.stdout.readline():
            return False
    time.sleep(random.random() / 2)
    if number % 3 == 0:
        _kill_workers(driver.pid)
    elif number % 3 == 1:
        os.killpg(driver.pid, signal.SIGKILL)
    else:
        server.crash()
        time.sleep(0.5)
        server.restart()
    return True


def _kill_workers(driver: int) -> None:
    """kill -9 of the Python workers of a driver, wherever they are."""
    found = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in found.splitlines()[1:]]
    parents = {int(pid): int(parent) for pid, parent, _ in rows}
    for pid, _, arguments in rows:
        ancestors, at = set(), int(pid)
        while at in parents and at not in ancestors:
            ancestors.add(at)
            at = parents[at]
        if driver in ancestors and int(pid) != driver and "daemon" in arguments:
            os.kill(int(pid), signal.SIGKILL)
