"""What nearly fits is named: options of FILTER, files, commands, places of POSITION."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from logdump.filters import option_named
from logdump.filters.statement import _ELSEWHERE
from tests.logdump.line import Line
from tests.logdump.program import logdump


@pytest.fixture
def folder(tmp_path: Path, trails: Path) -> Path:
    """A folder of three trail files."""
    for name in ("lt000000000", "lt000000001", "rt000012"):
        shutil.copy(trails / "et000000000", tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lt0000000", "lt000000000"),
        ("lt00001", "lt000000001"),
        ("LT000000001", "lt000000001"),
        ("Rt12", "rt000012"),
        ("rt000000012", "rt000012"),
        ("lt*", "lt000000000 or lt000000001"),
        ("?t000012", "rt000012"),
        ("lt00000000l", "lt000000001 or lt000000000"),
    ],
)
def test_open_names_the_files_that_are_most_like_it(typed: str, meant: str, folder: Path) -> None:
    answer = logdump("-c", f"open {folder / typed}")
    assert answer.status == 4
    assert answer.err.endswith(f"No such file or directory; did you mean {meant}?\n")


@pytest.mark.parametrize("typed", ["nowhere", "zz*", "none/lt000000000", "lt000000002"])
def test_what_is_like_no_file_gets_no_advice(typed: str, folder: Path) -> None:
    assert logdump("-c", f"open {folder / typed}").err.endswith("No such file or directory\n")


def test_a_file_as_first_word_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert logdump("lt0000000", "-c", "n").err.startswith(
        "Unknown command: lt0000000.\nDid you mean the file lt000000000?\n"
    )


@pytest.mark.parametrize("word", sorted(_ELSEWHERE))
def test_the_names_that_others_give_to_options(word: str, line: Line) -> None:
    assert line(f"filter include {word.lower()} X") == [
        f"FILTER has no option {word}; did you mean {_ELSEWHERE[word]}?"
    ]
    assert option_named(_ELSEWHERE[word].split()[0]) is not None
    assert option_named(word) is None


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("rep", "Did you mean REPAIR or REPORT? HELP lists all commands."),
        ("exp", "Did you mean EXPLAIN or EXPORT? HELP lists all commands."),
        ("goto", "POSITION goes to a place. HELP lists all commands."),
        ("repiar", "Did you mean REPAIR? HELP lists all commands."),
    ],
)
def test_unknown_commands(typed: str, hint: str, line: Line) -> None:
    assert line(typed)[1] == hint


@pytest.mark.parametrize(("typed", "meant"), [("end", "EOF"), ("top", "FIRST"), ("begin", "FIRST"), ("bottom", "EOF")])
def test_places_of_position(typed: str, meant: str, shop: Line) -> None:
    assert shop(f"pos {typed}") == [
        f"Error: Invalid file position ({typed.upper()})",
        f"Did you mean POSITION {meant}?",
    ]
