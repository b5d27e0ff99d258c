"""The notices about what is wrong with the parts of a record that are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.session.events import Bad, Notice
from logdump.session.exit_status import ExitStatus
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.settings import Detail, Level, Settings
from trailformat import TrailError

_SHOWN_UNDER: dict[Facet, Callable[[Settings], bool]] = {
    Facet.SURROUNDINGS: lambda settings: settings.values,
    Facet.COLUMNS: lambda settings: settings.detail is not Detail.OFF,
    Facet.GGS_TOKENS: lambda settings: settings.ggstoken is not Level.OFF,
}
"""The switches that parts are shown under; the others are shown always, and in JSON all are."""
_GOES_ON = "the columns go on in the record fragments that follow: VALUES ON shows the whole"


def problem_notices(known: KnownRecord, settings: Settings) -> list[Notice]:
    """A notice for each problem of the parts that are shown under these settings; their facts are looked up for that.

    Raises:
        TrailError: the trail cannot be read any more.
    """
    return [*_problems(known, settings), *_cut_columns(known, settings)]


def _problems(known: KnownRecord, settings: Settings) -> Iterator[Notice]:
    record, shows_everything = known.record, settings.shows_everything
    for part in known.parts:
        is_shown = _SHOWN_UNDER.get(part)
        if is_shown is None or shows_everything or is_shown(settings):
            problem = known.look_up(part)
            if problem is not None:
                error = TrailError(problem, path=record.path, rba=record.rba)
                yield Notice((str(error),), bad=Bad(error, record.length))


def _cut_columns(known: KnownRecord, settings: Settings) -> Iterator[Notice]:
    """A remark in the place of the column list of a record that is cut; VALUES has the columns of the whole."""
    record = known.record
    if settings.detail is Detail.OFF or settings.values or settings.shows_everything:
        return
    if record.is_file_header or not record.header.continued:
        return
    try:
        _ = record.images
    except TrailError:
        yield Notice((str(TrailError(_GOES_ON, path=record.path, rba=record.rba)),), ExitStatus.OK)
