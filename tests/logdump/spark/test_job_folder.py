"""The folder of a job: one place for each attempt, an owner in its name, nothing left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logdump.spark.write.target import JobFolder, is_at_work, job_folders, new_job_folder
from trailformat import CannotWrite


def _ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_attempts_of_one_task_have_folders_of_their_own(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path, os.getpid())
    folders = {folder.attempt(3, 17), folder.attempt(3, 18)}
    assert {one.name for one in folders} == {"part-00003-17", "part-00003-18"}
    assert {one.parent for one in folders} == {folder.directory}


def test_the_folder_is_found_again_in_its_target(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path, os.getpid())
    assert job_folders(tmp_path) == []
    folder.make()
    assert job_folders(tmp_path) == [JobFolder(folder.directory)]


def test_discarding_leaves_nothing(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path / "out", os.getpid())
    (folder.attempt(0, 0) / "tr000000000").write_bytes(b"x")
    folder.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_was_there_stays(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path, os.getpid())
    folder.make()
    folder.discard()
    assert tmp_path.is_dir()


def test_a_target_with_something_in_it_stays(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path / "out", os.getpid())
    folder.make()
    (tmp_path / "out" / "lt000000000").touch()
    folder.discard()
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["lt000000000"]


def test_a_job_of_a_living_process_is_at_work(tmp_path: Path) -> None:
    assert is_at_work(new_job_folder(tmp_path, os.getpid()))


def test_a_job_of_a_process_that_has_ended_is_not(tmp_path: Path) -> None:
    assert not is_at_work(new_job_folder(tmp_path, _ended_process()))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell when a process began")
def test_another_process_with_the_same_number_is_not_the_owner(tmp_path: Path) -> None:
    name = new_job_folder(tmp_path, os.getpid()).directory.name.split("-")
    name[3] = "1"
    assert not is_at_work(JobFolder(tmp_path / "-".join(name)))


@pytest.mark.parametrize(("hours", "expected"), [(1, True), (30, False)])
def test_a_job_of_another_machine_counts_until_nothing_has_changed_for_a_day(
    hours: int, expected: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "_temporary-0123456789ab-77-1-another-machine"
    folder.mkdir()
    moment = folder.stat().st_mtime - hours * 3600
    os.utime(folder, (moment, moment))
    assert is_at_work(JobFolder(folder)) is expected


def test_a_place_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(CannotWrite, match=r"out/_temporary-.*Not a directory"):
        new_job_folder(tmp_path / "out", os.getpid()).make()
