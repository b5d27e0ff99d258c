"""HISTORY, FC, EXIT, OBEY, LOG, WRITELOG: earlier commands, files of commands, the session log."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from logdump.language.command import Command
from logdump.language.execute import run_commands
from logdump.language.forms import NOTHING, Alternatives, AnyOrder, Maybe, Sequence
from logdump.language.parameters import File, FreeText, Number, OneOf
from logdump.language.words import MOST_CHARACTERS, split_calls
from logdump.notation.text import escape
from logdump.notation.times import current_timestamp, format_timestamp
from logdump.session.errors import CommandError
from logdump.session.events import Event, Failure, say
from logdump.session.session import Session
from trailformat.codec.mapped_file import open_script
from trailformat.codec.remote.path import path_of
from trailformat.errors import reason_of
from trailformat.trail.peek import peek

_DEEPEST = 16
_MOST_FILES = 1000
"""Maximum number of files that one OBEY runs; each could obey the next many times."""


class CommandFile:
    """The lines of a file of commands, read one by one.

    Attributes:
        number: the number of the line read last, from 1.
    """

    def __init__(self, name: str, file: TextIO) -> None:
        self.number = 0
        self._name = name
        self._file = file

    def read(self) -> str | None:
        """Return the next line without its line end; None after the last.

        Raises:
            CommandError: the file is not a text file, or cannot be read.
        """
        try:
            line = self._file.readline(MOST_CHARACTERS + 1).removeprefix("\ufeff")
        except OSError as error:
            raise CommandError(f"{self._name} cannot be read: {reason_of(error)}.") from error
        self.number += 1
        if len(line) > MOST_CHARACTERS or "\0" in line:
            raise CommandError(f"{self._name}, line {self.number}: this is not a file of commands.")
        return line.rstrip("\r\n") if line else None


def run_obey(session: Session, name: str) -> Iterator[Event]:
    """Run the commands of a file; a command that fails is reported with its line number, and the rest runs."""
    given = path_of(Path(name))
    path = given if given.is_fifo() else Path(os.path.realpath(given))  # the name of a shell's pipe leads nowhere
    if path in session.obeyed:
        raise CommandError(f"{name} is being obeyed already: a file cannot obey itself.")
    if len(session.obeyed) == _DEEPEST:
        raise CommandError(f"{name} is not obeyed: files can obey each other {_DEEPEST} deep.")
    if session.obeyed and session.obeyed_in_all >= _MOST_FILES:
        raise CommandError(f"{name} is not obeyed: one OBEY can lead to {_MOST_FILES} files.")
    try:
        file = os.fdopen(open_script(path), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {reason_of(error)}.") from error
    outer_ask = session.ask
    commands = CommandFile(name, file)
    session.obeyed_in_all = session.obeyed_in_all + 1 if session.obeyed else 1
    session.obeyed.append(path)
    session.ask = lambda prompt: _read(session, commands, prompt)
    try:
        yield from _run(session, name, commands)
    finally:
        file.close()
        session.ask = outer_ask
        session.obeyed.pop()


def _read(session: Session, commands: CommandFile, prompt: str) -> str | None:
    """Return the next line of the file, and write it to the session log as if it had been typed."""
    line = commands.read()
    if line is not None:
        session.note_entered(escape(f"{prompt}{line}"))
    return line


def _run(session: Session, name: str, commands: CommandFile) -> Iterator[Event]:
    from logdump.commands import REGISTRY  # noqa: PLC0415 - OBEY is itself in the registry

    while not session.is_over and (line := _read(session, commands, session.prompt)) is not None:
        place = f"{name}, line {commands.number}: "
        for event in run_commands(session, REGISTRY, line):
            if isinstance(event, Failure):
                yield event._replace(lines=(place + event.lines[0], *event.lines[1:]))
            else:
                yield event


class Logging(NamedTuple):
    """The file that the session is copied to; None stops copying."""

    path: str | None


def run_log(session: Session, given: Logging | None) -> Iterator[Event]:
    """Start or stop copying the session to a file, or show the file."""
    if given is None:
        yield say(f"Session log is {session.log.path or 'OFF'}")
    elif given.path is None:
        yield from _stop(session)
    else:
        _start(session, given.path)
        yield _mark(session, "opened")


def _logging(_keyword: None, path: str) -> Logging:
    return Logging(path)


def _start(session: Session, name: str) -> None:
    path = Path(os.path.abspath(path_of(Path(name))))  # noqa: PTH100 - resolve() follows links that were not named
    try:
        if path.is_file() and peek(path) is not None:
            raise CommandError(f"{path} is a trail file: the session log is not written into it.")
        session.check_target(path, "LOG")
        session.log.start(path)
    except OSError as error:
        raise CommandError(f"The session log {path} cannot be written: {reason_of(error)}.") from error


def _stop(session: Session) -> Iterator[Event]:
    if session.log.path is None:
        yield say("Session log is OFF")
        return
    yield _mark(session, "closed")
    try:
        session.log.stop()
    except OSError as error:
        raise CommandError(f"The session log is not complete: {reason_of(error)}.") from error


def _mark(session: Session, what: str) -> Event:
    now = format_timestamp(current_timestamp(), session.settings.time_offset)
    return say(f"--- Session log {session.log.path} {what} {now} ---")


def run_write_log(session: Session, text: str | None) -> Iterator[Event]:
    """Write a line of text to the session log."""
    if session.log.path is None:
        raise CommandError("There is no session log. LOG <filename> opens one.")
    text = text or ""
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]
    session.log.write_line(escape(text[1:-1] if is_quoted else text))
    return iter(())


_FILES = "takes [TO] and one file name, or STOP; put a name with blanks into double quotes."


_EDITS = re.compile(
    r"//|(?P<delete>d+)|i(?P<insert>.*?)(?=//|\Z)|r(?P<replace>.*)|(?P<overwrite>(?:(?!//)[^ ])+(?: (?:(?!//)[^ ])+)*)",
    re.IGNORECASE | re.DOTALL,
)


def apply_edit(line: str, edit: str) -> str:
    """Apply ``edit`` to ``line``; both start in the same column. An edit of blanks changes nothing."""
    parts: list[str] = []
    next_column = 0  # the next column of ``line``
    for match in _EDITS.finditer(edit):
        if match[0] == "//":
            continue
        column = match.start()
        parts.append(line[next_column:column])
        if match["delete"]:
            next_column = match.end()
            continue
        parts.append(" " * (column - max(next_column, len(line))))
        next_column = column
        if match["insert"] is not None:
            parts.append(match["insert"])
        elif match["replace"] is not None:
            parts.append(match["replace"])
            next_column = len(line)
        else:
            parts.append(_overwrite(line[next_column:], match["overwrite"]))
            next_column = match.end()
    parts.append(line[next_column:])
    return "".join(parts)


def _overwrite(above: str, text: str) -> str:
    """Return the text, with each blank replaced by the character above it."""
    return "".join(old if new == " " else new for old, new in zip(above.ljust(len(text)), text, strict=False))


def cancels(edit: str) -> bool:
    """Return True if an edit line cancels the edit: it starts or ends with ``//``."""
    words = edit.strip()
    return words.startswith("//") or words.endswith("//")


