"""MARK: names for places in trails."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command, Origin
from logdump.language.words import first_word
from logdump.session.errors import CommandError
from logdump.session.events import Event, MarksShown
from logdump.session.marks import Mark
from logdump.session.session import Session


def run_mark(session: Session, arguments: str) -> Iterator[Event]:
    """Name the place of the last record displayed, or the position set; alone, list the marks."""
    name, rest = first_word(arguments)
    if name.upper() == "CLEAR":
        _clear(session, rest)
    elif name:
        session.marks[name] = Mark(name, session.trail.path, session.cursor.current, rest)
    else:
        yield MarksShown(tuple(sorted(session.marks.values(), key=lambda mark: (mark.path, mark.rba, mark.name))))


def _clear(session: Session, name: str) -> None:
    if name and name not in session.marks:
        raise CommandError(f"No mark {name!r}; MARK lists them.")
    if name:
        del session.marks[name]
    else:
        session.marks.clear()


COMMANDS = (
    Command(
        "MARK",
        "MARK [<name> [<note>] | CLEAR [<name>]]",
        "Give the position a name, list the names, or forget them",
        run_mark,
        options=("CLEAR",),
        details=(
            "The place is that of the last record displayed, or where POSITION has set the position.",
            "POSITION MARK <name> goes back there, and opens the file if need be. Marks last as long as the session.",
            "Example: MARK a abended here",
        ),
        origin=Origin.OURS,
    ),
)
