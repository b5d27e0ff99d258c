"""A report: its sections, of lines, tables and charts; and that it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.notation.text import Harmless


class ReportLines(NamedTuple):
    """ReportLines as a command shows them."""

    lines: tuple[Harmless, ...]


class ReportTable(NamedTuple):
    """Rows of texts under their heads; ``numbers`` are the columns that are numbers."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Harmless, ...], ...]
    numbers: frozenset[int] = frozenset()


class ReportSeries(NamedTuple):
    """Values over time (Julian), in the order of time."""

    name: Harmless
    points: tuple[tuple[int, float], ...]


class ReportChart(NamedTuple):
    """Values over time, drawn as bars that are ``interval`` microseconds wide, or as a line for each series (0)."""

    title: str
    unit: str
    series: tuple[ReportSeries, ...]
    interval: int = 0


ReportPart = ReportLines | ReportTable | ReportChart


class ReportSection(NamedTuple):
    """A part of the page: its title, the command that shows the same, and what it has to say."""

    title: str
    command: str
    parts: tuple[ReportPart, ...]


class ReportPage(NamedTuple):
    """A page.

    Attributes:
        title: what it is about.
        facts: names and values at its head.
        sections: of the page.
        status: that of what was found.
    """

    title: Harmless
    facts: tuple[tuple[str, Harmless], ...]
    sections: tuple[ReportSection, ...]
    status: ExitStatus


class ReportWritten(NamedTuple):
    """REPORT: a page is written; ``status`` is that of what it says."""

    path: Path
    sections: int
    status: ExitStatus
