"""The script for a host without a network: what it requires, refuses and installs."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from itertools import pairwise
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
    assert {"numpy>=2", "duckdb>=1.5,<3"} <= set(wanted)
    assert list(wheelhouse.requirements(["apply"])) != list(wheelhouse.requirements([]))


def test_every_extra_of_users_is_in_it_but_spark() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    of_developers = {"all", "build", "test", "dev", "docs", "mutants"}
    assert set(wheelhouse.EXTRAS) == set(project["optional-dependencies"]) - of_developers - {"spark"}


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What pip is asked for; a checkout has one wheel; pip fetches a file each time, and fails for 3.13."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (Path(command[command.index("--dest") + 1]) / f"{len(commands)}.whl").write_bytes(b"of pip")
        return subprocess.CompletedProcess(command, int("3.13" in command))

    monkeypatch.setattr(wheelhouse, "ROOT", tmp_path)
    monkeypatch.setattr(wheelhouse, "HOUSE", tmp_path / "dist" / "wheelhouse")
    monkeypatch.setattr("scripts.wheelhouse.subprocess.run", run)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "dist").mkdir()
    (tmp_path / "scripts" / "install.sh").write_bytes(INSTALL.read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "dist" / "logdump-1.0.0-py3-none-any.whl").write_bytes(b"of this checkout")
    return commands


def test_each_python_and_machine_may_use_wheels_of_every_glibc_up_to_2_28(asked: list[list[str]]) -> None:
    """pip takes the tags that are named, and none between them."""
    assert wheelhouse.main("--pythons", "3.11", "3.14", "--extras", "tui") == 0
    assert len(asked) == 4
    for command, machine in zip(asked, ("x86_64", "aarch64") * 2, strict=True):
        named = {after for word, after in pairwise(command) if word == "--platform"}
        glibcs = {f"manylinux_2_{minor}_{machine}" for minor in range(5, 29)}
        assert named == glibcs | {f"manylinux2014_{machine}"}
        assert "textual>=8.2.5,<9" in command
    assert len(list((wheelhouse.HOUSE / "wheels").iterdir())) == 5
    assert (wheelhouse.HOUSE / "install.sh").read_bytes() == INSTALL.read_bytes()


def test_a_house_that_lacks_a_wheel_is_none(asked: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert wheelhouse.main("--pythons", "3.11", "3.13") == 1
    assert len(asked) == 3
    assert not wheelhouse.HOUSE.exists()
    assert capsys.readouterr().err == (
        "There is no wheelhouse: not all wheels for Python 3.13 on x86_64 can be fetched.\n"
    )


def test_without_a_wheel_of_the_checkout_the_former_house_stays(asked: list[list[str]], tmp_path: Path) -> None:
    assert wheelhouse.main("--pythons", "3.11") == 0
    (tmp_path / "dist" / "logdump-1.0.0-py3-none-any.whl").unlink()
    before = sorted(wheelhouse.HOUSE.rglob("*"))
    asked.clear()
    assert wheelhouse.main("--pythons", "3.11") == 1
    assert (asked, sorted(wheelhouse.HOUSE.rglob("*"))) == ([], before)


def test_an_unknown_extra_is_refused(asked: list[list[str]]) -> None:
    with pytest.raises(SystemExit):
        wheelhouse.main("--extras", "spark")
    assert asked == []


def _python(folder: Path, lines: str) -> str:
    """A Python of 3.11 that makes a part of an environment, and then runs these lines of the shell."""
    program = folder / "python"
    program.write_text(f'#!/bin/sh\n[ "$1" = -m ] || exit 0\nmkdir -p "$3/bin"\n{lines}\n', "utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("exit 1", "makes no environment"),  # Debian's without python3-venv, after it has made the folder
        ("printf '#!/bin/sh\nexit 1\n' >$3/bin/python; chmod +x $3/bin/python", "There is no wheel"),
        ("kill -TERM $PPID; sleep 1", ""),
        ("kill -HUP $PPID; sleep 1", ""),
        ("for name in python logdump; do ln -s /bin/true $3/bin/$name; done; ln -sf /bin/false $3/bin/logdump", ""),
    ],
)
def test_whatever_ends_it_leaves_nothing_that_looks_installed(
    lines: str, said: str, house: Path, tmp_path: Path
) -> None:
    done = _run(str(house / "install.sh"), str(tmp_path / "new"), PYTHON=_python(tmp_path, lines))
    assert done.returncode != 0
    assert said in done.stderr
    assert not (tmp_path / "new").exists()


def test_what_it_installed_stays(house: Path, tmp_path: Path) -> None:
    lines = "for name in python logdump; do ln -s /bin/true $3/bin/$name; done"
    done = _run(str(house / "install.sh"), str(tmp_path / "new"), PYTHON=_python(tmp_path, lines))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "new" / "bin" / "logdump").exists()


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
