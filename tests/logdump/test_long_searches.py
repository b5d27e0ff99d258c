"""Searches for a good header through a tail of zeros: they are shown, and they stop at Ctrl+C."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.line import line_mode, terminal
from logdump.line.line_mode import Script
from logdump.session.events import Progress, SearchProgress

_PATH = TRAILS / "et000000000"
_TAIL = 24 << 20
_COMMANDS = (
    "n 99",
    "check",
    "count",
    "pos last",
    "pos last reverse",
    f"pos {_PATH.stat().st_size}; sfh",
    "recovery",
    "redo",
)


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trail that ends in zeros, as after a crash."""
    path = tmp_path_factory.mktemp("zeros") / _PATH.name
    shutil.copy(_PATH, path)
    with path.open("r+b") as file:
        file.truncate(_TAIL)
    return path


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_search_is_told_while_it_lasts(command: str, trail: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def show(_: object, event: object, _settings: object) -> None:
        told.extend([event.rba] if isinstance(event, SearchProgress) else [])

    monkeypatch.setattr(line_mode.Scroller, "show", show)
    script = Script([])
    script.enter(f"open {trail}")
    script.enter(command)
    script.session.close()
    assert len(told) > 10
    assert all(0 < rba < _TAIL for rba in told)


@pytest.mark.parametrize("command", ["n 99", "check", "pos last", "recovery"])
def test_ctrl_c_ends_a_search(command: str, trail: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    script = Script([])
    script.enter(f"open {trail}")
    monkeypatch.setattr(script, "_show_search", stop)
    with pytest.raises(KeyboardInterrupt):
        script.enter(command)
    monkeypatch.undo()
    script.enter("pos 0")
    assert script.session.cursor.next == 0
    script.session.close()


def test_a_terminal_shows_a_search_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now, lines = [100.0], list[str]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(terminal, "write_over", lambda line, _width: lines.append(line))
    script = Script([])
    for seconds in (0.0, 0.5, 0.4, 0.3, 0.01):
        now[0] += seconds
        script._scroller.show(SearchProgress(int(now[0])), script.session.settings)
    assert lines == ["Searching for a good header, RBA 101, 1 s"]
    script._scroller.show(Progress(5, 101, 0), script.session.settings)
    assert len(lines) == 1
