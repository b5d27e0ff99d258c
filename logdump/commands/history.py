"""HISTORY and EXIT."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.events import Event, say
from logdump.language.arguments import no_arguments, number
from logdump.language.command import Command
from logdump.language.words import is_keyword, split_words
from logdump.session import Session

_SHOWN = 20


def run_history(session: Session, arguments: str) -> Iterator[Event]:
    """List the last lines entered, or forget them all."""
    shown = _SHOWN
    for word in split_words(arguments):
        if is_keyword(word, "CLEAR"):
            session.history.clear()
            return
        shown = number(word, least=1)
    first = max(0, len(session.history) - shown)
    yield say(*(f"{at + 1}> {session.history[at]}" for at in range(first, len(session.history))))


def run_exit(session: Session, arguments: str) -> Iterator[Event]:
    """End the session."""
    no_arguments(arguments)
    session.is_over = True
    return iter(())


COMMANDS = (
    Command(
        "HISTORY",
        "HISTORY (HIST) [<count>] [CLEAR]",
        "List the last commands; CLEAR forgets them and starts the numbers at 1",
        run_history,
        aliases=("HIST",),
        options=("CLEAR",),
    ),
    Command("EXIT", "EXIT | QUIT", "End the session", run_exit, aliases=("QUIT",)),
)
