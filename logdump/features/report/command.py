"""REPORT: the results of the commands for a whole trail, on one page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from logdump import __version__
from logdump.display import text
from logdump.features.check import model as check_model
from logdump.features.check.model import CheckShown, GapShown
from logdump.features.doctor.command import Examination
from logdump.features.doctor.model import DoctorShown
from logdump.features.doctor.text import state_lines
from logdump.features.export.target import export_target
from logdump.features.recovery import model as recovery_model
from logdump.features.recovery.model import (
    KeepShown,
    RecoveryEnd,
    RecoveryShown,
    TrailFileShown,
)
from logdump.features.report import parts
from logdump.features.report.html import html_text
from logdump.features.report.markdown import markdown_text
from logdump.features.report.model import (
    ReportLines,
    ReportPage,
    ReportPart,
    ReportSection,
    ReportVerdict,
    ReportWritten,
)
from logdump.features.report.place import Asked, AskedCsn, AskedMessage, PlaceSections, RestartAdvice, restart_at
from logdump.features.timeline.timeline import TimelineScan
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import File, Number, OneOf, Word
from logdump.notation.text import escape
from logdump.notation.times import GMT, current_timestamp, iso_time
from logdump.parameters.in_use import parameters_in_use, unused_parameters
from logdump.parameters.not_used import ParameterUse
from logdump.session.chosen_trail import trail_title, whole_trail_of
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Progress
from logdump.session.session import Session
from logdump.session.settings import Across, Settings
from trailformat import PartialRecord, TrailError, TrailFile
from trailformat.codec.remote.path import path_of
from trailformat.trail.command_files import name_incomplete
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.whole_trail import WholeTrail

MOST_TRANSACTIONS = 20
"""Maximum number of the largest transactions listed."""
_WRITERS: dict[str, Callable[[ReportPage], str]] = {".html": html_text, ".htm": html_text, ".md": markdown_text}
_FINDINGS = (recovery_model.__name__, check_model.__name__)
"""The modules of the events of RECOVERY and CHECK."""


class ReportOptions(NamedTuple):
    """The options of REPORT.

    Attributes:
        over: the files; None: the open trail.
        asked: the place that the page is about; None: that of the record displayed last.
        path: the page.
        replaces: True if it may replace a file.
    """

    over: str | None
    asked: Asked | None
    path: Path
    replaces: bool | None


class _Reporter:
    """One run of REPORT.

    It runs in sessions of its own, without the filter and the settings of the user's session.
    """

    def __init__(self, session: Session, options: ReportOptions) -> None:
        self._session = session
        self._over = options.over
        self.whole: WholeTrail = whole_trail_of(session, self._over, "REPORT")
        self._quiet = self._new_session()
        self._name = self._over or str(session.trail.path)
        opened = session.trail.path if self._over is None else None
        self._place = PlaceSections(self._new_session(), self._new_session(Across.GAPS), self.whole, self._name, opened)
        asked = options.asked
        if asked is not None:
            self._place.find(asked)
        elif self._over is None and not session.cursor.current == session.cursor.next == 0:
            self._place.position = FilePosition(session.trail.path, session.cursor.current)
        self.status = ExitStatus.OK
        self._verdict = ReportVerdict(None, escape(""))
        self.sections: list[ReportSection] = []

    def _new_session(self, across: Across = Across.OFF) -> Session:
        quiet = Session()
        quiet.settings = Settings(time_offset=GMT, across=across, across_to=self.whole.paths[-1])
        quiet.source_definitions = self._session.source_definitions
        quiet.keep(parameters_in_use(self._session))
        return quiet

    def run(self) -> Iterator[Event]:
        """Survey the trail and collect the sections; yield Progress."""
        examination = Examination(self._quiet, self.whole, self._name, MOST_TRANSACTIONS)
        yield from examination.run()
        shown = examination.shown()
        self.status = shown.status
        yield from self._timeline()
        yield from self._place.add()
        self.sections += self._place.sections
        if self._place.restart is not None and self._place.restart.is_damaged:
            self.status = ExitStatus.BAD_DATA
        self._verdict = self._judged(shown, examination.events)
        self._add_state(examination, shown)
        history = self._session.history
        lines = tuple(escape(f"{number}: {line}") for number, line in enumerate(history.lines, history.first))
        self._add("Commands of this session", "HISTORY", ReportLines(lines) if lines else None)

    def report(self) -> ReportPage:
        """Return the page; requires a complete run."""
        number = len(self.whole.paths)
        facts = {
            "Files": f"{number}, {sum(path.stat().st_size for path in self.whole.paths if path.is_file()):,} bytes",
            "Made": f"{iso_time(current_timestamp())}, logdump {__version__}",
            "Times": "GMT",
        }
        known = tuple((label, escape(value)) for label, value in facts.items())
        title = escape(f"Report on {trail_title(self._name)}")
        return ReportPage(title, self._verdict, known, tuple(self.sections), self.status)

    def _add(self, title: str, command: str, *parts: ReportPart | None) -> None:
        given = tuple(part for part in parts if part is not None)
        if given:
            self.sections.append(ReportSection(title, command, given))

    def _judged(self, shown: DoctorShown, events: list[Any]) -> ReportVerdict:
        """Return the result, with what SAFE says about the place asked for, or about the place of a loss."""
        verdict = parts.verdict(shown, events, self.status)
        restart = self._place.restart or self._restart_of(parts.first_loss(events, shown))
        return verdict._replace(advice=tuple(restart.lines)) if restart is not None else verdict

    def _restart_of(self, position: FilePosition | None) -> RestartAdvice | None:
        if position is None:
            return None
        try:
            with TrailFile(position.path) as trail, self._quiet.reading(trail):
                return restart_at(self._quiet, position.rba)
        except TrailError:
            return None  # no reader can be set into a file that is no trail

    def _add_state(self, examination: Examination, shown: DoctorShown) -> None:
        """Add what the commands that DOCTOR runs have found."""
        for event in examination.events:
            if isinstance(event, GapShown) and isinstance(event.error, PartialRecord):
                name_incomplete(event.path)
        over, wildcard = (f" OVER {self._over}", f" {self._over}") if self._over else ("", "")
        events = [self._named(event) for event in examination.events]
        recovery, check = ([event for event in events if type(event).__module__ == of] for of in _FINDINGS)
        said = [event for event in recovery if not isinstance(event, TrailFileShown | KeepShown)]
        files = [event for event in recovery if isinstance(event, TrailFileShown)]
        count = f"COUNT DETAIL{f', LOG {self._over}' if self._over else ''}"
        self._add("Findings", f"DOCTOR{wildcard}", *parts.findings(shown.findings))
        state = tuple(map(escape, state_lines(shown, self._quiet.settings)))
        self._add("State of the trail", f"DOCTOR{wildcard}", ReportLines(state))
        self._add("Tables and operations", count, *parts.tables(examination.totals))
        self._add("Columns in the images", f"DOCTOR{wildcard}", *parts.images(shown.images))
        largest = parts.transactions(examination.largest)
        self._add("Largest transactions", f"TRANSACTIONS{over} {MOST_TRANSACTIONS}", largest)
        said += unused_parameters(self._quiet, ParameterUse.HISTORY)
        self._add("Restarts, and what a Replicat applies", f"RECOVERY{over}", self._lines(said))
        self._add("Damage", f"CHECK{wildcard}", self._lines(check))
        self._add("Files", f"RECOVERY{over} FILES", parts.files(files))

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
        self._add("Over time", "HEARTBEAT HISTORY; COUNT INTERVAL 1", *parts.charts(scan.timeline))

    def _lines(self, events: Iterable[Event]) -> ReportLines | None:
        """Return the lines printed for events, at most MOST_FINDINGS; None without any."""
        lines = [line for event in events for line in text.render(event, self._quiet.settings)]
        if len(lines) > parts.MOST_FINDINGS:
            lines = [*lines[: parts.MOST_FINDINGS], escape(f"… {len(lines) - parts.MOST_FINDINGS} more lines")]
        return ReportLines(tuple(lines)) if lines else None


def run_report(session: Session, options: ReportOptions) -> Iterator[Event]:
    """Survey the trail and write the page; the read position does not change."""
    write = _WRITERS.get(options.path.suffix.lower())
    if write is None:
        raise CommandError("REPORT writes a .html or a .md file.")
    session.check_target(options.path, "REPORT", wanted="a file")
    reporter = _Reporter(session, options)
    for path in reporter.whole.paths:
        if options.path.exists() and path.exists() and options.path.samefile(path):
            raise CommandError(f"{path} is a file of the trail: REPORT never writes over it.")
    with export_target(options.path, is_folder=False, replaces=bool(options.replaces), command="REPORT") as staged:
        yield from reporter.run()
        report = reporter.report()
        staged.write_bytes(write(report).encode())
    yield ReportWritten(options.path, len(report.sections), report.status)


_NO_FILE = "takes TO and the file to write, as in REPORT TO ticket.html."

_PLACE: Alternatives[Any] = Alternatives(
    Keyword("AT", Number("<rba>", what="an RBA")),
    Keyword("CSN", Sequence(AskedCsn, Word("<csn>"))),
    Keyword("ERROR", Sequence(AskedMessage, Word("<text>"))),
)

COMMANDS = (
    Command(
        "REPORT",
        Sequence(
            lambda over, asked, path, replaces: ReportOptions(over, asked, path_of(path).absolute(), replaces),
            Maybe(Keyword("OVER", File("<wildcard>"))),
            Maybe(_PLACE),
            Keyword("TO", File("<filename>", missing=_NO_FILE), wrong=_NO_FILE),
            Maybe(OneOf({"REPLACE": True})),
        ),
        "Write one page about the trail, for a ticket",
        run_report,
        details=(
            "<filename> ends with .html or .md. Of all files of the open trail, or of those of <wildcard>: the result",
            "in a sentence, and what SAFE says; volume and lag over time; the record displayed last, that AT an RBA,",
            "of a CSN or of an error of GoldenGate, with values, bytes, its transaction and the story of its row;",
            "findings, tables, the largest transactions, restarts, damage, files; the commands of this session.",
            "The page needs no other file and has no script. FILTER and the switches of the display have no effect.",
            "Under -c and -f the exit status is 3 or 4 as that of DOCTOR. The position stays.",
            "Example: REPORT TO ticket.html",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
    ),
)
