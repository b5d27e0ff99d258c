"""LOG and WRITELOG: a copy of the session."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from pathlib import Path

import pytest

from logdump.line.line_mode import PipedInput, Script
from logdump.session.session import SessionLog
from tests.logdump.line import Line


def test_what_is_entered_and_what_is_printed_goes_to_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "session.txt"
    assert Script(f"timeoffset gmt\nlog to {log}\nreclen 99\nnonsense\nlog stop\nreclen".splitlines()).run() == 1
    opened, *copied, closed = log.read_text().splitlines()
    assert re.fullmatch(rf"--- Session log {log} opened \d{{4}}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{{3}}\.\d{{3}} ---", opened)
    assert re.fullmatch(rf"--- Session log {log} closed \d{{4}}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{{3}}\.\d{{3}} ---", closed)
    assert copied == [
        "Logdump 3 >reclen 99",
        "Reclen set to 99",
        "Logdump 4 >nonsense",
        "Unknown command: NONSENSE.",
        "HELP lists all commands.",
        "Logdump 5 >log stop",
    ]
    assert capsys.readouterr().out.splitlines() == [opened, "Reclen set to 99", closed, "Reclen is 99"]


def test_records_are_copied_as_they_are_shown(tmp_path: Path, trails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "session.txt"
    Script(f"open {trails / 'et000000000'}\npos 0\nlog {log}\nn".splitlines()).run()
    shown = capsys.readouterr().out
    assert "FileHeader" in shown
    assert shown.endswith(log.read_text().split("Logdump 4 >n\n", 1)[1])


def test_a_piped_session_is_copied_with_its_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "session.txt"
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"out {log}\nghdr\nfc ghdr\n..//\n"))
    PipedInput().run()
    assert log.read_text().splitlines()[1:] == [
        "Logdump 2 >ghdr",
        "GHDR is OFF",
        "Logdump 3 >fc ghdr",
        "> ghdr",
        "....//",
    ]
    assert "Logdump 2 >GHDR is OFF\n" in capsys.readouterr().out


def test_the_file_is_complete_after_every_command(tmp_path: Path) -> None:
    log = tmp_path / "session.txt"
    session = PipedInput()
    session.enter(f"log {log}")
    session.enter("reclen 77")
    assert log.read_text().endswith("Logdump 2 >reclen 77\nReclen set to 77\n")
    session.session.log.stop()


def test_a_log_goes_on_behind_what_the_file_holds(line: Line, tmp_path: Path) -> None:
    log = tmp_path / "session.txt"
    log.write_text("kept\n")
    line(f"log {log}; writelog more; log stop")
    assert log.read_text() == "kept\nmore\n"


def test_a_second_log_takes_over_from_the_first(line: Line, tmp_path: Path) -> None:
    line(f"log {tmp_path / 'one'}; log {tmp_path / 'two'}; writelog here; log stop")
    assert (tmp_path / "one").read_text() == ""
    assert (tmp_path / "two").read_text() == "here\n"


def test_log_alone_tells_how_it_stands(line: Line, tmp_path: Path) -> None:
    assert line("log") == ["Session log is OFF"]
    line(f"log {tmp_path / 'one'}")
    assert line("out") == [f"Session log is {tmp_path / 'one'}"]
    line("log stop")
    assert line("log stop") == ["Session log is OFF"]


def test_a_file_called_stop_is_written_after_to(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line("log to stop; log stop")
    assert (tmp_path / "stop").exists()


def test_a_relative_name_means_the_directory_of_that_moment(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    line("log one; cd below; log")
    assert line("log") == [f"Session log is {tmp_path / 'one'}"]
    line("log stop")


@pytest.mark.parametrize("arguments", ["to", "one two", "to one two"])
def test_it_takes_one_name(line: Line, arguments: str) -> None:
    assert line(f"log {arguments}")[0].startswith("LOG: takes [TO] and one file name, or STOP")


def test_a_file_that_cannot_be_written_is_told(line: Line, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "log"
    assert line(f"log {target}") == [f"The session log {target} cannot be written: No such file or directory."]
    assert line(f"log {tmp_path}") == [f"{tmp_path} is a folder: LOG writes to a file and to nothing else."]
    assert line("log") == ["Session log is OFF"]


def test_a_failing_log_leaves_the_one_in_use_on(line: Line, tmp_path: Path) -> None:
    line(f"log {tmp_path / 'one'}")
    line(f"log {tmp_path}")
    assert line("log; log stop")[0] == f"Session log is {tmp_path / 'one'}"


def test_under_c_a_log_that_cannot_be_written_is_exit_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Script(f"log {tmp_path / 'missing' / 'log'}; reclen".splitlines()).run() == 1
    shown = capsys.readouterr()
    assert shown.out == "Reclen is 140\n"
    assert "cannot be written" in shown.err


@pytest.mark.parametrize("name", ["et000000000", "el000000000", "ot000000", "nh000000", "nl000000"])
def test_a_trail_is_never_written_into(line: Line, trails: Path, tmp_path: Path, name: str) -> None:
    trail = tmp_path / name
    content = (trails / name).read_bytes()
    trail.write_bytes(content)
    assert line(f"log {trail}") == [f"{trail} is a trail file: the session log is not written into it."]
    assert trail.read_bytes() == content


def test_a_full_disk_ends_the_log_and_not_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(log: SessionLog) -> None:
        if log.path is not None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    log = tmp_path / "session.txt"
    monkeypatch.setattr(SessionLog, "flush", full)
    assert Script(f"log {log}\nlog".splitlines()).run() == 1
    shown = capsys.readouterr()
    assert shown.err == f"The session log {log} cannot be written: No space left on device. It is off now.\n"
    assert shown.out.endswith("Session log is OFF\n")


@pytest.mark.parametrize(
    ("typed", "written"), [("hello there", "hello there"), ('"a b"', "a b"), ('say "a"', 'say "a"')]
)
def test_writelog_writes_its_text_with_or_without_quotes(line: Line, tmp_path: Path, typed: str, written: str) -> None:
    log = tmp_path / "log"
    line(f"log {log}")
    assert line(f"writelog {typed}") == []
    line("log stop")
    assert log.read_text() == f"{written}\n"


def test_writelog_needs_a_log(line: Line) -> None:
    assert line("writelog hello") == ["There is no session log. LOG <filename> opens one."]


OBEYED = """\
-- what to look at
# and how
timeoffset gmt

ghdr on; detail data
open {trail}
n 2
nonsense
  pos 1811
n
fc usertoken
          off

reclen 12
log
writelog "between"
count detail
"""


def _log_of(lines: list[str], log: Path) -> list[str]:
    """What the session log holds between its first and its last line, under prompts without numbers."""
    Script(["usertoken on", f"log to {log}", *lines, "log stop"]).run()
    copied = log.read_text().splitlines()[1:-1]
    return [
        re.sub(r"^\S+\.oby, line \d+: ", "", re.sub(r"^Logdump \d+ >", "Logdump >", copied_line))
        for copied_line in copied
    ]


def test_the_log_of_a_file_that_is_obeyed_is_that_of_the_lines_typed(
    tmp_path: Path, trails: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "a.oby"
    script.write_text(OBEYED.format(trail=trails / "et000000000"))
    typed = _log_of(script.read_text().splitlines(), tmp_path / "log.txt")
    (tmp_path / "log.txt").unlink()
    obeyed = _log_of([f"obey {script}"], tmp_path / "log.txt")
    assert "Logdump >ghdr on; detail data" in typed
    assert obeyed == [f"Logdump >obey {script}", *typed]
    capsys.readouterr()
