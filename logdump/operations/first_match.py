"""Displaying a record, and reading on to one that is wanted: the common part of all commands that display records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from logdump.render.problem_notices import problem_notices
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord
from logdump.session.scan import FilteredReader
from logdump.session.session import Session
from trailformat import Record

if TYPE_CHECKING:
    from logdump.filters import Criterion, FilterSet


def show_record(session: Session, record: Record) -> Iterator[Event]:
    """The record that was just read, and a notice for each problem of what is shown of it.

    Ctrl+C that comes while its facts are looked up leaves the position before it.
    """
    known = KnownRecord(record, session)
    try:
        notices = problem_notices(known, session.settings)
    except KeyboardInterrupt:
        session.cursor.stand_before(record)
        raise
    yield known
    yield from notices


def show_first(
    session: Session,
    what: str,
    wanted: Callable[[Record], bool] | None = None,
    *,
    filtered: bool = True,
    also: Sequence[FilterSet] = (),
) -> Iterator[Event]:
    """Display the next record that is wanted; without one the position stays where it was."""
    from logdump.session.across import place_of, return_to  # noqa: PLC0415 - NEXT needs no search

    start = place_of(session)
    with closing(FilteredReader(session, filtered=filtered, also=also)) as reader:
        try:
            record = yield from reader.find(wanted)
        except CommandError:
            yield from return_to(session, start)
            raise
    if record is None:
        side = "beginning" if start.is_backwards else "end"
        crossed = "" if session.trail.path == start.path else f" of {session.trail.path}"
        yield from return_to(session, start)
        raise CommandError(f"No {what} found from RBA {start.next} to the {side}{crossed}.")
    yield from show_record(session, record)


def all_of(*criteria: Criterion | None) -> list[FilterSet]:
    """A filter that lets pass what meets all of these."""
    from logdump.filters import CriterionSet, FilterSet, Match  # noqa: PLC0415 - only who scans needs filters

    kept = [criterion for criterion in criteria if criterion is not None]
    return [FilterSet(include=CriterionSet(kept, Match.ALL))]


def no_metadata() -> FilterSet:
    """A filter that drops definitions."""
    from logdump.filters import CriterionSet, FilterSet  # noqa: PLC0415 - only who scans needs filters
    from logdump.filters.type_criteria import RecType  # noqa: PLC0415
    from trailformat.records.io_types import METADATA  # noqa: PLC0415

    return FilterSet(exclude=CriterionSet([RecType((METADATA,))]))
