"""EXPLAIN DDL: the DDL statements of a trail that are not replicated with the parameter files in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from logdump.features.ddl.evaluation import evaluate
from logdump.features.ddl.fate import StatementFates
from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.features.ddl.statement import ddl_records, subject_of_record
from logdump.features.explain.model import NO_VERDICT, Evidence, Explained, Phrase, Question, VerdictRule, conclusion
from logdump.notation.text import amount
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import ProcessSide
from logdump.session.events import Event, Notice
from logdump.session.reading import Reading
from logdump.session.selection import Selection
from trailformat import Record
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition

_MOST_DOUBTS = 3
MOST_SHOWN = 10
_NO_RULE_NAMES_IT = "ORA-99999"
_NOT_APPLIED = (Outcome.COPY, Outcome.NOT_APPLIED)
_THROUGH = (Outcome.APPLIED, Outcome.CAPTURED)


class DdlFacts(NamedTuple):
    """The number of statements that a Replicat reaches, of evaluations by outcome, and of statements with an abend.

    ``abends`` counts the statements at which it abends on an error that no DDLERROR names.
    """

    statements: int
    outcomes: Counter[tuple[ProcessSide, Outcome]]
    abends: int

    def number(self, *outcomes: Outcome) -> int:
        """Return the number of evaluations with one of these outcomes."""
        return sum(number for (_, outcome), number in self.outcomes.items() if outcome in outcomes)


def _none(facts: DdlFacts) -> Phrase | None:
    if facts.statements:
        return None
    which = " that a Replicat applies" if facts.number(*_NOT_APPLIED) else ""
    return (f"No DDL statement in the trail{which}.",)


def _stays(facts: DdlFacts) -> Phrase | None:
    number = facts.number(Outcome.LEFT_OUT, Outcome.IGNORED, Outcome.DISCARDED)
    return (f"{number} of {facts.statements} statements are not replicated.",) if number else None


def _unsure(facts: DdlFacts) -> Phrase | None:
    number = facts.number(Outcome.UNKNOWN)
    return (
        (f"{number} of {facts.statements} statements cannot be judged, the others are replicated.",) if number else None
    )


def _abends(facts: DdlFacts) -> Phrase | None:
    if not facts.abends:
        return None
    return (f"All {facts.statements} statements are replicated; Replicat abends at the first that the target refuses.",)


def _through(facts: DdlFacts) -> Phrase | None:
    return (f"All {facts.statements} statements are replicated.",)


RULES = (
    VerdictRule("no_ddl", _none),
    VerdictRule("left_out", _stays),
    VerdictRule("unsure", _unsure),
    VerdictRule("abends_on_error", _abends),
    VerdictRule("all_through", _through),
)
"""The rules, in the order in which they are tried; the last one always holds."""


class DdlQuestion:
    """The question of which statements are replicated.

    Args:
        parameters: the files in use.
        missing: number of gaps in the numbers of the files.

    Attributes:
        unreadable: number of files that are not trail files.
    """

    def __init__(self, parameters: ParametersInUse, missing: int = 0) -> None:
        self._parameters, self._missing = parameters, missing
        self.unreadable = 0
        self._statements = self._damaged = self._abends = self._skipped = 0
        self._fates = StatementFates()
        self._outcomes: Counter[tuple[ProcessSide, Outcome]] = Counter()
        self._shown: list[Evidence] = []
        self._doubts: Counter[str] = Counter()

    def take(self, trail: TrailFile, selection: Selection, notify: int) -> Iterator[Event]:
        """Read a file; yield Progress, and Notices of damage."""
        parameters = self._parameters.for_trail(trail.path)
        for item in ddl_records(trail, trail.first_rba, selection, notify):
            if not isinstance(item, Record):
                self._damaged += isinstance(item, Notice)
                yield item
                continue
            self._statements += 1
            subject = subject_of_record(trail, item)
            results = list(self._fates.judged(evaluate(subject, parameters), trail.path, item.rba))
            for result in results:
                self._note(result, FilePosition(trail.path, item.rba))
            if any(result.outcome in _NOT_APPLIED for result in results):
                self._skipped += 1
                continue
            failing = evaluate(subject, parameters, _NO_RULE_NAMES_IT)
            self._abends += any(result.outcome is Outcome.ABEND for result in failing)

    def _note(self, result: DdlEvaluated, position: FilePosition) -> None:
        self._outcomes[result.side, result.outcome] += 1
        self._doubts.update(result.problems)
        if result.outcome in _THROUGH and not result.not_converted:
            return
        if len(self._shown) < MOST_SHOWN:
            rule = f", {result.rule.path.name} line {result.rule.line}" if result.rule is not None else ""
            why = f": {result.reason}" if result.reason else ""
            names = f"; not converted: {', '.join(result.not_converted)}" if result.not_converted else ""
            outcome = result.outcome.value.replace("_", " ")
            self._shown.append(
                Evidence((f"{result.side.title}, {result.title}: {outcome}{why}{rule}{names}",), (position,))
            )

    def reading(self) -> Reading:
        """Return the gaps of the reading."""
        return Reading(damaged=self._damaged, unreadable=self.unreadable, missing=self._missing)

    def explained(self, title: str, *, is_partial: bool) -> Explained:
        """Return the answer, without a verdict if the reading is partial."""
        facts = DdlFacts(self._statements - self._skipped, self._outcomes, self._abends)
        counted = [
            f"{side.title} {outcome.value.replace('_', ' ')} {number}"
            for (side, outcome), number in self._outcomes.items()
        ]
        parts = [Evidence((f"{amount(self._statements, 'statement')}: {', '.join(counted)}",))] if counted else []
        if self._abends:
            what = f"{amount(self._abends, 'statement')} at which Replicat abends where the target refuses them"
            parts.append(Evidence((f"DDLERROR: {what}",)))
        doubts = [
            Evidence((f"{amount(number, 'statement')}: {doubt}",))
            for doubt, number in self._doubts.most_common(_MOST_DOUBTS)
        ]
        return Explained(
            Question.DDL,
            title,
            NO_VERDICT if is_partial else conclusion(RULES, facts),
            (*parts, *self._shown, *doubts),
            ("Extract has captured these statements; names of the target are those of the parameter files",),
            ("statements that Extract did not capture (see the history of the source)",),
            self._damaged,
            is_partial,
        )
