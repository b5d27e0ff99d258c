"""Starting the full-screen view, where there is a screen to fill."""

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

if TYPE_CHECKING:
    from logdump.tui.reading.start_page import StartPlace

_NO_SCREEN = "the full-screen view needs a terminal; use line mode or -c"
_NO_TEXTUAL = "the full-screen view needs Textual: pip install 'logdump[tui]'"
_SWITCHES = "ghdr on; detail data; ggstoken detail; usertoken detail"
"""The first line, which is entered like any other: the content of the detail pane."""
_OF_LINE_MODE = ("ask", "full_screen", "note_entered", "standard_output", "takes_lines", "width")
"""What line mode has set in a session, and the view sets otherwise."""


def start(words: list[str], *, mouse: bool = True) -> int:
    """Run the view of a file or trail until its end, of a folder, a wildcard or nothing from its start page.

    Returns:
        The exit status.
    """
    problem = problem_with_screen()
    if problem is not None:
        terminal.write_line(escape(f"logdump: {problem}"), is_narration=True)
        return ExitStatus.USAGE
    session = Session()
    kept = KeptHistory(history_path(os.environ))
    with contextlib.suppress(UnusableHistory):
        session.history = kept.recall()
    try:
        from logdump.tui.reading.start_page import start_place  # noqa: PLC0415 - refusing must not take a second

        place = start_place(words)
        first = _SWITCHES if place is not None else f"OPEN {_as_word(words[0])}; {_SWITCHES}"
        return _run(session, first, kept, place, mouse=mouse)
    finally:
        session.end()


def _as_word(name: str) -> str:
    """A name as a word of a command."""
    return name if '"' in name else f'"{name}"'


def go_on(session: Session, kept: KeptHistory) -> None:
    """Go on with a session of line mode; when the view ends, line mode has it back.

    Raises:
        CommandError: there is no screen.
    """
    problem = problem_with_screen()
    if problem is not None:
        raise CommandError(f"TUI: {problem}.")
    of_line_mode = {name: getattr(session, name) for name in _OF_LINE_MODE}
    session.full_screen = session.width = None
    try:
        _run(session, "", kept, mouse=True)
    finally:
        vars(session).update(of_line_mode, is_over=False)


def problem_with_screen() -> str | None:
    """Why the view cannot be shown; None when it can. Textual paints on standard error."""
    is_able = os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    if not (is_able and all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))):
        return _NO_SCREEN
    return None if importlib.util.find_spec("textual") else _NO_TEXTUAL


def _run(session: Session, first: str, kept: KeptHistory, place: StartPlace | None = None, *, mouse: bool) -> int:
    gc.disable()  # as in __main__: a sixth of the time
    from logdump.tui.app import TrailApp  # noqa: PLC0415 - refusing must not take a second
    from logdump.tui.text.appearance import appearance_for  # noqa: PLC0415

    app = TrailApp(session, first, kept, appearance_for(os.environ, _encoding()), place)
    gc.freeze()
    gc.enable()
    app.run(mouse=mouse)
    return app.return_code or ExitStatus.OK


def _encoding() -> str:
    """The encoding of the terminal: the locale's, which the UTF-8 mode of Python hides from its streams."""
    return sys.stdout.encoding if sys.platform == "win32" else locale.getencoding()
