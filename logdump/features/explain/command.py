"""EXPLAIN: a verdict about lag, restarts or DDL, and the facts that support it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from logdump.features.bounded_recovery.model import BrOptions, with_parameters
from logdump.features.explain.ddl import DdlQuestion
from logdump.features.explain.explained_log import LogQuestion, explain_log, explain_text, is_explained
from logdump.features.explain.lag import LagQuestion
from logdump.features.explain.model import Explained
from logdump.features.explain.restart import RestartQuestion
from logdump.features.recovery.command import SEQNO_AND_RBA
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import EnteredTime, File, FreeText, OneOf, Time, Word
from logdump.language.reader import Context
from logdump.notation.times import TIME_FORMS
from logdump.parameters.in_use import parameters_in_use, unused_parameters
from logdump.parameters.not_used import ParameterUse
from logdump.session.across import files_from
from logdump.session.chosen_trail import range_of, trail_title, whole_trail_of
from logdump.session.errors import CommandError
from logdump.session.events import Event, Notice
from logdump.session.reading import Reading, answered
from logdump.session.searching import csn_goal, find_in_sequence
from logdump.session.session import Session
from logdump.tables.heartbeat_tables import heartbeat_table
from trailformat import NotATrail, TrailFile, TrailName
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.whole_trail import WholeTrail, gaps_among


class Answerable(Protocol):
    """A question that can be answered from what has been read so far."""

    def reading(self) -> Reading:
        """Return the gaps of the reading."""

    def explained(self, title: str, *, is_partial: bool) -> Explained:
        """Return the answer, without a verdict if the reading is partial."""


Run = Callable[[Session], Iterator[Event]]


class CsnOfPlace(NamedTuple):
    """A position given by its CSN."""

    text: str


RestartPlace = EnteredTime | CsnOfPlace | tuple[int, ...]


def _refuse_filter(session: Session) -> None:
    if session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError("EXPLAIN needs all records of the trail: use FILTER OFF first.")


def _answer(question: Answerable, title: str, run: Iterator[Event], notices: Iterable[Event] = ()) -> Iterator[Event]:
    """Read what the question needs, then yield the answer; after Ctrl+C that from the part read."""

    def results(reading: Reading) -> Iterator[Event]:
        yield question.explained(title, is_partial=reading.is_partial)
        yield from notices

    return answered(run, question.reading, results)


def _lag(moment: EnteredTime | None) -> Run:
    def run(session: Session) -> Iterator[Event]:
        _refuse_filter(session)
        whole = whole_trail_of(session, None, "EXPLAIN")
        table = heartbeat_table(session).name
        question = LagQuestion(whole, moment.julian if moment is not None else None, session.definitions_of, table)
        yield from _answer(question, trail_title(session.trail.path, len(whole)), question.run(session.settings.notify))

    return run


def _restart(place: RestartPlace | None) -> Run:
    def run(session: Session) -> Iterator[Event]:
        _refuse_filter(session)
        whole = whole_trail_of(session, None, "EXPLAIN")
        options = BrOptions(restart=place.julian if isinstance(place, EnteredTime) else None)
        options = with_parameters(options, parameters_in_use(session))
        question = RestartQuestion(whole, _place(session, whole, place), options)
        events = question.run(session.settings.notify, session.definitions_of)
        title = trail_title(session.trail.path, len(whole))
        yield from _answer(question, title, events, unused_parameters(session, ParameterUse.RESTART))

    return run


def _place(session: Session, whole: WholeTrail, place: RestartPlace | None) -> FilePosition | None:
    if isinstance(place, CsnOfPlace):
        goal = csn_goal(place.text)
        if goal is None:
            raise CommandError(f"{place.text!r} is not a CSN.")
        record = find_in_sequence(session.trail, goal)
        if record is None:
            bounds = range_of(session.trail)
            goes = f" The trail goes {bounds.text(session.settings.time_offset)}." if bounds is not None else ""
            raise CommandError(f"No transaction with {goal.text}.{goes}")
        return FilePosition(record.path or session.trail.path, record.rba)
    if place is None or isinstance(place, EnteredTime):
        return None
    seqno, rba = place
    for path in whole.paths:
        name = TrailName.parse(path)
        if name is not None and name.seqno == seqno:
            return FilePosition(path, rba)
    raise CommandError(f"No file of this trail has the number {seqno}.")


def _ddl() -> Run:
    def run(session: Session) -> Iterator[Event]:
        parameters = parameters_in_use(session)
        if not parameters.files:
            raise CommandError("No parameter file is in use: PARAMS <file> reads one.")
        question = DdlQuestion(parameters, len(gaps_among(files_from(session))))
        yield from _answer(question, trail_title(session.trail.path), _statements(session, question))

    return run


def _statements(session: Session, question: DdlQuestion) -> Iterator[Event]:
    notify = session.settings.notify
    for path in files_from(session):
        if path == session.trail.path:
            yield from question.take(session.trail, session.selection(), notify)
            continue
        try:
            with TrailFile(path) as trail:
                yield from question.take(trail, session.selection(trail), notify)
        except NotATrail as error:
            question.unreadable += 1
            yield Notice((f"{error}: not read",))


def run_explain(session: Session, run: Run) -> Iterator[Event]:
    """Answer a question; the read position stays."""
    yield from run(session)


_AT = Time(label="AT: ", is_end=True)
_RESTART_AT: Alternatives[Any] = Alternatives(
    SEQNO_AND_RBA,
    Keyword("CSN", Sequence(CsnOfPlace, Word("<csn>"))),
    _AT,
)


_QUESTIONS = ("LAG", "RESTART", "DDL", "FILE")


class _Message(FreeText):
    """Any text of GoldenGate with the number of a message, or with a place."""

    is_open = False

    def accepts(self, word: str) -> bool:
        """Return True if a text has the beginning of a message number, or names a place."""
        first = word.split(maxsplit=1)[0].upper() if word.strip() else ""
        return is_explained(word) if first not in _QUESTIONS else "OGG-" in word.upper()

    def begins(self, typed: str, context: Context) -> bool:  # noqa: ARG002 - as the method of the class above
        """Return True: any text can go on to a number or a place."""
        return True


def _message(text: str) -> Run:
    return lambda session: explain_text(session, text)


def _log(name: str, trails: str | None, every: bool | None) -> Run:  # noqa: FBT001 - a word of the form
    return lambda session: explain_log(session, LogQuestion(name, trails, bool(every)))


COMMANDS = (
    Command(
        "EXPLAIN",
        Alternatives(
            Sequence(_message, _Message("OGG-<number> <text>")),
            Keyword(
                "FILE",
                Sequence(
                    _log,
                    File("<log>"),
                    Maybe(Keyword("TRAILS", File("<folder>"))),
                    Maybe(OneOf({"ALL": True})),
                ),
            ),
            Keyword("LAG", Sequence(_lag, Maybe(Keyword("AT", _AT)))),
            Keyword("RESTART", Sequence(_restart, Maybe(Keyword("AT", _RESTART_AT)))),
            Sequence(lambda _: _ddl(), OneOf({"DDL": None})),
            missing="takes LAG, RESTART, DDL, FILE or a message.",
            wrong="{!r} is not one of LAG, RESTART, DDL, FILE, OGG-<number>.",
        ),
        "Explain a text of GoldenGate, why replication is late, what a restart would do, which DDL is not replicated",
        run_explain,
        details=(
            "OGG-02191 ..., or any text of GoldenGate that names a place: what it means for the trail, its places and",
            "their roles, the record, SAFE and CHECK. FILE: the last error of a report, discard file or ggserr.log,",
            "with the messages of its process around it (-: of standard input); of a folder or an archive what has",
            "become of each process. TRAILS: the folder of the trails. ALL: the last error of each kind or process.",
            "LAG: the hop that is late at <time>, or where the lag is greatest: restarts, long transactions, missing",
            "beats, volumes. RESTART: Extract stopped at <time>, or Replicat started at a position, else at the last",
            "recovery point. DDL: the statements of the open file against the files of PARAMS. At most 25 lines:",
            "assumptions, the verdict, the facts that support it, unknown facts and how to find them.",
            f"<time> is {TIME_FORMS}. docs/explain.md has the rules.",
        ),
        origin=Origin.OURS,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
