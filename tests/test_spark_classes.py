"""JVMs of the tests take their classes from an archive that was made for this Java and this Spark, if there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import spark_classes


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the archive would be, in an empty folder."""
    monkeypatch.setattr(spark_classes, "_FOLDER", tmp_path)
    path = spark_classes._archive()
    return path or pytest.skip("there is no Java, or no Spark")


def test_it_is_used_where_it_is(archive: Path) -> None:
    before = spark_classes.environment()
    archive.write_bytes(b"")
    after = spark_classes.environment()
    assert f"-XX:SharedArchiveFile={archive}" in after["SPARK_SUBMIT_OPTS"].split()
    assert "Archive" not in before["SPARK_SUBMIT_OPTS"]
    assert after["SPARK_SUBMIT_OPTS"].startswith(before["SPARK_SUBMIT_OPTS"])
    assert [*Path(after["SPARK_CONF_DIR"]).iterdir()] == []


def test_what_was_made_for_another_java_is_removed_and_what_is_there_is_not_made_again(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def make(command: list[str], *, env: dict[str, str], **_: object) -> None:
        made.append(command[-1])
        name = next(word for word in env["SPARK_SUBMIT_OPTS"].split() if "ArchiveClassesAtExit" in word)
        Path(name.partition("=")[2]).write_bytes(b"classes")

    monkeypatch.setattr("subprocess.run", make)
    old = archive.with_name("spark-of-another.jsa")
    old.write_bytes(b"")
    spark_classes.make()
    spark_classes.make()
    assert len(made) == 1
    assert archive.read_bytes() == b"classes"
    assert not old.exists()


def test_a_jvm_that_ends_early_leaves_none(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr("subprocess.run", fail)
    spark_classes.make()
    assert not archive.exists()
