"""MARK: names for places in trails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import FreeText, MarkName, Word
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.marks import Mark, MarksShown
from logdump.session.session import Session


class Naming(NamedTuple):
    """A name for the place, and a note."""

    name: str
    note: str | None


class Clearing(NamedTuple):
    """The name to be forgotten; None for all."""

    name: str | None


def run_mark(session: Session, given: Naming | Clearing | None) -> Iterator[Event]:
    """Name the place of the last record displayed, or the position set; alone, list the marks."""
    if isinstance(given, Clearing):
        _clear(session, given.name)
    elif given is not None:
        session.marks[given.name] = Mark(given.name, session.trail.path, session.cursor.current, given.note or "")
    else:
        yield MarksShown(tuple(sorted(session.marks.values(), key=lambda mark: (mark.path, mark.rba, mark.name))))


def _clear(session: Session, name: str | None) -> None:
    if name and name not in session.marks:
        raise CommandError(f"No mark {name!r}; MARK lists them.")
    if name:
        del session.marks[name]
    else:
        session.marks.clear()


COMMANDS = (
    Command(
        "MARK",
        Maybe(
            Alternatives[Naming | Clearing](
                Sequence(Naming, Word("<name>"), Maybe(FreeText("<note>"))),
                Keyword("CLEAR", Sequence(Clearing, Maybe(MarkName("<name>")))),
            )
        ),
        "Give the position a name, list the names, or forget them",
        run_mark,
        details=(
            "The place is that of the last record displayed, or where POSITION has set the position.",
            "POSITION MARK <name> goes back there, and opens the file if need be. Marks last as long as the session.",
            "Example: MARK a abended here",
        ),
        origin=Origin.OURS,
    ),
)
