"""Displaying a record, and reading on to one that is wanted: the common part of all commands that display records."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from logdump.display.problem_notices import problem_notices
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord
from logdump.session.scan import FilteredReader
from logdump.session.session import Session
from trailformat import Record

if TYPE_CHECKING:
    from logdump.commands.records.searching import Searching
    from logdump.filters import Criterion, FilterSet

POSITION_STAYS = "Ctrl+C stops, the position stays"
"""What a command says that searches."""


def show_record(session: Session, record: Record) -> Iterator[Event]:
    """The record that was just read, and a notice for each problem of what is shown of it. Raises as ``looked_up``."""
    yield from looked_up(session, record)


def looked_up(session: Session, record: Record) -> Sequence[Event]:
    """The events of the record that was just read.

    Ctrl+C that comes while its facts are looked up leaves the position before it.
    """
    known = KnownRecord(record, session)
    try:
        return known, *problem_notices(known, session.settings)
    except KeyboardInterrupt:
        session.cursor.stand_before(record)
        raise


def show_first(
    session: Session,
    what: str,
    wanted: Callable[[Record], bool] | None = None,
    *,
    filtered: bool = True,
    also: Sequence[FilterSet] = (),
) -> Iterator[Event]:
    """Display the next record that is wanted; without one the position stays where it was."""
    from logdump.commands.records.searching import Searching  # noqa: PLC0415 - NEXT needs no search

    searching = Searching(session, what)
    search = first_events(session, searching, wanted, filtered=filtered, also=also)
    yield from (yield from searching.run(search))


def first_events(
    session: Session,
    searching: Searching,
    wanted: Callable[[Record], bool] | None = None,
    *,
    filtered: bool = True,
    also: Sequence[FilterSet] = (),
) -> Generator[Event, None, Sequence[Event]]:
    """The search for the next record that is wanted; returns the events that display it.

    Raises:
        CommandError: there is none.
    """
    with closing(FilteredReader(session, filtered=filtered, also=also)) as reader:
        record = yield from reader.find(wanted)
    if record is not None:
        return looked_up(session, record)
    since, path = searching.since, session.trail.path
    side = "beginning" if session.cursor.is_backwards else "end"
    crossed = "" if path == since.path else f" of {path}"
    raise CommandError(f"No {searching.what} found from RBA {since.rba} to the {side}{crossed}.")


def all_of(*criteria: Criterion | None) -> list[FilterSet]:
    """A filter that lets pass what meets all of these."""
    from logdump.filters import CriterionSet, FilterSet, Match  # noqa: PLC0415 - only who scans needs filters

    kept = [criterion for criterion in criteria if criterion is not None]
    return [FilterSet(include=CriterionSet(kept, Match.ALL))]


def no_metadata() -> FilterSet:
    """Return a filter that drops definitions."""
    from logdump.filters import CriterionSet, FilterSet  # noqa: PLC0415 - only who scans needs filters
    from logdump.filters.type_criteria import RecType  # noqa: PLC0415
    from trailformat.records.io_types import METADATA  # noqa: PLC0415

    return FilterSet(exclude=CriterionSet([RecType((METADATA,))]))
