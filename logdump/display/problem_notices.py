"""The notices about what is wrong with the parts of a record that are shown."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from logdump.session.events import Bad, Notice
from logdump.session.exit_status import ExitStatus
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.settings import Detail, Level, Settings
from trailformat import TrailError

_ALWAYS = frozenset({Facet.FILE_HEADER, Facet.DEFINITION, Facet.TABLE, Facet.NAME})
"""The parts that are shown whatever the switches say."""
_GOES_ON = "the columns continue in the record fragments that follow: VALUES ON shows the whole"


def problem_notices(known: KnownRecord, settings: Settings) -> list[Notice]:
    """A notice for each problem of the parts that are shown under these settings; their facts are looked up for that.

    Raises:
        TrailError: the trail cannot be read any more.
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
    """The parts that are shown under these settings."""
    switched = {
        Facet.SURROUNDINGS: values,
        Facet.COLUMNS: detail is not Detail.OFF,
        Facet.GGS_TOKENS: ggstoken is not Level.OFF,
    }
    return frozenset(Facet) if shows_everything else _ALWAYS | {part for part, is_on in switched.items() if is_on}


def _cut_columns(known: KnownRecord, settings: Settings) -> Iterator[Notice]:
    """A remark in the place of the column list of a record that is cut; VALUES has the columns of the whole."""
    record = known.record
    if settings.values or settings.shows_everything or record.is_file_header or not record.header.continued:
        return
    try:
        _ = record.images
    except TrailError:
        yield Notice((str(TrailError(_GOES_ON, path=record.path, rba=record.rba)),), ExitStatus.OK)
