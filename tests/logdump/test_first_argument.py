"""``logdump FILE`` opens the file; Oracle's ``logdump COMMAND`` runs the command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from logdump.cli import names_a_file
from logdump.commands import REGISTRY
from tests.logdump.program import logdump


@pytest.fixture
def here(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own, with a trail in it."""
    for name in ("et000000000", "my file", "a;b", "überfällig", "--"):
        shutil.copy(trails / "et000000000", tmp_path / name)
    (tmp_path / "dirdat").mkdir()
    shutil.copy(trails / "et000000000", tmp_path / "dirdat")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("argument", "opened"),
    [
        ("et000000000", "et000000000"),
        ("et", "et000000000"),
        ("dirdat/et000000000", "dirdat/et000000000"),
        ("dirdat/et", "dirdat/et000000000"),
        ("my file", "my file"),
        ("a;b", "a;b"),
        ("überfällig", "überfällig"),
        ("./--", "--"),
    ],
)
def test_a_file_is_opened(argument: str, opened: str, here: Path) -> None:
    answer = logdump(argument, "-c", "open")
    assert answer == (0, f"Current LogTrail is {here / opened}\n" * 2, "")


def test_the_same_opens_at_a_prompt_and_with_oracles_open(here: Path) -> None:
    assert f"Current LogTrail is {here / 'et000000000'}\n" in logdump("et000000000").out
    assert logdump("OPEN", "et000000000", "-c", "open").out == logdump("et000000000", "-c", "open").out


@pytest.mark.parametrize("word", REGISTRY.words())
def test_the_word_of_a_command_is_that_command_whatever_lies_there(word: str, here: Path) -> None:
    shutil.copy(here / "et000000000", here / word.lower())
    assert not names_a_file([word.lower()])


def test_a_file_that_is_called_like_a_command_is_opened_by_its_folder(here: Path) -> None:
    shutil.copy(here / "et000000000", here / "count")
    assert logdump("./count", "-c", "open").out == f"Current LogTrail is {here / 'count'}\n" * 2


@pytest.mark.parametrize("path", ["dirdat/nosuch", "./nosuch"])
def test_a_path_without_a_file_is_told_so(path: str, here: Path) -> None:
    answer = logdump(path, "-c", "env")
    assert answer.status == 4
    assert answer.err == f"Error: {(here / path).resolve()}: No such file or directory\n"


def test_a_word_that_is_neither_is_an_unknown_command(here: Path) -> None:  # noqa: ARG001 - nothing of the name there
    assert logdump("cuont", "-c", "env").err.startswith("Unknown command: CUONT.\nDid you mean COUNT")


def test_a_path_at_the_prompt_is_answered_with_open(here: Path) -> None:  # noqa: ARG001 - the working directory
    assert logdump("-c", "dirdat/et000000000").err == (
        "Unknown command: dirdat/et000000000.\nIt is a file: OPEN dirdat/et000000000 opens it.\n"
    )