def find_command(history: list[str] | tuple[str, ...], argument: str, first: int = 1) -> str | None:
    """Return the command that FC's argument selects; None if there is none.

    ``history`` has the commands before this FC; ``first`` is the number of the oldest. No argument selects the last
    command, ``n`` number n, ``-n`` the one n lines before this FC, and any other text the last command that starts with
    it, in any case. Source: manual FC.
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
    """The number of lines to list, or whether to clear the history."""

    lines: int = _SHOWN
    clears: bool = False


def run_history(session: Session, listing: Listing) -> Iterator[Event]:
    """List the last lines entered, or clear the history."""
    if listing.clears:
        session.history.clear()
        return
    lines = session.history.lines[-listing.lines :]
    yield say(*(f"{number}> {line}" for number, line in enumerate(lines, session.number - len(lines))))


def run_fc(session: Session, given: str | None) -> Iterator[Event]:
    """Edit an earlier line and run it; in the history it takes the place of the FC."""
    if session.ask is None:
        raise CommandError("FC needs interactive input for the edit line.")
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
    Command(
        "OBEY | O | SOURCE",
        File("<filename>", missing="takes a file name."),
        "Run the commands of a file",
        run_obey,
        details=(
            "OBEY dirprm/check.oby",
            "One line after the other; -- or # begins a comment. A file may obey another, 16 deep.",
            "A command that fails is reported with its line, and the rest runs.",
        ),
    ),
    Command(
        "LOG | OUT",
        Maybe(
            Alternatives(
                Sequence(_logging, Maybe(OneOf({"TO": None})), File("<filename>", missing=_FILES)),
                OneOf({"STOP": Logging(None)}),
                surplus=_FILES,
            ),
            is_shown=False,
        ),
        "Copy the session to a file, or stop",
        run_log,
        details=(
            "LOG TO dirrpt/logdump.txt",
            "What is printed and what is entered is appended to the file, until LOG STOP or the end of the session.",
            "The output of a program started by X goes to the terminal only.",
        ),
    ),
    Command(
        "WRITELOG",
        Maybe(FreeText("<text>"), is_shown=False),
        "Write text to the session log",
        run_write_log,
        details=('WRITELOG "Before the first gap"', "LOG must be on."),
    ),
)
