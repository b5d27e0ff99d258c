"""The tables and charts of a report, made of the results of other commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from logdump.display.text import Severity
from logdump.features.check.model import GapShown
from logdump.features.count.text import type_name
from logdump.features.doctor.model import DoctorShown, Finding, TableImages
from logdump.features.doctor.text import image_rows
from logdump.features.recovery.model import BeginMissingShown, CutShown, RestartShown, TrailFileShown
from logdump.features.report.chart import MOST_SERIES
from logdump.features.report.model import ReportChart, ReportLines, ReportPart, ReportSeries, ReportTable, ReportVerdict
from logdump.features.timeline.timeline import Timeline
from logdump.features.transactions.model import TransactionListed
from logdump.features.transactions.text import not_applied_note
from logdump.notation.text import amount, escape
from logdump.notation.times import iso_time
from logdump.session.errors import ExitStatus
from trailformat.totals.counting import Totals, TypeTotals
from trailformat.trail.sequence import FilePosition

MOST_BARS = 120
MOST_TABLES = 1000
MOST_FINDINGS = 2000
"""Maximum number of findings, and of lines in a section."""
_MICROSECONDS = 1e6


def place_text(position: FilePosition) -> str:
    """Return the file and the RBA of a place."""
    return f"{position.path.name} RBA {position.rba}"


def verdict(shown: DoctorShown, events: Iterable[Any], status: ExitStatus) -> ReportVerdict:
    """Return the result in a sentence: the heaviest finding with its place, and how many others there are."""
    heavy = [finding for finding in shown.findings if finding.severity is not Severity.NOTE]
    ends = f" (exit status {status.value})" if status is not ExitStatus.OK else ""
    if heavy:
        return ReportVerdict(heavy[0].severity, escape(_sentence(heavy, _first_gap(events, shown)) + ends))
    if shown.half_record is not None:
        sentence = "No damage; the last record is not complete yet: its writer may be writing it."
    elif status is not ExitStatus.OK:
        sentence = "The place asked for is damaged."
    else:
        notes = f"; {amount(len(shown.findings), 'note')}" if shown.findings else ""
        sentence = f"No damage, no problem{notes}."
    return ReportVerdict(Severity.NOTE if status is not ExitStatus.OK else None, escape(sentence + ends))


def _sentence(heavy: list[Finding], gap: GapShown | None) -> str:
    worst = heavy[0]
    word = "Damaged" if worst.severity is Severity.DAMAGE else "Warning"
    place = f"{place_text(worst.position)}: " if worst.position is not None and worst.position.rba else ""
    said = f"{place}{worst.text}."
    if gap is not None and worst.position == FilePosition(gap.path, gap.rba):
        said = f"{place_text(worst.position)}, {gap.length:,} bytes. A Replicat abends there."
    others = len(heavy) - 1
    return f"{word}: {said}" + (f" {amount(others, 'other problem')} below." if others else "")


def _first_gap(events: Iterable[Any], shown: DoctorShown) -> GapShown | None:
    """Return the damage with the lowest place; None if only the end of the trail is not complete."""
    gaps = (event for event in events if isinstance(event, GapShown))
    return next((gap for gap in gaps if FilePosition(gap.path, gap.rba) != shown.half_record), None)


def first_loss(events: Iterable[Any], shown: DoctorShown) -> FilePosition | None:
    """Return the place of damage, or of the begin of a transaction that is cut and has no whole copy; None without."""
    gap = _first_gap(events, shown)
    if gap is not None:
        return FilePosition(gap.path, gap.rba)
    for event in events:
        if isinstance(event, BeginMissingShown):
            return event.position
        if isinstance(event, CutShown | RestartShown) and event.cut is not None and event.again is None:
            return event.cut.begin
    return None


def findings(every: Sequence[Finding]) -> Iterator[ReportPart]:
    """Yield the findings, and how many more there are."""
    listed = every[:MOST_FINDINGS]
    rows = tuple(
        (
            escape(finding.severity.value),
            escape(place_text(finding.position) if finding.position is not None else ""),
            escape(finding.text),
            escape(finding.command),
        )
        for finding in listed
    )
    if rows:
        severities = tuple(finding.severity for finding in listed)
        yield ReportTable(("Severity", "Place", "Finding", "Command that shows more"), rows, severities=severities)
    yield from _more(len(every) - len(listed), "findings")


def files(listed: list[TrailFileShown]) -> ReportTable | None:
    """Return the files of the trail."""
    heads = ("File", "Bytes", "Format", "Created", "First CSN", "Last CSN", "Remarks")
    rows = tuple(
        (
            escape(str(file.path)),
            escape(f"{file.size:,}"),
            escape("" if file.version is None else str(file.version)),
            escape((iso_time(file.created) if file.created is not None else None) or ""),
            escape(file.first_csn or ""),
            escape(file.last_csn or ""),
            escape(file.problem or ("record data looks encrypted" if file.looks_encrypted else "")),
        )
        for file in listed
    )
    severities = tuple(Severity.DAMAGE if file.problem else Severity.NOTE for file in listed)
    return ReportTable(heads, rows, frozenset({1, 2}), severities) if rows else None


def tables(count: Totals) -> Iterator[ReportPart]:
    """Yield the records by table, its partitions added up, the largest tables first."""
    by_name: dict[str, TypeTotals] = {}
    for (name, _), tally in count.tables.items():
        by_name.setdefault(name, TypeTotals()).join(tally)
    largest = sorted(by_name.items(), key=lambda item: (-item[1].data_bytes, item[0]))
    heads = ("Table", "Records", "Data bytes", "Operations", "Before", "After")
    rows = [
        (
            escape(name or "(of no table)"),
            escape(f"{tally.records:,}"),
            escape(f"{tally.data_bytes:,}"),
            escape(", ".join(f"{type_name(kind)} {number:,}" for kind, number in sorted(tally.types.items()))),
            escape(f"{tally.before_images:,}"),
            escape(f"{tally.after_images:,}"),
        )
        for name, tally in largest[:MOST_TABLES]
    ]
    records = f"{count.total.records:,} records of {count.total.data_bytes:,} data bytes"
    yield ReportLines((escape(f"{records} in {count.transactions:,} transactions"),))
    if rows:
        yield ReportTable(heads, tuple(rows), frozenset({1, 2, 4, 5}))
    yield from _more(len(largest) - MOST_TABLES, "tables")


def images(listed: Sequence[TableImages]) -> Iterator[ReportPart]:
    """Yield the columns in the images of the tables."""
    if listed:
        heads, *rows = image_rows(listed[:MOST_TABLES])
        yield ReportTable(("Table", *heads[1:]), tuple(tuple(map(escape, row)) for row in rows))
    yield from _more(len(listed) - MOST_TABLES, "tables")


def _more(number: int, what: str) -> Iterator[ReportPart]:
    if number > 0:
        yield ReportLines((escape(f"… {number:,} more {what}"),))


def transactions(largest: Iterable[TransactionListed]) -> ReportTable | None:
    """Return the largest transactions."""
    heads = ("Begun", "CSN", "XID", "File", "RBA", "Records", "Bytes", "Tables", "Remarks")
    rows = tuple(tuple(map(escape, _transaction_cells(transaction))) for transaction in largest)
    return ReportTable(heads, rows, frozenset({4, 5, 6, 7})) if rows else None


def _transaction_cells(transaction: TransactionListed) -> Iterator[str]:
    yield iso_time(transaction.extent.first_moment.time) or ""
    yield from (text or "" for text in transaction.extent.transaction)
    first = transaction.extent.first
    yield first.path.name if first is not None else ""
    yield f"{first.rba:,}" if first is not None else ""
    yield from (
        f"{number:,}" for number in (transaction.records, transaction.extent.data_size, len(transaction.tables))
    )
    yield not_applied_note(transaction).strip().strip("()")


def charts(timeline: Timeline) -> Iterator[ReportPart]:
    """Yield the volume of the trail over time, and the lag of its heartbeats."""
    if timeline.volume is not None and timeline.volume.intervals:
        volume = timeline.volume.at_most(MOST_BARS)
        points = tuple((interval.start, float(interval.data_bytes)) for interval in volume.intervals)
        seconds = volume.interval / _MICROSECONDS
        title = f"Data bytes in intervals of {seconds:,.0f} s"
        yield ReportChart(title, "bytes", (ReportSeries(escape(""), points),), volume.interval)
    ways = [way for way in timeline.ways if way.points][:MOST_SERIES]
    if ways:
        series = tuple(
            ReportSeries(
                escape(" > ".join([way.source or "?", *way.way, way.target or "?"])),
                tuple((point.time, point.delay / _MICROSECONDS) for point in way.points),
            )
            for way in ways
        )
        yield ReportChart("Lag of heartbeats, from the source to the last process that is known", "seconds", series)
