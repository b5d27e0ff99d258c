"""HEARTBEAT over the open trail and others: the events of a survey."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.heartbeat.survey import HeartbeatOptions, HeartbeatSurvey
from logdump.features.heartbeat.table_in_use import heartbeat_table
from logdump.notation.times import current_timestamp
from logdump.session.across import files_from
from logdump.session.answers import answered
from logdump.session.effective_rows import NotAppliedByFile
from logdump.session.events import Bad, Event, Notice
from logdump.session.matching_files import matching_files
from logdump.session.reading import Reading
from logdump.session.session import Session
from trailformat import NotATrail, TrailFile
from trailformat.scan import Workers
from trailformat.transactions.whole_trail import gaps_among


def run_heartbeat(session: Session, options: HeartbeatOptions) -> Iterator[Event]:
    """Add up the heartbeats of the open trail, with ACROSS of the files after it, or of those that a wildcard names.

    The position stays.
    """
    with Workers() as workers:
        yield from _surveyed(session, options, workers)


def _surveyed(session: Session, options: HeartbeatOptions, workers: Workers) -> Iterator[Event]:
    table = heartbeat_table(session, options.table)
    ranges = NotAppliedByFile(workers=workers)
    reader = HeartbeatReader(
        session.definitions_of, table.name, session.selection, not_applied_in=ranges.of, uses_threads=True
    )
    survey = HeartbeatSurvey(options, table, reader, session.settings.notify)
    paths = list(files_from(session)) if options.over is None else matching_files(options.over)
    unreadable = list[Path]()

    def reading() -> Reading:
        return Reading(damaged=survey.damaged, unreadable=len(unreadable), missing=len(gaps_among(paths)))

    def results(of: Reading) -> Iterator[Event]:
        return survey.results(current_timestamp, is_partial=of.is_partial)

    yield from answered(_over_files(session, survey, paths, unreadable), reading, results)


def _over_files(
    session: Session, survey: HeartbeatSurvey, paths: list[Path], unreadable: list[Path]
) -> Iterator[Event]:
    for path in paths:
        try:
            yield from _other(session, survey, path)
        except NotATrail as error:
            unreadable.append(path)
            yield Notice((f"{error}: not read",), bad=Bad(error))


def _other(session: Session, survey: HeartbeatSurvey, path: Path) -> Iterator[Event]:
    if session.has_trail and path == session.trail.path:
        yield from survey.take(session.trail)
        return
    with TrailFile(path) as trail:
        yield from survey.take(trail)
