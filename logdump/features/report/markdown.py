"""A report as a page of Markdown: tables, and the output of commands as blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from logdump.features.report.chart import caption, text_lines
from logdump.features.report.model import ReportLines, ReportPage, ReportPart, ReportSection, ReportTable
from logdump.notation.text import escape

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//)|(?<=www)\.)")
"""Characters with a meaning in Markdown: marks, HTML, and those in addresses, which would become links."""


def markdown_text(report: ReportPage) -> str:
    """Return the page as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ReportPage) -> Iterator[str]:
    yield f"# {_plain(report.title)}"
    yield ""
    yield f"**{_plain(report.verdict.sentence)}**"
    if report.verdict.advice:
        yield ""
        yield from _code(report.verdict.advice)
    yield ""
    yield from _table(ReportTable(("", ""), tuple((escape(name), value) for name, value in report.facts)))
    yield ""
    yield from (f"- [{_plain(section.title)}](#{_anchor(section.title)})" for section in report.sections)
    for section in report.sections:
        yield from _section(section)


def _section(section: ReportSection) -> Iterator[str]:
    yield ""
    yield f"## {_plain(section.title)}"
    if section.command:
        yield ""
        yield from _code([section.command])
    for part in section.parts:
        yield ""
        yield from _part(part)


def _part(part: ReportPart) -> Iterator[str]:
    if isinstance(part, ReportLines):
        yield from _code(part.lines)
    elif isinstance(part, ReportTable):
        yield from _table(part)
    else:
        yield _plain(caption(part))
        yield ""
        yield from _code(text_lines(part))


def _code(lines: Iterable[str]) -> Iterator[str]:
    """Yield a block of code, in a fence longer than any run of backquotes in it."""
    block = list(lines)
    longest = max((len(run) for line in block for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence
    yield from block
    yield fence


def _table(table: ReportTable) -> Iterator[str]:
    yield _row(table.heads)
    yield _row_of(["--:" if column in table.numbers else "---" for column in range(len(table.heads))])
    yield from map(_row, table.rows)


def _row(cells: Iterable[str]) -> str:
    return _row_of(map(_plain, cells))


def _row_of(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _anchor(title: str) -> str:
    """Return the anchor that GitHub and GitLab give a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _plain(text: str) -> str:
    """Return the text with all marks escaped."""
    return _SPECIAL.sub(r"\\\1", text)
