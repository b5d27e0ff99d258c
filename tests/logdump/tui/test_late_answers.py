"""Answers that come late, and keys that are faster than the session: the newest wins, and list and session agree."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from textual.widget import Widget

from fixtures import TRAILS
from logdump.tui.panes.record_list import RecordList
from logdump.tui.reading.messages import FilePolled
from logdump.tui.reading.rows import PageRequest, RowReader, read_page
from tests.logdump.tui.drive import Screen, drive, rba_of
from trailformat import TrailFile

WHOLE = (TRAILS / "et000000000").read_bytes()
FIRST, SECOND, THIRD, FOURTH = 0, 1130, 1261, 1811
DATA = 2363
"""The first record of data of st000000000, after its definitions."""


async def while_busy(screen: Screen, *acts: Callable[[], object]) -> None:
    """Do something while the thread of the session has no time, then let it go on."""
    gate = threading.Event()

    def wait() -> None:
        gate.wait(20)

    screen.app.mode._thread.do("gate", wait)
    for act in acts:
        act()
    gate.set()
    await screen.settle()


def position(screen: Screen) -> int:
    return screen.app.session.cursor.current


def test_a_line_goes_on_from_where_the_user_stood_when_it_was_entered() -> None:
    async def steps(screen: Screen) -> None:
        app = screen.app
        await while_busy(
            screen, partial(app.records.action_move, 1), partial(app.enter, "n"), partial(app.records.action_move, 1)
        )
        assert app.mode.transcript.last is not None
        assert list(app.mode.transcript.last.records) == [THIRD]
        assert rba_of(screen) == position(screen) == THIRD

    drive(steps)


@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize("begins_on_data", [True, False])
def test_a_row_of_a_file_that_is_closed_meanwhile_is_no_position_in_the_next(
    *, begins_on_data: bool, moves: bool
) -> None:
    """The first record of data is where the list begins only as long as the user has not moved."""

    async def steps(screen: Screen) -> None:
        app = screen.app
        begin = [app.records.begin_on_data] * begins_on_data
        move = [partial(app.records.action_move, 1)] * moves
        await while_busy(screen, *begin, partial(app.enter, "open st000000000"), *move)
        assert rba_of(screen) == position(screen) == (DATA if begins_on_data and not moves else FIRST)

    drive(steps)


def test_moving_while_a_filter_is_entered_moves_the_session_too() -> None:
    async def steps(screen: Screen) -> None:
        app = screen.app
        await while_busy(
            screen, partial(app.enter, "filter exclude filename NO.TABLE"), partial(app.records.action_move, 2)
        )
        assert rba_of(screen) == position(screen) == THIRD

    drive(steps)


def test_the_scroll_bar_moves_the_session() -> None:
    async def steps(screen: Screen) -> None:
        records = screen.app.records
        await screen.pilot.click(RecordList, offset=(records.size.width - 1, records.size.height - 1))
        await screen.settle()
        assert rba_of(screen) == position(screen) > FOURTH

    drive(steps)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[PageRequest]:
    """What the list asks for; nothing answers."""
    asked: list[PageRequest] = []
    post = Widget.post_message

    def note(records: RecordList, message: object) -> bool:
        if isinstance(message, RecordList.PageNeeded):
            asked.append(message.request)
            return True
        return post(records, message)  # type: ignore[arg-type]

    monkeypatch.setattr(RecordList, "post_message", note)
    return asked


def answer(records: RecordList, wanted: PageRequest) -> bool:
    with TrailFile(TRAILS / "et000000000") as trail:
        return records.take(wanted, read_page(RowReader(trail), wanted, trail.size)) is not None


def test_rows_that_come_after_another_step_do_not_take_it_back(asked: list[PageRequest]) -> None:
    async def steps(screen: Screen) -> None:
        records = screen.app.records
        asked.clear()
        records.go_to(SECOND, fresh=True)
        records.action_move(2)
        assert not answer(records, asked[0])
        assert answer(records, asked[-1])
        assert rba_of(screen) == THIRD

    drive(steps, until=lambda screen: bool(asked) and answer(screen.app.records, asked[-1]))


def test_rows_read_before_the_file_has_grown_are_read_again(asked: list[PageRequest]) -> None:
    async def steps(screen: Screen) -> None:
        records = screen.app.records
        asked.clear()
        records.go_to(SECOND, fresh=True)
        records._read_again()
        assert asked[0] == asked[1]
        assert not answer(records, asked[0])
        assert answer(records, asked[1])

    drive(steps, until=lambda screen: bool(asked) and answer(screen.app.records, asked[-1]))


def test_a_look_at_the_file_that_comes_late_does_not_say_that_it_was_cut() -> None:
    async def steps(screen: Screen) -> None:
        path = screen.app.model.state.path
        assert path is not None
        screen.app.post_message(FilePolled(path, 2000, 2000, is_gone=False, following=None))
        await screen.settle()
        assert "FILE TRUNCATED" not in screen.text

    drive(steps)


def test_the_end_of_filtered_rows_grows_with_the_file_and_the_session_stays(tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes(WHOLE[:3260])

    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename TEAHOUSE.SALES")
        await screen.press("escape", "space", "space")
        stood = position(screen)
        path.write_bytes(WHOLE)
        screen.app._poll()
        await screen.settle()
        assert position(screen) == stood == 3260
        row = screen.app.records.row
        assert row is not None
        assert row.rba >= stood

    drive(steps, path)


def test_a_line_that_moves_ends_following_and_one_that_does_not_goes_on() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        await screen.type("reclen 20")
        assert screen.app.model.follows
        await screen.type("pos 0")
        assert not screen.app.model.follows
        assert rba_of(screen) == position(screen) == FIRST

    drive(steps)


def test_following_stands_at_the_last_record_that_passes_a_filter() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        await screen.type("filter include filename TEAHOUSE.SALES")
        await screen.press("escape", "k", "G", "k")
        last = rba_of(screen)
        await screen.press("w")
        assert rba_of(screen) == position(screen) == last

    drive(steps)


def test_following_into_the_next_file_stands_at_its_last_record(tmp_path: Path) -> None:
    for name in ("st000000000", "st000000001"):
        shutil.copy(TRAILS / name, tmp_path / name)
    with TrailFile(tmp_path / "st000000001") as trail:
        last = trail.previous_good_header(trail.end_of_records())

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        await screen.type("nexttrail")
        assert screen.app.model.follows
        assert rba_of(screen) == position(screen) == last

    drive(steps, tmp_path / "st000000000")


def test_following_that_is_ended_before_its_rows_come_leaves_the_cursor_where_the_session_is() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        screen.app.action_follow()
        screen.app.action_follow()
        await screen.settle()
        assert rba_of(screen) == position(screen) == len(WHOLE)

    drive(steps)


def test_half_a_record_that_ends_the_rows_read_grows_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logdump.tui.panes.record_list._LEAST_AROUND", 2)
    monkeypatch.setattr("logdump.tui.panes.record_list._PAGES_AROUND", 0)
    path = tmp_path / "et000000000"
    path.write_bytes(WHOLE[: (THIRD + FOURTH) // 2])

    async def steps(screen: Screen) -> None:
        path.write_bytes(WHOLE)
        screen.app._poll()
        await screen.settle()
        rows = screen.app.records._page.rows
        assert [(row.rba, row.end) for row in rows] == [(FIRST, SECOND), (SECOND, THIRD), (THIRD, FOURTH)]

    drive(steps, path)


def test_an_answer_that_comes_as_patience_ends_stays_on_the_page() -> None:
    async def steps(screen: Screen) -> None:
        pages = screen.app.pages
        screen.app.records.action_move(1)
        patience = pages._patience
        assert patience is not None
        assert patience._callback is not None
        await screen.settle()
        patience._callback()
        await screen.settle()
        assert screen.lines("detail")

    drive(steps)
