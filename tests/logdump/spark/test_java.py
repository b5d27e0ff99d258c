"""Java is looked for before Spark is started, and what is missing is said in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.spark.jobs import java
from logdump.spark.jobs.java import LEAST, java_version, missing_java


@pytest.fixture
def only_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but what the test puts there; returns where ``java`` would be."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path / "java"


def make(program: Path, says: str) -> None:
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n", encoding="utf-8")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("says", "version"),
    [('openjdk version "17.0.15" 2025-04-15', 17), ('java version "1.8.0_392"', 1), ("not a Java", None)],
)
def test_the_version_is_the_major_one(only_java: Path, says: str, version: int | None) -> None:
    make(only_java, says)
    assert java_version() == version


def test_java_home_comes_first(only_java: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(only_java, 'openjdk version "11.0.1"')
    make(tmp_path / "bin" / "java", 'openjdk version "21.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java_version() == 21


@pytest.mark.usefixtures("only_java")
def test_without_java_the_message_names_the_command() -> None:
    assert missing_java() == (
        "Spark needs Java 17 or later, and there is none; on Debian and Ubuntu: "
        "apt-get install --yes default-jre-headless"
    )


def test_an_old_java_is_none(only_java: Path) -> None:
    make(only_java, 'openjdk version "11.0.1"')
    assert "and this is 11;" in (missing_java() or "")


@pytest.mark.usefixtures("only_java")
def test_a_session_without_java_is_refused() -> None:
    from logdump.spark import session
    from logdump.spark.errors import SourceError

    with pytest.raises(SourceError, match="needs Java 17"):
        session()


@pytest.mark.parametrize("version", [None, 1, 8, 11, LEAST - 1, LEAST, LEAST + 1, 21, 25])
def test_what_is_missing_is_a_java_older_than_the_least(version: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "java_version", lambda: version)
    assert (missing_java() is None) == (version is not None and version >= 17)
