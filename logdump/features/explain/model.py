"""EXPLAIN: the answer to a question, which is its event, and the rules that give a verdict."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Generic, NamedTuple, TypeVar

from logdump.session.errors import ExitStatus
from trailformat.trail.sequence import FilePosition

if TYPE_CHECKING:
    from logdump.features.explain.incidents import Incident, MessageKind
    from logdump.features.explain.processes import ProcessState
    from logdump.session.known_record import KnownRecord


class Question(enum.Enum):
    """The questions that EXPLAIN answers."""

    LAG = "lag"
    RESTART = "restart"
    DDL = "ddl"


class When(NamedTuple):
    """A moment in a text, in Julian microseconds; the output chooses the time zone."""

    julian: int


class Span(NamedTuple):
    """A duration in a text, in microseconds."""

    microseconds: int


Phrase = tuple[str | When | Span, ...]
"""A text with moments and durations in it."""


class Evidence(NamedTuple):
    """A line of an answer and the positions that show it; ``hop`` and ``lag`` (microseconds) if it is about a hop."""

    text: Phrase
    positions: Annotated[tuple[FilePosition, ...], "The records that show it", "evidence"] = ()
    hop: Annotated[str | None, "The hop that it is about, named as in `heartbeat_lag`"] = None
    lag: int | None = None


class Conclusion(NamedTuple):
    """The verdict of a rule, and the name of the rule."""

    rule: str
    text: Phrase


NO_VERDICT = Conclusion("", ())
"""The verdict of a partial reading."""


class Explained(NamedTuple):
    """EXPLAIN: the whole answer.

    Attributes:
        verdict: one sentence, and the rule that gave it; NO_VERDICT if the reading is partial.
        is_incomplete: True if a file is not as its header says.
        is_partial: True if not all was read.
    """

    question: Annotated[Question, "`lag`, `restart`, `ddl`"]
    title: Annotated[str, "The trail, as in the text"]
    verdict: Conclusion
    parts: Annotated[tuple[Evidence, ...], "The facts that support it"]
    assumed: Annotated[tuple[str, ...], "Assumptions"]
    not_known: Annotated[tuple[str, ...], "What is not known, and how to find out"]
    damaged: Annotated[int, "Places of damage"]
    is_partial: bool
    is_incomplete: bool = False

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage, or a file is not as its header says."""
        return ExitStatus.BAD_DATA if self.damaged or self.is_incomplete else ExitStatus.OK


class MessageExplained(NamedTuple):
    """EXPLAIN: what a message means, and the places that it and the messages beside it name.

    Attributes:
        incident: the message, with those beside it.
    """

    incident: Incident
    earlier: Annotated[int, "Other errors of the log that are not explained"] = 0


class OtherMessages(NamedTuple):
    """EXPLAIN: the kinds of errors about trails in a log that are not explained, the latest one first."""

    kinds: Annotated[tuple[MessageKind, ...], "By number of the message, the latest first"]


class ProcessesShown(NamedTuple):
    """EXPLAIN of a folder or an archive: what has become of each process, the latest error last."""

    title: Annotated[str, "The folder or archive"]
    processes: Annotated[tuple[ProcessState, ...], "The latest error last"]


class RecordExplained(NamedTuple):
    """EXPLAIN: the record of a message, as text alone.

    Attributes:
        known: the record.
        column: the column that the message names; empty if it names none.
    """

    known: KnownRecord
    column: str = ""


F = TypeVar("F")


class VerdictRule(NamedTuple, Generic[F]):
    """A rule: its name, and a function that returns the verdict, None if the rule does not apply."""

    name: str
    verdict: Callable[[F], Phrase | None]


def conclusion(rules: Iterable[VerdictRule[F]], facts: F) -> Conclusion:
    """Return the verdict of the first rule that applies; one of them must."""
    verdicts = ((rule.name, rule.verdict(facts)) for rule in rules)
    return next(Conclusion(name, text) for name, text in verdicts if text is not None)
