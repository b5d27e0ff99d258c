"""The results of DDL as text: a line for each statement and target, its steps and resulting statement; the counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from logdump.display.text import Renderers
from logdump.features.ddl.model import DdlCounted, DdlEvaluated, Outcome
from logdump.notation.text import amount, escape
from logdump.parameters.model import ProcessSide
from logdump.session.settings import Settings

_WORDS = {
    Outcome.CAPTURED: "captured",
    Outcome.APPLIED: "applied",
    Outcome.LEFT_OUT: "left out",
    Outcome.IGNORED: "ignored",
    Outcome.DISCARDED: "discarded",
    Outcome.ABEND: "abends",
    Outcome.UNKNOWN: "not decided",
    Outcome.COPY: "copy",
    Outcome.NOT_APPLIED: "not applied",
}
_INDENT = " " * 5


def evaluation_lines(shown: DdlEvaluated, _settings: Settings) -> Iterator[str]:
    """Yield the outcome of a statement, its steps under STEPS, and remarks."""
    yield f"{_place(shown)}{escape(shown.title)}: {_verdict(shown)}"
    if shown.shows_steps:
        for step in shown.steps:
            yield f"{step.number:>3}  {escape(step.result)}"
            if step.result.endswith(":") and shown.statement is not None:
                yield from (f"{_INDENT}{escape(line)}".rstrip() for line in shown.statement.splitlines())
    yield from (f"{_INDENT}{line}" for line in _remarks(shown))


def _place(shown: DdlEvaluated) -> str:
    if shown.rba is None:
        return ""
    file = f" of {escape(str(shown.path))}" if shown.shows_file else ""
    return f"RBA {shown.rba}{file}, CSN {escape(shown.csn or 'not known')}, "


def _verdict(shown: DdlEvaluated) -> str:
    by = " by Extract" if shown.side is ProcessSide.EXTRACT else ""
    by += f" for {shown.trail}" if by and shown.trail else ""
    target = f", target {shown.target}" if shown.target is not None else ""
    if shown.outcome is Outcome.CAPTURED:
        return escape(f"{_WORDS[shown.outcome]}{by}, {shown.reason}")
    if shown.outcome is Outcome.APPLIED:
        return escape(f"{_WORDS[shown.outcome]} {_applied_as(shown)}{target}")
    place = f" at step {shown.step}" if shown.outcome is Outcome.LEFT_OUT else ""
    return escape(f"{_WORDS[shown.outcome]}{by}{place}: {shown.reason}{target}")


def _applied_as(shown: DdlEvaluated) -> str:
    if shown.base_target is None:
        return "as it is"
    if shown.derived is None:
        return f"as {shown.base_target}"
    derived = shown.derived_target or shown.derived
    return f"as {derived}, base {shown.base_target}"


def _remarks(shown: DdlEvaluated) -> Iterator[str]:
    if shown.not_converted:
        yield escape(f"Not converted: {', '.join(shown.not_converted)}")
    if shown.event_actions:
        yield escape(f"EVENTACTIONS: {', '.join(shown.event_actions)}")
    if shown.stay_metadata:
        yield "STAYMETADATA: definitions stay as before this statement"
    for problem in shown.problems:
        yield escape(f"Note: {problem}")


def counted_lines(shown: DdlCounted, _settings: Settings) -> Iterator[str]:
    """Yield the number of statements, and the outcomes of each side."""
    yield amount(shown.statements, "DDL statement")
    for side, outcomes in groupby(shown.outcomes, lambda entry: entry[0]):
        numbers = ", ".join(f"{number} {_WORDS[outcome]}" for _, outcome, number in outcomes)
        yield f"  {side.title:<9}{numbers}"


LINES: Renderers = {
    DdlEvaluated: evaluation_lines,
    DdlCounted: counted_lines,
}
