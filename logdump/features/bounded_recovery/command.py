"""BR: how far back a restart of Extract reads, with Bounded Recovery and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from logdump.features.bounded_recovery.checkpoints import read_begins
from logdump.features.bounded_recovery.model import (
    INTERVAL_BOUNDS,
    LONGER_BOUNDS,
    BrOptions,
    DurationBounds,
    TransactionInterval,
    read_duration,
    with_parameters,
)
from logdump.features.bounded_recovery.survey import BrSurvey
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword
from logdump.language.parameters import EnteredTime, File, Number, OneOf, Time
from logdump.language.reader import Context, Parameter
from logdump.notation.times import TIME_FORMS
from logdump.parameters.in_use import parameters_in_use, unused_parameters
from logdump.parameters.not_used import ParameterUse
from logdump.session.chosen_trail import name_over, refuse_filter, trail_title, whole_trail_of
from logdump.session.errors import ArgumentError
from logdump.session.events import Event
from logdump.session.reading import Reading, answered
from logdump.session.session import Session
from trailformat import TrailFile
from trailformat.codec.remote.path import path_of

_SECOND = 1_000_000


class Duration(Parameter[int]):
    """A duration in the form of BRINTERVAL, in microseconds."""

    def __init__(self, bounds: DurationBounds) -> None:
        super().__init__("<n>{M | H}")
        self._bounds = bounds

    def parse(self, text: str, context: Context) -> int:  # noqa: ARG002 - it depends on nothing else
        """Return the interval in microseconds."""
        return read_duration(text, self._bounds)

    def begins(self, typed: str, context: Context) -> bool:  # noqa: ARG002 - it depends on nothing else
        """Return True if another digit or a unit could complete the interval."""
        return typed.isascii() and typed.isdigit()


class Intervals(Parameter[tuple[int, ...]]):
    """Several intervals, separated by commas."""

    def __init__(self, duration: Duration) -> None:
        super().__init__(f"{duration.syntax},…")
        self._duration = duration

    def parse(self, text: str, context: Context) -> tuple[int, ...]:
        """Return the intervals in microseconds."""
        return tuple(self._duration.parse(part, context) for part in text.split(","))

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if the last interval may be incomplete and the others are valid."""
        *intervals, last = typed.split(",")
        try:
            self.parse(",".join(intervals), context) if intervals else ()
        except ArgumentError:
            return False
        return not last or self._duration.begins(last, context)


class BrRequest(NamedTuple):
    """The options as entered; the interval of a parameter file is used if none was entered."""

    options: BrOptions
    has_interval: bool


def run_bounded_recovery(session: Session, wanted: BrRequest) -> Iterator[Event]:
    """Show the transactions open at checkpoints of Bounded Recovery; the read position stays."""
    options = wanted.options
    if not wanted.has_interval:
        options = with_parameters(options, parameters_in_use(session))
    refuse_filter(session, "BR", filtered=options.filtered)
    whole = whole_trail_of(session, options.over, "BR")
    given = read_begins(path_of(Path(options.begins)), session.settings.time_offset) if options.begins else {}

    def takes(transaction: TransactionInterval) -> bool:
        return not options.filtered or _passes(session, transaction)

    survey = BrSurvey(whole, options, given, takes)
    title = trail_title(name_over(session, options.over), len(whole))

    def results(reading: Reading) -> Iterator[Event]:
        yield from survey.events(title, session.definitions_of, is_partial=reading.is_partial)
        yield from unused_parameters(session, ParameterUse.OPEN)

    yield from answered(survey.run(session.settings.notify), survey.reading, results)


def _passes(session: Session, transaction: TransactionInterval) -> bool:
    """Return True if the first record of the transaction passes the filter."""
    if transaction.position is None:
        return False
    with TrailFile(transaction.position.path) as trail:
        record = trail.record_at(transaction.position.rba)
        return record is not None and session.selection(trail).accepts(record)


def _options(**given: Any) -> BrRequest:
    times = {name: value.julian for name, value in given.items() if isinstance(value, EnteredTime)}
    return BrRequest(BrOptions(**{**given, **times}), "interval" in given)


class _Slack(Number):
    """A number of seconds, parsed to microseconds."""

    def parse(self, text: str, context: Context) -> int:
        """Return the seconds in microseconds."""
        return super().parse(text, context) * _SECOND


_INTERVAL = Duration(INTERVAL_BOUNDS)

COMMANDS = (
    Command(
        "BR",
        AnyOrder(
            _options,
            {
                "interval": Keyword("INTERVAL", _INTERVAL),
                "first": Keyword("FIRST", Time(label="FIRST: ")),
                "restart": Keyword("RESTART", Time(label="RESTART: ")),
                "fails": OneOf({"FAILS": True}),
                "begins": Keyword("BEGINS", File("<file>")),
                "slack": Keyword("SLACK", _Slack("<seconds>", 0, 86_400, "a number of seconds")),
                "log_size": Keyword("LOGSIZE", Number("<bytes>", 1, 2**50, "a number of bytes")),
                "longer": Keyword("LONGER", Duration(LONGER_BOUNDS)),
                "compare": Keyword("COMPARE", Intervals(_INTERVAL)),
                "over": Keyword("OVER", File("<wildcard>")),
                "filtered": OneOf({"FILTERED": True}),
            },
            wrong="{!r} is not an option of BR.",
            ends_phrases=True,
        ),
        "Show how far back a restart of Extract reads, with Bounded Recovery and without",
        run_bounded_recovery,
        details=(
            "All files of the open trail, or those of <wildcard>; only Oracle. INTERVAL is BRINTERVAL, 20M to 96H, 4H",
            "unless given: change it in a parameter file only with Oracle Support. FIRST: a BR checkpoint, else the",
            "last restart or the beginning of the trail. RESTART: what a restart then reads; FAILS: the checkpoint",
            "before it was not completed. BEGINS: a CSV file xid,begin[,end][,records], as in V$TRANSACTION.",
            "SLACK: seconds within which a transaction of one record is committed (1). LOGSIZE: bytes of a redo log.",
            "LONGER: list transactions open for longer than this, else than the interval. COMPARE: other intervals.",
            f"<time> is {TIME_FORMS}. docs/bounded-recovery.md explains the words.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
