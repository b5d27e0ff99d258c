"""A session at a terminal: its numbers go on from the last one, and Ctrl+C ends a command only."""

from __future__ import annotations

import builtins
import os
import pty
import select
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from logdump.line.history_file import KeptHistory, load_history, save_history
from logdump.line.interactive import Interactive
from logdump.session.events import Event, say
from logdump.session.session import History

Type = Callable[..., str]


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "logdump.hst"
    monkeypatch.setenv("LOGDUMP_HISTORY", str(path))
    return path


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], history: Path) -> Type:  # noqa: ARG001
    """Runs a session in which these lines are typed, then the end of the input; an exception is raised instead."""

    def run(*lines: str | type[BaseException]) -> str:
        rest = iter(lines)

        def answer(prompt: str = "") -> str:
            line = next(rest, EOFError)
            sys.stdout.write(prompt)
            if isinstance(line, str):
                sys.stdout.write(f"{line}\n")
                return line
            raise line

        monkeypatch.setattr(builtins, "input", answer)
        Interactive().run()
        return capsys.readouterr().out

    return run


def test_the_next_session_goes_on_with_the_numbers(typing: Type) -> None:
    assert "Logdump 1 >reclen 11\n" in typing("reclen 11", "ghdr on")
    assert "Logdump 3 >history\n1> reclen 11\n2> ghdr on\n3> history\n" in typing("history")


def test_a_command_given_on_the_command_line_is_remembered_too(history: Path, typing: Type) -> None:
    typing()
    assert not history.exists()
    Interactive("reclen 11").run()
    assert history.read_text() == "logdump history, next 2\nreclen 11\n"


def test_the_file_is_written_after_every_line(history: Path, typing: Type) -> None:
    seen: list[str] = []

    class Closed(BaseException):
        def __init__(self) -> None:
            seen.append(history.read_text())

    with pytest.raises(Closed):
        typing("reclen 11", Closed)
    assert seen == ["logdump history, next 2\nreclen 11\n"]


def test_history_clear_empties_the_file(history: Path, typing: Type) -> None:
    assert typing("reclen 11", "history clear").endswith("Logdump 1 >\n")
    assert history.read_text() == "logdump history, next 1\n"


def test_fc_edits_a_command_of_an_earlier_session(history: Path, typing: Type) -> None:
    typing("reclen 11")
    shown = typing("fc 1", "       2", "")
    assert "Logdump 2 >fc 1\n> reclen 11\n..       2\nreclen 21\n\nReclen set to 21\n" in shown
    assert history.read_text() == "logdump history, next 3\nreclen 11\nreclen 21\n"


def test_ctrl_c_at_the_prompt_and_in_fc_asks_again(typing: Type) -> None:
    shown = typing("reclen 11", KeyboardInterrupt, "fc", KeyboardInterrupt, "reclen")
    assert shown.endswith("Logdump 2 >\nLogdump 2 >fc\n> reclen 11\n..\nLogdump 3 >reclen\nReclen is 11\nLogdump 4 >\n")


def test_ctrl_c_while_a_file_is_obeyed_ends_that_file(
    typing: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prints = Interactive._print

    def interrupted(session: Interactive, event: Event) -> None:
        if event == say("Reclen is 11"):
            raise KeyboardInterrupt
        prints(session, event)

    monkeypatch.setattr(Interactive, "_print", interrupted)
    (tmp_path / "a.oby").write_text("reclen 11\nreclen\nreclen 12\n")
    shown = typing(f"obey {tmp_path / 'a.oby'}", "reclen 13", f"obey {tmp_path / 'a.oby'}", "fc 2", "//")
    assert "Logdump 2 >reclen 13\nReclen set to 13\n" in shown
    assert shown.count("Reclen set to 11\n\n") == 2
    assert shown.endswith("Logdump 4 >fc 2\n> reclen 13\n..//\nLogdump 5 >\n")


def test_a_file_that_is_not_ours_is_told_and_left_alone(
    history: Path, typing: Type, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    history.write_text("precious\n")
    monkeypatch.setattr(builtins, "input", lambda _: (_ for _ in ()).throw(EOFError))
    Interactive().run()
    notice = f"{history} is not changed, and no history is kept: it was not written by logdump.\n"
    assert capsys.readouterr().err == notice
    typing("reclen 11")
    assert history.read_text() == "precious\n"


def test_a_file_that_cannot_be_written_is_told_once(
    tmp_path: Path, typing: Type, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LOGDUMP_HISTORY", str(tmp_path / "file" / "logdump.hst"))
    assert typing("reclen 11", "reclen").endswith("Reclen is 11\nLogdump 3 >\n")
    assert capsys.readouterr().err == ""


def test_at_a_real_terminal(history: Path, tmp_path: Path) -> None:
    history.write_text("logdump history, next 42\nreclen 11\n")
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "logdump"]
    environment = {**os.environ, "TERM": "dumb", "LOGDUMP_HISTORY": str(history)}
    program = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, cwd=tmp_path)
    os.close(terminal)
    try:
        assert "Logdump 42 >" in _shown_up_to(master, "Logdump 42 >")
        os.write(master, b"\x10\n")  # Ctrl+P recalls the line before
        assert "Reclen set to 11" in _shown_up_to(master, "Logdump 43 >")
        os.write(master, b"x exit 3\n")
        assert "exit ended with status 3." in _shown_up_to(master, "Logdump 44 >")
        os.write(master, b"exit\n")
        assert program.wait(10) == 0
    finally:
        program.kill()
        program.wait()
        os.close(master)
    assert history.read_text() == "logdump history, next 45\nreclen 11\nreclen 11\nx exit 3\nexit\n"


@pytest.mark.parametrize("is_text", [True, False])
def test_a_paste_of_several_lines_at_a_real_terminal(is_text: bool, history: Path, trails: Path) -> None:
    """A text of GoldenGate is explained, lines of commands are run one after the other."""
    text = "2024-03-14 01:10:04  ERROR   OGG-01296  Error mapping.\rReading et000000000, current RBA 3987; 3 records"
    pasted = text if is_text else "reclen 11\rreclen 12"
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "logdump"]
    environment = {**os.environ, "TERM": "xterm", "LOGDUMP_HISTORY": str(history)}
    program = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, cwd=trails)
    os.close(terminal)
    try:
        _shown_up_to(master, "Logdump 1 >")
        os.write(master, f"\x1b[200~{pasted}\x1b[201~\r".encode())
        first, last = ("A paste of 2 lines", "EXTRBA 3987") if is_text else ("Reclen set to 11", "Reclen set to 12")
        assert first in _shown_up_to(master, last)
        os.write(master, b"exit\r")
        _shown_up_to(master, "exit")
        assert program.wait(10) == 0
    finally:
        program.kill()
        program.wait()
        os.close(master)
    assert "OGG-01296" not in history.read_text()


