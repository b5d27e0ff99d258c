"""X: a program."""

from __future__ import annotations

import signal

import pytest

from logdump.line.line_mode import Script
from tests.logdump.line import Line


def test_a_program_writes_after_what_was_printed_before_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert Script(["reclen; x echo hello; reclen 7"]).run() == 0
    assert capfd.readouterr().out == "Reclen is 140\nhello\nReclen set to 7\n"


def test_its_arguments_are_those_of_the_shell(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    line("""x echo "a; b" 'c  d' | tr a-z A-Z""")
    assert capfd.readouterr().out == "A; B C  D\n"


def test_a_status_that_is_not_zero_is_told(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    assert line("x exit 3") == ["exit ended with status 3."]
    assert line("x kill -9 $$") == ["kill ended by signal 9."]
    assert line("x no-such-program-here") == ["no-such-program-here ended with status 127."]
    assert "no-such-program-here" in capfd.readouterr().err


def test_under_c_a_failing_program_is_exit_status_1() -> None:
    assert Script(["x false"]).run() == 1


def test_it_takes_a_program(line: Line) -> None:
    assert line("x")[0] == "X: takes a program and its arguments."


def test_a_program_does_not_read_the_commands_of_a_pipe(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    assert line("x wc -c") == []
    assert capfd.readouterr().out.strip() == "0"


def test_in_jsonl_it_stays_off_standard_output(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    line("format jsonl; x echo hello")
    assert capfd.readouterr() == ("", "hello\n")


@pytest.mark.usefixtures("capfd")
def test_ctrl_c_is_the_programs_and_works_again_afterwards(line: Line) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert line("x kill -INT $PPID; reclen") == ["Reclen is 140"]
    assert line("x kill -INT $$") == ["kill ended by signal 2."]
    assert signal.getsignal(signal.SIGINT) is before
