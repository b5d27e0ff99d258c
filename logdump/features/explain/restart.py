"""EXPLAIN RESTART: the effect of a restart of Extract and Replicat, at a position of the trail or now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from logdump.display.text import gap_words, redo_text
from logdump.features.bounded_recovery.model import BrOptions, BrRestartShown
from logdump.features.bounded_recovery.survey import BrSurvey
from logdump.features.explain.model import (
    NO_VERDICT,
    Evidence,
    Explained,
    Phrase,
    Question,
    Span,
    VerdictRule,
    When,
    conclusion,
)
from logdump.features.recovery.model import KeepShown, RecoveryShown
from logdump.features.recovery.report import RecoveryReport
from logdump.features.recovery.survey import Survey
from logdump.notation.text import amount
from logdump.parameters.model import Rule
from logdump.session.errors import CommandError
from logdump.session.events import Event, Progress
from logdump.session.reading import Reading
from trailformat.scan import Workers
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.restart_places import RestartPlaces, restart_places
from trailformat.transactions.whole_trail import WholeTrail

_MOST_VERSIONS = 1


class RestartFacts(NamedTuple):
    """The input of the rules.

    Attributes:
        recovery: the summary of RECOVERY.
        keep: the position of the restart, and the files that a reader there needs; None if no transaction is whole.
        places: the positions around it at which a Replicat can start; None like ``keep``.
        damaged: number of places of damage that a Replicat reaches, and of files that are not trail files.
        reach: how far back Extract reads; None if unknown.
        no_reach: the reason why ``reach`` is unknown.
        begins_missing: first records of transactions whose beginning is missing.
    """

    recovery: RecoveryShown
    keep: KeepShown | None
    places: RestartPlaces | None
    damaged: int
    reach: BrRestartShown | None
    no_reach: str
    begins_missing: tuple[FilePosition, ...] = ()


def _nothing(facts: RestartFacts) -> Phrase | None:
    return ("No transaction is whole: there is no place to restart at.",) if facts.keep is None else None


def _damaged(facts: RestartFacts) -> Phrase | None:
    where = amount(facts.damaged, "place")
    return (f"Not safe: damage at {where}, where a Replicat abends.",) if facts.damaged else None


def _lost(facts: RestartFacts) -> Phrase | None:
    if not facts.recovery.state.lost:
        return None
    what = f"{amount(facts.recovery.state.lost, 'transaction')} cut by a restart of Extract without a whole copy"
    return (f"Not certainly safe: {what}: rolled back, not yet written, or lost.",)


def _short(facts: RestartFacts) -> Phrase | None:
    mismatches = facts.recovery.state.mismatches
    if not mismatches:
        return None
    return (f"Not certainly safe: {mismatches[0].path.name} is not as its header says: what follows may be lost.",)


def _begin_missing(facts: RestartFacts) -> Phrase | None:
    if not facts.begins_missing:
        return None
    number = len(facts.begins_missing)
    are = "whose beginning is" if number == 1 else "whose beginnings are"
    return (f"Not certainly safe: {amount(number, 'transaction')} {are} not in the trail: overwritten, or lost.",)


def _inside(facts: RestartFacts) -> Phrase | None:
    places = facts.places
    extent = places.extent if places is not None else None
    if places is None or extent is None or places.is_safe:
        return None
    who = extent.transaction.xid or "a transaction"
    whole = (
        f"begin at {place_text(extent.begin)} to apply it whole"
        if extent.begin is not None
        else "its beginning is not in the trail"
    )
    again = next((place_text(copy.begin) for copy in places.again if copy.is_whole and copy.begin is not None), None)
    comes_again = f", which has a whole copy at {again}" if again is not None else ""
    after = f", at {place_text(places.leave_out)} to skip it" if places.leave_out is not None else ""
    return (f"Not safe: the place is inside {who}, after {extent.before} of its records{comes_again}; {whole}{after}.",)


def _twice(facts: RestartFacts) -> Phrase | None:
    recovery = facts.recovery
    if not recovery.state.twice:
        return None
    copies, records = amount(recovery.state.twice, "transaction"), amount(recovery.twice_records, "record")
    what = f"second whole copies of {copies}, {records}"
    return (f"Safe unless Replicat runs with NOFILTERDUPTRANSACTIONS: {what}.",)


def _safe(_: RestartFacts) -> Phrase | None:
    return ("Safe: between two transactions, nothing is lost and nothing applied twice.",)


RULES = (
    VerdictRule("nothing_whole", _nothing),
    VerdictRule("damaged", _damaged),
    VerdictRule("inside", _inside),
    VerdictRule("short", _short),
    VerdictRule("begin_missing", _begin_missing),
    VerdictRule("lost", _lost),
    VerdictRule("twice", _twice),
    VerdictRule("safe", _safe),
)
"""The rules, in the order in which they are tried; the last one always applies."""


def place_text(position: FilePosition) -> str:
    """Return a position as text."""
    return f"RBA {position.rba} of {position.path.name}"


class RestartQuestion:
    """The question of the effect of a restart.

    Args:
        whole: the trail.
        place: the position at which Replicat begins; None: the last recovery point.
        options: options of Bounded Recovery; Extract stops at its ``restart``, else at the last commit in the trail.
    """

    def __init__(self, whole: WholeTrail, place: FilePosition | None, options: BrOptions) -> None:
        self._whole, self._place, self._options = whole, place, options
        self._survey = Survey(whole)
        self._reach: BrRestartShown | None = None
        self._no_reach = "it was stopped before"

    def run(self, notify: int, definitions_of: Callable[[TrailFile], RowDefinitions]) -> Iterator[Progress]:
        """Read the trail for traces of restarts, then for open transactions."""
        newest = 0
        with Workers() as workers:
            for batch in self._survey.run(workers):
                newest = max(newest, batch.commit)
        options = self._options
        if options.restart is None:
            options = options._replace(restart=newest or None)
        survey = BrSurvey(self._whole, options, {})
        try:
            yield from survey.run(notify)
        except CommandError as error:
            self._no_reach = str(error).rstrip(".")
            return
        self._reach = _restart_among(survey.events("", definitions_of, is_partial=False))
        self._no_reach = "no transaction with a time"

    def reading(self) -> Reading:
        """Return the gaps of the reading."""
        return Reading().over(self._whole.gaps)

    def explained(self, title: str, *, is_partial: bool) -> Explained:
        """Return the answer; if the reading is partial, without a verdict and a position to continue at.

        Raises:
            BadRecord: the position is inside a record, or outside of its file.
        """
        facts = self._facts(is_partial=is_partial)
        return Explained(
            Question.RESTART,
            title,
            NO_VERDICT if is_partial else conclusion(RULES, facts),
            tuple(_parts(facts)),
            tuple(_assumed(facts, self._options.parameter, is_given=self._place is not None)),
            tuple(_not_known(facts)),
            facts.recovery.state.damaged + len(facts.recovery.state.unreadable),
            is_partial,
            bool(facts.recovery.state.mismatches),
        )

    def _facts(self, *, is_partial: bool) -> RestartFacts:
        report = RecoveryReport(self._survey, keep=self._place)
        keep, places = None if is_partial else report.keep(), None
        if keep is not None:
            with TrailFile(keep.position.path) as trail:
                places = restart_places(trail, keep.position.rba)
        shown = report.shown("", None, is_partial=is_partial)
        begins = tuple(finding.position for finding in report.begins_missing())
        if is_partial:
            return RestartFacts(shown, None, None, 0, None, "not all of the trail was read", begins)
        damaged = self._survey.damaged_from(self._place)
        return RestartFacts(shown, keep, places, damaged, self._reach, self._no_reach, begins)


def _restart_among(events: Iterator[Event]) -> BrRestartShown | None:
    return next((event for event in events if isinstance(event, BrRestartShown)), None)


def _parts(facts: RestartFacts) -> Iterator[Evidence]:
    keep, recovery = facts.keep, facts.recovery
    for gap in recovery.state.gaps:
        last = f" to {gap.last.name}" if gap.last != gap.first else ""
        yield Evidence(
            (f"{gap_words(gap).capitalize()}: {gap.first}{last}, before {gap.file_after.name}",),
            (FilePosition(gap.file_after, 0),),
        )
    for mismatch in recovery.state.mismatches:
        yield Evidence((f"{mismatch.path.name}: {mismatch.text}",), (FilePosition(mismatch.path, 0),))
    if facts.begins_missing:
        yield Evidence(("Without their beginning",), facts.begins_missing)
    if keep is not None:
        yield Evidence(("Replicat starts at this place",), (keep.position,))
        free = f"; not needed: {amount(len(keep.free), 'earlier file')}" if keep.free else ""
        yield Evidence((f"Files: {keep.first.name} and all later ones{free}",))
    numbers = f"{recovery.transactions} transactions, {recovery.effective} effective"
    copied = recovery.cut - recovery.state.lost
    cut = f"; {recovery.cut} cut by {recovery.state.restarts} restarts, {copied} of them with a whole copy"
    yield Evidence((f"Trail: {numbers}{cut if recovery.cut else ''}",))
    if len(recovery.versions) > _MOST_VERSIONS:
        versions = ", ".join(map(str, recovery.versions))
        yield Evidence((f"Versions of the files: {versions}; a reader must know the latest",))
    reach = facts.reach
    if reach is not None:
        for name, redo in (("with BR", reach.with_br), ("without BR", reach.without_br)):
            logs = f", {amount(redo.logs, 'redo log')}" if redo.logs is not None else ""
            again = f", {amount(redo.recaptured, 'transaction')} captured again"
            place = redo.start.place
            where = f", {redo_text(place)}" if place is not None else ""
            start: Phrase = (f"Extract, {name}: redo from ", When(redo.start.time), where)
            yield Evidence((*start, ", ", Span(redo.back), f" back{logs}{again}"))
        if reach.heartbeat is not None and reach.heartbeat.time is not None:
            said: Phrase = ("Extract itself: redo from ", When(reach.heartbeat.time))
            yield Evidence((*said, f", CSN {reach.heartbeat.csn or 'unknown'}"), (reach.heartbeat.position,))
    if recovery.open is not None and recovery.open.begin is not None:
        yield Evidence((f"The trail ends inside {recovery.open.xid or 'a transaction'}",), (recovery.open.begin,))


def _assumed(facts: RestartFacts, parameter: Rule | None, *, is_given: bool) -> Iterator[str]:
    if not is_given and facts.keep is not None:
        yield "Replicat continues at the last recovery point"
    if facts.reach is not None:
        said = f"{parameter.text} ({parameter.path.name}, line {parameter.line})" if parameter else "BRINTERVAL 4 h"
        yield f"{said}, and a BR checkpoint at the last restart or the beginning of the trail"


def _not_known(facts: RestartFacts) -> Iterator[str]:
    yield "how far Replicat has applied (see INFO REPLICAT or its checkpoint table)"
    if facts.reach is None:
        yield f"how far back Extract reads: {facts.no_reach}"
    else:
        yield "transactions rolled back or still open (BR BEGINS takes them from V$TRANSACTION)"
