"""DOCTOR: runs other commands and makes findings of their results."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from logdump.display.text import Severity, gap_words
from logdump.features.check.command import CheckOptions, check_files
from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from logdump.features.count.survey import CountOptions, CountRun, count_files
from logdump.features.doctor.model import (
    DoctorShown,
    Finding,
    Growth,
    LoneBeforeImages,
    NagiosShown,
    TableImages,
    Unexplained,
)
from logdump.features.explain.processes import ProcessState, is_folder_of_logs, processes_in
from logdump.features.explain.text import process_text
from logdump.features.heartbeat.model import HeartbeatOptions, PathLagShown
from logdump.features.heartbeat.survey import run_heartbeat
from logdump.features.recovery.command import RecoveryOptions, RecoveryRun
from logdump.features.recovery.model import (
    BeginMissingShown,
    CutShown,
    KeepShown,
    OrderBreakShown,
    ProducerChangeShown,
    RecoveryShown,
    RestartShown,
    SecondCopyShown,
    TrailFileShown,
    TransactionRef,
)
from logdump.features.recovery.text import BEGIN_MISSING, LEFT_OPEN
from logdump.features.recovery.versions import FileFacts
from logdump.features.transactions.command import TransactionsOptions, TransactionsRun
from logdump.features.transactions.model import TransactionListed
from logdump.language.command import Command, Origin
from logdump.language.forms import Keyword, Maybe, Sequence
from logdump.language.parameters import File, OneOf
from logdump.notation.text import amount
from logdump.session.chosen_trail import refuse_filter, whole_trail_of
from logdump.session.errors import MissingFileError
from logdump.session.events import Event, Progress
from logdump.session.session import Session
from trailformat import PartialRecord, TrailFile
from trailformat.changes.row_changes import is_change
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.scan import Batch, Workers
from trailformat.totals.counting import Totals, TypeTotals
from trailformat.trail.command_files import name_incomplete
from trailformat.trail.sequence import FilePosition, TrailName
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.whole_trail import WholeTrail

with on_demand:
    from logdump.features.doctor import since_last


def findings_of(events: list[Any]) -> tuple[Finding, ...]:
    """Return the findings in the events of CHECK, RECOVERY and HEARTBEAT, and about images; the most severe first.

    The incomplete record at the end of a trail is no damage: its writer may be writing it.
    """
    findings: list[Finding] = []
    growing = [shown.half_record for shown in events if isinstance(shown, RecoveryShown)]
    for event in events:
        is_end = isinstance(event, GapShown) and isinstance(event.error, PartialRecord)
        if is_end and FilePosition(event.path, event.rba) in growing:
            continue
        if (rule := _RULES.get(type(event))) is not None:
            findings += rule(event)
    order = list(Severity)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))


def _gap(gap: GapShown) -> Iterator[Finding]:
    text = f"damage, {gap.length} bytes: {gap.error.problem}"
    yield Finding(Severity.DAMAGE, text, FilePosition(gap.path, gap.rba), f"CHECK {gap.path}")


def _bad_row(row: BadRowShown) -> Iterator[Finding]:
    column = f", column {row.column}" if row.column is not None else ""
    names = {"definition": f"definition of {row.table or 'the database'}", "file header": "file header"}
    name = names.get(row.noun, row.table or "a row")
    text = f"{name}{column}: {row.error.explained(', ')}"
    yield Finding(Severity.DAMAGE, text, FilePosition(row.path, row.rba), f"CHECK {row.path}")


def _check(check: CheckShown) -> Iterator[Finding]:
    if (bad := check.bad_rows + check.bad_definitions) > MOST_BAD:
        more = bad - MOST_BAD
        yield Finding(Severity.DAMAGE, amount(more, "more bad row"), None, "CHECK", (("bad rows", more),))
    for path in check.encrypted:
        yield Finding(Severity.NOTE, "record data looks encrypted", FilePosition(path, 0), f"CHECK {path}")
    if check.undefined:
        text = f"{amount(check.undefined, 'record')} of tables whose definition is not there"
        yield Finding(Severity.WARNING, text, None, "CHECK", (("records without a definition", check.undefined),))


def _recovery(shown: RecoveryShown) -> Iterator[Finding]:
    for gap in shown.state.gaps:
        to = f" to {gap.last.name}" if gap.last != gap.first else ""
        severity = Severity.NOTE if gap.is_left_out else Severity.DAMAGE
        yield Finding(severity, f"{gap_words(gap)}: {gap.first.name}{to}", FilePosition(gap.file_after, 0), "RECOVERY")
    for path in shown.state.unreadable:
        yield Finding(Severity.DAMAGE, "no trail file", FilePosition(path, 0), f"CHECK {path}")
    for mismatch in shown.state.mismatches:
        yield Finding(Severity.DAMAGE, mismatch.text, FilePosition(mismatch.path, 0), f"CHECK {mismatch.path}")
    for path in shown.state.left_open:
        yield Finding(Severity.NOTE, LEFT_OPEN, FilePosition(path, 0), "RECOVERY FILES")
    if shown.open is not None:
        place = shown.open.begin
        yield Finding(Severity.NOTE, f"open at the end: {_transaction(shown.open)}", place, _safe(place))
    if shown.half_record is not None:
        yield Finding(Severity.NOTE, "the last record is incomplete: more may follow", shown.half_record, "FOLLOW")


def _file(shown: TrailFileShown) -> Iterator[Finding]:
    if shown.is_unborn:
        text = f"no records yet, {amount(shown.size, 'byte')}"
        yield Finding(Severity.NOTE, text, FilePosition(shown.path, 0), "RECOVERY FILES")


def _restart(shown: RestartShown) -> Iterator[Finding]:
    kind = {
        "abend": "Extract abended and was restarted",
        "ok": "Extract was restarted",
        "rollover": "Extract was restarted into a new file",
    }[shown.kind]
    yield Finding(Severity.NOTE, kind, shown.position, "RECOVERY RESTARTS")
    if shown.cut is not None:
        yield from _cut(CutShown(shown.cut, shown.again, shown.is_partial))


def _begin_missing(shown: BeginMissingShown) -> Iterator[Finding]:
    text = f"{amount(shown.transaction.records, 'record')} of a transaction: {BEGIN_MISSING}"
    yield Finding(Severity.WARNING, text, shown.position, "RECOVERY CUT")


def _cut(shown: CutShown) -> Iterator[Finding]:
    severity = Severity.NOTE if shown.again is not None else Severity.WARNING
    again = "a whole copy follows" if shown.again is not None else "no whole copy follows"
    text = f"cut: {_transaction(shown.cut)}; {again}"
    yield Finding(severity, text, shown.cut.begin, "RECOVERY CUT")


def _second_copy(shown: SecondCopyShown) -> Iterator[Finding]:
    text = f"twice: transaction {shown.xid}, CSN {shown.csn}"
    yield Finding(Severity.WARNING, text, shown.copy.begin, "RECOVERY TWICE")


def _order(shown: OrderBreakShown) -> Iterator[Finding]:
    text = f"CSN {shown.csn} after {shown.greatest}: {amount(shown.transactions, 'transaction')} out of order"
    yield Finding(Severity.WARNING, text, shown.position, "RECOVERY ORDER")


def _producer(shown: ProducerChangeShown) -> Iterator[Finding]:
    member = "format" if shown.member == "TrailInfo.Compatibility" else shown.member
    text = f"{member} changes from {shown.before} to {shown.after}"
    yield Finding(Severity.NOTE, text, FilePosition(shown.path, 0), "RECOVERY FILES")


def _path_lag(shown: PathLagShown) -> Iterator[Finding]:
    for gap in shown.lag.gaps:
        text = f"{amount(gap.beats, 'heartbeat')} missing after this one"
        yield Finding(Severity.WARNING, text, gap.after.position, "HEARTBEAT GAPS")


def _images(images: TableImages) -> Iterator[Finding]:
    for lack in images.lacks:
        records = amount(lack.records, "record")
        text = (
            f"{images.table}: {records} of {lack.op} without the key column{'s' * (len(lack.columns) > 1)} "
            f"{', '.join(lack.columns)}: supplemental logging is not complete (ADD TRANDATA)"
        )
        what = f"{images.table} {lack.op} without {', '.join(lack.columns)}"
        yield Finding(Severity.WARNING, text, lack.position, _listed(lack.position), ((what, lack.records),))


def _lone_before_images(lone: LoneBeforeImages) -> Iterator[Finding]:
    for position in lone.positions:
        text = "before image of an update that no after image follows"
        yield Finding(Severity.WARNING, text, position, _listed(position))
    if lone.number > len(lone.positions):
        more = lone.number - len(lone.positions)
        text = f"{more} more before images that no after image follows"
        yield Finding(Severity.WARNING, text, None, "LIST", (("lone before images", more),))


def _unexplained(shown: Unexplained) -> Iterator[Finding]:
    text = f"{amount(shown.records, 'record')} {shown.reason}"
    counts = shown.counts or ((shown.reason, shown.records),)
    yield Finding(Severity.WARNING, text, shown.position, _listed(shown.position), counts)


def _process(process: ProcessState) -> Iterator[Finding]:
    """A process of the reports: a warning if it has abended or waits."""
    is_stopped = process.state in ("abended", "waits")
    text = f"{process.name} {process_text(process)}"
    severity = Severity.WARNING if is_stopped else Severity.NOTE
    yield Finding(severity, text, process.place, f"EXPLAIN FILE {process.source}")


def _transaction(ref: TransactionRef) -> str:
    return f"transaction {ref.xid or '(no XID)'}, CSN {ref.csn or '(none)'}, {amount(ref.records, 'record')}"


def _listed(place: FilePosition) -> str:
    return f"OPEN {place.path}; POSITION {place.rba}; LIST 2"


def _safe(place: FilePosition | None) -> str:
    return f"SAFE {place.rba}" if place is not None else "RECOVERY"


_RULES: dict[type, Callable[[Any], Iterator[Finding]]] = {
    GapShown: _gap,
    BadRowShown: _bad_row,
    CheckShown: _check,
    RecoveryShown: _recovery,
    TrailFileShown: _file,
    RestartShown: _restart,
    CutShown: _cut,
    BeginMissingShown: _begin_missing,
    SecondCopyShown: _second_copy,
    OrderBreakShown: _order,
    ProducerChangeShown: _producer,
    PathLagShown: _path_lag,
    TableImages: _images,
    LoneBeforeImages: _lone_before_images,
    Unexplained: _unexplained,
    ProcessState: _process,
}


_HOUR = 3_600_000_000
_LARGEST = 5
"""Number of transactions listed."""
MOST_BAD = 20
"""Number of bad rows that are findings of their own."""

T = TypeVar("T")


class Examination:
    """The results of other commands for one trail.

    Args:
        session: the session.
        whole: the trail.
        name: what it is called.
        largest: number of transactions listed.
        reports: a folder or an archive with reports of processes; None without one.
    """

    def __init__(
        self, session: Session, whole: WholeTrail, name: str, largest: int = _LARGEST, reports: Path | None = None
    ) -> None:
        self._session, self._whole, self._name, self._largest = session, whole, name, largest
        self._reports = reports
        self.events: list[Any] = []
        self._bad_rows = 0
        self.headers: tuple[FileFacts, ...] = ()
        self.images: tuple[TableImages, ...] = ()
        self.totals = Totals()
        self._first_time: int | None = None
        self._last_time: int | None = None

    def run(self) -> Iterator[Event]:
        """Run the commands; yield their progress."""
        from logdump.features.doctor.images import ImageSurvey  # noqa: PLC0415 - it needs numpy
        from logdump.features.doctor.time_span import TimeSpan  # noqa: PLC0415 - as above

        self.events += self._processes()
        paths, images, span = self._whole.paths, ImageSurvey(self._session.definitions_of), TimeSpan()

        def take(trail: TrailFile, batch: Batch) -> None:
            images.take(trail, batch)
            span.take(batch)

        yield from self._answers(check_files(self._session, CheckOptions(paths), take, as_trails=False))
        self._first_time, self._last_time = span.first, span.last
        self.images = tuple(images.tables())
        self.events += [*self.images, LoneBeforeImages(images.lone_number, tuple(images.lone)), *images.unexplained()]
        # NotApplied takes the batches that RECOVERY reads, so that TRANSACTIONS need not find every transaction again
        not_applied = NotApplied(self._whole, walked=True)
        options = RecoveryOptions(over=paths, keep=(), lists_files=True)
        recovery = RecoveryRun(self._session, options, not_applied.take)
        yield from self._answers(recovery.events())
        self.headers = recovery.files
        self._share_state()
        listed = TransactionsRun(self._session, TransactionsOptions(over=paths, most=self._largest), not_applied)
        yield from self._answers(listed.events())
        yield from self._answers(run_heartbeat(self._session, HeartbeatOptions(over=paths)))
        with Workers() as workers:
            count = CountRun(self._session, CountOptions(detail=True, interval=_HOUR, logtrail=paths), workers)
            count.count = self.totals = Totals(interval=_HOUR)
            yield from self._answers(count_files(count, self._session))
            if count.stopped_at is not None:
                raise KeyboardInterrupt

    def _processes(self) -> Iterator[ProcessState]:
        """Yield the processes of the reports, without those that read another trail, whether that is there or not."""
        if self._reports is None:
            return
        names = {name.prefix for path in self._whole.paths if (name := TrailName.parse(path)) is not None}
        folders = tuple(dict.fromkeys(path.parent for path in self._whole.paths))
        for process in processes_in(self._reports, folders):
            if process.file is not None:
                is_of_trail = process.file in self._whole.paths
            else:
                is_of_trail = process.trail is None or not names or process.trail in names
            if is_of_trail:
                yield process

    def _share_state(self) -> None:
        """Add the state that RECOVERY has found to the result of CHECK, which has not read the transactions."""
        states = tuple(shown.state for shown in self._of(RecoveryShown))
        self.events = [
            event._replace(states=states) if isinstance(event, CheckShown) else event for event in self.events
        ]

    def _answers(self, answer: Iterator[Event]) -> Iterator[Event]:
        """Store the results of a command; yield its progress."""
        for event in answer:
            if isinstance(event, Progress):
                yield event
                continue
            self._bad_rows += isinstance(event, BadRowShown)
            if self._bad_rows <= MOST_BAD or not isinstance(event, BadRowShown):
                self.events.append(event)

    def _of(self, kind: type[T]) -> tuple[T, ...]:
        return tuple(event for event in self.events if isinstance(event, kind))

    @property
    def largest(self) -> tuple[TransactionListed, ...]:
        """The largest transactions."""
        return self._of(TransactionListed)

    def shown(self) -> DoctorShown:
        """Return all results."""
        return DoctorShown(
            self._name,
            self.headers,
            self._of(TrailFileShown),
            next(iter(self._of(CheckShown)), None),
            next(iter(self._of(RecoveryShown)), None),
            next(iter(self._of(KeepShown)), None),
            tuple(self._tables()),
            self.largest[:_LARGEST],
            self._growth(),
            tuple(shown.lag for shown in self._of(PathLagShown)),
            findings_of(self.events),
            self.images,
        )

    def _tables(self) -> list[tuple[str, TypeTotals]]:
        """Return the tables with rows and their totals, partitions added up; the one with the most bytes first."""
        tables: dict[str, TypeTotals] = {}
        for (name, _), tally in self.totals.tables.items():
            types = Counter({io_type: number for io_type, number in tally.types.items() if is_change(io_type)})
            if not name or not types:
                continue
            known = tables.setdefault(name, TypeTotals())
            known.types += types
            known.records += types.total()
            known.data_bytes += tally.data_bytes
        return sorted(tables.items(), key=lambda item: (-item[1].data_bytes, item[0]))

    def _growth(self) -> Growth:
        hours = [(tally.data_bytes, start) for start, tally in self.totals.intervals.items()]
        largest = max(hours, default=None)
        try:
            free = shutil.disk_usage(self._whole.paths[0].parent).free
        except OSError:
            free = None
        return Growth(
            sum(facts.size for facts in self.headers),
            self._first_time,
            self._last_time,
            (largest[1], largest[0]) if largest is not None else None,
            free,
        )


class _DoctorQuestion(NamedTuple):
    """The question of DOCTOR.

    Attributes:
        wildcard: the files; None for those of the open trail.
        reports: the folder of reports; None without one.
        state: the file of the state of SINCE LAST; None for the whole page.
        nagios: True for one line, as Nagios takes it.
    """

    wildcard: str | None
    reports: str | None
    state: str | None
    nagios: bool | None


def run_doctor(session: Session, question: _DoctorQuestion) -> Iterator[Event]:
    """Examine the trail of the open file, or the files that a wildcard matches; the read position stays.

    Raises:
        MissingFileError: the folder of reports is not there.
    """
    wildcard, reports, state, nagios = question
    folder = path_of(Path(reports)) if reports is not None else None
    if folder is not None and not is_folder_of_logs(folder):
        raise MissingFileError(f"{reports}: No such folder or archive of reports.")
    refuse_filter(session, "DOCTOR", filtered=False)
    whole = whole_trail_of(session, wildcard, "DOCTOR")
    examination = Examination(session, whole, wildcard or str(session.trail.path), reports=folder)
    if nagios or state is not None:
        name_incomplete(whole.paths[-1])
    if state is not None:
        yield from since_last.new_findings(_examined(examination), path_of(Path(state)))
        return
    shown = yield from _examined(examination)
    yield NagiosShown(shown) if nagios else shown


def _examined(examination: Examination) -> Generator[Event, None, DoctorShown]:
    """Yield the progress of an examination; return its results."""
    yield from examination.run()
    return examination.shown()


COMMANDS = (
    Command(
        "DOCTOR",
        Sequence(
            _DoctorQuestion,
            Maybe(File("<filename> | <wildcard>", other="REPORTS | SINCE | NAGIOS")),
            Maybe(Keyword("REPORTS", File("<folder>"))),
            Maybe(Keyword("SINCE", File("<state file>"))),
            Maybe(OneOf({"NAGIOS": True})),
            surplus=File.surplus,
        ),
        "Show the state of a trail on one page: files, damage, restarts, growth, tables, lag, what to keep",
        run_doctor,
        details=(
            "REPORTS: what has become of the processes that read it, by their reports and logs.",
            "What CHECK, RECOVERY, COUNT and HEARTBEAT find, with its place and the command that shows more of it.",
            "SINCE <state file>: the problems that are new since the last run with that file, or nothing.",
            "NAGIOS: one line with performance data; the status is 0 ok, 1 warning, 2 damage, 3 if it cannot tell.",
            "Under -c and -f the exit status is 4 where there is damage or a file is missing, 3 for a warning.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
    ),
)
