"""The example of a pipeline: what its Extract writes after kills, and the whole of it in a short form."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import logdump
from tests.logdump.program import ENVIRONMENT, ROOT
from tests.logdump.program import logdump as program
from tests.logdump.spark.targets.places import sqlite_place
from tests.searching import IS_LONG, Random

FOLDER = ROOT / "examples" / "pipeline"


def _run(*words: str, timeout: float = 300) -> tuple[int, list[str]]:
    line = [sys.executable, str(FOLDER / "run.py"), *words]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT, check=False, timeout=timeout)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_what_an_extract_writes_between_kills_is_the_shop(tmp_path: Path) -> None:
    random, trail = Random(), tmp_path / "dirdat"
    trail.mkdir()
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, str(FOLDER / "extract.py"), str(trail), "400"], env=ENVIRONMENT
        ) as process:
            _wait(trail, sum(path.stat().st_size for path in trail.iterdir()) + random.randrange(5_000, 60_000))
            process.kill()
    made: dict[str, Any] = runpy.run_path(str(FOLDER / "extract.py"))
    shop = made["Shop"]()
    shop.go_to(made["last_transaction"](made["files_in"](trail)))
    assert program("check", f"{trail}/sh").status == 0
    place = sqlite_place(tmp_path)
    logdump.apply(f"{trail}/sh*", place.url, create=True, once=True)
    assert {*place.rows("SHOP.ORDERS")} == {*shop.rows.values()}
    assert shop.number > 20


def _wait(trail: Path, size: int) -> None:
    end = time.monotonic() + 60
    while sum(path.stat().st_size for path in trail.iterdir()) < size:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_it_runs_and_proves_its_tables(tmp_path: Path) -> None:
    status, lines = _run("--seconds", "120" if IS_LONG else "14", "--target", f"sqlite:///{tmp_path}/shop.db")
    assert status == 0, lines
    assert "table: equal to the shop" in lines
    assert not IS_LONG or any(line.startswith("CSN ") for line in lines)
    assert any(line.startswith("kill -9 ") for line in lines)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("initdb") is None, reason="it needs the programs of PostgreSQL")
def test_it_runs_into_a_postgresql_of_its_own_and_delta() -> None:
    status, lines = _run("--seconds", "60")
    assert status == 0, lines
    assert {"table: equal to the shop", "lake: equal to the shop"} <= {*lines}
