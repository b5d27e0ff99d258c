"""A report of sections with lines, tables and charts; and the event of REPORT."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.display.text import Severity
    from logdump.notation.text import Harmless


class ReportLines(NamedTuple):
    """Lines as a command shows them."""

    lines: tuple[Harmless, ...]


class ReportTable(NamedTuple):
    """Rows of texts under their heads.

    Attributes:
        numbers: the indexes of columns of numbers.
        severities: the severity of each row; empty if rows have none.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[Harmless, ...], ...]
    numbers: frozenset[int] = frozenset()
    severities: tuple[Severity, ...] = ()


class ReportSeries(NamedTuple):
    """Values over time (Julian), sorted by time."""

    name: Harmless
    points: tuple[tuple[int, float], ...]


class ReportChart(NamedTuple):
    """Values over time, drawn as bars ``interval`` microseconds wide, or as a line for each series if it is 0."""

    title: str
    unit: str
    series: tuple[ReportSeries, ...]
    interval: int = 0


ReportPart = ReportLines | ReportTable | ReportChart


class ReportSection(NamedTuple):
    """A section of the page: its title, the command that shows the same, and its contents."""

    title: str
    command: str
    parts: tuple[ReportPart, ...]


class ReportVerdict(NamedTuple):
    """The result: its severity (None for a trail without findings), one sentence, and what to do, as SAFE says it."""

    severity: Severity | None
    sentence: Harmless
    advice: tuple[Harmless, ...] = ()


class ReportPage(NamedTuple):
    """A page.

    Attributes:
        title: its title.
        verdict: the result.
        facts: names and values at its head.
        sections: its sections.
        status: the exit status of the findings.
    """

    title: Harmless
    verdict: ReportVerdict
    facts: tuple[tuple[str, Harmless], ...]
    sections: tuple[ReportSection, ...]
    status: ExitStatus


class ReportWritten(NamedTuple):
    """REPORT: a page was written; ``status`` is the exit status of its findings."""

    path: Path
    sections: int
    status: ExitStatus
