"""HEARTBEAT."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword
from logdump.language.parameters import EnteredTime, File, Number, OneOf, Table, Time, Word
from logdump.language.reader import Context
from logdump.notation.times import TIME_FORMS, current_timestamp
from logdump.operations.heartbeats.reading import HeartbeatReader
from logdump.operations.heartbeats.survey import Display, HeartbeatOptions, HeartbeatSurvey
from logdump.operations.matching_files import matching_files
from logdump.session.across import files_from
from logdump.session.events import Bad, Event, Notice
from logdump.session.session import Session
from trailformat import NotATrail, TrailFile

_SECOND = 1_000_000
_MOST_SECONDS = 7999
"""The greatest frequency that ADD HEARTBEATTABLE takes."""
_MOST_DAYS = 2**31 - 2


def run_heartbeat(session: Session, options: HeartbeatOptions) -> Iterator[Event]:
    """Add up the heartbeats of the open trail, with ACROSS of the files after it, or of those that a wildcard names.

    The position stays.
    """
    reader = HeartbeatReader(session.definitions_of, options.table, session.selection)
    survey = HeartbeatSurvey(options, reader, session.settings.notify)
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


_NOW = "NOW"


def _options(at: EnteredTime | str | None = None, **given: Any) -> HeartbeatOptions:
    times: dict[str, Any] = {name: given.pop(name).julian for name in ("start", "end") if name in given}
    if isinstance(at, EnteredTime):
        times["at"] = at.julian
    return HeartbeatOptions(is_now=at == _NOW, **times, **given)


class _Minutes(Number):
    """Minutes, in microseconds."""

    def parse(self, text: str, context: Context) -> int:
        """The microseconds."""
        return super().parse(text, context) * 60 * _SECOND


class _Seconds(Number):
    """Seconds, in microseconds."""

    def parse(self, text: str, context: Context) -> int:
        """The microseconds."""
        return super().parse(text, context) * _SECOND


COMMANDS = (
    Command(
        "HEARTBEAT",
        AnyOrder(
            _options,
            {
                "display": OneOf({display.value: display for display in Display}),
                "over": Keyword("OVER", File("<wildcard>")),
                "table": Keyword("TABLE", Table("<name>")),
                "path": Keyword("PATH", Word("<wildcard>")),
                "start": Keyword("START", Time(label="START: ")),
                "end": Keyword("END", Time(label="END: ")),
                "at": Keyword("AT", Alternatives(OneOf({_NOW: _NOW}), Time(label="AT: "))),
                "every": Keyword("EVERY", _Minutes("<minutes>", 1, 10**6, "a number of minutes")),
                "frequency": Keyword("FREQUENCY", _Seconds("<seconds>", 1, _MOST_SECONDS, "a number of seconds")),
                "retention": Keyword("RETENTION", Number("<days>", 1, _MOST_DAYS, "a number of days")),
            },
            ends_phrases=True,
        ),
        "Show the lag of every hop, from the rows of the heartbeat tables in the trail",
        run_heartbeat,
        details=(
            "LAG, unless another is given: each way with its lags, its age, its missing beats; HISTORY: beat by beat,",
            "with EVERY <minutes> in intervals; ROWS: the rows of the tables; GAPS: where beats are missing.",
            "OVER goes over the files that <wildcard> names, ACROSS ON over those after the open one.",
            "TABLE names the tables where they are not GG_HEARTBEAT.",
            "PATH is a wildcard for ways such as EXT1 ==> PMP1. AT is the moment of the answer, else the newest known.",
            "FREQUENCY: seconds between two beats, else the median. RETENTION: what a purge would remove.",
            f"<time> is {TIME_FORMS}. The FILTER applies.",
        ),
        origin=Origin.OURS,
    ),
)
