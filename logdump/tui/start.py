"""Start of the full-screen view, if there is a terminal for it."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import locale
import os
import sys
from typing import TYPE_CHECKING

from logdump.line import terminal
from logdump.line.history_file import KeptHistory, UnusableHistory, history_path
from logdump.notation.text import escape
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.tui.reading import start_page
    from logdump.tui.text import appearance

if TYPE_CHECKING:
    from logdump.tui.reading.start_page import StartPlace

_NO_SCREEN = "the full-screen view needs a terminal; use line mode or -c"
_NO_TEXTUAL = "the full-screen view needs Textual: pip install 'logdump[tui]'"
_SWITCHES = "ghdr on; detail data; ggstoken detail; usertoken detail"
"""The first line, entered like any other: it sets the content of the detail page."""
_OF_LINE_MODE = ("ask", "full_screen", "note_entered", "standard_output", "takes_lines", "width")
"""Attributes of a session that line mode has set and the view sets differently."""


def start(words: list[str], *, mouse: bool = True) -> int:
    """Run the view of a file or trail; with a folder, a wildcard or no words it begins with the start page.

    Returns:
        The exit status.
    """
    problem = problem_with_screen()
    if problem is not None:
        terminal.write_line(escape(f"logdump: {problem}"), is_narration=True)
        return ExitStatus.USAGE
    session = Session()
    history = KeptHistory(history_path(os.environ))
    with contextlib.suppress(UnusableHistory):
        session.history = history.recall()
    try:
        place = start_page.start_place(words)
        first = _SWITCHES if place is not None else f"OPEN {_as_word(words[0])}; {_SWITCHES}"
        return _run(session, first, history, place, mouse=mouse, finds_data=True)
    finally:
        session.end()


def _as_word(name: str) -> str:
    """Return a file name as a word of a command."""
    return name if '"' in name else f'"{name}"'


def go_on(session: Session, history: KeptHistory) -> None:
    """Continue a session of line mode in the view; at its end the attributes of line mode are restored.

    Raises:
        CommandError: the view cannot be shown.
    """
    problem = problem_with_screen()
    if problem is not None:
        raise CommandError(f"TUI: {problem}.")
    of_line_mode = {name: getattr(session, name) for name in _OF_LINE_MODE}
    session.full_screen = session.width = None
    try:
        _run(session, "", history, mouse=True)
    finally:
        vars(session).update(of_line_mode, is_over=False)


def problem_with_screen() -> str | None:
    """Return why the view cannot be shown, None if it can. Textual draws on standard error: it must be a terminal."""
    is_able = os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    if not (is_able and all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))):
        return _NO_SCREEN
    return None if importlib.util.find_spec("textual") else _NO_TEXTUAL


def _run(
    session: Session,
    first: str,
    history: KeptHistory,
    place: StartPlace | None = None,
    *,
    mouse: bool,
    finds_data: bool = False,
) -> int:
    gc.disable()  # saves a sixth of the start time, as in __main__
    from logdump.tui.app import TrailApp  # noqa: PLC0415 - refusing must not take a second

    app = TrailApp(
        session, first, history, appearance.appearance_for(os.environ, _encoding()), place, finds_data=finds_data
    )
    gc.freeze()
    gc.enable()
    app.run(mouse=mouse)
    return app.return_code or ExitStatus.OK


def _encoding() -> str:
    """Return the encoding of the terminal: that of the locale, as the streams report UTF-8 in Python's UTF-8 mode."""
    return sys.stdout.encoding if sys.platform == "win32" else locale.getencoding()
