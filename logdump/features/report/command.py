"""REPORT: what the commands for a whole trail show, on one page."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from logdump import __version__
from logdump.display import text
from logdump.features.check.command import Checker, check_several
from logdump.features.count.model import CountShown, TransactionsShown
from logdump.features.count.survey import CountOptions, CountRun, count_several
from logdump.features.count.text import type_name
from logdump.features.export.target import export_target
from logdump.features.recovery.command import RecoveryOptions, RecoveryRun
from logdump.features.recovery.model import TrailFileShown
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
from logdump.features.timeline.timeline import Timeline, TimelineScan
from logdump.language.command import Command, Origin
from logdump.language.forms import Keyword, Maybe, Sequence
from logdump.language.parameters import File, OneOf
from logdump.notation.escape import Harmless, escape
from logdump.notation.times import GMT, current_timestamp, iso_time
from logdump.parameters.in_session import parameters_in_use
from logdump.session.chosen_trail import whole_trail_of
from logdump.session.errors import CommandError
from logdump.session.events import Event, Notice, Progress
from logdump.session.exit_status import ExitStatus
from logdump.session.known_record import KnownRecord
from logdump.session.reading import Reading
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Settings
from trailformat import TrailError, TrailFile
from trailformat.scan import Workers
from trailformat.totals.counting import Totals
from trailformat.transactions.whole_trail import WholeTrail

MOST_TRANSACTIONS = 20
"""The largest transactions that are listed."""
MOST_BARS = 120
MOST_TABLES = 1000
MOST_FINDINGS = 2000
"""Lines of a section, at most."""
_WRITERS: dict[str, Callable[[ReportPage], str]] = {".html": html_text, ".htm": html_text, ".md": markdown_text}
_MICROSECONDS = 1e6


class ReportOptions(NamedTuple):
    """The files that a report is about, the open trail unless others are given; the page; whether it replaces one."""

    over: str | None
    path: Path
    replaces: bool | None


class _Reporter:
    """One run of REPORT.

    The filter of the session and its switches do not matter: its surveys run in a session of their own.
    """

    def __init__(self, session: Session, over: str | None) -> None:
        self._session = session
        self._over = over
        self._quiet = Session()
        self._quiet.settings = Settings(
            trans_hist=MOST_TRANSACTIONS, trans_rec_limit=0, trans_byte_limit=0, time_offset=GMT
        )
        self._quiet.source_definitions = session.source_definitions
        self.whole: WholeTrail = whole_trail_of(session, over, "REPORT")
        self.paths = sorted([*self.whole.paths, *self.whole.unreadable])
        self.status = ExitStatus.OK
        self.sections: list[ReportSection] = []

    def run(self) -> Iterator[Event]:
        """Survey the trail; yields how far that is, and leaves the sections."""
        with Workers() as workers:
            yield from self._recovery()
            yield from self._check(workers)
            yield from self._count(workers)
        yield from self._timeline()
        self._record()
        lines = [escape(f"{self._session.history.first + at}: {line}") for at, line in enumerate(self._history())]
        self._add("Commands of this session", "HISTORY", ReportLines(tuple(lines)) if lines else None)

    def report(self) -> ReportPage:
        """The page."""
        name = self._over or str(self._session.trail.path)
        number = len(self.paths)
        facts = {
            "Files": f"{number}, {sum(path.stat().st_size for path in self.paths if path.is_file()):,} bytes",
            "Result": _RESULTS[self.status],
            "Made": f"{iso_time(current_timestamp())}, logdump {__version__}",
        }
        known = tuple((label, escape(value)) for label, value in facts.items())
        return ReportPage(escape(f"Report on LogTrail {name}"), known, tuple(self.sections), self.status)

    def _history(self) -> list[str]:
        return list(self._session.history.lines)

    def _add(self, title: str, command: str, *parts: ReportPart | None) -> None:
        given = tuple(part for part in parts if part is not None)
        if given:
            self.sections.append(ReportSection(title, command, given))

    def _over_words(self) -> str:
        return f" OVER {self._over}" if self._over is not None else ""

    def _recovery(self) -> Iterator[Event]:
        events: list[Any] = []
        run = RecoveryRun(self._session, RecoveryOptions(over=self._over), lists_files=True)
        yield from self._taken(run.events(), events)
        files = [event for event in events if isinstance(event, TrailFileShown)]
        said = [event for event in events if not isinstance(event, TrailFileShown)]
        command = f"RECOVERY{self._over_words()}"
        self._add("Restarts, and what a Replicat applies", command, self._lines(said))
        self._add("Files", f"{command} FILES", _files(files))

    def _check(self, workers: Workers) -> Iterator[Event]:
        checker, events = Checker(self._quiet.settings.notify, workers), list[Any]()
        yield from self._taken(check_several(checker, self.paths), events)
        title = f"LogTrail {self._over or self._session.trail.path}"
        events.append(checker.result(title, Reading()))
        self._note(events[-1:])
        self._add("Damage", f"CHECK {self._over or ''}".rstrip(), self._lines(events))

    def _count(self, workers: Workers) -> Iterator[Event]:
        count, events = CountRun(self._quiet, CountOptions(detail=True), workers), list[Any]()
        yield from self._taken(count_several(count, str(self._over), list(self.paths)), [])
        if count.stopped_at is not None:
            raise KeyboardInterrupt
        yield from self._taken(count.results(""), events)
        notices = self._lines([event for event in events if isinstance(event, Notice)])
        [shown] = [event for event in events if isinstance(event, CountShown)]
        large = [event for event in events if isinstance(event, TransactionsShown)]
        command = f"COUNT DETAIL{f', LOG {self._over}' if self._over else ''}"
        self._add("Tables and operations", command, *_tables(shown.counted), notices)
        self._add("Largest transactions", f"TRANSHIST {MOST_TRANSACTIONS}; {command}", *map(_transactions, large))

    def _timeline(self) -> Iterator[Event]:
        scan = TimelineScan(None, self._session.source_definitions, parameters_in_use(self._session), keeps_volume=True)
        for path in self.whole.paths:
            with suppress(TrailError), TrailFile(path) as trail, self._quiet.reading(trail):
                scan.begin_file()
                for rba in scan.extend(self._quiet):
                    yield Progress(0, rba, 0, trail.size)
        self._add("Over time", "HEARTBEAT HISTORY; COUNT INTERVAL 1", *_charts(scan.timeline))

    def _record(self) -> None:
        """The record at the position, where one has been shown."""
        if self._over is not None or not self._session.has_trail:
            return
        cursor = self._session.cursor
        if cursor.current == cursor.next == 0:
            return
        settings = copy.copy(self._session.settings)
        vars(settings).update(_ALL_OF_A_RECORD)
        lines: list[Harmless] = []
        try:
            record = cursor.trail.record_at(cursor.current)
            if record is not None:
                lines = text.render(KnownRecord(record, self._session), settings)
        except TrailError as error:
            lines = [escape(str(error))]
        command = f"GHDR ON; GGSTOKEN DETAIL; DETAIL DATA; VALUES ON; POSITION {cursor.current}; NEXT"
        self._add(f"Record at RBA {cursor.current}", command, ReportLines(tuple(lines)) if lines else None)

    def _taken(self, events: Iterable[Event], kept: list[Any]) -> Iterator[Event]:
        """Keep events; yields those that say how far a survey is."""
        for event in events:
            if isinstance(event, Progress):
                yield event
            else:
                kept.append(event)
                self._note([event])

    def _note(self, events: Iterable[Event]) -> None:
        for event in events:
            self.status = self.status or getattr(event, "status", ExitStatus.OK)

    def _lines(self, events: Iterable[Event]) -> ReportLines | None:
        """What commands print for events; of very many lines the first."""
        lines = [line for event in events for line in text.render(event, self._quiet.settings)]
        if len(lines) > MOST_FINDINGS:
            lines = [*lines[:MOST_FINDINGS], escape(f"… {len(lines) - MOST_FINDINGS} more lines")]
        return ReportLines(tuple(lines)) if lines else None


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
            escape(str(one.path)),
            escape(f"{one.size:,}"),
            escape("" if one.version is None else str(one.version)),
            escape((iso_time(one.created) if one.created is not None else None) or ""),
            escape(one.first_csn or ""),
            escape(one.last_csn or ""),
            escape(one.problem or ("record data looks encrypted" if one.looks_encrypted else "")),
        )
        for one in files
    )
    return ReportTable(heads, rows, frozenset({1, 2})) if rows else None


def _tables(count: Totals) -> Iterator[ReportPart]:
    """The records by table, the largest tables first."""
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


def _transactions(shown: TransactionsShown) -> ReportTable | None:
    heads = ("Begun", "File number", "RBA", "Records", "Bytes", "Tables")
    rows = tuple(
        (
            escape(iso_time(one.time) or ""),
            *(escape(f"{number:,}") for number in (one.seqno, one.rba, one.records, one.data_bytes, one.tables)),
        )
        for one in shown.transactions
    )
    return ReportTable(heads, rows, frozenset(range(1, len(heads)))) if rows else None


def _charts(timeline: Timeline) -> Iterator[ReportPart]:
    if timeline.volume is not None and timeline.volume.intervals:
        volume = timeline.volume.at_most(MOST_BARS)
        points = tuple((one.start, float(one.data_bytes)) for one in volume.intervals)
        seconds = volume.interval / _MICROSECONDS
        title = f"Data bytes in intervals of {seconds:,.0f} s"
        yield ReportChart(title, "bytes", (ReportSeries(escape(""), points),), volume.interval)
    ways = [one for one in timeline.ways if one.points][:MOST_SERIES]
    if ways:
        series = tuple(
            ReportSeries(
                escape(" > ".join([one.source or "?", *one.way, one.target or "?"])),
                tuple((point.time, point.delay / _MICROSECONDS) for point in one.points),
            )
            for one in ways
        )
        yield ReportChart("Lag of heartbeats, from the source to the last process that is known", "seconds", series)


def run_report(session: Session, options: ReportOptions) -> Iterator[Event]:
    """Survey the trail and write the page; the position stays."""
    write = _WRITERS.get(options.path.suffix.lower())
    if write is None:
        raise CommandError("REPORT writes a .html or a .md file.")
    session.check_target(options.path, "REPORT", wanted="a file")
    reporter = _Reporter(session, options.over)
    for path in reporter.paths:
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
            lambda over, path, replaces: ReportOptions(over, Path(path).expanduser().absolute(), replaces),
            Maybe(Keyword("OVER", File("<wildcard>"))),
            Keyword("TO", File("<filename>", missing=_NO_FILE), wrong=_NO_FILE),
            Maybe(OneOf({"REPLACE": True})),
        ),
        "Write one page about the trail, for a ticket",
        run_report,
        details=(
            "<filename> ends with .html or .md. Of all files of the open trail, or of those of <wildcard>: restarts",
            "and what Replicat applies, damage, tables and operations, the largest transactions, volume and lag over",
            "time; the record at the position with its values and bytes, and the commands of this session. The page",
            "needs no other file and holds no script. FILTER and the switches of the display do not matter.",
            "Under -c and -f the exit status is 3 or 4 as that of RECOVERY and CHECK. The position stays.",
            "Example: REPORT TO ticket.html",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
    ),
)
