"""The script for a host without a network: what it requires, refuses and installs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import wheelhouse
from tests.test_documents import ROOT

INSTALL = ROOT / "scripts" / "install.sh"


def _run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable, **variables}
    return subprocess.run(["sh", *words], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder, on a path with blanks, with the script and no wheel at all."""
    folder = tmp_path / "wheel house"
    (folder / "wheels").mkdir(parents=True)
    (folder / "install.sh").write_bytes(INSTALL.read_bytes())
    return folder


def test_each_package_is_required_once_and_none_that_has_no_wheel() -> None:
    wanted = list(wheelhouse.requirements(wheelhouse.EXTRAS))
    assert len(wanted) == len(set(wanted)) > 5
    assert [text for text in wanted if text.startswith(("logdump", "pyspark"))] == []
    assert {"numpy>=2", "duckdb>=1.4,<3"} <= set(wanted)
    assert list(wheelhouse.requirements(["apply"])) != list(wheelhouse.requirements([]))


def test_a_folder_that_is_there_is_left_as_it_is(house: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    done = _run(str(house / "install.sh"), str(tmp_path / "there"))
    assert (done.returncode, list((tmp_path / "there").iterdir())) == (1, [])
    assert "is there already" in done.stderr


def test_a_python_that_is_too_old_is_refused(house: Path, tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    old.chmod(0o755)
    done = _run(str(house / "install.sh"), str(tmp_path / "new"), PYTHON=str(old))
    assert done.returncode == 1
    assert "3.11 or later" in done.stderr
    assert not (tmp_path / "new").exists()


def test_without_a_folder_it_says_how_it_is_used(house: Path) -> None:
    done = _run(str(house / "install.sh"))
    assert done.returncode != 0
    assert "usage: install.sh FOLDER" in done.stderr


@pytest.mark.slow
def test_without_a_wheel_for_this_machine_nothing_is_left(house: Path, tmp_path: Path) -> None:
    done = _run(str(house / "install.sh"), str(tmp_path / "a new one"))
    assert done.returncode == 1
    assert "There is no wheel for this Python or machine" in done.stderr
    assert not (tmp_path / "a new one").exists()
