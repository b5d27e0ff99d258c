"""Display of a record, and of the next one that matches: the common part of all commands that display records."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Bad, Event, Notice
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.scan import FilteredReader
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Settings
from trailformat import Record, TrailError
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump import filters
    from logdump.filters import type_criteria
    from trailformat.records import record_header

if TYPE_CHECKING:
    from logdump.filters import Criterion, FilterSet
    from logdump.session.searching import Searching


_ALWAYS = frozenset({Facet.FILE_HEADER, Facet.DEFINITION, Facet.TABLE, Facet.NAME})
"""Parts that are shown under all settings."""
_GOES_ON = "the columns continue in the record fragments that follow: VALUES ON shows the whole"


def problem_notices(known: KnownRecord, settings: Settings) -> list[Notice]:
    """Return a notice for each problem of the parts shown under these settings, which are decoded for that.

    Raises:
        TrailError: the trail can no longer be read.
    """
    notices = list(_problems(known, settings))
    if settings.detail is not Detail.OFF:
        notices += _cut_columns(known, settings)
    return notices


def _problems(known: KnownRecord, settings: Settings) -> Iterator[Notice]:
    record = known.record
    shown = _shown(settings.shows_everything, settings.values, settings.detail, settings.ggstoken)
    for part in known.parts:
        if part in shown and (problem := known.look_up(part)) is not None:
            error = TrailError(problem, path=record.path, rba=record.rba)
            yield Notice((str(error),), bad=Bad(error, record.length))


@cache
def _shown(shows_everything: bool, values: bool, detail: Detail, ggstoken: Level) -> frozenset[Facet]:  # noqa: FBT001
    """Return the parts that are shown under these settings."""
    switched = {
        Facet.SURROUNDINGS: values,
        Facet.COLUMNS: detail is not Detail.OFF,
        Facet.GGS_TOKENS: ggstoken is not Level.OFF,
    }
    return frozenset(Facet) if shows_everything else _ALWAYS | {part for part, is_on in switched.items() if is_on}


def _cut_columns(known: KnownRecord, settings: Settings) -> Iterator[Notice]:
    """Yield a notice in place of the columns of a record that continues in fragments; VALUES shows all its columns."""
    record = known.record
    if settings.values or settings.shows_everything or record.is_file_header or not record.header.continued:
        return
    try:
        _ = record.images
    except TrailError:
        yield Notice((str(TrailError(_GOES_ON, path=record.path, rba=record.rba)),), ExitStatus.OK)


POSITION_STAYS = "Ctrl+C stops, the position stays"
"""Note on Ctrl+C in the definitions of commands that search."""


def show_record(session: Session, record: Record) -> Iterator[Event]:
    """Yield the record just read, and a notice for each problem of its shown parts; raises like ``looked_up``."""
    yield from looked_up(session, record)


def looked_up(session: Session, record: Record) -> Sequence[Event]:
    """Return the events that display the record just read.

    Ctrl+C during the decoding of its parts leaves the position before the record.
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
    """Display the next record that matches; if there is none, the position is unchanged."""
    from logdump.session.searching import Searching  # noqa: PLC0415 - NEXT needs no search

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
    """Search for the next record that matches; returns the events that display it.

    Raises:
        CommandError: no record matches.
    """
    with closing(FilteredReader(session, filtered=filtered, also=also)) as reader:
        record = yield from reader.find(wanted)
    if record is not None:
        return looked_up(session, record)
    raise CommandError(f"No {searching.what} found {searching.searched}.")


def all_of(*criteria: Criterion | None) -> list[FilterSet]:
    """Return a filter that passes records that match all of these criteria; None is ignored."""
    kept = [criterion for criterion in criteria if criterion is not None]
    return [filters.FilterSet(include=filters.CriterionSet(kept, filters.Match.ALL))]


def no_metadata() -> FilterSet:
    """Return a filter that drops definitions."""
    return filters.FilterSet(exclude=filters.CriterionSet([type_criteria.RecType((record_header.METADATA,))]))
