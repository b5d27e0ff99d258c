"""What is typed into the prompt gives what it gives in line mode, to the byte, and all of it can be read."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.widget import Widget

from logdump.line.line_mode import BANNER
from logdump.session.session import Session
from logdump.session.settings import OutputFormat
from logdump.tui.model.model import OUTPUT, SIDE_BY_SIDE
from logdump.tui.reading.transcript import Answer, TranscriptEntry
from tests.logdump.tui.drive import Screen, drive
from tests.searching import IS_LONG
from tests.transcripts.play import SCRIPTS, WITH_PROGRAMS, copy_of_trails, environment, steady

_OF_LINE_MODE = "follow"
"""The screen follows a trail by a key."""
SCRIPTS_HERE = [script for script in SCRIPTS if script.stem not in (*WITH_PROGRAMS, _OF_LINE_MODE)]


class Typist:
    """Types a script and notes what a pipe would have got."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.session = screen.app.session
        self.text = "\n".join(BANNER) + "\n"
        self.unread: list[str] = []

    def _note(self, prompt: str) -> None:
        if self.session.settings.format is not OutputFormat.JSONL:
            self.text += prompt

    async def _enter(self, line: str) -> None:
        # nothing is painted yet: each pane is asked for its own lines, and settles where some are not there
        prompt = self._screen.app.prompt
        with self._screen.app.batch_update():
            prompt.focus()
            prompt.begin(line)
            self._screen.app.simulate_key("enter")
            await self._screen.rest()

    async def type(self, lines: list[str]) -> None:
        rest = iter(lines)
        for line in rest:
            self._note(self._screen.app.mode.prompt)
            await self._enter(line) if line.strip() else None
            while self._screen.app.mode.is_asking:
                await self._enter(next(rest, ""))
            entry = self._screen.app.mode.transcript.last
            for part in entry.output if entry and line.strip() else ():
                self.text += f"{part}\n" if isinstance(part, str) else ""
                self._note(part.prompt if isinstance(part, Answer) else "")
            if entry and line.strip() and unread(self._screen, entry):
                await self._screen.settle()
                self.unread += [f"{line}: {text}" for text in unread(self._screen, entry)]
            if self.session.is_over:
                return
        self._note(self._screen.app.mode.prompt)
        self._note("\n")


def squeezed(text: str) -> str:
    """Without blanks, so that it does not matter where it wraps."""
    return "".join(text.split())


def painted(widget: Widget) -> str:
    """What stands on the screen where a widget is, its rows joined."""
    return squeezed("".join(widget.render_line(y).text for y in range(widget.size.height)))


def unread(screen: Screen, entry: TranscriptEntry) -> list[str]:
    """The lines of an answer that stand neither in the strip nor on the page; a long answer may be scrolled to."""
    app = screen.app
    page = app.pages.page(app.model.page)
    found = painted(app.log_strip) + painted(page)
    if app.model.page == SIDE_BY_SIDE:  # which the output page has in words
        page = app.pages.page(OUTPUT)
        app.model.show_page(OUTPUT)
    if entry.records or sum(1 + len(line) // 40 for line in entry.lines()) > page.height:
        found += squeezed("".join(page.line_at(at).text for at in range(page.count)))
    return [line for line in entry.lines()[1:] if squeezed(line) not in found]


class Typed(NamedTuple):
    """What came of a script: the text of a pipe, and the lines that could not be read on the screen."""

    text: str
    unread: list[str]


_TYPED: dict[Path, Typed] = {}


@pytest.fixture
def typed(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """The script typed into the prompt; once for all tests."""
    if script not in _TYPED:
        _TYPED[script] = _type(script, tmp_path, monkeypatch)
    return _TYPED[script]


def _type(script: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    trails = copy_of_trails(folder, script)
    for name, value in environment(script, trails).items():
        monkeypatch.setenv(name, value)
    time.tzset()
    monkeypatch.chdir(trails)
    session = Session()
    zone = session.settings.time_offset
    typists = []

    async def steps(screen: Screen) -> None:
        session.settings.time_offset = zone
        typists.append(Typist(screen))
        await typists[0].type(script.read_text(encoding="utf-8").splitlines())

    drive(steps, first="", session=session)
    monkeypatch.undo()
    time.tzset()
    return Typed(steady(typists[0].text, trails), typists[0].unread)


_SHORT = set(
    """
    across br damage diff doctor errors export fc filter find format list mark metadata obey position redo shell
    transactions tui values without_file_header
    """.split()  # noqa: SIM905 - a list of so many would fill a page
)
"""Of the short form: answers of each kind, and what the screen does in its own way."""
TYPED_HERE = [script for script in SCRIPTS_HERE if IS_LONG or script.stem in _SHORT]
EACH_SCRIPT = pytest.mark.parametrize("script", TYPED_HERE, ids=[script.stem for script in TYPED_HERE])
"""Together all scripts have every command in them."""


@EACH_SCRIPT
def test_a_transcript_typed_into_the_prompt(script: Path, typed: Typed) -> None:
    assert typed.text == script.with_suffix(".out").read_text(encoding="utf-8")


@EACH_SCRIPT
def test_every_answer_can_be_read_on_a_small_screen(script: Path, typed: Typed) -> None:  # noqa: ARG001 - typed's
    assert not typed.unread
