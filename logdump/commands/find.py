"""The command FIND: its arguments and its search."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, NamedTuple

from logdump.display.first_match import POSITION_STAYS, show_record
from logdump.display.values_text import column_name
from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import beginning
from logdump.language.reader import Context, Parameter
from logdump.language.words import is_keyword
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.scan import FilteredReader
from logdump.session.searching import Searching
from logdump.session.session import Session
from trailformat import change_of
from trailformat.changes.encrypted import looks_encrypted
from trailformat.trail.command_files import reading

if TYPE_CHECKING:
    from logdump.session.session import Search
    from trailformat import Record


class Again(NamedTuple):
    """A repetition of the last search, forward or backward."""

    backwards: bool


class SearchArgument(Parameter[str | Again]):
    """The argument of FIND: a text, unchanged, or the repetition of the last search."""

    is_open = is_phrase = is_compared = True

    def parse(self, text: str, context: Context) -> str | Again:  # noqa: ARG002
        """Return the text, or the direction of the repetition."""
        if is_keyword(text, "NEXT"):
            return Again(backwards=False)
        return Again(backwards=True) if is_keyword(text, "PREV[IOUS]") else text

    def offers(self, typed: str, context: Context) -> list[str]:  # noqa: ARG002
        """Return the words that are not searched as text."""
        return beginning(typed, ("HEX", "NEXT", "PREVIOUS"))


_ARGUMENT = SearchArgument(syntax="<text> | HEX <hex> | <column> = <value> | NEXT | PREVIOUS")


def run_find(session: Session, argument: str | Again | None) -> Iterator[Event]:
    """Display the next record that matches; without a text, or with NEXT or PREVIOUS, repeat the last search."""
    if isinstance(argument, str):
        from logdump.session.searching import parse_search  # noqa: PLC0415 - only a search needs filters

        session.search = parse_search(session, argument)
    if session.search is None:
        raise CommandError("FIND has looked for nothing yet: FIND <text>, FIND HEX <hex>, FIND <column> = <value>.")
    yield from _find(session, session.search, backwards=isinstance(argument, Again) and argument.backwards)


def _find(session: Session, search: Search, *, backwards: bool) -> Iterator[Event]:
    """Search from the position on; if nothing is found, or the user stops it, the position is unchanged."""
    start = session.cursor.place
    session.cursor.move(start.current if backwards else _first_to_look_at(session))
    session.cursor.is_backwards = backwards
    searching = Searching(session, f"record with {search.text}", start=start)
    reader = FilteredReader(session, also=[search.filters])
    try:
        record = yield from searching.run(_first(session, searching, reader))
    finally:
        reader.close()
        session.cursor.is_backwards = start.is_backwards
    if search.values is not None and (files := reading()) is not None:
        files.undecided.clear()  # the text was looked for, and values besides
    session.cursor.stand_on(record)
    session.cursor.match_end = record.rba + record.length
    yield from show_record(session, record)
    yield from _found_by_value(session, search, record)


def _found_by_value(session: Session, search: Search, record: Record) -> Iterator[Event]:
    """Yield which columns have the value that was looked for, if the record does not have its text."""
    if search.values is None or search.text.encode() in record.data:
        return
    change = change_of(session.trail, record, session.row_definitions)
    names = [column_name(column) for column in search.values.among(change.columns)] if change is not None else []
    if names:
        alone = f"FIND {names[0]} = {search.text} looks for such values alone"
        text = f"{search.text} is the value of {', '.join(names)}, not text in the record: {alone}."
        yield Notice((text,), ExitStatus.OK)


def _first(session: Session, searching: Searching, reader: FilteredReader) -> Generator[Event, None, Record]:
    record = yield from reader.find()
    if record is not None:
        return record
    where = searching.searched + (
        ", as text or as the value of a column" if session.search and session.search.values else ""
    )
    through = " through the filter" if session.filters_in_use and session.filters_in_use.active else ""
    encrypted = (f"{session.trail.path}: record data looks encrypted",) * looks_encrypted(session.trail)
    raise CommandError(f"No {searching.what} found {where}{through}.", *encrypted)


def _first_to_look_at(session: Session) -> int:
    """Return the RBA to search from: the position, or in reverse the end of the record that FIND has shown there."""
    cursor = session.cursor
    return cursor.match_end if cursor.is_backwards and cursor.match_end is not None else cursor.next


COMMANDS = (
    Command(
        "FIND",
        Maybe(_ARGUMENT),
        "Find the next record with a text, bytes or a value in its data",
        run_find,
        details=(
            'FIND Denver; FIND "a = b"; FIND B,"denver" (either case); FIND HEX 00004BF6; FIND HR.JOBS.SALARY >= 100',
            "FIND STATUS LIKE 'A%' AND CHANGED NOTE: IN, BETWEEN, IS NULL, BEFORE, AFTER, OR too (docs/finding.md).",
            "Text is searched in UTF-8. Columns are those of the trail or of SOURCEDEFS, compared as by FILTER VALUE.",
            "A number, a date or a time is also looked for among the values of all columns; in quotes it is only text,",
            'as are the words of this command: FIND "4611", FIND "NEXT".',
            "FIND alone or with NEXT searches forwards, with PREVIOUS backwards. The filter applies.",
        ),
        origin=Origin.OURS,
        stops=POSITION_STAYS,
    ),
)
