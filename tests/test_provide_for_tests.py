"""What the tests run beside Python is installed where that is possible; else it is said how."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import provide_for_tests as script


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but what the test puts there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path


def make(folder: Path, *programs: str, says: str = "") -> None:
    for program in programs:
        path = folder / program
        path.write_text(f"#!/bin/sh\necho '{says}' >&2\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "package", "tests"),
    [
        ("java", "default-jre-headless", "Spark's tests"),
        ("postgresql", "postgresql", "Tests that run statements on PostgreSQL"),
        ("mariadb", "mariadb-server", "Tests that run statements on MariaDB"),
        ("sqlite", "sqlite3", "Tests that run statements in sqlite3"),
    ],
)
def test_where_nothing_can_be_installed_the_command_is_said(
    name: str, package: str, tests: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script.main(name)
    assert f"apt-get install --yes {package}\n{tests} are skipped." in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_without_a_name_all_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    script.main()
    assert capsys.readouterr().err.count("are skipped.") == len(script.NEEDS)


def test_what_is_there_is_not_installed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(folder, "mariadb", "mariadbd", "mariadb-install-db", "sqlite3")
    make(folder, "java", says='openjdk version "17.0.1"')
    script.main("java", "mariadb", "sqlite")
    assert capsys.readouterr().err == ""
