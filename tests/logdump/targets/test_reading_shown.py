"""How much of the trail is read while it is applied: told to what shows it on a terminal, and to nothing in a pipe."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import logdump
from logdump.session import reading
from logdump.session.reading import ReadProgress, ReadSoFar
from tests.logdump.program import logdump as program
from tests.logdump.spark.targets.rows import Trail
from tests.simulated.five_tables import bank_trail
from trailformat.trail import command_files


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[ReadSoFar]:
    """What is told, every time."""
    monkeypatch.setattr(reading, "_FIRST", 0)
    monkeypatch.setattr(reading, "_EVERY", 0)
    return []


def test_all_of_it_in_the_end_and_more_at_each_batch(told: list[ReadSoFar], tmp_path: Path) -> None:
    (tmp_path / "trail").mkdir()
    bank_trail(tmp_path / "trail", 20, seed=2, roll_chance=0.2)
    size = sum(file.stat().st_size for file in (tmp_path / "trail").iterdir())
    percents = []

    def note(_progress: logdump.ApplyProgress) -> None:
        percents.append(told[-1].percent)

    target = f"sqlite:///{tmp_path}/x.db"
    with command_files.observed(ReadProgress(told.append, lambda: "")):
        logdump.apply(f"{tmp_path}/trail/sm*", target, once=True, create=True, batch=str(size // 4), progress=note)
    assert percents == sorted(percents)
    assert (len(percents) > 2, percents[0] < 70, percents[-1], told[-1].size) == (True, True, 100, size)


def test_a_file_that_comes_later_is_part_of_it(told: list[ReadSoFar], tmp_path: Path) -> None:
    trail, stop = Trail({"S.T": {"ID": "INT64"}}), threading.Event()
    trail.insert("S.T", 1)
    first = trail.write(tmp_path / "a")

    def go_on(progress: logdump.ApplyProgress) -> None:
        if progress.rows == 2:
            stop.set()
            return
        later = Trail({"S.T": {"ID": "INT64"}})
        later.csn = "200"
        later.insert("S.T", 2)
        (tmp_path / "a" / "tt000000001").write_bytes(later.write(tmp_path / "b").read_bytes())

    target = f"sqlite:///{tmp_path}/x.db"
    timer = threading.Timer(60, stop.set)
    timer.start()
    with command_files.observed(ReadProgress(told.append, lambda: "")):
        done = logdump.apply(tmp_path / "a", target, create=True, interval=0.01, progress=go_on, stop=stop)
    timer.cancel()
    assert done.rows == 2
    assert (told[-1].path.name, told[-1].percent) == ("tt000000001", 100)
    assert told[-1].size > first.stat().st_size


def test_nothing_in_a_pipe(tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}})
    trail.insert("S.T", 1)
    answer = program("apply", str(trail.write(tmp_path / "a")), f"sqlite:///{tmp_path}/x.db", "--create", "--once")
    assert (answer.status, answer.err, len(answer.out.splitlines())) == (0, "", 1)
