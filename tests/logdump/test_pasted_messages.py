"""A message of GoldenGate is explained where it is pasted: at a prompt, in a pipe, as a word of the shell."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from logdump.line.interactive import trails_here
from tests.logdump.program import logdump

MESSAGES = (
    "OGG-01028 Incompatible record in ./dirdat/at000000000, rba 2,913",
    "2024-03-14 09:33:00  ERROR  OGG-01028  rtea.prm: Incompatible record in ./dirdat/at000000000, rba 2,913.",
    "ERROR OGG-01028: Incompatible record in dirdat/at000000000, rba 2913; abending",
)


@pytest.fixture(autouse=True)
def here(trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a trail in dirdat."""
    (tmp_path / "dirdat").mkdir()
    for path in trails.glob("at*"):
        shutil.copy(path, tmp_path / "dirdat")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("message", MESSAGES)
def test_it_is_explained_as_by_the_command(message: str) -> None:
    wanted = logdump("explain", message)
    assert (wanted.status, "EXTRBA 3691" in wanted.out) == (0, True)
    said = "A message of GoldenGate: EXPLAIN takes it.\n"
    assert logdump(message) == wanted._replace(err=said + wanted.err)
    if message.startswith("OGG"):
        assert logdump(*message.split(maxsplit=3)).out == wanted.out
    if ";" not in message:
        piped = logdump(typed=f"{message}\nexit\n").out
        assert "EXTRBA 3691" in piped
        assert "Unknown command" not in piped


@pytest.mark.parametrize("line", ["OGG", "OGG-", "OGG-x1028", "ogre-01028"])
def test_what_has_no_number_of_a_message_is_an_unknown_command(line: str) -> None:
    assert "Unknown command" in logdump(typed=f"{line}\nexit\n").out


def test_a_file_of_that_name_is_a_file(here: Path) -> None:
    shutil.copy(here / "dirdat" / "at000000000", here / "OGG-01028")
    assert (
        "has 14 records" in logdump("./OGG-01028", "-c", "count").out or logdump("OGG-01028", "-c", "count").status == 0
    )


def test_the_greeting_names_the_trails_here(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [*trails_here()] == ["Trails here: dirdat/at (3 files)."]
    monkeypatch.chdir(here / "dirdat")
    assert [*trails_here()] == ["Trails here: at (3 files)."]
    for prefix in ("bb", "cc", "dd", "ee", "ff"):
        shutil.copy("at000000000", f"{prefix}000000000")
    (line,) = trails_here()
    assert line.endswith("dd (1 file) and 2 more.")
    (here / "empty").mkdir()
    monkeypatch.chdir(here / "empty")
    assert [*trails_here()] == []
