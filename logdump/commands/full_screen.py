"""The command TUI: opens the full-screen view."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import File
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.session import Session


def run_tui(session: Session, path: str | None) -> Iterator[Event]:
    """Continue the session in the full-screen view until that ends."""
    if session.full_screen is None:
        raise CommandError("TUI: the full-screen view opens from line mode at a terminal, or by logdump --tui.")
    if path is not None:
        session.open(path)
    session.full_screen()
    return iter(())


COMMANDS = (
    Command(
        "TUI",
        Maybe(File("<filename>")),
        "Continue in the full-screen view; EXIT there returns",
        run_tui,
        details=("It shows the records, one of them in detail, and keys that enter commands: docs/tui.md.",),
        origin=Origin.OURS,
    ),
)
