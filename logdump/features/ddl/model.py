"""The events of DDL, and their parts."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import NamedTuple

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

    number: int
    what: str
    result: str
    rule: Rule | None = None


class DdlEvaluated(NamedTuple):
    """DDL: the result of one process for one statement and one of its targets.

    ``path``, ``rba`` and ``csn`` are None for a statement given as text. ``target`` is the number of the target if
    several MAP statements select the object; ``trail`` is the trail that Extract's file names for it. ``step`` and
    ``rule`` decided, ``reason`` says why. ``statement`` is the resulting statement, None if none is written. ``title``
    names the statement in text. ``shows_steps`` and ``is_strict`` are options of the command; ``shows_file`` is True if
    several files are read.
    """

    side: ProcessSide
    outcome: Outcome
    operation: str
    object_type: str
    title: str
    base: str | None
    derived: str | None
    scope: str | None
    step: int | None = None
    rule: Rule | None = None
    reason: str = ""
    target: int | None = None
    base_target: str | None = None
    derived_target: str | None = None
    session_schema: str | None = None
    statement: str | None = None
    not_converted: tuple[str, ...] = ()
    event_actions: tuple[str, ...] = ()
    stay_metadata: bool = False
    steps: tuple[StepResult, ...] = ()
    problems: tuple[str, ...] = ()
    path: Path | None = None
    rba: int | None = None
    csn: str | None = None
    shows_steps: bool = False
    shows_file: bool = False
    is_strict: bool = False
    trail: str | None = None

    @property
    def status(self) -> ExitStatus:
        """FINDINGS under STRICT if the statement is not captured or applied."""
        gets_through = self.outcome in (Outcome.APPLIED, Outcome.CAPTURED)
        return ExitStatus.FINDINGS if self.is_strict and not gets_through else ExitStatus.OK


class DdlCounted(NamedTuple):
    """DDL: the number of ``statements`` evaluated, and of those with each outcome on each side."""

    statements: int
    outcomes: tuple[tuple[ProcessSide, Outcome, int], ...]
