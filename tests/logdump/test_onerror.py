"""--stop and ONERROR STOP: a script ends at the first command whose exit status is not 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.program import logdump

FAILING = [("chek", 1), ("filter filenme X", 1), ("pos x", 1), ("check ft000000000", 4), ("diff et al quiet", 3)]


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


@pytest.mark.parametrize(("command", "status"), FAILING)
def test_nothing_runs_after_a_failure(command: str, status: int) -> None:
    for arguments in (
        ("--stop", "-c", f"open et; {command}; count"),
        ("-c", f"onerror stop; open et; {command}; count"),
    ):
        answer = logdump(*arguments)
        assert answer.status == status
        assert "has 22 records" not in answer.out


def test_the_next_line_and_the_next_file_do_not_run_either(tmp_path: Path) -> None:
    script = tmp_path / "one.oby"
    script.write_text("open et\nchek\ncount\n")
    assert "records" not in logdump("--stop", "-f", str(script), "-c", "count").out


@pytest.mark.parametrize(("command", "status"), FAILING)
def test_without_it_the_script_goes_on(command: str, status: int) -> None:
    if command.startswith("filter"):
        command += "; filter clear"
    answer = logdump("-c", f"open et; onerror stop; onerror continue; {command}; count")
    assert answer.status == status
    assert "has 22 records" in answer.out


def test_at_a_prompt_it_has_no_effect() -> None:
    assert "has 22 records" in logdump(typed="open et\nonerror stop\nchek\ncount\n").out
