"""The open transactions of a trail over time: bars, checkpoints, the restart position, the way to the records."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from logdump.features.timeline import open_transactions
from logdump.features.timeline.open_transactions import OpenTransactions, OpenTransactionsScan
from logdump.notation.times import GMT
from logdump.parameters.in_use import ParametersInUse
from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.model.model import TIMELINE
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.text.plot import TimelinePage
from logdump.tui.text.styled import ASCII, UNICODE, Glyphs
from logdump.tui.text.timeline_text import open_transactions_page
from tests.logdump.tui.drive import NARROW, Screen, drive, rba_of
from tests.logdump.tui.stepped import Stepped
from tests.logdump.tui.test_timeline import pane
from tests.simulated.bounded_recovery import HOUR, Worked, write_trail
from trailformat import TrailFile

SHORT = [Worked(10 + number, (number * HOUR,), number * HOUR) for number in range(14)]
OLD, YOUNG = Worked(1, (HOUR, 13 * HOUR), 13 * HOUR), Worked(2, (11 * HOUR // 2, 23 * HOUR // 2), 23 * HOUR // 2)
"""Open from 01:00 to 13:00, and from 05:30 to 11:30; checkpoints are at 04:00, 08:00 and 12:00."""
OLD_END, YOUNG_END = 1, 3
"""The ends of the two, among the four that the cursor goes to."""
LABELS = len("Checkpoint ")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trail whose times of operations tell when its transactions began."""
    return write_trail(tmp_path / "br000000000", [OLD, YOUNG, *SHORT], commit_times=False)


def page(path: Path, bar: int = 0, parameters: ParametersInUse | None = None, glyphs: Glyphs = UNICODE) -> TimelinePage:
    """The page with a column for each half an hour, from midnight to the last end."""
    session, scan, settings = Session(), OpenTransactionsScan(parameters), Settings()
    settings.time_offset = GMT
    session.open(path)
    try:
        assert all(scan.extend(session))
    finally:
        session.end()
    return open_transactions_page(scan.answer, bar, (LABELS + 26, 40), settings, glyphs)


def chart(shown: TimelinePage) -> list[str]:
    """The bars and the checkpoints."""
    return [line.text[LABELS:] for line in shown.lines[-4:-1]]


def told(shown: TimelinePage) -> str:
    return "".join(line.text for line in shown.lines)


async def show(screen: Screen) -> None:
    await screen.press("escape", "l")
    pane(screen).focus()
    await screen.press("down")


@pytest.fixture
def broff(tmp_path: Path) -> ParametersInUse:
    file = tmp_path / "ext.prm"
    file.write_text("EXTRACT ext\nBR BROFF\nEXTTRAIL lt\nTABLE *.*;\n")
    none = ParametersInUse()
    return none.having(none.read(file))


def test_a_bar_goes_from_begin_to_end_and_is_full_from_the_checkpoint_on_that_writes_it_to_disk(path: Path) -> None:
    old, young, _ = chart(page(path))
    assert old == "··──────────────██████████"
    assert young == "│       │··─────────────│ "


@pytest.mark.parametrize(
    ("bar", "marks"), [(OLD_END, "│       │       │       R "), (YOUNG_END, "│       │  R    │       │ ")]
)
def test_the_restart_position_of_the_checkpoint_before_the_cursor_is_marked(bar: int, marks: str, path: Path) -> None:
    assert chart(page(path, bar))[-1] == marks


def test_plain_characters_are_enough_for_it(path: Path) -> None:
    assert chart(page(path, OLD_END, glyphs=ASCII)) == [
        "..--------------##########",
        "|       |..-------------| ",
        "|       |       |       R ",
    ]


def test_with_broff_there_are_no_checkpoints_and_the_oldest_begin_is_marked(path: Path, broff: ParametersInUse) -> None:
    assert chart(page(path, YOUNG_END, broff)) == [
        "··────────────────────────",
        "         ··─────────────  ",
        "  R                       ",
    ]


