"""What the screen knows after files, filters, crossings and late answers is what one knows that begins there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from functools import partial
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.model.model import TIMELINE
from logdump.tui.panes.one_line import OneLine
from tests.logdump.tui.growing_trail import GrowingTrail
from tests.logdump.tui.stepped import THREADS, Stepped
from tests.searching import IS_LONG, Random

FILES = ["at000000000", "at000000001", "at000000002", "st000000000", "st000000001", "gt000000000", "kt000000000"]
FILTERS = [
    "filter include rectype insert",
    "filter include filename *.TEAS",
    "filter exclude csn > 41882351",
    "filter include rectype 999",
    "filter off",
    "filter on",
    "filter clear",
]
ACROSS = ["across on", "across off", "across gaps"]
SLOW = [name for name in THREADS if name not in ("commands", "start page")]
PARTS = ("summary", "neighbours", "indexed", "matched", "transactions", "lacks", "timeline", "warning", "busy")


@contextmanager
def _screen() -> Iterator[Stepped]:
    session = Session()
    session.settings.time_offset = GMT
    with ExitStack() as ends:
        ends.callback(session.end)
        screen = Stepped(session, (120, 36))
        ends.callback(screen.close)
        yield screen


def _known(screen: Stepped) -> dict[str, object]:
    """Each field of the model about the file and its list, once nothing is slow any more and the file was looked at."""
    screen.run(screen.threads.release_all)
    model = screen.app.model
    screen.run(screen.app._poll)
    screen.run(partial(model.show_page, TIMELINE))
    screen.run(screen.app._poll)
    known: dict[str, object] = {name: getattr(model, name) for name in PARTS}
    known["tables"] = [(table.name, table.totals, table.part) for table in model.tables]
    known["places"] = (model.index.places.sound_records, model.index.places.damaged_places, model.index.covered)
    known["title"] = screen.app.query_one("#title", OneLine).text
    known["marks"] = model.marks_here
    return known


class History:
    """What is done to a screen, and the lines that a screen needs to begin where that one stands."""

    def __init__(self, screen: Stepped, trail: GrowingTrail, draw: Random) -> None:
        self._screen, self._trail, self._draw = screen, trail, draw
        self._kept: list[str] = []
        self.done: list[str] = []

    def enter(self, line: str, *, is_kept: bool = False) -> None:
        self.done.append(line)
        if is_kept:
            self._kept.append(line)
        self._screen.run(lambda: self._screen.app.enter(line))

    def step(self) -> None:
        """Anything that changes what is known."""
        screen, draw = self._screen, self._draw
        match draw.randrange(7):
            case 0:
                self.enter(f"open {draw.choice([*FILES, self._trail.path.name])}")
            case 1:
                self.enter(draw.choice(FILTERS), is_kept=True)
            case 2:
                self.enter(draw.choice(ACROSS), is_kept=True)
            case 3:
                name = draw.choice(SLOW)
                self.done.append(f"slow: {name}")
                hold = screen.threads.hold_work if draw.random() < 0.5 else screen.threads.hold_answers
                screen.run(lambda: hold(name))
            case 4:
                self.done.append("all answer")
                screen.run(screen.threads.release_all)
            case 5:
                self.done.append("grows")
                self._trail.grow(draw.randrange(1, 4))
                screen.run(screen.app._poll)
            case _:
                keys = draw.choice([["G", "j"], ["home", "k"], ["G", "j", "j", "k"], ["G", "n"]])
                self.done.append(" ".join(keys))
                screen.run(screen.app.records.focus)
                screen.run(*[partial(screen.app.simulate_key, key) for key in keys])

    def begun_here(self) -> dict[str, object]:
        """What a screen knows that opens this file and enters the lines about filters and ACROSS."""
        path = self._screen.app.model.state.path
        with _screen() as screen:
            for line in (*self._kept, f"open {path}"):
                screen.run(partial(screen.app.enter, line))
            return _known(screen)


@pytest.mark.parametrize("seed", range(8 if IS_LONG else 2))
def test_a_screen_that_goes_on_knows_what_one_knows_that_begins_there(seed: int, tmp_path: Path) -> None:
    for name in FILES:
        shutil.copy(TRAILS / name, tmp_path)
    draw = Random(seed)
    with chdir(tmp_path), _screen() as screen:
        trail = GrowingTrail(tmp_path, "et", draw.randrange(6, 30), is_damaged=draw.random() < 0.5)
        history = History(screen, trail, draw)
        history.enter(f"open {draw.choice(FILES)}")
        for _ in range(12):
            history.step()
        known = _known(screen)
        begun = history
    with chdir(tmp_path):
        expected = begun.begun_here()
    assert known == expected, history.done
