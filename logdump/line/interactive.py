"""Line mode at a terminal: line editing, completion, and a history that the next session continues."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from logdump.commands import REGISTRY
from logdump.language.reader import Context
from logdump.language.words import complete, last_word
from logdump.line import terminal
from logdump.line.history_file import KeptHistory, UnusableHistory, history_path
from logdump.line.line_mode import LineMode
from logdump.notation.text import amount, escape, some_of
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Notice
from logdump.session.known_tables import column_names, table_names
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotRead, TrailError

with on_demand:
    from logdump.features.explain import explained_log
    from logdump.session import files
    from trailformat.trail import sequence


class LineEditor:
    """Adds editing keys, completion, and recall of lines by arrow keys to ``input()``.

    ``context`` returns the context of completion: the tables of the open trail, the marks.
    """

    def __init__(self, context: Callable[[], Context] = Context) -> None:
        self._context = context
        self._offers: list[str] = []
        try:
            self._readline: Any = importlib.import_module("readline")
        except ImportError:
            self._readline = None
            return
        self._readline.set_auto_history(False)
        self._readline.set_completer(self._offer)
        self._readline.set_completer_delims(" ;")
        # libedit stands in for readline in the bundle, and has its own words
        is_libedit = "libedit" in (self._readline.__doc__ or "")
        self._readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        # offers differ in case from the typed text and from each other
        self._readline.parse_and_bind("set completion-ignore-case on")
        # several pasted lines are one text, which nothing runs before Enter
        self._readline.parse_and_bind("set enable-bracketed-paste on")

    def recall(self, lines: Sequence[str]) -> None:
        """Replace the lines that the arrow keys recall."""
        if self._readline is not None:
            self._readline.clear_history()
            for line in lines:
                self._readline.add_history(line)

    def _offer(self, _text: str, state: int) -> str | None:
        if state == 0:
            line = self._readline.get_line_buffer()[: self._readline.get_endidx()]
            self._offers = endings(line, complete(REGISTRY, line, self._context()), self._readline.get_begidx())
        return self._offers[state] if state < len(self._offers) else None


def endings(line: str, offers: Sequence[str], begun: int) -> list[str]:
    """Return the offers for the line from ``begun`` on, which is inside the word if that has a blank in quotes.

    A single offer is completed with a blank, unless it is a folder.
    """
    start = last_word(line)
    typed = line[start:begun]
    fitting = [offer[len(typed) :] for offer in offers if offer.startswith(typed)]
    return [f"{fitting[0]} "] if len(fitting) == 1 and not fitting[0].endswith("/") else fitting


_FIRST_STEPS = (
    "OPEN <file>, then N shows a record, VALUES ON its columns, TUI the full screen; EXIT ends.",
    "SAFE <rba>: where Replicat may restart.  CHECK: damage.  ROW <table> <key>: one row's story.",
    "A message of GoldenGate that is pasted here is explained.  HELP lists all commands.",
)
_MOST_TRAILS = 4
"""Maximum number of trails that the greeting names."""


def trails_here() -> Iterator[str]:
    """Yield a line about the trails of the current folder, or of its folder dirdat; none if there are none."""
    for folder in (Path(), Path("dirdat")):
        try:
            trails, _ = sequence.trails_among(files.matching_files(str(folder)))
        except (CommandError, CannotRead, TrailError, OSError, ValueError):
            continue
        names = [f"{folder / names[0].prefix} ({amount(len(names), 'file')})" for names in trails]
        yield f"Trails here: {some_of(names, _MOST_TRAILS)}."
        return


GoFullScreen = Callable[[Session, KeptHistory], None]


class Interactive(LineMode):
    """Commands typed at a terminal; Ctrl+C ends a command, not the session.

    Args:
        first: commands that are run first, as if typed.
        go_full_screen: continues the session in the full-screen view until that ends; None: no such view.
    """

    records_together = 1  # after Ctrl+C the position is after the record printed last

    def __init__(self, first: str = "", go_full_screen: GoFullScreen | None = None) -> None:
        super().__init__(first)
        self._editor = LineEditor(self._context)
        self._kept = KeptHistory(history_path(os.environ))
        if go_full_screen is not None:
            self.session.full_screen = partial(go_full_screen, self.session, self._kept)

    def _run(self) -> int:
        self._greet()
        self._recall_history()
        if self._first:
            terminal.write_line(escape(f"{self.prompt}{self._first}"))
            self._enter_and_remember(self._first)
        while not self.session.is_over:
            try:
                line = self._read(self.prompt)
                if line is None:
                    terminal.write_line(escape(""))
                    break
                self._enter_and_remember(line)
            except KeyboardInterrupt:
                terminal.write_line(escape(""))
        return ExitStatus.OK

    def _read(self, prompt: str) -> str | None:
        try:
            return input(escape(prompt))
        except EOFError:
            return None

    def _context(self) -> Context:
        session = self.session
        if not session.has_trail:
            return Context(session.settings.time_offset, (), session.marks)
        trail = session.trail
        columns_of = partial(column_names, trail)
        return Context(session.settings.time_offset, table_names(trail), session.marks, columns_of)

    def _enter_and_remember(self, line: str) -> None:
        self.session.width = shutil.get_terminal_size().columns
        try:
            self._enter_pasted(line) if "\n" in line else self.enter(line)
        finally:
            self._editor.recall(self.session.history.lines)
            self._save_history()

    def _greet(self) -> None:
        """Print the banner, what can be typed first, and the trails of this folder."""
        super()._greet()
        for line in (*_FIRST_STEPS, *trails_here()):
            terminal.write_line(escape(line))
        terminal.write_line(escape(""))

    def _enter_pasted(self, text: str) -> None:
        """Explain a paste of several lines, which the terminal has sent as one; if it is commands, run them."""
        line = explained_log.pasted_line(text, REGISTRY)
        if line is None:
            for command in text.splitlines():
                self.enter(command)
            return
        said = f"A paste of {amount(len(text.splitlines()), 'line')} that are no commands: EXPLAIN reads it."
        self._print(Notice((said,), ExitStatus.OK))
        self.enter(line)

    def _recall_history(self) -> None:
        try:
            self.session.history = self._kept.recall()
        except UnusableHistory as error:
            self._print(Notice((str(error),), ExitStatus.COMMAND_FAILED))
        self._editor.recall(self.session.history.lines)

    def _save_history(self) -> None:
        try:
            self._kept.save(self.session.history)
        except UnusableHistory as error:
            self._print(Notice((str(error),), ExitStatus.COMMAND_FAILED))
