"""An answer to a question of a DBA, the event of EXPLAIN; and the rules that give a verdict."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from logdump.session.errors import ExitStatus
from trailformat.trail.sequence import Spot


class Question(enum.Enum):
    """The questions that EXPLAIN answers."""

    LAG = "lag"
    RESTART = "restart"
    DDL = "ddl"


class When(NamedTuple):
    """A moment in a text, in Julian microseconds: the zone is that of who reads it."""

    julian: int


class Span(NamedTuple):
    """A duration in a text, in microseconds."""

    microseconds: int


Phrase = tuple[str | When | Span, ...]
"""A text with moments and durations in it."""


class Evidence(NamedTuple):
    """A line of an answer: a hop with its lag in microseconds where it is about one, and the places that show it."""

    text: Phrase
    spots: tuple[Spot, ...] = ()
    hop: str | None = None
    lag: int | None = None


class Conclusion(NamedTuple):
    """The verdict of a rule, and the name of the rule."""

    rule: str
    text: Phrase


NO_VERDICT = Conclusion("", ())
"""What there is instead of one where not all was read."""


class Explained(NamedTuple):
    """EXPLAIN: the whole answer.

    Attributes:
        question: the question answered.
        title: name of the trail or of the files read.
        verdict: one sentence, and the rule that gave it; NO_VERDICT if the reading is partial.
        parts: the facts that support it.
        assumed: the assumptions.
        not_known: unknown facts, and how to find them.
        damaged: places of damage.
        is_partial: True if not all was read.
    """

    question: Question
    title: str
    verdict: Conclusion
    parts: tuple[Evidence, ...]
    assumed: tuple[str, ...]
    not_known: tuple[str, ...]
    damaged: int
    is_partial: bool

    @property
    def status(self) -> ExitStatus:
        """Bad data when there is damage."""
        return ExitStatus.BAD_DATA if self.damaged else ExitStatus.OK


F = TypeVar("F")


class VerdictRule(NamedTuple, Generic[F]):
    """A rule: its name, and the verdict where it holds."""

    name: str
    verdict: Callable[[F], Phrase | None]


def conclusion(rules: Iterable[VerdictRule[F]], facts: F) -> Conclusion:
    """The verdict of the first rule that holds; one of them always does."""
    found = ((rule.name, rule.verdict(facts)) for rule in rules)
    return next(Conclusion(name, text) for name, text in found if text is not None)
