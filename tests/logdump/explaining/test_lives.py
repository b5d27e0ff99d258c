"""EXPLAIN of a folder says what each process does by its life, whichever of its reports and logs are there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.explaining.lives import DrawnLife, Life, write_log
from tests.logdump.program import logdump
from tests.searching import Random, examples

NAMES = ("REP1", "REPA", "PUMP", "R10")


@pytest.fixture
def home(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of GoldenGate with a trail of three files, and an empty folder of reports."""
    for folder in ("dirdat", "dirrpt"):
        (tmp_path / folder).mkdir()
    for number in (67, 68, 69):
        shutil.copy(trails / "et000000000", tmp_path / "dirdat" / f"rt{number:09}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown_processes() -> dict[str, dict[str, Any]]:
    """What EXPLAIN of the home says of each process."""
    answer = logdump("explain", ".", "--format", "jsonl")
    assert answer.status == 0, answer.err
    return {process["name"]: process for process in json.loads(answer.out.splitlines()[0])["processes"]}


def is_as_lived(life: Life, process: dict[str, Any], *, has_log: bool) -> bool:
    """Return whether a process is shown as it has lived, by its reports and maybe its log."""
    state = life.state if has_log or life.state != "stopped" else "reads"
    rba = process["place"] and process["place"]["rba"]
    is_there = Path(process["file"] or "").name == f"rt{life.seqno:09}" and life.rba == rba
    return process["state"] == state and is_there


@pytest.mark.parametrize("files", ["reports", "reports and log", "rolled reports", "rolled reports and log"])
def test_what_a_process_does_now_is_by_its_life(files: str, home: Path) -> None:
    draw = Random(f"lives {files}")
    for _ in range(examples(12)):
        for old in (home / "dirrpt").iterdir():
            old.unlink()
        names = draw.sample(NAMES, draw.choice((1, 2)))
        lives = [DrawnLife(name, draw, rolls="rolled" in files).life() for name in names]
        for life in lives:
            life.write(home / "dirrpt")
        if "log" in files:
            write_log(home / "ggserr.log", lives)
        processes = shown_processes()
        assert processes.keys() == {life.name for life in lives}
        for life in lives:
            assert is_as_lived(life, processes[life.name], has_log="log" in files), (life, processes[life.name])


@pytest.mark.parametrize("last", ["starting", "stopped normally"])
def test_a_process_that_was_started_since_it_has_stopped_reads(last: str, home: Path) -> None:
    """It is started and stops so many times, and then stays stopped, or is started once more."""
    (home / "dirrpt" / "REP1.rpt").write_text(
        "***\nREPLICAT rep1\nMAP A.*, TARGET A.*;\n\nReading ./dirdat/rt000000067, current RBA 3987, 3 records\n"
    )
    times = Random(last).randint(1, 4)
    whats = ["starting", "stopped normally"] * times + ["starting"] * (last == "starting")
    numbers = {"starting": "00995", "stopped normally": "00994"}
    lines = [
        f"2024-03-14T0{hour}:10:04.123+0000  INFO    OGG-{numbers[what]}  Oracle GoldenGate Delivery for Oracle, "
        f"rep1.prm:  REPLICAT REP1 {what}.\n"
        for hour, what in enumerate(whats)
    ]
    (home / "ggserr.log").write_text("".join(lines))
    assert shown_processes()["REP1"]["state"] == ("reads" if last == "starting" else "stopped")


def test_processes_of_one_name_in_several_homes_are_told_each_by_its_own_files(home: Path) -> None:
    draw = Random("lives in homes")
    for _ in range(examples(12)):
        name, homes = draw.choice(NAMES), draw.sample(["a", "b", "c"], draw.choice((2, 3)))
        lives = {name_of_home: DrawnLife(name, draw, rolls=bool(draw.randrange(2))).life() for name_of_home in homes}
        logged = [name_of_home for name_of_home in homes if draw.randrange(2)]
        for home_name, life in lives.items():
            shutil.rmtree(home / home_name, ignore_errors=True)
            shutil.copytree(home / "dirdat", home / home_name / "dirdat")
            (home / home_name / "dirrpt").mkdir()
            life.write(home / home_name / "dirrpt")
            if home_name in logged:
                write_log(home / home_name / "ggserr.log", [life])
        answer = logdump("explain", ".", "--format", "jsonl")
        processes = json.loads(answer.out.splitlines()[0])["processes"]
        shown = {Path(process["source"]).parts[0]: process for process in processes}
        assert len(processes) == len(shown) == len(lives)
        for home_name, life in lives.items():
            assert is_as_lived(life, shown[home_name], has_log=home_name in logged), (home_name, life, shown[home_name])
            assert home / home_name in Path(shown[home_name]["file"]).parents
            shutil.rmtree(home / home_name)


def test_a_log_alone_says_that_a_process_was_started_again(home: Path) -> None:
    """Of each process that has abended; the log of one that has not says nothing of a trail."""
    draw = Random("lives of a log")
    for _ in range(examples(12)):
        lives = [DrawnLife(name, draw).life() for name in draw.sample(NAMES, 3)]
        failed = {life.name: life.state for life in lives if life.state.startswith("abended")}
        write_log(home / "ggserr.log", lives)
        if failed:
            assert {name: process["state"] for name, process in shown_processes().items()} == failed


def test_a_discard_file_is_of_the_process_that_it_names_else_of_that_of_its_name(home: Path) -> None:
    """However it is called, and whether it has aged."""
    head = (
        "Oracle GoldenGate Delivery for Oracle process started, group {} discard file opened: 2024-03-14 01:00:00\n\n"
    )
    place = (
        "Aborting transaction on ./dirdat/rt beginning at seqno 67 rba {}\n"
        "                         error at seqno 67 rba {}\n"
    )
    draw = Random("discards")
    for name, other in (("REP1", "REPA"), ("R10", "PUMP"), ("REPA", "R10")):
        for old in (home / "dirrpt").iterdir():
            old.unlink()
        lives = [DrawnLife(life_name, draw).life() for life_name in (name, other)]
        for life in lives:
            life.write(home / "dirrpt")
        for file, says in (
            (f"{name}0.dsc", ""),
            (f"{name}.dsc", ""),
            ("lost.dsc", head.format(name)),
            ("l.dsc", head.format(other)),
        ):
            (home / "dirrpt" / file).write_text(says + place.format(3987, 4427))
        assert shown_processes().keys() == {name, other}
