"""The record list by itself: pages that come late, steps while rows are read, and where a filter leaves the cursor."""

from __future__ import annotations

import pytest

from fixtures import TRAILS
from logdump.session.session import Session
from logdump.tui.panes.record_list import RecordList
from logdump.tui.reading.rows import PageRequest, RowKind, RowReader, read_page
from logdump.tui.reading.state import state_of
from tests.logdump.line import Line
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.test_records import rba_of
from trailformat import TrailFile


def test_a_page_that_nobody_waits_for_any_more_changes_nothing() -> None:
    async def steps(screen: Screen) -> None:
        records = screen.app.records
        with TrailFile(TRAILS / "et000000000") as trail:
            late = read_page(RowReader(trail), PageRequest(3260), trail.size)
        assert records.take(PageRequest(3260), late) is None
        assert rba_of(screen) == 0

    drive(steps)


def test_steps_while_rows_are_read_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(screen: Screen) -> None:
        records, asked = screen.app.records, []
        monkeypatch.setattr(RecordList, "post_message", lambda _self, message: asked.append(message.request))
        records.go_to(None, -1)
        records.action_move(-1)
        records.action_move(-2)
        assert [(one.rba, one.step) for one in asked] == [(None, -1), (None, -2), (None, -4)]
        monkeypatch.undo()
        records.go_to(0)

    drive(steps)


def test_a_filter_that_goes_when_the_user_has_moved_shows_rows_all_the_same() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename TEAHOUSE.TEAS")
        await screen.press("escape", "j", "j", "j")
        moved_to = rba_of(screen)
        screen.app.mode.submit("filter clear all")
        await screen.settle()
        assert rba_of(screen) == screen.app.session.cursor.current == moved_to

    drive(steps)


def test_the_filter_of_a_state_is_not_that_of_the_session(shop: Line) -> None:
    shop("filter include filename TEAHOUSE.TEAS")
    state = state_of(shop.session, 1)
    text = state.filter_text
    shop("filter include filename TEAHOUSE.SALES")
    assert state.filters is not None
    assert state.filters is not shop.session.filters_in_use
    assert len(list(state.filters.entries())) == 1
    assert text != state_of(shop.session, 1).filter_text


@pytest.mark.parametrize(
    ("position", "rba"),
    [("2800", 2722), ("2722", 2722), ("999999", 5453), ("5453", 5453), ("3068", 2892), ("1", 0)],
)
def test_the_cursor_stands_on_the_record_around_a_position_or_at_the_end(position: str, rba: int) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(f"pos {position}")
        assert rba_of(screen) == rba
        row = screen.app.records.row
        assert row is not None
        assert (row.kind is RowKind.END) == (rba == 5453)
        await screen.press("escape", "escape")
        assert bool(screen.lines("detail")) == (rba != 5453)

    drive(steps)


def test_with_a_filter_the_cursor_stands_on_the_record_around_a_position_if_it_passes() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename TEAHOUSE.SALES")
        found = []
        for position in (2800, 2000):
            await screen.type(f"pos {position}")
            found.append(rba_of(screen))
        assert found == [2722, 2170]

    drive(steps)


def test_a_session_without_a_trail_has_nothing_current() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "n", "h")
        assert screen.app.records.row is None
        assert not screen.app.pages.page("hex").count

    drive(steps, first="", session=Session())
