"""The findings of DOCTOR on the screen: keys go from one to the next over all files, a pane lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display.text import Severity
from logdump.features.doctor.model import DoctorShown, Finding
from logdump.language.execute import run_line
from logdump.session.session import Session
from tests.logdump.test_across import split
from tests.logdump.tui.drive import WIDE, Screen, drive
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
    spots = {
        (found.spot.path.name, found.spot.rba)
        for found in _findings(path)
        if found.spot is not None and (found.severity is not Severity.NOTE or found.spot.rba)
    }
    return sorted(spots)


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
    assert damage.spot is not None
    rba = damage.spot.rba

    async def steps(screen: Screen) -> None:
        while _here(screen) != (paths[0].name, rba):
            await screen.press("exclamation_mark")
        assert f"!! {damage.text}"[:60] in screen.text
        assert "Bad record found" in screen.text

    drive(steps, paths[0], place="records", page="values")


def test_the_pane_lists_what_doctor_finds_and_enter_goes_there(tmp_path: Path) -> None:
    paths = _trail(tmp_path, Random(2))
    listed = [found for found in _findings(paths[0]) if found.spot is not None]

    async def steps(screen: Screen) -> None:
        await screen.press("P")
        pane = screen.app.query_one("#findings")
        texts = [choice.text for choice in pane._choices]  # type: ignore[attr-defined]
        assert len(texts) >= len(listed)
        for found in listed:
            assert found.spot is not None
            line = next(text for text in texts if found.text[:30] in text and f" {found.spot.rba} " in text)
            assert found.spot.path.name in line
            assert line.startswith({Severity.DAMAGE: "!!", Severity.WARNING: " !"}.get(found.severity, "  "))
        last = max((found.spot.path.name, found.spot.rba) for found in listed if found.spot is not None)
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
