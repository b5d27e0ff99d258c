"""Nothing blocks: slow files, long commands, scans, and Ctrl+C.

Jobs beside the screen.
Whatever takes long says in the title how far it is, in percent, and what Ctrl+C does.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import position
from logdump.language.command import AnyCommand
from logdump.session import reading
from logdump.session.events import Event, Progress, say
from logdump.session.session import Session
from logdump.tui.model.model import Model
from logdump.tui.panes.one_line import Title
from logdump.tui.reading.background import Background
from tests.logdump.test_progress import COMMANDS, small_batches
from tests.logdump.tui.drive import Screen, drive, rba_of
from tests.searching import part_of
from trailformat import Record, TrailFile, index
from trailformat.trail import command_files


@pytest.fixture
def background() -> Iterator[Background]:
    worker = Background("test")
    yield worker
    worker.close()


def waited(gate: threading.Event) -> None:
    gate.wait(10)


def test_of_the_jobs_that_wait_under_a_key_the_newest_is_run(background: Background) -> None:
    gate, done, ran = threading.Event(), threading.Event(), list[int]()
    background.do("gate", lambda: waited(gate))
    for number in range(3):
        background.do("page", partial(ran.append, number))
    background.do("end", done.set)
    gate.set()
    assert done.wait(10)
    assert ran == [2]


def test_it_is_idle_when_everything_is_done(background: Background) -> None:
    gate, done = threading.Event(), threading.Event()
    background.do("gate", lambda: waited(gate))
    background.do("end", done.set)
    assert not background.is_idle
    gate.set()
    assert done.wait(10)
    background.close()
    assert background.is_idle


def test_closing_drops_what_waits() -> None:
    gate, ran = threading.Event(), list[int]()
    worker = Background("test")
    worker.do("gate", lambda: waited(gate))
    worker.do("never", lambda: ran.append(1))
    worker.close(0.0)
    gate.set()
    worker.close()
    assert ran == []


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
        for number, command in enumerate((*part_of(COMMANDS, 0), "next all")):
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
            assert any(re.search(rf" {scan} [0-9]+ %, Ctrl\+C stops", shown_title) for shown_title in titles), scan

    drive(steps, size=(160, 24))


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What a slow read waits for."""
    gate = threading.Event()
    yield gate
    gate.set()


async def ticks(screen: Screen) -> None:
    """Let the screen work, whatever the threads do."""
    for _ in range(20):
        await screen.pilot.pause(0.001)


def test_a_file_that_does_not_answer_stops_no_key(gate: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    record_at = TrailFile.record_at

    def slow(trail: TrailFile, rba: int) -> Record | None:
        gate.wait(20)
        return record_at(trail, rba)

    async def steps(screen: Screen) -> None:
        monkeypatch.setattr(TrailFile, "record_at", slow)
        screen.app.simulate_key("escape")
        await ticks(screen)
        for key in ("j", "j", "j", "h"):
            screen.app.simulate_key(key)
            await ticks(screen)
        assert rba_of(screen) == 1811
        screen.app.simulate_key("colon")
        await ticks(screen)
        screen.app.prompt.insert_text_at_cursor("pos 2008")
        await ticks(screen)
        assert "▶   1811" in screen.text
        assert "Logdump 2 >pos 2008" in screen.text
        gate.set()
        await screen.press("enter")
        assert rba_of(screen) == 2008

    drive(steps)


@pytest.fixture
def endless(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Has SKIP run until it is interrupted, scanning or in a search; set as soon as it runs."""
    begun = threading.Event()
    is_search = getattr(request, "param", "scan") == "search"

    def run(_session: Session, _arguments: object) -> Iterator[Event]:
        try:
            records = 0
            while True:
                records += 10_000
                begun.set()
                time.sleep(0.001)
                if is_search:
                    command_files.report_search(records)
                else:
                    yield Progress(records, records, 0, 100_000_000)
        except KeyboardInterrupt:
            yield say("partial")
            raise

    every: tuple[AnyCommand, ...] = position.COMMANDS
    commands = tuple(command._replace(run=run) if command.name == "SKIP" else command for command in every)
    monkeypatch.setattr(position, "COMMANDS", commands)
    monkeypatch.setattr("logdump.commands.REGISTRY._loaded", {})
    return begun


async def begin_endless(screen: Screen, begun: threading.Event) -> None:
    screen.app.prompt.begin("skip")
    screen.app.simulate_key("enter")
    while not begun.is_set():
        await asyncio.sleep(0.001)


@pytest.mark.parametrize(
    ("endless", "told"),
    [("scan", "%, Ctrl+C stops"), ("search", "Ctrl+C stops, searching for a good header, RBA")],
    indirect=["endless"],
)
def test_a_command_under_way_is_stopped_and_keeps_what_it_has(endless: threading.Event, told: str) -> None:
    async def steps(screen: Screen) -> None:
        await begin_endless(screen, endless)
        while told not in screen.text:
            await ticks(screen)
        screen.app.simulate_key("ctrl+c")
        await screen.settle()
        last = screen.app.mode.transcript.last
        assert last is not None
        assert list(last.output) == ["partial"]
        await screen.type("reclen 11")
        assert screen.app.session.settings.reclen == 11

    drive(steps)


def test_the_list_can_be_walked_while_a_command_runs(endless: threading.Event) -> None:
    async def steps(screen: Screen) -> None:
        await begin_endless(screen, endless)
        screen.app.simulate_key("escape")
        await ticks(screen)
        screen.app.simulate_key("j")
        await ticks(screen)
        assert rba_of(screen) == 1130
        screen.app.simulate_key("ctrl+c")
        await screen.settle()
        assert rba_of(screen) == screen.app.session.cursor.current == 1130

    drive(steps)


def test_ctrl_c_quits_nothing() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "ctrl+c", "ctrl+c")
        assert (screen.app.is_running, rba_of(screen)) == (True, 1130)
        await screen.press("j")
        assert rba_of(screen) == 1261

    drive(steps)


def test_a_scan_tells_how_far_it_is_stops_and_goes_on(gate: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    build = index.build

    def slow(trail: TrailFile, found: index.TrailIndex) -> Iterator[int]:
        yield from build(trail, found, stop=2008)
        while not gate.wait(0.01):
            yield 2008
        yield from build(trail, found)

    monkeypatch.setattr("logdump.tui.reading.open_file.build", slow)
    monkeypatch.setattr("logdump.tui.reading.background.EVERY", 0.0)

    async def steps(screen: Screen) -> None:
        await ticks(screen)
        assert "index 36 %, Ctrl+C stops, RBA 2008" in screen.text
        screen.app.simulate_key("ctrl+c")
        await screen.settle()
        assert "stopped, Ctrl+L continues" in screen.text
        gate.set()
        await screen.press("escape", "ctrl+l")
        assert "22 recs" in screen.text

    drive(steps, until=lambda screen: "index " in screen.text)
