"""The commands HISTORY, FC and EXIT."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import NamedTuple

from logdump.language.command import Command
from logdump.language.execute import run_commands
from logdump.language.forms import NOTHING, AnyOrder, Maybe
from logdump.language.parameters import FreeText, Number, OneOf
from logdump.language.words import split_calls
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

_EDITS = re.compile(
    r"//|(?P<delete>d+)|i(?P<insert>.*?)(?=//|\Z)|r(?P<replace>.*)|(?P<overwrite>(?:(?!//)[^ ])+(?: (?:(?!//)[^ ])+)*)",
    re.IGNORECASE | re.DOTALL,
)


def apply_edit(line: str, edit: str) -> str:
    """Apply ``edit`` to ``line``; both start in the same column. An edit of blanks changes nothing."""
    parts: list[str] = []
    at = 0  # the column of ``line`` that comes next
    for match in _EDITS.finditer(edit):
        if match[0] == "//":
            continue
        column = match.start()
        parts.append(line[at:column])
        if match["delete"]:
            at = match.end()
            continue
        parts.append(" " * (column - max(at, len(line))))
        at = column
        if match["insert"] is not None:
            parts.append(match["insert"])
        elif match["replace"] is not None:
            parts.append(match["replace"])
            at = len(line)
        else:
            parts.append(_overwrite(line[at:], match["overwrite"]))
            at = match.end()
    parts.append(line[at:])
    return "".join(parts)


def _overwrite(above: str, text: str) -> str:
    """The text, with each blank replaced by the character above it."""
    return "".join(old if new == " " else new for old, new in zip(above.ljust(len(text)), text, strict=False))


def cancels(edit: str) -> bool:
    """Return True if an edit line cancels the edit: it starts or ends with ``//``."""
    words = edit.strip()
    return words.startswith("//") or words.endswith("//")


def find_command(history: Sequence[str], argument: str, first: int = 1) -> str | None:
    """The command that FC's argument means; None when there is none.

    ``history`` holds the commands before this FC; ``first`` is the number of the oldest. No argument is the last
    command, ``n`` number n, ``-n`` the one n lines before this FC, and anything else the last one that starts with that
    text, in any case. Source: manual FC.
    """
    wanted = argument.strip().lower()
    if re.fullmatch(r"-?[0-9]{1,18}", wanted):
        position = int(wanted)
        index = len(history) + position if wanted.startswith("-") else position - first
        return history[index] if 0 <= index < len(history) else None
    return next((line for line in reversed(history) if line.lstrip().lower().startswith(wanted)), None)


_SHOWN = 20
_EDIT_PROMPT = ".."


class Listing(NamedTuple):
    """The number of lines to list, or that all are to be forgotten."""

    lines: int = _SHOWN
    clears: bool = False


def run_history(session: Session, listing: Listing) -> Iterator[Event]:
    """List the last lines entered, or forget them all."""
    if listing.clears:
        session.history.clear()
        return
    lines = session.history.lines[-listing.lines :]
    yield say(*(f"{at}> {line}" for at, line in enumerate(lines, session.number - len(lines))))


def run_fc(session: Session, given: str | None) -> Iterator[Event]:
    """Edit an earlier line and run it; in the history it takes the place of the FC."""
    if session.ask is None:
        raise CommandError("FC: there is nobody to ask for the edit line.")
    is_entered = not session.obeyed
    history, wanted = session.history, given or ""
    line = find_command(history.lines[:-1] if is_entered else history.lines, wanted, first=history.first)
    if line is None:
        raise CommandError(f"FC: there is no command {wanted}." if wanted else "FC: there is no command before it.")
    edited = yield from _edit(line, session.ask)
    if edited is None:
        return
    from logdump.commands import REGISTRY  # noqa: PLC0415 - FC is itself in the registry

    if any(word.upper() == "FC" for word, _ in split_calls(edited)):
        raise CommandError("FC: it does not run another FC.")
    if is_entered:
        history.replace_last(edited)
    yield from run_commands(session, REGISTRY, edited)


def _edit(line: str, ask: Callable[[str], str | None]) -> Generator[Event, None, str | None]:
    """Ask for edit lines until an empty one; return the edited line, or None if the edit was cancelled.

    The first edit line is under ``> line``, the others under the edited line, which is printed without a mark.
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


def run_exit(session: Session, _arguments: None) -> Iterator[Event]:
    """End the session."""
    session.is_over = True
    return iter(())


COMMANDS = (
    Command(
        "HISTORY (HIST)",
        AnyOrder(Listing, {"lines": Number("<count>", least=1), "clears": OneOf({"CLEAR": True})}),
        "List the last commands; CLEAR forgets them and starts the numbers at 1",
        run_history,
        details=(
            "HISTORY 50",
            "At a terminal the next session continues it: LOGDUMP_HISTORY names the file, empty for none.",
        ),
    ),
    Command(
        "FC",
        Maybe(FreeText("<number> | -<number> | <text>")),
        "Edit an earlier command and run it",
        run_fc,
        details=(
            "FC 9 takes line 9, FC -3 the third before this one, FC sca the last that begins with sca, FC the last.",
            "Type under the line: i<text> inserts, r<text> replaces the rest, d deletes, other text overwrites.",
            "Enter shows the result; a second Enter runs it, // cancels it, and another edit line edits again.",
        ),
    ),
    Command("EXIT | QUIT", NOTHING, "End the session", run_exit),
)
