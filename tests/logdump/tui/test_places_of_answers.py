"""Lines of an answer that are about a place: Enter leads to the record, the colour is that of the severity."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display.text import PlacedLine, Severity, render
from logdump.language.execute import run_line
from logdump.session.session import Session
from logdump.tui.panes.record_pane import AnswerPane
from tests.logdump.tui.drive import Screen, drive, rba_of, trails
from tests.searching import Random

_ANSWERS = ("doctor", "recovery", "safe 3491", "transactions", "explain restart at 0 3491")


def _answer(trail: Path, line: str) -> list[str]:
    """The lines of an answer."""
    session = Session()
    session.open(trail)
    try:
        events = list(run_line(session, REGISTRY, line))
        return [text for event in events for text in render(event, session.settings)]
    finally:
        session.end()


def _page(screen: Screen) -> AnswerPane:
    page = screen.app.pages.page("output")
    assert isinstance(page, AnswerPane)
    return page


@pytest.mark.parametrize("line", _ANSWERS)
def test_what_an_answer_says_of_a_place_has_the_place(line: str) -> None:
    """A line of these answers that names an RBA has a place with it."""
    placed = [text for text in _answer(TRAILS / "at000000000", line) if isinstance(text, PlacedLine)]
    assert any("RBA" in text for text in placed) or line == "transactions"
    assert all(text.position is not None and f"{text.position.rba}" in text for text in placed if "RBA" in text)
    assert all(text.position is None or text.position.path.name.startswith("at") for text in placed)


@pytest.mark.parametrize("line", ["doctor", "recovery", "transactions"])
@pytest.mark.parametrize("which", ["first", "last", "drawn"])
def test_enter_on_a_line_leads_to_its_record_and_back_to_the_line(line: str, which: str) -> None:
    draw = Random(f"{line} {which}")
    placed = [
        text
        for text in _answer(trails() / "at000000000", line)
        if isinstance(text, PlacedLine) and text.position is not None
    ]
    at = {"first": 0, "last": -1, "drawn": draw.randrange(len(placed))}[which]
    position = placed[at].position
    assert len({text.position for text in placed}) > 2
    assert position is not None

    async def steps(screen: Screen) -> None:
        await screen.type(line)
        await screen.press("escape")  # from the prompt to the answer, since it has places
        page = _page(screen)
        assert screen.app.focused is page
        assert page.rows[page.current].position is not None
        wanted = next(index for index, row in enumerate(page.rows) if row.position == position)
        step = 1 if wanted > page.current else -1
        await screen.press(*["down" if step > 0 else "up"] * abs(wanted - page.current), "enter")
        assert rba_of(screen) == position.rba
        assert screen.app.model.pane == "records"
        assert screen.app.model.page != "output"
        await screen.press("v")
        assert screen.app.focused is page
        assert page.rows[page.current].position == position

    drive(steps, "at000000000")


def test_the_command_to_paste_is_current_and_seen_in_a_long_answer() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("explain OGG-01028 et000000000 rba 2008")
        await screen.press("escape")
        page = _page(screen)
        lines = screen.text.splitlines()[page.region.y : page.region.bottom]
        assert page.rows[page.current].text.strip().startswith("ALTER REPLICAT")
        assert any("ALTER REPLICAT" in line for line in lines)
        assert page.count > page.size.height
        await screen.press("y")
        assert screen.app.clipboard.startswith("ALTER REPLICAT <group>, EXTSEQNO 0, EXTRBA ")
        await screen.press("pageup", "pageup")
        assert page.top == 0 or "explain" in page.rows[page.top].text or page.top < 5

    drive(steps, place="records")


def test_a_line_without_a_place_leads_nowhere() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("doctor")
        await screen.press("escape")
        page, before = _page(screen), rba_of(screen)
        await screen.press(*["up"] * page.current, "enter")
        assert page.rows[page.current].position is None
        assert rba_of(screen) == before
        assert "This line is about no place." in screen.text

    drive(steps, "at000000000")


def test_the_colour_of_a_line_is_that_of_its_severity(tmp_path: Path) -> None:
    data = (TRAILS / "et000000000").read_bytes()
    (tmp_path / "et000000000").write_bytes(data[:3987] + bytes(100) + data[4087:])

    async def steps(screen: Screen) -> None:
        await screen.type("check")
        gap = next(row for row in _page(screen).rows if row.text.startswith("Gap in"))
        assert gap.position == (tmp_path / "et000000000", 3987)
        assert gap.pieces[0][1] == "warn"
        await screen.type("doctor")
        found = {row.pieces[0][1] for row in _page(screen).rows if row.text.startswith("  !! ")}
        assert found == {"warn"}
        assert {row.pieces[0][1] for row in _page(screen).rows if "[COUNT" in row.text} <= {""}

    drive(steps, tmp_path / "et000000000")


def test_a_place_is_kept_where_its_line_is_escaped() -> None:
    from logdump.display.text import _escaped
    from trailformat.trail.sequence import FilePosition

    position = FilePosition(Path("et000000000"), 12)
    plain, placed, last = _escaped(["a\x1b", PlacedLine("b\x1b", position, Severity.DAMAGE), "c"])
    assert (plain, placed, last) == ("a\\x1b", "b\\x1b", "c")
    assert isinstance(placed, PlacedLine)
    assert (placed.position, placed.severity) == (position, Severity.DAMAGE)
    assert not isinstance(last, PlacedLine)
