"""The private folder of a statement: it goes with the statement, with the process, or with the next statement."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from fixtures import TRAILS
from tests.logdump.sql.told import Asked

SHOP = TRAILS / "et000000000"
SORTED = "MEMORY 50 SELECT a.range, random() r FROM range(40000000) a ORDER BY r"
"""A statement that spills for long."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files of this process and those that it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_nothing_is_left_of_a_statement(folder: Path) -> None:
    assert Asked(f"open {SHOP}").rows("select count(*) from records") == [(22,)]
    assert [*folder.iterdir()] == []


@pytest.fixture
def _hangs_up() -> Iterator[None]:
    """A process that this one starts ends at SIGHUP; under nohup it would ignore it, as this one does."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("_hangs_up")
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_process_that_was_ended(number: signal.Signals, folder: Path) -> None:
    """Of one that was killed, until the next statement; that of a process that runs stays."""
    line = [sys.executable, "-m", "logdump", "sql", SORTED, str(SHOP), "-o", str(folder / "x.csv")]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 60
        while not (spilled := [*folder.glob(".logdump-sql.*/spill/*")]) and time.monotonic() < end:
            time.sleep(0.05)
        assert spilled
        Asked(f"open {SHOP}").rows("select count(*) from records")
        assert [*folder.glob(".logdump-sql.*")], "it is of a process that runs"
        process.send_signal(number)
        assert process.wait(60) == -number
    if number == signal.SIGKILL:
        Asked(f"open {SHOP}").rows("select count(*) from records")
    assert [*folder.glob(".logdump-sql.*")] == []


def test_a_statement_fills_a_part_of_the_disk_at_most(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, object]] = []
    connect = duckdb.connect

    def connected(*some: object, **named: dict[str, object]) -> duckdb.DuckDBPyConnection:
        given.append(named["config"])
        return connect(*some, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(duckdb, "connect", connected)
    Asked(f"open {SHOP}").rows("select count(*) from records")
    [config] = given
    room = os.statvfs(folder)
    most = int(str(config["max_temp_directory_size"]).removesuffix("B"))
    assert 0 < most < room.f_bavail * room.f_frsize
