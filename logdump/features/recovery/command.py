"""RECOVERY: the traces of restarts in a trail, and the transactions that a Replicat applies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from logdump.features.recovery.model import RecoveryEnd, TransactionRef, so_far
from logdump.features.recovery.report import RecoveryReport, records_of
from logdump.features.recovery.survey import Survey
from logdump.features.recovery.versions import VERSIONS, FileFacts, release_number
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword, Maybe, Sequence
from logdump.language.parameters import File, Number, OneOf, Word
from logdump.parameters.in_use import unused_parameters
from logdump.parameters.not_used import ParameterUse
from logdump.session.chosen_trail import name_over, refuse_filter, trail_title, whole_trail_of
from logdump.session.errors import CommandError
from logdump.session.events import Event, Progress
from logdump.session.files import FileNames
from logdump.session.reading import Reading, answered, reading_of
from logdump.session.session import Session
from trailformat import NotATrail, TrailFile, TrailName
from trailformat.scan import Workers
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.batches import TransactionBatch, TransactionRecords
from trailformat.transactions.restart_places import RestartSearch

if TYPE_CHECKING:
    from logdump.session.selection import Selection

PARTS = ("RESTARTS", "CUT", "TWICE", "ORDER", "FILES")


class RecoveryOptions(NamedTuple):
    """The options of RECOVERY.

    ``keep`` is the number of a file and an RBA, empty for the last recovery point, None without KEEP.
    ``lists_files``: FILES is included if no part is named.
    """

    over: FileNames | None = None
    part: str | None = None
    reader: str | None = None
    keep: tuple[int, ...] | None = None
    filtered: bool = False
    lists_files: bool = False


class RecoveryRun:
    """One run of RECOVERY; ``also`` is called with each batch of transactions."""

    def __init__(
        self, session: Session, options: RecoveryOptions, also: Callable[[TransactionBatch], None] | None = None
    ) -> None:
        self._session, self._options = session, options
        self._whole = whole_trail_of(session, options.over, "RECOVERY")
        self._reader = _reader(options.reader)
        self._title = trail_title(name_over(session, options.over))
        self._survey = Survey(self._whole)
        self._scanned = 0
        self._also = also

    def events(self) -> Iterator[Event]:
        """Read the whole trail, then yield the findings."""
        self._check_keep()
        return answered(self._read(), self._reading, self._results)

    @property
    def files(self) -> tuple[FileFacts, ...]:
        """Facts from the headers of the files read so far."""
        return tuple(self._survey.files)

    def _read(self) -> Iterator[Event]:
        with Workers() as workers:
            for batch in self._survey.run(workers):
                if self._also is not None:
                    self._also(batch)
                yield from self._progress(batch)

    def _reading(self) -> Reading:
        return reading_of(self._whole, self._survey.damage.number, self._survey.state.mismatches)

    def _results(self, reading: Reading) -> Iterator[Event]:
        with TransactionRecords(self._whole) as records:
            yield from self._found(records, reading)

    def _found(self, records: TransactionRecords, reading: Reading) -> Iterator[Event]:
        """Yield the findings; ``records`` reads the records that a filter examines."""
        takes = partial(self._passes, records, WeakKeyDictionary()) if self._options.filtered else None
        report = RecoveryReport(self._survey, takes, self._reader, self._keep())
        lacks = {"is_partial": reading.is_partial, "is_stopped": reading.is_stopped}
        shown = report.shown(self._title, self._options.reader, **lacks)
        yield shown
        every = PARTS if self._options.lists_files else PARTS[:-1]
        for part in (self._options.part,) if self._options.part else every:
            for finding in self._part(report, part):
                yield so_far(finding) if reading.is_partial else finding
        if not reading.is_partial and self._options.keep is not None and (keep := report.keep()) is not None:
            yield keep
        yield from unused_parameters(self._session, ParameterUse.HISTORY)
        yield RecoveryEnd(shown)

    def _progress(self, batch: TransactionBatch) -> Iterator[Event]:
        """Yield Progress if a batch reaches the next multiple of NOTIFY."""
        if (progress := batch.progress) is None:
            return
        step, before = self._session.settings.notify, self._scanned
        self._scanned += progress.records
        if self._scanned // step > before // step:
            yield Progress(self._scanned, progress.place.rba, progress.time, self._whole.size)

    def _part(self, report: RecoveryReport, part: str) -> Iterator[Event]:
        """Yield the findings of one of PARTS."""
        is_alone = self._options.part is not None
        if part == "RESTARTS":
            yield from report.restarts()
            yield from report.producer_changes()
            yield from report.overwritten()
        elif part == "CUT":
            yield from report.begins_missing()
            yield from report.cuts(is_alone=is_alone)
        elif part == "FILES":
            yield from report.files()
        else:
            yield from report.second_copies() if part == "TWICE" else report.order_breaks()

    def _check_keep(self) -> None:
        """Check that the position of KEEP is the begin of a record.

        Raises:
            CommandError: the trail has no file with that number.
            BadRecord: it is inside a record, or outside the file.
        """
        place = self._keep()
        if place is not None:
            with suppress(NotATrail), TrailFile(place.path) as trail:  # the reading reports that it is not a trail
                RestartSearch(trail, place.rba)

    def _keep(self) -> FilePosition | None:
        if not self._options.keep:
            return None
        seqno, rba = self._options.keep
        for path in self._whole.paths:
            name = TrailName.parse(path)
            if name is not None and name.seqno == seqno:
                return FilePosition(path, rba)
        raise CommandError(f"No file of this trail has the number {seqno}.")

    def _passes(
        self, records: TransactionRecords, selections: WeakKeyDictionary[TrailFile, Selection], ref: TransactionRef
    ) -> bool:
        """Return True if a record of the transaction passes the filter; ``selections`` caches those of open files."""
        for row in records_of(records, self._whole, ref):
            selection = selections.get(row.trail)
            if selection is None:
                selection = selections[row.trail] = self._session.selection(row.trail)
            if selection.accepts(row.record):
                return True
        return False


def _reader(release: str | None) -> int | None:
    if release is None:
        return None
    version = release_number(release)
    if version is None:
        raise CommandError(f"What release {release} reads is not known; known are {', '.join(VERSIONS)}.")
    return version


def run_recovery(session: Session, options: RecoveryOptions) -> Iterator[Event]:
    """Show the traces of restarts in the trail; the read position stays."""
    refuse_filter(session, "RECOVERY", filtered=options.filtered)
    yield from RecoveryRun(session, options).events()


def _keep(place: tuple[int, int] | None) -> tuple[int, ...]:
    return place or ()


SEQNO_AND_RBA: Sequence[tuple[int, ...]] = Sequence(
    lambda *numbers: numbers,
    Number("<seqno>"),
    Number("<rba>", missing="takes the number of a file and an RBA, as in 3 1750."),
)

COMMANDS = (
    Command(
        "RECOVERY",
        AnyOrder(
            RecoveryOptions,
            {
                "over": Keyword("OVER", File("<wildcard>")),
                "part": OneOf({name: name for name in PARTS}),
                "reader": Keyword("READER", Word("<release>")),
                "keep": Keyword("KEEP", Sequence(_keep, Maybe(SEQNO_AND_RBA))),
                "filtered": OneOf({"FILTERED": True}),
            },
            wrong="{!r} is not an option of RECOVERY.",
        ),
        "Show what restarts of Extract have left in the trail, and what Replicat applies",
        run_recovery,
        details=(
            "All files of the open trail, or those of <wildcard>. RESTARTS, CUT, TWICE, ORDER: only these findings;",
            "FILES lists the files. READER: files that a process of this release cannot read. KEEP: the files that a",
            "reader at this place needs, or at the last recovery point. FILTERED: findings with a record that passes.",
            "Under -c and -f the exit status is 3 if a cut transaction has no whole copy, one has no beginning, one",
            "appears twice, or CSNs go back; 4, and no verdict, where damage, a missing file, or a file that is not as",
            "its header says hides a part. The position stays.",
            "docs/recovery.md explains the words.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