def _shown_up_to(master: int, text: str) -> str:
    shown = b""
    end = time.monotonic() + 20
    while text.encode() not in shown:
        ready, _, _ = select.select([master], [], [], max(0, end - time.monotonic()))
        assert ready, f"{text!r} does not come: {shown!r}"
        shown += os.read(master, 4096)
    return shown.decode()


def test_a_path_is_completed_folder_by_folder_at_a_real_terminal(history: Path, tmp_path: Path, trails: Path) -> None:
    (tmp_path / "fixtures" / "my trails").mkdir(parents=True)
    shutil.copy(trails / "et000000000", tmp_path / "fixtures" / "my trails")
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "logdump"]
    environment = {**os.environ, "TERM": "dumb", "LOGDUMP_HISTORY": str(history)}
    program = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, cwd=tmp_path)
    os.close(terminal)
    try:
        _shown_up_to(master, "Logdump 1 >")
        os.write(master, b"open fixt\t")
        _shown_up_to(master, "fixtures/")
        os.write(master, b"\t")
        _shown_up_to(master, '"fixtures/my trails/')
        os.write(master, b"\t\n")
        opened = tmp_path / "fixtures" / "my trails" / "et000000000"
        assert f"Current LogTrail is {opened}" in _shown_up_to(master, "Logdump 2 >")
    finally:
        program.kill()
        program.wait()
        os.close(master)


def test_a_letter_that_begins_words_in_capitals_and_others_stays_at_a_real_terminal(
    history: Path, trails: Path, tmp_path: Path
) -> None:
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "logdump", str(trails / "et000000000")]
    environment = {**os.environ, "TERM": "dumb", "LOGDUMP_HISTORY": str(history)}
    program = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, cwd=tmp_path)
    os.close(terminal)
    try:
        _shown_up_to(master, ">OPEN")
        _shown_up_to(master, ">")
        os.write(master, b"sql select count(o\tp_\t")
        _shown_up_to(master, "p_code ")
    finally:
        program.kill()
        program.wait()
        os.close(master)


@pytest.mark.parametrize("before", [["reclen 11"], []])
def test_the_lines_of_several_sessions_are_kept(before: list[str], history: Path) -> None:
    """Those too of sessions that have begun without a history."""
    if before:
        save_history(history, History(before))
    sessions = [KeptHistory(history), KeptHistory(history), KeptHistory(history)]
    recalled = [kept.recall() for kept in sessions]
    for number, line in ((0, "ghdr on"), (1, "count"), (0, "next"), (2, "env"), (1, "detail data")):
        recalled[number].append(line)
        sessions[number].save(recalled[number])
    lines = [*before, "ghdr on", "count", "next", "env", "detail data"]
    assert (load_history(history).lines, load_history(history).number) == (lines, len(lines) + 1)
    assert recalled[0].lines == [*before, "ghdr on", "next"]


def test_history_clear_forgets_the_lines_of_all_sessions_and_later_ones_are_kept(history: Path) -> None:
    save_history(history, History(["reclen 11"]))
    sessions = [KeptHistory(history), KeptHistory(history)]
    recalled = [kept.recall() for kept in sessions]
    recalled[1].append("count")
    sessions[1].save(recalled[1])
    recalled[0].clear()
    sessions[0].save(recalled[0])
    assert load_history(history).lines == []
    recalled[1].append("next")
    sessions[1].save(recalled[1])
    assert load_history(history).lines == ["next"]


def test_two_sessions_that_end_at_once_lose_no_line(history: Path) -> None:
    save_history(history, History(["reclen 11"]))

    def session(name: str) -> None:
        kept = KeptHistory(history)
        lines = kept.recall()
        for number in range(10):
            lines.append(f"{name} {number}")
            kept.save(lines)

    threads = [threading.Thread(target=session, args=(name,)) for name in ("count", "next")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(load_history(history).lines) == sorted(
        ["reclen 11", *(f"{name} {number}" for name in ("count", "next") for number in range(10))]
    )
