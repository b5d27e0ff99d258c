"""The screen as a state machine: keys, lines, resizes, growing files and late answers in any order.

Beside it runs line mode with the same lines. Whenever nothing is late, all that the screen shows is what that has.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from fixtures import TRAILS
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.keys.keys import KEYS
from logdump.tui.model.model import NOT_OF_RECORD
from logdump.tui.panes.one_line import OneLine
from logdump.tui.panes.record_list import RecordList
from logdump.tui.reading.rows import RowKind
from logdump.tui.reading.transcript import Answer
from tests.logdump.tui.beside import Beside, expected_row, places
from tests.logdump.tui.growing_trail import GrowingTrail
from tests.logdump.tui.resting import resize
from tests.logdump.tui.stepped import THREADS, Stepped
from tests.logdump.tui.test_current_record import LineMode, mismatch, tells_what_is_visible
from tests.logdump.tui.twin import painted_anew
from tests.searching import IS_LONG, examples

SIZES = [(80, 24), (120, 36), (40, 10), (132, 12), (30, 6)]
TRAILS_GROWING = ["et", "gt", "kl"]
_ENDS = ("quit", "exit")
PRESSED = sorted({name for key in KEYS if key.id not in _ENDS for name in key.keys.split(",")} - {"ctrl+z", "ctrl+q"})
"""The keys of the table, without those that end the session or leave the terminal."""
WALKS = ["j", "k", "space", "pageup", "n", "G", "home", "w", "right_square_bracket", "right_curly_bracket", "escape"]
LINES = [
    "n",
    "n 3",
    "skip 2",
    "pos 0",
    "pos 3260",
    "pos 3300",
    "pos eof",
    "pos last",
    "pos 999999",
    "pos record 4",
    "pos csn 41882368",
    "pos time 2024-03-14 09:33:00",
    "pos rev",
    "pos for",
    "pos mark a",
    "pos mark b",
    "mark a here",
    "mark b",
    "mark delete a",
    "sfh",
    "sfh prev",
    "sfnt",
    "sfmd",
    "find SEN01",
    "find next",
    "transaction next",
    "sametable previous",
    "filter include filename TEAHOUSE.SALES",
    "filter include filename TEAHOUSE.TEAS",
    "filter exclude rectype insert",
    "filter include rectype 999",
    "filter clear all",
    "filter off",
    "filter on",
    "count",
    "count detail",
    f"diff {TRAILS}/et000000000 limit 3",
    "safe",
    "detail off",
    "detail on",
    "detail data",
    "values on",
    "values off",
    "ghdr off",
    "ghdr on",
    "usertoken detail",
    "ggstoken on",
    "reclen 32",
    "timeoffset +02:00",
    "history 3",
    "open",
    "nexttrail",
    "across on",
    "across off",
    "no such command",
    "reopen",
    "first file",
]
PAGES = ["detail", "hex", "tokens", "header", "timeline"]


_EACH = 1 if IS_LONG else 5
"""Checks between two comparisons with a screen composed anew, which takes as long as all else."""
_NEVER = 3600.0
"""Seconds: what the clock of the view would do, rules do."""


class Screen(RuleBasedStateMachine):
    """A screen, line mode beside it, and a trail that grows."""

    @initialize(
        name=st.sampled_from(TRAILS_GROWING),
        size=st.sampled_from(SIZES),
        pieces=st.integers(2, 60),
        is_damaged=st.booleans(),
        is_patient=st.booleans(),
    )
    def begin(self, name: str, size: tuple[int, int], pieces: int, *, is_damaged: bool, is_patient: bool) -> None:
        """Open a trail on a screen."""
        self._folder = TemporaryDirectory()
        self._before = Path.cwd()
        os.chdir(self._folder.name)
        self._patch = pytest.MonkeyPatch()
        for clock in (
            "app._POLL_EVERY",
            "panes.pages._PATIENCE",
            "reading.background.EVERY",
            "reading.screen_mode._EVERY",
        ):
            self._patch.setattr(f"logdump.tui.{clock}", _NEVER)
        self._patch.setattr("logdump.tui.panes.record_list._LEAST_AROUND", 2)
        self._patch.setattr("logdump.tui.panes.record_list._PAGES_AROUND", 1)
        self.is_patient, self.is_wrong = is_patient, False
        self.trail = GrowingTrail(Path(self._folder.name), name, pieces, is_damaged=is_damaged)
        session = Session()
        session.settings.time_offset = GMT
        self.screen = Stepped(session, size)
        self.app = self.screen.app
        self.model = Beside()
        self.pages = LineMode()
        self.done = self.checks = 0
        self.is_last = False
        self.enter(f"open {self.trail.path.name}; ghdr on; detail data")

    # What happens.

    def step(self, *acts: Callable[[], object]) -> None:
        """Do something, let everything happen that is not held, then look."""
        self.is_wrong = True
        self.screen.run(*acts)
        if self.app.mode.is_asking:
            self.screen.run(lambda: self.app.mode.answer(None))
        if not self.is_patient and self.app.pages._patience is not None:
            self.screen.run(self.app.pages._empty_shown)
        assert self.app.is_running
        assert self.app._exception is None
        if "commands" not in self.screen.threads.held:
            self.follow()
        if not self.screen.threads.held:
            self.check()
        else:
            self.check_page_in_between()
        self.is_wrong = False

    def follow(self) -> None:
        """Carry out in line mode what the session of the view has done."""
        todo, self.done = self.app.asked[self.done :], len(self.app.asked)
        for what, arguments, opened in todo:
            self.model.do(what, arguments, opened)

    @rule(line=st.sampled_from(LINES))
    def enter(self, line: str) -> None:
        """A line is entered."""
        line = {
            "reopen": f"open {self.trail.path.name}",
            "first file": f"open {self.trail.name}000000000",
        }.get(line, line)
        self.step(lambda: self.app.enter(line))

    @rule(keys=st.lists(st.sampled_from(WALKS), min_size=1, max_size=4))
    def walk(self, keys: list[str]) -> None:
        """Keys that walk, in the records, faster than anything answers."""
        app = self.app
        while len(app.screen_stack) > 1:
            self.screen.run(app.pop_screen)
        self.screen.run(lambda: setattr(app.model, "upper", "records"), app.records.focus)
        self.step(*[partial(app.simulate_key, key) for key in keys])

    @rule(key=st.sampled_from(PRESSED), letter=st.sampled_from("ab"))
    def press(self, key: str, letter: str) -> None:
        """Any key, wherever the keyboard is."""
        app = self.app
        if app.focused is app.prompt and app.prompt.value.startswith("save"):
            self.screen.run(app.prompt.begin)
        keys = [key, letter] if key in ("m", "apostrophe") else [key]
        self.step(*[partial(app.simulate_key, key_name) for key_name in keys])

    @rule(name=st.sampled_from(PAGES))
    def show(self, name: str) -> None:
        """A page is shown."""
        self.step(lambda: self.app.model.show_page(name))

    @rule(part=st.integers(0, 30), is_bar=st.booleans())
    def click(self, part: int, *, is_bar: bool) -> None:
        """A click into the list, or on its scroll bar."""
        size = self.app.records.size
        if size.height > 1 and len(self.app.screen_stack) == 1:
            at = (size.width - 1 if is_bar else 2, 1 + part % (size.height - 1))
            self.step(lambda: self.screen.pilot.click(RecordList, offset=at))

    @rule(step=st.sampled_from([3, -3]))
    def wheel(self, step: int) -> None:
        """The wheel."""
        self.step(lambda: self.app.records.action_move(step))

    @rule(size=st.sampled_from(SIZES))
    def resize(self, size: tuple[int, int]) -> None:
        """Another terminal."""
        self.step(lambda: resize(self.screen.pilot, *size))

    @precondition(lambda self: "commands" not in self.screen.threads.held)
    @rule(halves=st.integers(1, 4))
    def grow(self, halves: int) -> None:
        """The file has more, and the view looks."""
        self.trail.grow(halves)
        self.look()

    @precondition(lambda self: "commands" not in self.screen.threads.held)
    @rule(halves=st.integers(2, 9))
    def roll_over(self, halves: int) -> None:
        """The file has come to its end, and the next is there."""
        self.trail.roll_over(halves)
        self.look()

    @rule()
    def look(self) -> None:
        """A second has passed."""
        self.step(self.app._poll)

    @rule(name=st.sampled_from(THREADS), is_before=st.booleans())
    def hold(self, name: str, *, is_before: bool) -> None:
        """A thread is slow from here on."""
        threads = self.screen.threads
        (threads.hold_work if is_before else threads.hold_answers)(name)
        self.step()

    @precondition(lambda self: bool(self.screen.threads.held))
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        """A slow thread comes through."""
        name = data.draw(st.sampled_from(sorted(self.screen.threads.held)))
        self.step(lambda: self.screen.threads.release(name))

    @precondition(lambda self: bool(self.screen.threads.held))
    @rule()
    def release_all(self) -> None:
        """Nothing is slow any more."""
        self.step(self.screen.threads.release_all)

    # What holds.

    def check(self) -> None:
        """Everything on the screen is as line mode has it, a look at the file later."""
        if self.app.model.state.path is not None and not self.knows_size:
            self.screen.run(self.app._poll)
            self.follow()
        self.check_session()
        self.check_answers()
        if self.app.model.state.path is not None:
            self.check_list()
            self.check_title_and_side()
            wrong = mismatch(self.app, self.page, self.pages) if self.page else ""
            assert not wrong, f"{self.page} at {self.app.records.row}: {wrong}"
            assert tells_what_is_visible(self.app)
        self.checks += 1
        if len(self.app.screen_stack) == 1 and (self.is_last or self.checks % _EACH == 0):
            assert self.screen.painted() == painted_anew(self.app)

    @property
    def knows_size(self) -> bool:
        """Whether the view knows how long the file is now."""
        model = self.app.model
        return model.state.path is not None and model.summary.size == model.state.path.stat().st_size

    @property
    def page(self) -> str:
        """The page about the record under the cursor that is shown, if one is."""
        return "" if self.app.model.page in NOT_OF_RECORD else self.app.model.page

    def check_page_in_between(self) -> None:
        """A page that waits shows nothing rather than something else."""
        app = self.app
        has_other_switches = app.model.state.switches != repr(app.session.settings)
        if self.is_patient or not self.page or not self.knows_size or has_other_switches:
            return
        page = app.pages.page(self.page)
        text = page.whole_text
        if page.count and "are being read" not in text and "cannot be read" not in text:
            wrong = mismatch(app, self.page, self.pages)
            assert not wrong, f"{self.page} at {app.records.row}: {wrong}"

    def check_session(self) -> None:
        """Position, filter, switches, marks and file are those of line mode; the prompt bears its number."""
        expected, session, app = self.model.state, self.app.session, self.app
        for name in ("path", "filter_text", "switches", "marks"):
            assert getattr(app.model.state, name) == getattr(expected, name), name
        assert app.session.prompt == self.model.prompt
        assert str(app.query_one("#prompt-label").render()).strip() == self.model.prompt.strip()
        if session.has_trail:
            cursor, other = session.cursor, self.model.session.cursor
            here = (cursor.current, cursor.next, cursor.is_backwards)
            assert here == (other.current, other.next, other.is_backwards)

    def check_answers(self) -> None:
        """Every line was answered as in line mode, under the same prompt."""
        entered = [entry for entry in self.app.mode.transcript.entries if entry.prompt]
        shown = [
            (entry.prompt, entry.line, [text for text in entry.output if not isinstance(text, Answer)])
            for entry in entered
        ]
        assert shown == self.model.printed

    def check_list(self) -> None:
        """The rows are those that pass the filter, and the cursor is where the session is."""
        app, rows, row = self.app, self.app.records._page.rows, self.app.records.row
        if app.file.is_stopped:
            return
        assert app.model.state.path is not None
        found, size, _ = places(app.model.state.path, self.model.session)
        expected = [(place.rba, place.is_record) for place in found] + [(size, False)]
        shown = [(list_row.rba, list_row.kind in (RowKind.RECORD, RowKind.FILE_HEADER)) for list_row in rows]
        assert row is not None
        assert shown, "no rows"
        first = expected.index(shown[0])
        assert shown == expected[first : first + len(shown)]
        position = self.model.session.cursor.current
        assert row.rba == expected_row(found, size, position), f"position {position} of {size}, rows {shown}"
        assert app.records.marks == {
            mark.rba: mark.name[:1] for mark in self.model.session.marks.values() if mark.path == app.model.state.path
        }
        if app.model.follows:
            assert row.rba == (found[-1].rba if found else size)

    def check_title_and_side(self) -> None:
        """The file, its size, records, filter and tables."""
        app, title = self.app, self.app.query_one("#title", OneLine).text
        assert app.model.state.path is not None
        found, size, index = places(app.model.state.path, self.model.session)
        text = self.model.state.filter_text
        assert app.model.summary.name == app.model.state.path.name
        assert app.model.summary.size == size
        assert app.model.state.filter_text == text
        assert ("FILTER off" in title) == (not text)
        if app.file.is_stopped:
            return
        assert app.model.busy == ""
        if text:
            assert app.model.matched is not None
            assert app.model.matched.records == sum(place.is_record for place in found)
        assert app.model.indexed is not None
        assert app.model.indexed.records == index.places.sound_records
        assert app.model.tables_read == (index.sums.tables, index.sums.other_tables.records)
        assert [transaction.span for transaction in app.model.transactions] == [
            span for span in (index.sums.transactions.open,) if span is not None
        ] + index.sums.transactions.largest

    def teardown(self) -> None:
        """End it all, as late as it is; then everything has to be right."""
        if not hasattr(self, "screen"):
            return
        with ExitStack() as ends:
            ends.callback(self._folder.cleanup)
            ends.callback(os.chdir, self._before)
            ends.callback(self._patch.undo)
            ends.callback(self.pages.close)
            ends.callback(self.model.session.end)
            ends.callback(self.app.session.end)
            ends.callback(self.screen.close)
            if not self.is_wrong:
                self.is_last = True
                self.step(self.screen.threads.release_all)


def test_the_screen_shows_what_line_mode_has_whatever_happens_in_whatever_order() -> None:
    run_state_machine_as_test(
        Screen,
        settings=settings(
            max_examples=examples(2), stateful_step_count=20 if IS_LONG else 12, suppress_health_check=list(HealthCheck)
        ),
    )
