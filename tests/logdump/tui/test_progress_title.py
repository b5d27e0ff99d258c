"""Whatever takes long says in the title how far it is, in percent, and what Ctrl+C does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session import reading
from logdump.tui.model.model import Model
from logdump.tui.panes.one_line import Title
from tests.logdump.test_progress import COMMANDS, small_batches
from tests.logdump.tui.drive import Screen, drive
from tests.searching import IS_LONG

_BY_INDEX = frozenset({"repair to T dry"})
"""Commands that read nothing where the index of the screen knows the file."""
_SHOWN = re.compile(r" [0-9]+ %, Ctrl\+C (stops|ends)")


def test_every_command_shows_its_progress_in_the_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch)
    monkeypatch.setattr("logdump.tui.reading.screen_mode._EVERY", 0.0)
    for number in range(3):
        shutil.copy(TRAILS / f"at00000000{number}", tmp_path)
    silent = []

    async def steps(screen: Screen) -> None:
        titles: list[str] = []
        title = screen.app.query_one(Title)
        screen.app.model.observe(lambda: titles.append(title.text), Model.busy)
        for number, command in enumerate((*COMMANDS[:: 1 if IS_LONG else 3], "next all")):
            if command in _BY_INDEX:
                continue
            screen.app.enter(f"filter clear all; open at000000000; {command.replace(' T', f' out{number}')}")
            await screen.settle()
            if not any(map(_SHOWN.search, titles)):
                silent.append(command)
            titles.clear()
            assert screen.app.model.busy == "", command

    drive(steps, tmp_path / "at000000000", size=(160, 24))
    assert silent == []


def test_every_scan_beside_the_screen_shows_its_progress_in_the_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.tui.reading.background.EVERY", 0.0)
    monkeypatch.setattr(reading, "_EVERY", 0.0)
    titles: list[str] = []

    async def steps(screen: Screen) -> None:
        small_batches(monkeypatch)
        title = screen.app.query_one(Title)
        screen.app.model.observe(lambda: titles.append(title.text), Model.busy)
        for line in ("filter include rectype insert", "open et000000000"):
            screen.app.enter(line)
            await screen.settle()
        await screen.press("escape", "l", "Z")
        for scan in ("index", "filter", "timeline", "strip"):
            assert any(re.search(rf" {scan} [0-9]+ %, Ctrl\+C stops", one) for one in titles), scan

    drive(steps, size=(160, 24))
