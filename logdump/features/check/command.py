"""CHECK: list everything in a file that is not a good record, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from logdump.features.check.trail_survey import CheckedTrail, TakeMeasured, TrailSurvey
from logdump.features.recovery.model import TrailState
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder
from logdump.language.parameters import File, OneOf
from logdump.session.across import files_from
from logdump.session.chosen_trail import trail_title
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, Progress
from logdump.session.files import FileNames, matching_files
from logdump.session.reading import Reading, answered
from logdump.session.session import Session
from trailformat import CannotRead, NotATrail, TrailError, TrailFile
from trailformat.changes.encrypted import looks_encrypted, may_be_encrypted
from trailformat.codec.on_demand import on_demand
from trailformat.scan import Batch, Workers
from trailformat.scan.batch import BATCH_SIZE
from trailformat.trail.sequence import trails_among

with on_demand:
    from logdump.features.check import bad_rows
    from trailformat.scan import measuring

if TYPE_CHECKING:
    from trailformat.arrays.column_check import ColumnFault
    from trailformat.scan.measuring import Measured

TakeBatch = Callable[[TrailFile, Batch], None]
"""Receives each batch of a file, for another survey in the same pass."""
_TOGETHER = 1 << 16
"""Records of a batch that another survey receives too: each table in a batch costs it time, however few its rows."""


class CheckOptions(NamedTuple):
    """The arguments of CHECK.

    ``over`` are the files, None: the open ones; ``values`` is True if values are decoded.
    """

    over: FileNames | None = None
    values: bool = False


class Checker:
    """One run of CHECK over one or several files; counts are totals of all files.

    Args:
        session: has the definitions of the rows, and the number of records between two reports of progress.
        workers: threads that read ahead.
        decodes: True if the values are decoded.
        also: receives each batch; None: nothing does.

    Attributes:
        open_trail: the open file, if that alone is checked: its bytes are not read again; else None.
    """

    def __init__(self, session: Session, workers: Workers, *, decodes: bool, also: TakeBatch | None = None) -> None:
        self._notify, self._definitions_of, self._also = session.settings.notify, session.definitions_of, also
        self._workers, self._decodes = workers, decodes
        self.size = self.records = self.transactions = self.gaps = self.gap_bytes = self.undefined = 0
        self.bad_rows = self.bad_definitions = 0
        self.encrypted: list[Path] = []
        self.open_trail: TrailFile | None = None
        self._states: dict[int, TrailState] = {}
        self._file: tuple[Path, int] | None = None

    @property
    def position_text(self) -> str:
        """The place that was reached."""
        if self._file is None:
            return "the beginning"
        path, before = self._file
        return f"{path}, after {self._read - before} records"

    @property
    def _read(self) -> int:
        """The number of records, good and bad."""
        return self.records + self.bad_rows + self.bad_definitions

    def run(self, trail: TrailFile) -> Iterator[Event]:
        """Check every record of a file; yield gaps, bad rows and Progress. The counts remain valid after Ctrl+C."""
        take = self._begin(trail)
        size = BATCH_SIZE if self._also is None else _TOGETHER
        for measured in measuring.measured_batches(trail, self._workers, size):
            yield from take(measured)

    def _begin(self, trail: TrailFile) -> TakeMeasured:
        """Begin a file; return the function that checks its next batch."""
        self._file = trail.path, self._read
        if looks_encrypted(trail):
            self.encrypted.append(trail.path)
        bad = bad_rows.BadRows(trail, self._definitions_of(trail), decodes=self._decodes)
        is_readable = not may_be_encrypted(trail)
        end = transactions = 0

        def take(measured: Measured) -> Iterator[Event]:
            nonlocal end, transactions
            batch = measured.batch
            spans = {int(batch.rba[row]): int(batch.length[row]) for row in batch.spans()}
            faults = bad.among(measured) if is_readable else []
            places: dict[int, int | ColumnFault] = {**spans, **{fault.rba: fault for fault in faults}}
            for rba in sorted(places):
                yield from self._not_good(trail, rba, places[rba])
            if self._also is not None:
                self._also(trail, batch)
            begun, ended = end, transactions
            end, transactions = batch.end, batch.transactions_to_here(transactions)
            self.size += end - begun
            self.transactions += transactions - ended
            yield from self._counted(batch, len(batch) - len(places), trail.size)

        return take

    def unreadable(self, path: Path, error: TrailError) -> Event:
        """Count a file that is not a trail as one gap, and return that."""
        size = path.stat().st_size if path.is_file() else 0
        self.size += size
        self.gaps += 1
        self.gap_bytes += size
        return GapShown(path, 0, size, None, error)

    def _counted(self, batch: Batch, records: int, size: int) -> Iterator[Event]:
        """Count the records of a batch; yield Progress at each step of NOTIFY."""
        begun = self.records
        self.records += records
        self.undefined += _undefined(batch)
        if begun // self._notify != self.records // self._notify:
            yield Progress(self.records, int(batch.rba[-1]), int(batch.io_time[-1]), size)

    def _not_good(self, trail: TrailFile, rba: int, what: int | ColumnFault) -> Iterator[Event]:
        """Count a gap, given by its length, or a bad row, and yield it."""
        if isinstance(what, int):
            yield from self._gap(trail, rba, what)
            return
        self.bad_rows += what.noun == "row"
        self.bad_definitions += what.noun != "row"
        yield BadRowShown(trail.path, rba, what.table, what.column, what.error, what.noun)

    def _gap(self, trail: TrailFile, rba: int, length: int) -> Iterator[Event]:
        """Yield a gap, and a remark if the records after it may be data of the record that begins there."""
        self.gaps += 1
        self.gap_bytes += length
        end = rba + length
        error = trail.error_at(rba) or TrailError("it was not complete when it was read", path=trail.path, rba=rba)
        yield GapShown(trail.path, rba, length, end if end < trail.size else None, error)
        if (stop := trail.embedded_up_to(rba, end)) is not None:
            text = f"RBA {rba}: its length leads to RBA {stop}; the records from RBA {end} up to there may be its data"
            yield Notice((f"{trail.path}, {text}",), ExitStatus.BAD_DATA)

    def result(self, title: str, reading: Reading) -> CheckShown:
        """Return the result. Damage is the object of the check, so only Ctrl+C makes it partial."""
        numbers = (self.size, self.records, self.transactions, self.gaps, self.gap_bytes, self.undefined)
        states = tuple(self._states[number] for number in sorted(self._states))
        bad = self.bad_rows, self.bad_definitions
        return CheckShown(title, *numbers, tuple(self.encrypted), states, reading.is_partial, *bad)

    def run_files(self, paths: Sequence[Path]) -> Iterator[Event]:
        """Check files, each of which may be no trail file."""
        for path in paths:
            try:
                with TrailFile(path) as trail:
                    yield from self.run(trail)
            except NotATrail as error:
                yield self.unreadable(path, error)

    def run_trails(self, paths: Sequence[Path]) -> Iterator[Event]:
        """Check files and read the transactions of their trails, in one pass where a trail's files follow each other.

        Raises:
            CannotRead: a file cannot be read.
        """
        named, others = trails_among(paths)
        trails = [*([name.path for name in names] for names in named), *([path] for path in others)]
        left = {files[0]: number for number, files in enumerate(trails)}
        refused: list[CannotRead] = []
        at = 0
        while at < len(paths):
            number = left.get(paths[at])
            files = trails[number] if number is not None else []
            if number is not None and list(paths[at : at + len(files)]) == files:
                del left[files[0]]
                yield from self._run_trail(number, files, refused)
                at += len(files)
            else:
                yield from self.run_files(paths[at : at + 1])
                at += 1
        if refused:
            raise refused[0]
        for number in left.values():
            survey = TrailSurvey(trails[number])
            for _ in survey.steps(self._workers):
                yield from ()
            self._states[number] = survey.state

    def _run_trail(self, number: int, files: Sequence[Path], refused: list[CannotRead]) -> Iterator[Event]:
        """Check the files of a trail and find its state in one pass; add the error of one that may not be opened."""
        survey = TrailSurvey(files)
        checked = CheckedTrail(survey.whole, self.open_trail, self._begin, self.unreadable)
        for _ in survey.steps(self._workers, checked.batches(workers=self._workers)):
            yield from checked.events()
        yield from checked.rest()
        refused += [checked.refused] if checked.refused is not None else []
        self._states[number] = survey.state


def _undefined(batch: Batch) -> int:
    """Return the number of rows that refer to a missing table definition."""
    names = batch.names
    return len(batch.rows_of_tables({key for key in range(len(names)) if names.unknown_index(key) is not None}))


def run_check(session: Session, options: CheckOptions) -> Iterator[Event]:
    """Check the open trail file, or the files of a wildcard and the trails of these; the read position stays."""
    return check_files(session, options)


def check_files(
    session: Session, options: CheckOptions, also: TakeBatch | None = None, *, as_trails: bool = True
) -> Iterator[Event]:
    """Check files; ``also`` receives each batch; without ``as_trails`` the states of their trails are not found."""
    wildcard = options.over
    with Workers() as workers:
        checker = Checker(session, workers, decodes=options.values, also=also)
        paths = list(files_from(session)) if wildcard is None else matching_files(wildcard)
        title = trail_title(wildcard if isinstance(wildcard, str) and len(paths) > 1 else paths[0], len(paths))
        title += "," * (len(paths) > 1)
        checker.open_trail = session.trail if wildcard is None and len(paths) == 1 else None
        run = checker.run_trails(paths) if as_trails else checker.run_files(paths)
        yield from answered(
            run,
            lambda: Reading(where=f"at {checker.position_text}"),
            lambda reading: iter((checker.result(title, reading),)),
        )


COMMANDS = (
    Command(
        "CHECK",
        AnyOrder(CheckOptions, {"values": OneOf({"VALUES": True}), "over": File("<filename> | <wildcard>")}),
        "List everything in trail files that is not a good record",
        run_check,
        details=(
            "For each gap: RBA, bytes, the reason, and the next good record; for each record whose columns do not fit",
            "its images or its definition, and each definition that does not decode: RBA, table, column, the reason;",
            "then one summary line, and what is wrong in the trail: missing files, files that are not as their headers",
            "say, and what RECOVERY finds.",
            "VALUES decodes the values too, by the types of their columns.",
            "Files whose record data looks encrypted are named. The position stays.",
            "Under -c and -f the exit status is 4 for a gap, a bad row or definition, a missing file, or a file that",
            "is not as its header says; 3 for what RECOVERY finds and for records of tables without a definition.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
