"""Commands from a pipe and from scripts: prompts, streams, exit statuses.

--stop and ONERROR STOP: a script ends at the first command whose exit status is not 0.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump import __version__
from logdump.session.errors import ExitStatus
from tests.logdump.program import logdump, process

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


BANNER = f"""
logdump, a reader of Oracle GoldenGate trails (not an Oracle product)
Version {__version__}


"""


@pytest.fixture
def trail(trails: Path) -> str:
    return str(trails / "et000000000")


def test_a_pipe_gets_banner_and_prompts_with_the_answers_glued_to_them(trail: str) -> None:
    answer = logdump(typed=f"open {trail}\nghdr on\nghdr\n")
    expected = f"Logdump 1 >Current LogTrail is {trail}\nLogdump 2 >Logdump 3 >GHDR is ON\nLogdump 4 >\n"
    assert answer == (0, BANNER + expected, "")


def test_arguments_are_the_first_command_then_standard_input_is_read(trail: str) -> None:
    answer = logdump("OPEN", trail, typed="open\nexit\nopen\n")
    opened = f"Current LogTrail is {trail}\n"
    assert answer.out == f"{BANNER}Logdump 1 >{opened}Logdump 2 >{opened}Logdump 3 >"


def test_an_argument_with_a_blank_stays_one_word(trail: str, tmp_path: Path) -> None:
    path = tmp_path / "two words"
    path.write_bytes(Path(trail).read_bytes())
    assert f"Current LogTrail is {path}\n" in logdump("open", str(path)).out


def test_a_pipe_gets_failures_where_the_answer_belongs_and_status_0(trail: str) -> None:
    answer = logdump(typed=f"next\nopen {trail}\npos 7\nnext\nfoo\n")
    assert answer.status == ExitStatus.OK
    assert "Logdump 1 >No LogTrail is open." in answer.out
    assert "Logdump 4 >Bad record found at RBA 7: " in answer.out
    assert "Logdump 5 >Unknown command: FOO.\n" in answer.out
    assert answer.err.startswith("No record starts at RBA 7: ")


def test_input_ends_with_or_without_a_newline(trail: str) -> None:
    assert logdump(typed=f"open {trail}").out == logdump(typed=f"open {trail}\n").out
    assert logdump(typed=f"open {trail}\r\n").out == logdump(typed=f"open {trail}\n").out


def test_input_that_is_not_utf_8_is_no_disaster() -> None:
    answer = logdump(typed=b"open \xff\xfe\x00\nghdr\n")
    assert answer.status == ExitStatus.OK
    assert answer.out.endswith("Logdump 2 >GHDR is OFF\nLogdump 3 >\n")


def test_a_script_has_no_banner_and_no_prompts(trail: str) -> None:
    assert logdump("-c", f"open {trail}; ghdr") == (0, f"Current LogTrail is {trail}\nGHDR is OFF\n", "")


def test_scripts_run_in_their_order(trail: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("ghdr\nghdr on\n\n", encoding="utf-8")
    answer = logdump("open", trail, "-c", "reclen 7", "-f", str(script), "-c", "ghdr\nreclen", "-f", "-", typed="pos")
    assert answer.out.splitlines()[1:] == [
        "Reclen set to 7",
        "GHDR is OFF",
        "GHDR is ON",
        "Reclen is 7",
        "Reading forward from RBA 0",
    ]


def test_exit_ends_a_script() -> None:
    assert logdump("-c", "ghdr; exit; ghdr", "-c", "ghdr").out == "GHDR is OFF\n"


@pytest.mark.parametrize(
    ("commands", "status"),
    [
        ("ghdr", ExitStatus.OK),
        ("foo", ExitStatus.COMMAND_FAILED),
        ("next", ExitStatus.COMMAND_FAILED),
        ("ghdr maybe", ExitStatus.COMMAND_FAILED),
        ("open /nowhere", ExitStatus.BAD_DATA),
        ("open {trail}; pos 7; next", ExitStatus.COMMAND_FAILED),
        ("open {damaged}; count", ExitStatus.BAD_DATA),
        ("foo; open /nowhere", ExitStatus.COMMAND_FAILED),
        ("open /nowhere; foo", ExitStatus.BAD_DATA),
        ("open {trail}; pos eof; next", ExitStatus.OK),
    ],
)
def test_the_status_of_a_script_tells_what_went_wrong_first(
    commands: str, status: ExitStatus, trail: str, trails: Path
) -> None:
    answer = logdump("-c", commands.format(trail=trail, damaged=trails / "ft000000000"))
    assert answer.status == status
    assert bool(answer.err) is (status != ExitStatus.OK)


def test_a_script_goes_on_after_a_failure(trail: str) -> None:
    answer = logdump("-c", f"foo; open {trail}; pos 7; next; sfh; ghdr")
    assert "Metadata             Len 80 RBA 1130\n" in answer.out
    assert answer.out.endswith("GHDR is OFF\n")
    assert "Unknown command: FOO." in answer.err
    assert "Next good header at RBA 1130" in answer.err


def test_what_is_wrong_with_a_record_goes_to_standard_error_behind_the_record(trails: Path) -> None:
    answer = logdump("-c", f"open {trails / 'mt000000000'}; pos 2170; next")
    assert answer.status == ExitStatus.BAD_DATA
    assert "Name:   (TDR Index: 2)\n" in answer.out
    assert answer.err == f"{trails / 'mt000000000'}, RBA 2170: no table definition 2 before it: the name is not known\n"


@pytest.mark.parametrize("arguments", [["-x"], ["-c"], ["--form", "jsonl"], ["--format", "xml"]])
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    answer = logdump(*arguments)
    assert answer.status == ExitStatus.USAGE
    assert answer.err.startswith("usage: logdump ")


def test_a_script_that_cannot_be_read_is_status_2(tmp_path: Path) -> None:
    answer = logdump("-f", str(tmp_path / "nowhere"))
    assert answer.status == ExitStatus.USAGE
    assert answer.err == f"logdump: [Errno 2] No such file or directory: '{tmp_path / 'nowhere'}'\n"


def test_help_and_version_tell_what_they_should() -> None:
    assert logdump("--version").out == f"logdump {__version__}\n"
    shown = process("--help").out
    for text in ("-c COMMANDS", "-f FILE", "--format {text,jsonl}", "exit status", "4 no trail or bad data"):
        assert text in shown
