"""A FILTER of a script that fails: nothing after it reads what it should have dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.logdump.program import logdump

REFUSED = "Not run: a FILTER before it failed. FILTER CLEAR or FILTER OFF continues without it.\n"
WRONG = [
    "filter filenme X",
    "filter include rectpe 5",
    "filter",
    "filtre filename X",
    "filename X",
    "include filename X",
]
FILTERED = [
    "n",
    "n 40",
    "count",
    "count detail",
    "export jsonl to -",
    "export csv to -",
    "save {out}",
    "redo",
    "undo",
    "find Denver",
    "sft insert",
    "sfts 2024-03-14 09:33:00",
    "skip 2 filter",
    "recovery",
    "repair to {out}",
    "explain restart",
    "diff {trail}",
]
"""Commands that apply the filter, or refuse to run under one."""
UNFILTERED = ["pos 1811", "skip 2", "sfh", "safe 1811", "env", "filter show", "check", "transaction next", "sfmd"]


@pytest.fixture
def trail(trails: Path) -> str:
    return str(trails / "et000000000")


@pytest.mark.parametrize("command", FILTERED)
def test_no_command_runs_without_it(command: str, trail: str, tmp_path: Path) -> None:
    command = command.format(out=tmp_path / "out", trail=trail)
    answer = logdump(trail, "-c", f"filter filenme X; {command}")
    assert answer.status == ExitStatus.COMMAND_FAILED
    assert answer.out == f"Current LogTrail is {trail}\n" * (not command.endswith("-"))
    assert answer.err.endswith(REFUSED)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", UNFILTERED)
def test_what_applies_no_filter_runs(command: str, trail: str) -> None:
    with_failure = logdump(trail, "-c", f"filter filenme X; {command}")
    assert with_failure.out == logdump(trail, "-c", command).out


@pytest.mark.parametrize("wrong", [word for word in WRONG if word != "filter"])
@pytest.mark.parametrize(
    "between", [";", "; filter include filename TEAHOUSE.TEAS;", "; filter match all; filter show;"]
)
def test_half_a_filter_is_none(wrong: str, between: str, trail: str) -> None:
    answer = logdump(trail, "-c", f"{wrong}{between} export jsonl to -")
    assert answer.out == ""
    assert answer.err.endswith(REFUSED)


@pytest.mark.parametrize("lifted", ["filter clear", "filter clear all", "filter off", "filter disable"])
def test_who_says_so_goes_on_without(lifted: str, trail: str) -> None:
    answer = logdump(trail, "-c", f"filter filenme X; {lifted}; count")
    assert "has 22 records" in answer.out
    assert answer.status == ExitStatus.COMMAND_FAILED


def test_after_clear_a_filter_is_a_filter_again(trail: str) -> None:
    again = logdump(trail, "-c", "filter filenme X; filter clear; filter filename TEAHOUSE.TEAS; count")
    assert again.out == logdump(trail, "-c", "filter filename TEAHOUSE.TEAS; count").out


def test_one_that_is_switched_on_again_has_failed_still(trail: str) -> None:
    assert logdump(trail, "-c", "filter filenme X; filter off; filter on; count").err.endswith(REFUSED)


def test_in_a_command_file_too(trail: str, tmp_path: Path) -> None:
    oby = tmp_path / "one.oby"
    oby.write_text("filter filenme X\ncount\n", encoding="utf-8")
    for arguments in (("-c", f"obey {oby}"), ("-f", str(oby))):
        answer = logdump(trail, *arguments)
        assert REFUSED in answer.err
        assert "records" not in answer.out


def test_at_a_prompt_and_in_a_pipe_it_goes_on_as_in_logdump(trail: str, line: Line) -> None:
    assert "has 22 records" in logdump(trail, typed="filter filenme X\ncount\n").out
    line(f"open {trail}; filter filenme X")
    assert "has 22 records" in line("count")[0]


def test_the_names_here_are_commands() -> None:
    for command in (*FILTERED, *UNFILTERED):
        assert REGISTRY.knows(command.split()[0])
