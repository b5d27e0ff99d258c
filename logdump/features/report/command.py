"""REPORT: the results of the commands for a whole trail, on one page."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from logdump import __version__
from logdump.display import text
from logdump.features.check import model as check_model
from logdump.features.check.model import CheckShown, GapShown
from logdump.features.count.text import type_name
from logdump.features.doctor.command import Examination
from logdump.features.export.target import export_target
from logdump.features.list.command import RecordListing
from logdump.features.recovery import model as recovery_model
from logdump.features.recovery.model import KeepShown, RecoveryEnd, RecoveryShown, TrailFileShown
from logdump.features.report.chart import MOST_SERIES
from logdump.features.report.html import html_text
from logdump.features.report.markdown import markdown_text
from logdump.features.report.model import (
    ReportChart,
    ReportLines,
    ReportPage,
    ReportPart,
    ReportSection,
    ReportSeries,
    ReportTable,
    ReportWritten,
)
from logdump.features.safe.model import SafePointShown
from logdump.features.timeline.timeline import Timeline, TimelineScan
from logdump.features.transactions.model import TransactionListed
from logdump.features.transactions.text import not_applied_note
from logdump.language.command import Command, Origin
from logdump.language.forms import Keyword, Maybe, Sequence
from logdump.language.parameters import File, Number, OneOf
from logdump.notation.text import Harmless, escape
from logdump.notation.times import GMT, current_timestamp, iso_time
from logdump.parameters.in_use import parameters_in_use, unused_parameters
from logdump.parameters.not_used import ParameterUse
from logdump.session.chosen_trail import trail_title, whole_trail_of
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Progress, say
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Settings
from trailformat import PartialRecord, TrailError, TrailFile
from trailformat.changes.transactions import is_transactional
from trailformat.codec.remote.path import path_of
from trailformat.totals.counting import Totals
from trailformat.trail.files_read import name_incomplete
from trailformat.transactions.extent import Extent
from trailformat.transactions.restart_places import restart_places
from trailformat.transactions.whole_trail import WholeTrail

MOST_TRANSACTIONS = 20
"""Maximum number of the largest transactions listed."""
MOST_BARS = 120
MOST_TABLES = 1000
MOST_RECORDS = 200
"""Maximum number of records of a transaction listed."""
MOST_FINDINGS = 2000
"""Maximum number of lines in a section."""
_WRITERS: dict[str, Callable[[ReportPage], str]] = {".html": html_text, ".htm": html_text, ".md": markdown_text}
_MICROSECONDS = 1e6
_FINDINGS = (recovery_model.__name__, check_model.__name__)
"""The modules of the events of RECOVERY and CHECK."""


class ReportOptions(NamedTuple):
    """The options of REPORT.

    Attributes:
        over: the files; None: the open trail.
        rba: the record that is shown; None: the one displayed last.
        path: the page.
        replaces: True if it may replace a file.
    """

    over: str | None
    rba: int | None
    path: Path
    replaces: bool | None


class _Reporter:
    """One run of REPORT.

    It runs in a session of its own, without the filter and the settings of the user's session.
    """

    def __init__(self, session: Session, over: str | None, rba: int | None = None) -> None:
        self._session = session
        self._over = over
        self._rba = rba
        self._quiet = Session()
        self._quiet.settings = Settings(time_offset=GMT)
        self._quiet.source_definitions = session.source_definitions
        self._quiet.keep(parameters_in_use(session))
        self.whole: WholeTrail = whole_trail_of(session, over, "REPORT")
        self._name = over or str(session.trail.path)
        if rba is not None and over is not None and len(self.whole.paths) > 1:
            raise CommandError(f"AT {rba} is a place in one file, and {over} has {len(self.whole.paths)}: name one.")
        self.status = ExitStatus.OK
        self.sections: list[ReportSection] = []

    def run(self) -> Iterator[Event]:
        """Survey the trail and collect the sections; yield Progress."""
        examination = Examination(self._quiet, self.whole, self._name, MOST_TRANSACTIONS)
        yield from examination.run()
        self._found(examination)
        yield from self._timeline()
        self._record()
        history = self._session.history
        lines = tuple(escape(f"{number}: {line}") for number, line in enumerate(history.lines, history.first))
        self._add("Commands of this session", "HISTORY", ReportLines(lines) if lines else None)

    def report(self) -> ReportPage:
        """Return the page; requires a complete run."""
        number = len(self.whole.paths)
        facts = {
            "Files": f"{number}, {sum(path.stat().st_size for path in self.whole.paths if path.is_file()):,} bytes",
            "Result": _RESULTS[self.status],
            "Made": f"{iso_time(current_timestamp())}, logdump {__version__}",
        }
        known = tuple((label, escape(value)) for label, value in facts.items())
        return ReportPage(escape(f"Report on {trail_title(self._name)}"), known, tuple(self.sections), self.status)

    def _add(self, title: str, command: str, *parts: ReportPart | None) -> None:
        given = tuple(part for part in parts if part is not None)
        if given:
            self.sections.append(ReportSection(title, command, given))

    def _found(self, examination: Examination) -> None:
        """Add the results of the commands that DOCTOR runs, and its summary."""
        shown = examination.shown()
        self.status = shown.status
        for event in examination.events:
            if isinstance(event, GapShown) and isinstance(event.error, PartialRecord):
                name_incomplete(event.path)
        over, wildcard = (f" OVER {self._over}", f" {self._over}") if self._over else ("", "")
        events = [self._named(event) for event in examination.events]
        recovery, check = ([event for event in events if type(event).__module__ == of] for of in _FINDINGS)
        said = [event for event in recovery if not isinstance(event, TrailFileShown | KeepShown)]
        files = [event for event in recovery if isinstance(event, TrailFileShown)]
        count = f"COUNT DETAIL{f', LOG {self._over}' if self._over else ''}"
        self._add("State of the trail", f"DOCTOR{wildcard}", self._lines([shown]))
        said += unused_parameters(self._quiet, ParameterUse.HISTORY)
        self._add("Restarts, and what a Replicat applies", f"RECOVERY{over}", self._lines(said))
        self._add("Files", f"RECOVERY{over} FILES", _files(files))
        self._add("Damage", f"CHECK{wildcard}", self._lines(check))
        self._add("Tables and operations", count, *_tables(examination.totals))
        largest = _transactions(examination.largest)
        self._add("Largest transactions", f"TRANSACTIONS{over} {MOST_TRANSACTIONS}", largest)

    def _named(self, event: Any) -> Any:
        """Return an event with the name of the trail as its title, instead of the names of its files."""
        title = trail_title(self._name)
        if isinstance(event, RecoveryEnd):
            return event._replace(shown=event.shown._replace(title=title))
        return event._replace(title=title) if isinstance(event, RecoveryShown | CheckShown) else event

    def _timeline(self) -> Iterator[Event]:
        scan = TimelineScan(None, self._session.source_definitions, parameters_in_use(self._session), keeps_volume=True)
        for path in self.whole.paths:
            with suppress(TrailError), TrailFile(path) as trail, self._quiet.reading(trail):
                scan.begin_file()
                for rba in scan.extend(self._quiet):
                    yield Progress(0, rba, 0, trail.size)
        self._add("Over time", "HEARTBEAT HISTORY; COUNT INTERVAL 1", *_charts(scan.timeline))

    def _record(self) -> None:
        """Add the record of AT, or the one displayed last, its transaction, and where a Replicat can be restarted."""
        session, rba = self._session, self._rba
        if self._over is not None and rba is not None:
            session = self._quiet
            session.open(self.whole.paths[0])
        elif self._over is not None or not session.has_trail:
            return
        cursor = session.cursor
        if rba is None and cursor.current == cursor.next == 0:
            return
        rba = cursor.current if rba is None else rba
        command = f"GHDR ON; GGSTOKEN DETAIL; DETAIL DATA; VALUES ON; POSITION {rba}; NEXT"
        self._add(f"Record at RBA {rba}", command, ReportLines(tuple(_record_lines(session, rba))))
        self._restart(session, rba)

    def _restart(self, session: Session, rba: int) -> None:
        """Add the answer of SAFE, at the next good record if there is damage, and the transaction there."""
        lines: list[Harmless] = []
        try:
            places = restart_places(session.trail, rba, looks_for_copies=True)
        except TrailError as error:
            self.status = ExitStatus.BAD_DATA
            lines = [escape(str(error))]
            good = session.trail.next_good_header(min(rba + 1, session.trail.size))
            if good is None:
                self._add("Where a Replicat can be restarted", f"SAFE {rba}", ReportLines(tuple(lines)))
                return
            rba, places = good, restart_places(session.trail, good, looks_for_copies=True)
        lines += self._text(SafePointShown(places))
        self._add("Where a Replicat can be restarted", f"SAFE {rba}", ReportLines(tuple(lines)))
        rows: list[Harmless] = []
        with suppress(TrailError):  # the lines above name the damage
            for event in _records_of(session, places.extent):
                rows += self._text(event)
        begin = places.extent.first.rba if places.extent is not None and places.extent.first is not None else rba
        self._add("The transaction", f"POSITION {begin}; LIST", ReportLines(tuple(rows)) if rows else None)

    def _text(self, event: Event) -> list[Harmless]:
        return text.render(event, self._quiet.settings)

    def _lines(self, events: Iterable[Event]) -> ReportLines | None:
        """Return the lines printed for events, at most MOST_FINDINGS; None without any."""
        lines = [line for event in events for line in text.render(event, self._quiet.settings)]
        if len(lines) > MOST_FINDINGS:
            lines = [*lines[:MOST_FINDINGS], escape(f"… {len(lines) - MOST_FINDINGS} more lines")]
        return ReportLines(tuple(lines)) if lines else None


def _record_lines(session: Session, rba: int) -> list[Harmless]:
    """Return all that is known of the record at an RBA, or why there is none."""
    settings = copy.copy(session.settings)
    vars(settings).update(_ALL_OF_A_RECORD)
    try:
        record = session.trail.record_at(rba)
    except TrailError as error:
        return [escape(str(error))]
    if record is None:
        return [escape(f"No record begins at RBA {rba}: the file has {session.trail.size:,} bytes.")]
    return text.render(KnownRecord(record, session), settings)


def _records_of(session: Session, extent: Extent | None) -> Iterator[Event]:
    """Yield a line for each record of a transaction in the open file, and how many more there are."""
    if extent is None or extent.first is None or extent.last is None:
        return
    here, (first, last) = session.trail.path, (extent.first, extent.last)
    begin = first.rba if first.path == here else 0
    listing, listed = RecordListing(session), 0
    for record in session.trail.records(begin):
        if last.path == here and record.rba > last.rba:
            return
        if not is_transactional(record):
            continue
        if listed == MOST_RECORDS:
            yield say(f"… {extent.records - listed} more records")
            return
        listed += 1
        yield from listing.show(record)


_RESULTS = {
    ExitStatus.OK: "no finding, no damage",
    ExitStatus.FINDINGS: "findings (exit status 3)",
    ExitStatus.BAD_DATA: "damage, or files that are missing or no trail (exit status 4)",
}
_ALL_OF_A_RECORD = {
    "ghdr": True,
    "detail": Detail.DATA,
    "ggstoken": Level.DETAIL,
    "usertoken": Level.DETAIL,
    "values": True,
    "metadata_detail": Detail.DATA,
    "time_offset": GMT,
}


def _files(files: list[TrailFileShown]) -> ReportTable | None:
    heads = ("File", "Bytes", "Compatibility", "Created", "First CSN", "Last CSN", "Remarks")
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
        for file in files
    )
    return ReportTable(heads, rows, frozenset({1, 2})) if rows else None


def _tables(count: Totals) -> Iterator[ReportPart]:
    """Yield the records by table, the largest tables first."""
    largest = sorted(count.tables.items(), key=lambda item: (-item[1].data_bytes, item[0]))
    heads = ("Table", "Partition", "Records", "Data bytes", "Operations", "Before", "After")
    rows = [
        (
            escape(name),
            escape(f"x{partition:02x}"),
            escape(f"{tally.records:,}"),
            escape(f"{tally.data_bytes:,}"),
            escape(", ".join(f"{type_name(kind)} {number:,}" for kind, number in sorted(tally.types.items()))),
            escape(f"{tally.before_images:,}"),
            escape(f"{tally.after_images:,}"),
        )
        for (name, partition), tally in largest[:MOST_TABLES]
    ]
    records = f"{count.total.records:,} records of {count.total.data_bytes:,} data bytes"
    yield ReportLines((escape(f"{records} in {count.transactions:,} transactions"),))
    if rows:
        yield ReportTable(heads, tuple(rows), frozenset({2, 3, 5, 6}))
    if len(largest) > MOST_TABLES:
        yield ReportLines((escape(f"… {len(largest) - MOST_TABLES:,} more tables"),))


def _transactions(largest: Iterable[TransactionListed]) -> ReportTable | None:
    heads = ("Begun", "CSN", "XID", "File", "RBA", "Records", "Bytes", "Tables", "")
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


def _charts(timeline: Timeline) -> Iterator[ReportPart]:
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


def run_report(session: Session, options: ReportOptions) -> Iterator[Event]:
    """Survey the trail and write the page; the read position does not change."""
    write = _WRITERS.get(options.path.suffix.lower())
    if write is None:
        raise CommandError("REPORT writes a .html or a .md file.")
    session.check_target(options.path, "REPORT", wanted="a file")
    reporter = _Reporter(session, options.over, options.rba)
    for path in reporter.whole.paths:
        if options.path.exists() and path.exists() and options.path.samefile(path):
            raise CommandError(f"{path} is a file of the trail: REPORT never writes over it.")
    with export_target(options.path, is_folder=False, replaces=bool(options.replaces), command="REPORT") as staged:
        yield from reporter.run()
        report = reporter.report()
        staged.write_bytes(write(report).encode())
    yield ReportWritten(options.path, len(report.sections), report.status)


_NO_FILE = "takes TO and the file to write, as in REPORT TO ticket.html."

COMMANDS = (
    Command(
        "REPORT",
        Sequence(
            lambda over, rba, path, replaces: ReportOptions(over, rba, path_of(path).absolute(), replaces),
            Maybe(Keyword("OVER", File("<wildcard>"))),
            Maybe(Keyword("AT", Number("<rba>", what="an RBA"))),
            Keyword("TO", File("<filename>", missing=_NO_FILE), wrong=_NO_FILE),
            Maybe(OneOf({"REPLACE": True})),
        ),
        "Write one page about the trail, for a ticket",
        run_report,
        details=(
            "<filename> ends with .html or .md. Of all files of the open trail, or of those of <wildcard>: the page of",
            "DOCTOR, restarts, damage, tables and operations, the largest transactions, volume and lag over time; the",
            "record displayed last, or that AT an RBA, with its values, its bytes, its transaction and SAFE; and the",
            "commands of this session. The page needs no other file and has no script. FILTER and the switches of the",
            "display have no effect.",
            "Under -c and -f the exit status is 3 or 4 as that of DOCTOR. The position stays.",
            "Example: REPORT TO ticket.html",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
    ),
)
