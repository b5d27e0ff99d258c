"""The program itself at a terminal: it starts, takes keys, leaves, and the screen is as before."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.cli import main
from logdump.line.history_file import KeptHistory
from logdump.line.line_mode import LineMode
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.session import Session
from logdump.tui import start
from logdump.tui.reading.screen_mode import ScreenMode
from tests.logdump.program import logdump
from tests.logdump.tui.drive import NARROW, WIDE
from tests.logdump.tui.terminal import terminal
from tests.searching import IS_LONG

TRAIL = str(TRAILS / "et000000000")
_BUDGET = 4096
"""Bytes that a cursor move may send, over a slow line."""
_MOUSE_ON = b"\x1b[?1000h"


@pytest.mark.parametrize("size", [NARROW, WIDE] if IS_LONG else [NARROW], ids="{0[0]}x{0[1]}".format)
def test_a_session_at_a_terminal(size: tuple[int, int]) -> None:
    with terminal("--tui", TRAIL, size=size) as screen:
        screen.read("Logdump 2 >")
        screen.press(b"\x1b")
        assert [sent for sent in (len(screen.press(b"j")) for _ in range(8)) if sent > _BUDGET] == []
        screen.press(b"q")
        assert screen.end() == 0
        assert b"\x1b[?1049h" in screen.seen
        assert "─" in screen.seen.decode(), "a locale of UTF-8 gets lines"
        assert screen.seen.rindex(b"\x1b[?1049l") > screen.seen.rindex(b"\x1b[?1049h")


def test_what_is_not_wanted_is_not_sent() -> None:
    with terminal("--tui", "--no-mouse", TRAIL, NO_COLOR="1") as screen:
        sent = screen.read("Logdump 2 >")
        assert not [code for code in (b"[38;", b"[48;", b";38;", b";48;", b"[31m", b"[36m") if code in sent]
        assert _MOUSE_ON not in sent


_C_LOCALES = [{}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, *([{"PYTHONUTF8": "1"}] if IS_LONG else [])]
"""Python reads a C locale as UTF-8 by itself, as the last one asks for."""


@pytest.mark.parametrize("mode", _C_LOCALES)
def test_a_locale_without_utf_8_gets_plain_characters(mode: dict[str, str]) -> None:
    with terminal("--tui", TRAIL, LC_ALL="C", **mode) as screen:  # type: ignore[arg-type]
        assert screen.read("Logdump 2 >").isascii()


@pytest.mark.skipif(not (shutil.which("setsid") and shutil.which("bash")), reason="needs a shell with job control")
def test_ctrl_z_leads_back_to_the_shell_and_fg_to_the_screen() -> None:
    with terminal("--tui", TRAIL, in_shell=True) as screen:
        screen.read("Logdump 2 >")
        screen.press(b"\x1a", until="Stopped")
        assert b"Stopped" in screen.seen.rsplit(b"\x1b[?1049l", 1)[1]
        screen.press(b"fg\n", until="1130")
        assert "1130" in screen.seen.rsplit(b"\x1b[?1049h", 1)[1].decode(), "the screen is painted again"


def test_ctrl_z_without_a_shell_says_so() -> None:
    with terminal("--tui", TRAIL) as screen:
        screen.read("Logdump 2 >")
        assert "No shell has started the program" in screen.press(b"\x1a").decode()
        screen.press(b"\x11")
        assert screen.end() == 0


def test_it_ends_when_its_terminal_is_gone() -> None:
    with terminal("--tui", TRAIL) as screen:
        screen.read(until="rel 12.2")
        screen.hang_up()
        assert screen.process.wait(30) != 0


def test_the_command_leads_in_and_exit_leads_back() -> None:
    with terminal("OPEN", TRAIL) as screen:
        screen.read("Logdump 2 >")
        screen.press(b"tui\r", until="rel 12.2")
        screen.press(b":exit\r", until="Logdump 5 >")
        screen.press(b"pos\r", until="Reading forward from RBA 0")
        assert b"Reading forward from RBA 0" in screen.seen.rsplit(b"\x1b[?1049l", 1)[1]
        screen.press(b"exit\r")
        assert screen.end() == 0


@pytest.mark.parametrize("kind", ["dumb", ""])
def test_a_terminal_that_cannot_do_it_gets_one_line(kind: str) -> None:
    with terminal("--tui", TRAIL, TERM=kind) as screen:
        assert screen.end() == ExitStatus.USAGE
        assert screen.seen == b"logdump: the full-screen view needs a terminal; use line mode or -c\r\n"


def test_without_a_terminal_it_gives_one_line() -> None:
    answer = logdump("--tui", TRAIL)
    assert answer == (ExitStatus.USAGE, "", "logdump: the full-screen view needs a terminal; use line mode or -c\n")


def test_without_textual_it_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    for stream in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: True)
    assert start.problem_with_screen() == "the full-screen view needs Textual: pip install 'logdump[tui]'"


@pytest.mark.parametrize("script", ["-c", "-f"])
def test_it_takes_no_script(script: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.cli._prepare_streams", lambda: None)
    with pytest.raises(SystemExit) as stopped:
        main(["--tui", script, "n"])
    assert stopped.value.code == ExitStatus.USAGE
    assert "--tui takes neither -c nor -f" in capsys.readouterr().err


def test_line_mode_has_its_session_back_as_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def shown_and_left(session: Session, _first: str, kept: KeptHistory, *, mouse: bool) -> None:  # noqa: ARG001
        ScreenMode(session, lambda _message: None, kept).close()
        session.is_over = True
        assert session.width is None

    monkeypatch.setattr(start, "problem_with_screen", lambda: None)
    monkeypatch.setattr(start, "_run", shown_and_left)
    session = LineMode().session
    session.width = 80
    before = dict(vars(session))
    start.go_on(session, KeptHistory(tmp_path / "none"))
    assert vars(session) == before


def test_the_command_says_why_it_cannot(tmp_path: Path) -> None:
    session = Session()
    with pytest.raises(CommandError, match="TUI: the full-screen view needs a terminal"):
        start.go_on(session, KeptHistory(tmp_path / "none"))
    assert session.full_screen is None
