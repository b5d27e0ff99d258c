"""HISTORY, FC and EXIT."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from logdump.language.arguments import no_arguments, number
from logdump.language.command import Command
from logdump.language.execute import run_commands
from logdump.language.line_edit import apply_edit, cancels, find_command
from logdump.language.words import first_word, is_keyword, split_commands, split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

_SHOWN = 20
_EDIT_PROMPT = ".."


def run_history(session: Session, arguments: str) -> Iterator[Event]:
    """List the last lines entered, or forget them all."""
    shown = _SHOWN
    for word in split_words(arguments):
        if is_keyword(word, "CLEAR"):
            session.history.clear()
            return
        shown = number(word, least=1)
    lines = session.history.lines[-shown:]
    yield say(*(f"{at}> {line}" for at, line in enumerate(lines, session.number - len(lines))))


def run_fc(session: Session, arguments: str) -> Iterator[Event]:
    """Edit an earlier line and run it; in the history it takes the place of the FC."""
    if session.ask is None:
        raise CommandError("FC: there is nobody to ask for the edit line.")
    is_entered = not session.obeyed
    history = session.history
    line = find_command(history.lines[:-1] if is_entered else history.lines, arguments, first=history.first)
    if line is None:
        raise CommandError(
            f"FC: there is no command {arguments}." if arguments else "FC: there is no command before it."
        )
    edited = yield from _edit(line, session.ask)
    if edited is None:
        return
    from logdump.commands import REGISTRY  # noqa: PLC0415 - FC is itself in the registry

    if any(first_word(command)[0].upper() == "FC" for command in split_commands(edited)):
        raise CommandError("FC: it does not run another FC.")
    if is_entered:
        history.replace_last(edited)
    yield from run_commands(session, REGISTRY, edited)


def _edit(line: str, ask: Callable[[str], str | None]) -> Generator[Event, None, str | None]:
    """Ask for edit lines until an empty one; what they made of the line, or None when they called it off.

    The first edit line stands under ``> line``, the others under the edited line, which is printed without a mark.
    """
    yield say(f"> {line}")
    prompt = _EDIT_PROMPT
    while True:
        edit = ask(prompt)
        if edit is None or cancels(edit):
            return None
        if not edit.strip():
            return line
        line, prompt = apply_edit(line, edit), ""
        yield say(line)


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
        details=(
            "HISTORY 50",
            "At a terminal the next session goes on with it: LOGDUMP_HISTORY names the file, empty for none.",
        ),
    ),
    Command(
        "FC",
        "FC [<number> | -<number> | <text>]",
        "Edit an earlier command and run it",
        run_fc,
        details=(
            "FC 9 takes line 9, FC -3 the third before this one, FC sca the last that begins with sca, FC the last.",
            "Type under the line: i<text> inserts, r<text> replaces the rest, d deletes, other text overwrites.",
            "Enter shows the result; a second Enter runs it, // calls it off, and another edit line goes on editing.",
        ),
    ),
    Command("EXIT", "EXIT | QUIT", "End the session", run_exit, aliases=("QUIT",)),
)
