"""HEARTBEAT over the open trail and others: the events of a survey."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from logdump.notation.times import current_timestamp
from logdump.operations.effective_rows import LeftOutRanges
from logdump.operations.heartbeats.reading import HeartbeatReader
from logdump.operations.heartbeats.survey import HeartbeatOptions, HeartbeatSurvey
from logdump.operations.heartbeats.table_in_use import heartbeat_table
from logdump.operations.matching_files import matching_files
from logdump.session.across import files_from
from logdump.session.events import Bad, Event, Notice
from logdump.session.session import Session
from trailformat import NotATrail, TrailFile
from trailformat.scan import Workers


def run_heartbeat(session: Session, options: HeartbeatOptions) -> Iterator[Event]:
    """Add up the heartbeats of the open trail, with ACROSS of the files after it, or of those that a wildcard names.

    The position stays.
    """
    with Workers() as workers:
        yield from _surveyed(session, options, workers)


def _surveyed(session: Session, options: HeartbeatOptions, workers: Workers) -> Iterator[Event]:
    table = heartbeat_table(session, options.table)
    ranges = LeftOutRanges(workers=workers)
    reader = HeartbeatReader(
        session.definitions_of, table.name, session.selection, left_out=ranges.of, uses_threads=True
    )
    survey = HeartbeatSurvey(options, table, reader, session.settings.notify)
    try:
        yield from _over_files(session, options, survey)
    except KeyboardInterrupt:
        survey.is_partial = True
        yield from survey.results(current_timestamp)
        raise
    yield from survey.results(current_timestamp)


def _over_files(session: Session, options: HeartbeatOptions, survey: HeartbeatSurvey) -> Iterator[Event]:
    if options.over is None:
        _, *others = files_from(session)
        yield from survey.take(session.trail)
    else:
        others = matching_files(options.over)
    for path in others:
        try:
            yield from _other(session, survey, path)
        except NotATrail as error:
            yield Notice((f"{error}: not read",), bad=Bad(error))


def _other(session: Session, survey: HeartbeatSurvey, path: Path) -> Iterator[Event]:
    if session.has_trail and path == session.trail.path:
        yield from survey.take(session.trail)
        return
    with TrailFile(path) as trail:
        yield from survey.take(trail)
