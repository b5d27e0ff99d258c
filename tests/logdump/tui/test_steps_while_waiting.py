"""Steps in the list while the rows they lead to are on their way, or do not come, counted by hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, chdir
from functools import partial
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.notation.times import GMT
from logdump.session.session import Session
from tests.logdump.tui.stepped import Stepped
from trailformat import TrailFile

FIRST, SECOND = "st000000000", "st000000001"


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stepped]:
    """A screen in a folder with the two files of a trail, which reads few rows around the cursor."""
    monkeypatch.setattr("logdump.tui.panes.record_list._LEAST_AROUND", 2)
    monkeypatch.setattr("logdump.tui.panes.record_list._PAGES_AROUND", 0)
    for name in (FIRST, SECOND):
        shutil.copy(TRAILS / name, tmp_path)
    session = Session()
    session.settings.time_offset = GMT
    with ExitStack() as ends:
        ends.enter_context(chdir(tmp_path))
        ends.callback(session.end)
        stepped = Stepped(session, (120, 36))
        ends.callback(stepped.close)
        yield stepped


def _rows(name: str) -> list[tuple[str, int]]:
    """The rows of a file, its end the last of them."""
    with TrailFile(TRAILS / name) as trail:
        return [*((name, record.rba) for record in trail.records()), (name, trail.size)]


def _here(screen: Stepped) -> tuple[str, int]:
    model = screen.app.model
    assert model.state.path is not None
    assert model.row is not None
    assert model.row.rba == screen.app.session.cursor.current
    return model.state.path.name, model.row.rba


def _press(screen: Stepped, *keys: str) -> None:
    screen.run(screen.app.records.focus)
    screen.run(*[partial(screen.app.simulate_key, key) for key in keys])


def _begin(screen: Stepped, line: str) -> None:
    screen.run(lambda: screen.app.enter(line))


@pytest.mark.parametrize("held", ["rows", "commands"])
@pytest.mark.parametrize("steps", [(1, 1), (3, 2), (2, 2), (3, -1), (1, -1)])
def test_steps_while_rows_or_a_file_are_on_their_way_are_all_done(
    held: str, steps: tuple[int, int], screen: Stepped
) -> None:
    """From the last record of the first file on: so many steps over its end, and more while they are under way."""
    rows = [*_rows(FIRST), *_rows(SECOND)]
    at = len(_rows(FIRST)) - 2
    _begin(screen, f"open {FIRST}; across on; pos {rows[at][1]}")
    screen.threads.hold_work(held)
    for step in steps:
        _press(screen, *["j" if step > 0 else "k"] * abs(step))
    screen.run(screen.threads.release_all)
    _press(screen)
    assert _here(screen) == rows[at + sum(steps)]


@pytest.mark.parametrize("keys", [["j"], ["j"] * 3, ["j", "j", "k"]])
def test_steps_towards_a_file_that_cannot_be_opened_are_not_done_later(keys: list[str], screen: Stepped) -> None:
    rows = _rows(FIRST)
    Path(SECOND).write_bytes(b"no trail")
    _begin(screen, f"open {FIRST}; across on; pos last")
    _press(screen, "j")
    screen.threads.hold_work("commands")
    _press(screen, *keys)
    screen.run(screen.threads.release_all)
    stood = _here(screen)
    _begin(screen, "pos 0")
    assert _here(screen) == rows[0]
    _press(screen, "j")
    assert _here(screen) == rows[1]
    assert stood[0] == FIRST


@pytest.mark.parametrize("steps", range(1, 8))
def test_many_steps_over_the_beginning_of_a_file_go_on_in_the_one_before(steps: int, screen: Stepped) -> None:
    """More than there are rows that are known there."""
    rows = [*_rows(FIRST), *_rows(SECOND)]
    at = len(_rows(FIRST)) + 1
    _begin(screen, f"open {SECOND}; across on; pos {rows[at][1]}")
    screen.run(partial(screen.app.records.action_move, -steps))
    assert _here(screen) == rows[at - steps]


@pytest.mark.parametrize("above", [1, 2])
def test_steps_over_the_beginning_of_a_file_count_from_the_nearest_row(above: int, screen: Stepped) -> None:
    rows = [*_rows(FIRST), *_rows(SECOND)]
    at = len(_rows(FIRST)) + 1
    _begin(screen, f"open {SECOND}; across on; pos {rows[at][1]}")
    screen.run(partial(screen.app.records.action_move, -(above + 1)))
    assert _here(screen) == rows[at - above - 1]
    screen.run(partial(screen.app.records.action_move, above + 2))
    assert _here(screen) == rows[at + 1]


@pytest.mark.parametrize("steps", [(5, 1, 2), (5, -2, 4), (6, -5, 1), (-5, -1, 2), (-5, 7, 1)])
@pytest.mark.parametrize("is_asked_again", [False, True])
def test_steps_beyond_the_rows_that_are_read_add_up(
    steps: tuple[int, ...], screen: Stepped, *, is_asked_again: bool
) -> None:
    """Each is made before the rows of the one before it have come; they may be asked for again, as the file grows."""
    rows = _rows(FIRST)
    at = len(rows) // 2
    _begin(screen, f"open {FIRST}; pos {rows[at][1]}")
    screen.threads.hold_work("rows")
    records = screen.app.records
    for step in steps:
        screen.run(partial(records.action_move, step), *[records._read_again] * is_asked_again)
    screen.run(screen.threads.release_all)
    assert _here(screen) == rows[at + sum(steps)]
