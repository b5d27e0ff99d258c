"""The record list: opening, moving, and how the session moves along."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.language.execute import run_line
from logdump.notation.times import GMT
from logdump.session.session import Session
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import NARROW, SWITCHES, WIDE, Screen, drive, trails

_SIZES = [NARROW, WIDE]
SIZES = pytest.mark.parametrize("size", _SIZES, ids=["80x24", "120x36"])


def rba_of(screen: Screen) -> int | None:
    row = screen.app.records.row
    return row.rba if row else None


@pytest.mark.parametrize("size", [*_SIZES, (200, 50)], ids=["80x24", "120x36", "200x50"])
def test_moving_shows_the_record_under_the_cursor(size: tuple[int, int], golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        assert rba_of(screen) == screen.app.session.cursor.current == 0
        await screen.press("j", "j", "j")
        assert rba_of(screen) == screen.app.session.cursor.current == 1811
        golden(f"record-{size[0]}x{size[1]}", screen.text)

    drive(steps, size=size, page="values", place="records")


def test_next_reads_on_from_the_cursor() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "n")
        assert rba_of(screen) == 2008

    drive(steps)


def test_position_moves_the_cursor() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2170")
        assert rba_of(screen) == 2170
        assert "Reading forward from RBA 2170" in screen.text

    drive(steps)


def test_the_end_is_reached_at_once_and_next_prints_nothing_there() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        assert rba_of(screen) == (TRAILS / "et000000000").stat().st_size
        before = screen.lines("detail")
        await screen.press("n")
        last = screen.app.mode.transcript.last
        assert last is not None
        assert (last.line, last.printed, screen.lines("detail")) == ("NEXT", 0, before)

    drive(steps)


@pytest.mark.parametrize("trail", ["et000000000", "el000000000", "ot000000", "gt000000000", "ut000000000"])
def test_the_detail_is_what_line_mode_prints(trail: str) -> None:
    session = Session()
    session.settings.time_offset = GMT
    for line in (f"open {trails() / trail}", SWITCHES):
        list(run_line(session, REGISTRY, line))

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "home")
        rba, before = rba_of(screen), -1
        while rba is not None and rba != before:
            session.cursor.move(rba)
            printed = [text for event in run_line(session, REGISTRY, "n") for text in render(event, session.settings)]
            assert screen.lines("detail") == printed
            before = rba
            await screen.press("j")
            rba = rba_of(screen)

    drive(steps, trail)
    session.end()


def test_a_missing_file_is_told_and_the_view_stays() -> None:
    async def steps(screen: Screen) -> None:
        assert "No such file or directory" in "\n".join(screen.app.mode.transcript.entries[0].lines())

    drive(steps, "zz000000000")


def test_a_file_that_is_no_trail_is_told(tmp_path: Path) -> None:
    path = tmp_path / "no.txt"
    path.write_text("no trail\n" * 10)

    async def steps(screen: Screen) -> None:
        assert "this is not a trail file" in " ".join(screen.app.mode.transcript.entries[0].lines())

    drive(steps, path)
