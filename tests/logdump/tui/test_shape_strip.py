"""The strip over the list: the file over time, and a stretch of it as a filter."""

from __future__ import annotations

import pytest

from fixtures import TRAILS
from logdump.features.timeline.volume import KINDS, ShapeScan
from logdump.session.session import Session
from logdump.tui.panes.shape_strip import ShapeStrip
from tests.logdump.tui.drive import WIDE, Screen, drive
from tests.logdump.tui.test_records import rba_of

TALL = (200, 50)


def strip_of(screen: Screen) -> str:
    strip = screen.app.query_one(ShapeStrip)
    return "".join(text for text, _ in strip._pieces())


def test_the_records_of_a_file_by_what_they_do() -> None:
    session = Session()
    session.open(TRAILS / "et000000000")
    scan = ShapeScan()
    assert [*scan.extend(session)] == [session.trail.size]
    columns = scan.shape.columns(10)
    session.end()
    assert [sum(counts) for counts in zip(*(one.counts for one in columns), strict=True)] == [7, 8, 3, 3]
    assert columns[0].kind == KINDS[0]
    assert columns[1].start == columns[0].end
    assert scan.shape.column_of(5400, columns) == 9


@pytest.mark.parametrize("width", [1, 2, 80, 300])
def test_columns_hold_every_record_whatever_their_number(width: int) -> None:
    session = Session()
    session.open(TRAILS / "st000000000")
    scan = ShapeScan()
    assert [*scan.extend(session)]
    columns = scan.shape.columns(width)
    session.end()
    assert len(columns) == width
    assert sum(one.records for one in columns) == sum(one.records for one in scan.shape.columns(7))


def test_a_tall_screen_has_the_strip_and_a_key_shows_it_elsewhere() -> None:
    async def tall(screen: Screen) -> None:
        assert strip_of(screen).strip()

    async def wide(screen: Screen) -> None:
        assert not screen.app.query_one(ShapeStrip).display
        await screen.press("Z")
        assert screen.app.query_one(ShapeStrip).display
        await screen.press("Z")
        assert not screen.app.query_one(ShapeStrip).display
        assert screen.app.focused is screen.app.records

    drive(tall, "at000000000", TALL)
    drive(wide, "et000000000", WIDE, place="records")


def test_restarts_and_damage_have_signs() -> None:
    async def restarts(screen: Screen) -> None:
        assert "\u2573" in strip_of(screen)

    async def damage(screen: Screen) -> None:
        assert "!" in strip_of(screen)

    drive(restarts, "at000000000", TALL)
    drive(damage, "gt000000000", TALL)


def test_enter_goes_to_the_first_record_of_a_column() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("Z", "right", "right", "right", "enter")
        assert rba_of(screen) == 3069

    drive(steps, "et000000000", WIDE, place="records")


def test_a_stretch_becomes_a_filter_and_escape_takes_it_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("Z", "right", "right", "right", "space", "right", "right", "enter")
        shown = [row.rba for row in screen.app.records._page.rows]
        assert shown == [3069, 3260, 3391, 3522, 5453]
        await screen.press("escape")
        assert not screen.app.model.state.filter_text
        assert screen.app.focused is screen.app.records

    drive(steps, "et000000000", WIDE, place="records")