def test_the_page_says_what_is_assumed(path: Path) -> None:
    text = told(page(path))
    assert "Open for longer than 4 h: 2 for certain" in text
    assert "Assumed: committed transactions only" in text


def test_the_page_of_another_database_says_that_bounded_recovery_is_for_oracle_alone(trails: Path) -> None:
    assert told(page(trails / "el000000000")).startswith("Bounded Recovery exists for Oracle only: ")


def test_the_page_of_several_redo_threads_says_that_there_is_no_clock(tmp_path: Path) -> None:
    mixed = [transaction._replace(thread=number % 2) for number, transaction in enumerate([OLD, YOUNG, *SHORT])]
    text = told(page(write_trail(tmp_path / "mx000000000", mixed)))
    assert "The redo clock is not used: positions of several redo threads" in text


def test_what_is_shown_while_the_trail_is_read_is_marked_as_partial(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_transactions, "_EVERY", 0.0)
    monkeypatch.setattr(open_transactions, "_RECORDS", 1)
    session, scan = Session(), OpenTransactionsScan(None)
    session.open(path)
    looks = [scan.answer for _ in scan.extend(session)]
    session.end()
    assert [found.shown.is_partial for found in (looks[-1], scan.answer) if isinstance(found, OpenTransactions)] == [
        True,
        False,
    ]


@pytest.fixture
def ends_of_old(path: Path) -> tuple[int, int]:
    """The RBAs of the first and the last record of the older one."""
    with TrailFile(path) as trail:
        records = list(trail.records(trail.first_rba))
    at = next(at for at, record in enumerate(records) if record.xid == OLD.xid)
    return records[at].rba, records[at + 1].rba


def test_enter_at_the_begin_leads_to_the_first_record_in_whichever_file(
    path: Path, ends_of_old: tuple[int, int]
) -> None:
    other = Path(shutil.copy(path, path.with_name("br000000001")))

    async def steps(screen: Screen) -> None:
        await show(screen)
        await screen.press("enter")
        assert (screen.app.model.state.path, rba_of(screen)) == (path, ends_of_old[0])

    drive(steps, other)


def test_enter_at_the_commit_leads_to_the_last_record(path: Path, ends_of_old: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        await show(screen)
        await screen.press("right", "enter")
        assert rba_of(screen) == ends_of_old[1]

    drive(steps, path)


def test_up_leads_back_to_the_bars_of_the_file(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await show(screen)
        assert "open 1/2" in screen.text
        await screen.press("up")
        assert "No heartbeat in this file" in screen.text

    drive(steps, path)


def test_a_click_puts_the_cursor_on_the_nearer_end_of_a_bar(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await show(screen)
        region = pane(screen).region
        row = next(row for row, text in enumerate(screen.lines(TIMELINE)) if text.startswith(YOUNG.xid))
        await screen.pilot.click(offset=(region.right - 8, region.y + row))
        await screen.settle()
        assert pane(screen).bar == YOUNG_END

    drive(steps, path)


def test_the_screen_does_not_wait_for_the_trail_to_be_read(path: Path) -> None:
    session = Session()
    session.open(path)
    with ExitStack() as ends:
        ends.callback(session.end)
        stepped = Stepped(session, NARROW)
        ends.callback(stepped.close)
        stepped.run(lambda: stepped.app.enter("open"))
        stepped.run(lambda: stepped.app.model.show_page(TIMELINE))
        stepped.threads.hold_work("open transactions")
        stepped.run(lambda: stepped.app.query_one(TimelinePane).action_way(1))
        assert any("is being read for its open transactions" in text for text in stepped.painted())
        stepped.run(lambda: stepped.app.enter("pos last"))
        stepped.run(lambda: stepped.threads.release("open transactions"))
        assert any("9.9.2 " in text for text in stepped.painted())
