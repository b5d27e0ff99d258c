"""The matrix: which pairs are run, with which Python and packages, and that it goes on where it ended."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from scripts import matrix
from tests.searching import Random
from tests.test_documents import ROOT


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pairs that are run; 3.12 fails, 3.14 is not here, and the commit is one without changes."""
    pairs: list[str] = []

    def run(pair: str, program: str, oldest: dict[str, str]) -> int:
        assert program == f"/python{pair[:4]}"
        assert bool(oldest) == pair.endswith("oldest")
        pairs.append(pair)
        return int(pair.startswith("3.12"))

    monkeypatch.setattr(matrix, "HOME", tmp_path / "matrix")
    monkeypatch.setattr(matrix, "_run", run)
    monkeypatch.setattr(matrix, "interpreter", lambda python: None if python == "3.14" else f"/python{python}")
    monkeypatch.setattr(matrix, "_commit", lambda: "c1")
    return pairs


def test_what_has_passed_is_not_run_again_and_what_failed_is(
    ran: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = [pair for pair in matrix.PAIRS if not pair.startswith("3.14")]
    assert matrix.main() == 1
    assert ran == here
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in said if "not run" not in line] == [
        [pair, "failed" if pair.startswith("3.12") else "passed"] for pair in here
    ]
    assert [line.split()[0] for line in said if "not run: this Python is not here" in line] == [
        "3.14-oldest",
        "3.14-newest",
    ]
    ran.clear()
    assert matrix.main() == 1
    assert ran == ["3.12-oldest", "3.12-newest"]
    ran.clear()
    for commit in ("c2", ""):  # of a checkout with changes no result holds
        monkeypatch.setattr(matrix, "_commit", lambda commit=commit: commit)
        assert matrix.main("3.11-newest") == 0
    assert matrix.main("3.11-newest") == 0
    assert ran == ["3.11-newest"] * 3


def test_pairs_that_are_named_are_run_alone(ran: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    some = Random(4).sample(matrix.PAIRS[:2] + matrix.PAIRS[4:6], 2)
    assert matrix.main(*some) == 0
    assert ran == some
    assert matrix.main("3.10-newest") == 2
    assert "There is no pair 3.10-newest" in capsys.readouterr().err


def test_the_tests_run_with_the_packages_of_the_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "HOME", tmp_path)
    make = tmp_path / "bin" / "make"
    make.parent.mkdir()
    make.write_text('#!/bin/sh\necho "$@"\ncat "$PIP_CONSTRAINT"\nexit 3\n', "utf-8")
    make.chmod(0o755)
    monkeypatch.setenv("PATH", f"{make.parent}:/usr/bin:/bin")
    assert matrix._run("3.13-oldest", "/p", {"numpy": "2.1.*"}) == 3
    said = (tmp_path / "3.13-oldest.log").read_text("utf-8")
    assert said == f"test-quick VENV={tmp_path}/3.13-oldest PYTHON=/p\nnumpy==2.1.*\n"


def test_a_python_is_found_on_the_path_or_with_pyenv_if_it_is_that_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {
        "bin/python3.12": "exit 127",
        ".pyenv/versions/3.12.1/bin/python": "echo 3.12",
        ".pyenv/versions/3.1.9/bin/python": "echo 3.1",
    }
    for name, line in programs.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / ".pyenv"))
    assert matrix.interpreter("3.12") == str(tmp_path / ".pyenv/versions/3.12.1/bin/python")
    assert matrix.interpreter("3.13") is None


def test_the_oldest_are_those_that_the_package_admits() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = json.dumps([project["dependencies"], project["optional-dependencies"]])
    for name, release in matrix.constraints("3.11").items():
        assert f'"{name}>={release.removesuffix(".*").removesuffix(".0") if name != "pyspark" else "4.0"}' in required
    for python in matrix.PYTHONS:
        assert set(matrix.constraints(python)) == set(matrix.OLDEST)
