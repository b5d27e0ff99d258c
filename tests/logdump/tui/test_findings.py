"""The findings of DOCTOR on the screen: keys go from one to the next over all files, a pane lists them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir
from functools import partial
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display.text import Severity
from logdump.features.doctor.model import DoctorShown, Finding
from logdump.language.execute import run_line
from logdump.session.session import Session
from logdump.tui.keys.places import NO_NAME
from logdump.tui.panes.record_pane import AnswerPane
from logdump.tui.panes.side_by_side_pane import SideBySidePane
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.reading.messages import RelatedFound
from tests.logdump.test_across import split
from tests.logdump.tui.drive import WIDE, Screen, drive
from tests.logdump.tui.stepped import Stepped
from tests.searching import Random, examples
from trailformat import TrailFile


def _findings(path: Path) -> tuple[Finding, ...]:
    """The findings of DOCTOR in a session of line mode."""
    session = Session()
    session.open(path)
    try:
        return next(event for event in run_line(session, REGISTRY, "doctor") if isinstance(event, DoctorShown)).findings
    finally:
        session.end()


def _places(path: Path) -> list[tuple[str, int]]:
    """Where the keys lead, in order: every finding with a place, but for notes on a file as a whole."""
    positions = {
        (found.position.path.name, found.position.rba)
        for found in _findings(path)
        if found.position is not None and (found.severity is not Severity.NOTE or found.position.rba)
    }
    return sorted(positions)


def _trail(folder: Path, draw: Random) -> list[Path]:
    """A trail with restarts and cut transactions in several files, the middle one missing, zeroes in another."""
    paths = split(TRAILS / "at000000000", (7, 10, 12), folder)
    with TrailFile(paths[0]) as trail:
        rows = [record for record in trail.records() if not record.is_file_header and not record.is_metadata]
    at, data = draw.choice(rows[:-1]).rba, paths[0].read_bytes()
    paths[0].write_bytes(data[:at] + bytes(20) + data[at + 20 :])
    paths[2].unlink()
    return [paths[0], paths[1], paths[3]]


def _here(screen: Screen) -> tuple[str, int]:
    row, path = screen.app.records.row, screen.app.model.state.path
    assert row is not None
    assert path is not None
    return path.name, row.rba


@pytest.mark.parametrize("seed", range(examples(2)))
def test_keys_go_to_every_finding_over_the_files_and_back(seed: int, tmp_path: Path) -> None:
    paths = _trail(tmp_path, Random(seed))
    places = _places(paths[0])
    assert len(places) >= 3
    assert len({name for name, _ in places}) > 1

    async def steps(screen: Screen) -> None:
        visited = []
        for _ in places:
            await screen.press("exclamation_mark")
            visited.append(_here(screen))
        begin = places.index(visited[0])
        assert visited == [*places[begin:], *places[:begin]]
        for place in visited[-2::-1]:
            await screen.press("at")
            assert _here(screen) == place

    drive(steps, paths[0], place="records")


def test_what_is_found_is_told_and_the_page_is_that_of_the_record(tmp_path: Path) -> None:
    paths = _trail(tmp_path, Random(1))
    damage = next(found for found in _findings(paths[0]) if found.text.startswith("damage"))
    assert damage.position is not None
    rba = damage.position.rba

    async def steps(screen: Screen) -> None:
        while _here(screen) != (paths[0].name, rba):
            await screen.press("exclamation_mark")
        assert f"!! {damage.text}"[:60] in screen.text
        assert "Bad record found" in screen.text

    drive(steps, paths[0], place="records", page="values")


@pytest.mark.parametrize("way", ["key", "pane", "answer"])
def test_each_way_to_damage_shows_the_page_about_it(way: str, tmp_path: Path) -> None:
    paths = _trail(tmp_path, Random(1))
    damage = next(found for found in _findings(paths[0]) if found.text.startswith("damage"))
    assert damage.position is not None
    position = damage.position

    async def steps(screen: Screen) -> None:
        if way == "answer":
            await screen.type("doctor")
            await screen.press("escape")
            page = screen.app.pages.page("output")
            assert isinstance(page, AnswerPane)
            index = next(index for index, row in enumerate(page.rows) if row.position == position)
            await screen.press(*["down" if index > page.current else "up"] * abs(index - page.current), "enter")
        elif way == "pane":
            await screen.press("P")
            pane = screen.app.query_one("#findings")
            texts = [choice.text for choice in pane._choices]  # type: ignore[attr-defined]
            await screen.press(*["down"] * next(at for at, text in enumerate(texts) if "damage" in text), "enter")
        while way == "key" and _here(screen) != (position.path.name, position.rba):
            await screen.press("exclamation_mark")
        assert _here(screen) == (position.path.name, position.rba)
        assert screen.app.model.page == "values"
        assert "Bad record found" in screen.text

    drive(steps, paths[0], WIDE, place="records", page="values")


def test_the_pane_lists_what_doctor_finds_and_enter_goes_there(tmp_path: Path) -> None:
    paths = _trail(tmp_path, Random(2))
    listed = [found for found in _findings(paths[0]) if found.position is not None]

    async def steps(screen: Screen) -> None:
        await screen.press("P")
        pane = screen.app.query_one("#findings")
        texts = [choice.text for choice in pane._choices]  # type: ignore[attr-defined]
        assert len(texts) >= len(listed)
        for found in listed:
            assert found.position is not None
            line = next(text for text in texts if found.text[:30] in text and f" {found.position.rba} " in text)
            assert found.position.path.name in line
            assert line.startswith({Severity.DAMAGE: "!!", Severity.WARNING: " !"}.get(found.severity, "  "))
        last = max((found.position.path.name, found.position.rba) for found in listed if found.position is not None)
        await screen.press(*["down"] * (len(listed) - 1), "enter")
        assert _here(screen) == last

    drive(steps, paths[0], WIDE, place="records")


def test_a_sound_trail_has_no_finding() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("exclamation_mark")
        assert "No finding in this trail." in screen.text
        await screen.press("P")
        assert "DOCTOR finds nothing." in screen.text

    drive(steps, "et000000000", place="records")


@pytest.mark.parametrize("seed", range(examples(3)))
def test_a_file_of_the_trail_that_has_changed_is_examined_again(seed: int, tmp_path: Path) -> None:
    """Whichever was open when it was examined first, and whichever has changed: it has grown, or is a new one."""
    draw = Random(f"changed {seed}")
    paths = split(TRAILS / "et000000000", (4, 8, 12), tmp_path)
    kept, new = (paths[:-1], paths[-1]) if draw.random() < 0.4 else (paths, None)
    data = new.read_bytes() if new is not None else b""
    if new is not None:
        new.unlink()
    opened, changed = draw.choice(kept), new or draw.choice(kept)

    async def steps(screen: Screen) -> None:
        await screen.press("exclamation_mark")
        assert "No finding in this trail." in screen.text
        size = changed.stat().st_size if changed.exists() else len(data)
        with changed.open("ab") as file:
            file.write(data + bytes(40))
        if draw.random() < 0.5:
            await screen.type(f'open "{draw.choice(kept)}"')
            screen.app.records.focus()
        await screen.press("exclamation_mark")
        assert _here(screen) == (changed.name, size)

    drive(steps, opened, place="records")


LEAVES: dict[str, tuple[str, ...]] = {
    "another trail": ("open",),
    "another file of the trail": ("next file",),
    "another record": ("down",),
    "a line": ("pos 2008",),
    "a line that moves nothing": ("mark a",),
    "nothing": (),
}


@pytest.fixture
def stepped(tmp_path: Path) -> Iterator[Stepped]:
    for path in _trail(tmp_path, Random("waits")):
        assert path.exists()
    shutil.copy(TRAILS / "et000000000", tmp_path)
    session = Session()
    with ExitStack() as ends:
        ends.enter_context(chdir(tmp_path))
        ends.callback(session.end)
        stepped = Stepped(session, (120, 36))
        ends.callback(stepped.close)
        yield stepped


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("held", ["hold_work", "hold_answers"])
def test_a_step_that_waits_for_the_findings_is_dropped_where_the_user_goes_on(
    leaves: str, held: str, stepped: Stepped, tmp_path: Path
) -> None:
    app = stepped.app
    names = sorted(path.name for path in tmp_path.glob("at*"))
    lines = {"open": "open et000000000; pos 3491", "next file": f"open {names[1]}"}
    lines |= {line: line for line in ("pos 2008", "mark a")}
    stepped.run(lambda: app.enter(f"open {names[0]}; pos last"))
    stepped.run(app.records.focus)
    getattr(stepped.threads, held)("findings")
    stepped.run(partial(app.simulate_key, "exclamation_mark"))
    for what in LEAVES[leaves]:
        stepped.run(partial(app.enter, lines[what]) if what in lines else partial(app.simulate_key, what))
    before = (app.model.state.path, app.model.rba)
    stepped.run(stepped.threads.release_all)
    assert ((app.model.state.path, app.model.rba) != before) == (leaves == "nothing")
    stepped.run(partial(app.simulate_key, "P"))
    stepped.run(partial(app.simulate_key, "escape"))
    assert leaves == "nothing" or (app.model.state.path, app.model.rba) == before
    stepped.run(partial(app.simulate_key, "exclamation_mark"))  # the keys go on
    if leaves != "another trail":
        assert (app.model.state.path, app.model.rba) != before


def test_a_place_in_a_file_whose_name_cannot_be_entered_is_said_by_each_way_there(tmp_path: Path) -> None:
    folder = tmp_path / 'a"b'
    folder.mkdir()
    paths = _trail(folder, Random("quote"))
    there, here = paths[0], paths[-1]
    session = Session()

    async def steps(screen: Screen) -> None:
        app = screen.app
        positions = [
            position
            for position in (found.position for found in _findings(here))
            if position is not None and position.path == there
        ]
        ways: dict[str, Callable[[], None]] = {
            "findings": lambda: app.on_answer_pane_opened(AnswerPane.Opened(positions[0])),
            "timeline": lambda: app.on_timeline_pane_opened(TimelinePane.Opened(positions[0].rba, there)),
            "sides": lambda: app.on_side_by_side_pane_opened(SideBySidePane.Opened(positions[0], is_second=False)),
            "second side": lambda: app.on_side_by_side_pane_opened(SideBySidePane.Opened(positions[0], is_second=True)),
            "related": lambda: app.on_related_found(RelatedFound("definition", positions[0])),
            "jump": app.action_jump_back,
        }
        app._jumps._places.append(positions[0])
        for name, way in ways.items():
            way()
            await screen.settle()
            assert app.mode.transcript.last is not None
            assert app.mode.transcript.last.said == [NO_NAME], name
            app._reports.tell("something else")
        for keys in (("home", "at"), ("P", "enter"), ("T", "up", "up", "up", "enter")):
            await screen.press("escape", *keys)
            assert NO_NAME in screen.text, keys
            assert app.model.state.path == here
            app._reports.tell("something else")

    session.open(here)
    drive(steps, here, place="records", first="", session=session)
