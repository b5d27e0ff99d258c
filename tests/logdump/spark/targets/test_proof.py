"""The bank's trail into real databases while workers, drivers and the database are killed.

The tables equal those of the model after each kill, and each change is applied once.

The short form kills in this session; the long one (``LOGDUMP_TESTS=long``) drivers too, ten times in 100,000
transactions.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import logdump.spark
from logdump.targets.run import ApplyRun
from tests.logdump.spark.targets.bank import NAMES, batch_size, changes_of, differences
from tests.logdump.spark.targets.outages import Server, held, killed
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.searching import IS_LONG, Random
from tests.simulated.five_tables import BankStates, bank_trail

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["killed"]
pytestmark = pytest.mark.spark
TRANSACTIONS, KILLS = 100_000, 10
_DAEMON = re.compile(r"-m \S*daemon\b")
"""How the processes of Spark's Python are called, here those of the tests too."""


def test_the_target_equals_the_model_after_kills(
    spark: SparkSession, killed: tuple[Server, Place], tmp_path: Path
) -> None:
    server, place = killed
    trail, states = tmp_path / "trail", BankStates()
    trail.mkdir()
    _, extract = bank_trail(trail, 200 if IS_LONG else 36, seed=21, states=states)
    moments: list[str] = []

    def kill(_progress: logdump.spark.ApplyProgress) -> None:
        moments.append(held(states, place))
        if len(moments) == 1:
            _kill_workers(os.getpid())
            server.crash()
            threading.Timer(0.5, server.restart).start()

    logdump.spark.apply(spark, f"{trail}/sm*", place.url, [*NAMES], once=True, batch=batch_size(trail), progress=kill)
    assert len(moments) > 2
    assert moments[-1] == held(states, place) == extract.csn


@pytest.mark.slow
def test_ten_kills_of_the_driver_its_workers_and_the_database(killed: tuple[Server, Place], tmp_path: Path) -> None:
    server, place = killed
    trail, states, random = tmp_path / "trail", BankStates(), Random(4)
    trail.mkdir()
    _, extract = bank_trail(trail, TRANSACTIONS, seed=11, states=states, cut_chance=0.01, roll_chance=0.00002)
    kills = 0
    while True:
        driver = _driver(trail, place)
        while kills < KILLS and _kill_next(driver, server, kills, random):
            kills += 1
            sys.stderr.write(f"kill {kills}: equal to the model at CSN {held(states, place)}\n")
            if kills % 3 == 2:
                break
        out, _ = driver.communicate()
        sys.stderr.write(f"{kills} kills: {out.decode().splitlines()[-1:]}\n")
        if driver.returncode == 0:
            break
    assert kills == KILLS
    assert held(states, place) == extract.csn


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


def _kill_next(driver: subprocess.Popen[bytes], server: Server, number: int, random: Random) -> bool:
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


def test_workers_and_the_daemon_that_starts_them_may_die(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trail, place = tmp_path / "trail", sqlite_place(tmp_path)
    trail.mkdir()
    bank, extract = bank_trail(trail, 60 if IS_LONG else 20, seed=13)
    begun: list[int] = []
    ended = threading.Event()
    follow = ApplyRun.follow

    def follow_again(run: ApplyRun) -> Any:
        begun.append(run.progress.rows)
        return follow(run)

    def kill_until_it_begins_again() -> None:
        while len(begun) < 2 and not ended.wait(0.2):
            _kill_workers(os.getpid(), with_daemon=True)

    killer = threading.Thread(target=kill_until_it_begins_again)
    monkeypatch.setattr(ApplyRun, "follow", follow_again)

    def kill(_progress: logdump.spark.ApplyProgress) -> None:
        if killer.ident is None:
            killer.start()

    done = logdump.spark.apply(
        spark,
        f"{trail}/sm*",
        place.url,
        [*NAMES],
        create=True,
        once=True,
        batch=batch_size(trail),
        progress=kill,
    )
    ended.set()
    killer.join()
    assert begun[:1] == [0]  # it begins again where Spark itself does not, which depends on the moment of the kill
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []
    assert (done.rows, done.csn) == (len(changes_of(trail)[0]), extract.csn)


def _kill_workers(driver: int, *, with_daemon: bool = False) -> None:
    """kill -9 of the Python workers of a driver, and of the process that starts them where that is asked for."""
    found = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in found.splitlines()[1:]]
    by_pid = {int(pid): arguments for pid, _, arguments in rows}
    parents = {int(pid): int(parent) for pid, parent, _ in rows}
    for pid, _, arguments in rows:
        ancestors, at = set(), int(pid)
        while at in parents and at not in ancestors:
            ancestors.add(at)
            at = parents[at]
        is_worker = _DAEMON.search(arguments) and (with_daemon or _DAEMON.search(by_pid.get(parents[int(pid)], "")))
        if driver in ancestors and is_worker:
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
