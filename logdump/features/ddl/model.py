"""The events of DDL, and their parts."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, NamedTuple

from logdump.parameters.model import ProcessSide, Rule
from logdump.session.errors import ExitStatus


class Outcome(enum.Enum):
    """Outcome of a DDL statement; ``captured`` (by Extract) corresponds to ``applied`` (by Replicat).

    A Replicat skips a ``copy``; ``not_applied`` is a statement that it does not reach, or whose transaction it drops.
    """

    CAPTURED = "captured"
    APPLIED = "applied"
    LEFT_OUT = "left_out"
    IGNORED = "ignored"
    DISCARDED = "discarded"
    ABEND = "abend"
    UNKNOWN = "unknown"
    COPY = "copy"
    NOT_APPLIED = "not_applied"


class StepResult(NamedTuple):
    """One step of the evaluation: its number in Oracle's list, its subject, its result and the rule that decided."""

    number: Annotated[int, "Its number in Oracle's list"]
    what: Annotated[str, "The subject of the step"]
    result: Annotated[str, "The result of the step"]
    rule: Annotated[Rule | None, "The rule it went by"] = None


class DdlEvaluated(NamedTuple):
    """DDL: the result of one process for one statement and one of its targets.

    ``title`` names the statement in text. ``shows_steps`` and ``is_strict`` are options of the command; ``shows_file``
    is True if several files are read.
    """

    side: Annotated[ProcessSide, "`extract` or `replicat`"]
    outcome: Annotated[
        Outcome,
        "`captured` (Extract), `applied`, `left_out`, `ignored`, `discarded`, `abend`, `unknown`, `copy` or "
        "`not_applied`",
    ]
    operation: Annotated[str, "`CREATE`, `ALTER`, …; empty where it is not known"]
    object_type: Annotated[str, "`TABLE`, `INDEX`, …; empty if unknown"]
    title: str
    base: Annotated[str | None, "Name of the base object"]
    derived: Annotated[str | None, "Name of the derived object"]
    scope: Annotated[str | None, "`MAPPED`, `UNMAPPED` or `OTHER`; null if the evaluation ended before"]
    step: Annotated[int | None, "The step that decided"] = None
    rule: Annotated[Rule | None, "The rule that decided"] = None
    reason: Annotated[str, "Why, in words; may be empty"] = ""
    target: Annotated[int | None, "Number of the target, from 1, where MAP gives several"] = None
    base_target: Annotated[str | None, "The base object in the target, by MAP"] = None
    derived_target: Annotated[str | None, "The derived object in the target"] = None
    session_schema: Annotated[str | None, "The schema that Replicat's session would be in"] = None
    statement: Annotated[str | None, "The statement that would be written or run"] = None
    not_converted: Annotated[tuple[str, ...], "Names in it that still have the schema of the source"] = ()
    event_actions: Annotated[tuple[str, ...], "Actions of EVENTACTIONS in the clauses that are true; none is run"] = ()
    stay_metadata: Annotated[bool, "Whether definitions stay as before this statement"] = False
    steps: Annotated[tuple[StepResult, ...], "The steps that were taken"] = ()
    problems: Annotated[tuple[str, ...], "Doubts about the result"] = ()
    path: Annotated[Path | None, "Path of the trail; null for a statement given as text", "file"] = None
    rba: Annotated[int | None, "Byte offset of its record"] = None
    csn: Annotated[str | None, "LOGCSN of its record"] = None
    shows_steps: bool = False
    shows_file: bool = False
    is_strict: bool = False
    trail: Annotated[str | None, "The trail that Extract's file names for it"] = None

    @property
    def status(self) -> ExitStatus:
        """FINDINGS under STRICT if the statement is not captured or applied."""
        gets_through = self.outcome in (Outcome.APPLIED, Outcome.CAPTURED)
        return ExitStatus.FINDINGS if self.is_strict and not gets_through else ExitStatus.OK


class DdlCounted(NamedTuple):
    """DDL: the number of ``statements`` evaluated, and of those with each outcome on each side."""

    statements: Annotated[int, "Statements"]
    outcomes: tuple[tuple[ProcessSide, Outcome, int], ...]
