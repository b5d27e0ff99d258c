"""Starting the full-screen view, where there is a screen to fill."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import locale
import os
import sys

from logdump.line import terminal
from logdump.line.history_file import KeptHistory, UnusableHistory, history_path
from logdump.notation.escape import escape
from logdump.session.errors import CommandError
from logdump.session.exit_status import ExitStatus
from logdump.session.session import Session

_NO_SCREEN = "the full-screen view needs a terminal; use line mode or -c"
_NO_TEXTUAL = "the full-screen view needs Textual: pip install 'logdump[tui]'"
_SWITCHES = "ghdr on; detail data; ggstoken detail; usertoken detail"
"""The first line, which is entered like any other: the content of the detail pane."""
_OF_LINE_MODE = ("ask", "full_screen", "note_entered", "standard_output", "takes_lines")
"""What line mode has set in a session, and the view sets otherwise."""


def start(trail: str, *, mouse: bool = True) -> int:
    """Run the view of a trail, given as a word of a command, until its end; returns the exit status."""
    problem = problem_with_screen()
    if problem is not None:
        terminal.write_line(escape(f"logdump: {problem}"), is_narration=True)
        return ExitStatus.USAGE
    session = Session()
    kept = KeptHistory(history_path(os.environ))
    with contextlib.suppress(UnusableHistory):
        session.history = kept.recall()
    try:
        return _run(session, f"OPEN {trail}; {_SWITCHES}" if trail else "", kept, mouse=mouse)
    finally:
        session.end()


def go_on(session: Session, kept: KeptHistory) -> None:
    """Go on with a session of line mode; when the view ends, line mode has it back.

    Raises:
        CommandError: there is no screen.
    """
    problem = problem_with_screen()
    if problem is not None:
        raise CommandError(f"TUI: {problem}.")
    of_line_mode = {name: getattr(session, name) for name in _OF_LINE_MODE}
    session.full_screen = None
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


def _run(session: Session, first: str, kept: KeptHistory, *, mouse: bool) -> int:
    gc.disable()  # as in __main__: a sixth of the time
    from logdump.tui.app import TrailApp  # noqa: PLC0415 - refusing must not take a second
    from logdump.tui.text.appearance import appearance_for  # noqa: PLC0415

    app = TrailApp(session, first, kept, appearance_for(os.environ, _encoding()))
    gc.freeze()
    gc.enable()
    app.run(mouse=mouse)
    return app.return_code or ExitStatus.OK


def _encoding() -> str:
    """The encoding of the terminal: the locale's, which the UTF-8 mode of Python hides from its streams."""
    return sys.stdout.encoding if sys.platform == "win32" else locale.getencoding()
