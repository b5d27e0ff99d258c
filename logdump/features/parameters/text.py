"""PARAMS as text: the files in use, their statements, and the statements that take the tables of a trail."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers
from logdump.features.parameters.model import CoverageShown, ParametersShown, Taking
from logdump.notation.text import amount, escape
from logdump.parameters.model import Rule
from logdump.session.settings import Settings


def parameters_lines(shown: ParametersShown, _settings: Settings) -> Iterator[str]:
    """Yield a line about the file, with ``shows_all`` a line for each statement, unused ones last, and its notes."""
    group = f" {escape(shown.group)}" if shown.group else ""
    yield f"PARAMS for {shown.side.title}{group}: {escape(shown.summary)}"
    if shown.shows_all:
        for title, is_used in (("Used", True), ("Not used here", False)):
            rules = [rule for rule, _, used in shown.statements if used is is_used]
            if rules:
                yield f"{title}:"
                yield from (f"  {_where(rule)}: {escape(rule.text)}" for rule in rules)
    yield from (f"  Note: {escape(note)}" for note in shown.notes)


def coverage_lines(shown: CoverageShown, _settings: Settings) -> Iterator[str]:
    """Yield a line for each statement that selects a table, or the reason why none does."""
    records = amount(shown.records, "record")
    side = f"{shown.side.title} for {escape(shown.trail)}" if shown.trail else shown.side.title
    begin = f"{side}: {escape(shown.table)}, {records}"
    for taking in shown.statements:
        yield f"{begin}: {_taking(taking)}"
    if shown.excluded is not None:
        yield f"{begin}: excluded by {escape(shown.excluded.text)} ({_where(shown.excluded)})"
    elif not shown.statements:
        yield f"{begin}: no statement takes it"


def _taking(taking: Taking) -> str:
    target = f" -> {escape(taking.target)}" if taking.target else ""
    options = f", with {', '.join(taking.options)}, not evaluated" if taking.options else ""
    return f"{_where(taking.rule)}{target}{escape(options)}"


def _where(rule: Rule) -> str:
    return f"{escape(str(rule.path))}, line {rule.line}"


LINES: Renderers = {
    ParametersShown: parameters_lines,
    CoverageShown: coverage_lines,
}
