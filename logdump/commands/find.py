"""FIND."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from logdump.commands.seeking import show_record
from logdump.language.command import Command, Origin
from logdump.language.words import is_keyword
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.scan import Scan
from logdump.session.session import Session

if TYPE_CHECKING:
    from logdump.session.search import Search


def run_find(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next record that has what is asked for; alone, or with NEXT or PREVIOUS, repeat the last search."""
    backwards = is_keyword(arguments, "PREV[IOUS]")
    if arguments and not backwards and not is_keyword(arguments, "NEXT"):
        from logdump.operations.search import parse_search  # noqa: PLC0415 - only who searches needs filters

        session.search = parse_search(session, arguments)
    if session.search is None:
        raise CommandError("FIND has looked for nothing yet: FIND <text>, FIND HEX <hex>, FIND <column> = <value>.")
    yield from _find(session, session.search, backwards=backwards)


def _find(session: Session, search: Search, *, backwards: bool) -> Iterator[Event]:
    """Look on from the position; where nothing is found, or the user stops it, the position stays."""
    cursor, was_backwards = session.cursor, session.cursor.is_backwards
    start = cursor.current, cursor.next
    cursor.move(cursor.current if backwards else _first_to_look_at(session))
    cursor.is_backwards = backwards
    try:
        record = yield from Scan(session, also=[search.filters]).find()
    except KeyboardInterrupt:
        cursor.current, cursor.next = start
        raise
    finally:
        cursor.is_backwards = was_backwards
    if record is None:
        cursor.move(start[1])
        cursor.current = start[0]
        where = f"from RBA {start[0 if backwards else 1]} to the {'beginning' if backwards else 'end'}"
        through = " through the filter" if session.filters_in_use and session.filters_in_use.active else ""
        raise CommandError(f"No record with {search.text} found {where}{through}.")
    cursor.stand_on(record)
    session.found_at = record.rba
    yield from show_record(session, record)


def _first_to_look_at(session: Session) -> int:
    """The position; past the record found last, where reading in reverse has left the position on it."""
    cursor = session.cursor
    if cursor.is_backwards and cursor.next == cursor.current == session.found_at:
        return cursor.next + session.trail.record_length(cursor.next)
    return cursor.next


COMMANDS = (
    Command(
        "FIND",
        "FIND [<text> | HEX <hex> | <column> = <value> | NEXT | PREVIOUS]",
        "Find the next record with a text, bytes or a value in its data",
        run_find,
        options=("HEX", "NEXT", "PREVIOUS"),
        details=(
            'FIND Denver; FIND "a = b"; FIND B,"denver" (either case); FIND HEX 00004BF6; FIND HR.JOBS.SALARY >= 100',
            "Text is sought as UTF-8. Columns are those of the trail or of SOURCEDEFS, compared as FILTER VALUE does.",
            "Alone or with NEXT it looks on, with PREVIOUS back. The filter applies.",
        ),
        origin=Origin.OURS,
    ),
)
