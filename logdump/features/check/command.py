"""CHECK: list everything in a file that is not a good record, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from logdump.features.check.trail_survey import TrailSurvey
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
from trailformat import NotATrail, TrailError, TrailFile
from trailformat.changes.encrypted import looks_encrypted, may_be_encrypted
from trailformat.scan import Batch, Workers
from trailformat.trail.sequence import trails_among

if TYPE_CHECKING:
    from trailformat.arrays.column_check import ColumnFault

TakeBatch = Callable[[TrailFile, Batch], None]
"""Receives each batch of a file, for another survey in the same pass."""


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
    """

    def __init__(self, session: Session, workers: Workers, *, decodes: bool, also: TakeBatch | None = None) -> None:
        self._notify, self._definitions_of, self._also = session.settings.notify, session.definitions_of, also
        self._workers, self._decodes = workers, decodes
        self.size = self.records = self.transactions = self.gaps = self.gap_bytes = self.undefined = 0
        self.bad_rows = 0
        self.encrypted: list[Path] = []
        self.surveys: list[TrailSurvey] = []
        self.reached = "the beginning"

    def run(self, trail: TrailFile) -> Iterator[Event]:
        """Check every record of a file; yield gaps, bad rows and Progress. The counts remain valid after Ctrl+C."""
        from logdump.features.check.bad_rows import BadRows  # noqa: PLC0415 - it needs numpy
        from trailformat.scan.measuring import measured_batches  # noqa: PLC0415 - it needs numpy

        size, before = trail.size, self.records + self.bad_rows
        self.reached = f"{trail.path}, after 0 records"
        if looks_encrypted(trail):
            self.encrypted.append(trail.path)
        end = transactions = 0
        bad = BadRows(trail, self._definitions_of(trail), decodes=self._decodes)
        is_readable = not may_be_encrypted(trail)
        try:
            for measured in measured_batches(trail, self._workers):
                batch = measured.batch
                spans = {int(batch.rba[row]): int(batch.length[row]) for row in batch.spans()}
                faults = bad.among(measured) if is_readable else []
                places: dict[int, int | ColumnFault] = {**spans, **{fault.rba: fault for fault in faults}}
                for rba in sorted(places):
                    yield from self._not_good(trail, rba, places[rba])
                if self._also is not None:
                    self._also(trail, batch)
                end, transactions = batch.end, batch.transactions_to_here(transactions)
                yield from self._counted(batch, len(batch) - len(places), size)
        except KeyboardInterrupt:
            self.reached = f"{trail.path}, after {self.records + self.bad_rows - before} records"
            self._end(end, transactions)
            raise
        self._end(end, transactions)

    def _end(self, end: int, transactions: int) -> None:
        """Add the bytes and transactions read of a file."""
        self.size += end
        self.transactions += transactions

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
        self.bad_rows += 1
        yield BadRowShown(trail.path, rba, what.table, what.column, what.error)

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
        states = tuple(survey.state for survey in self.surveys)
        return CheckShown(title, *numbers, tuple(self.encrypted), states, reading.is_partial, self.bad_rows)

    def read_as_trails(self, paths: Sequence[Path]) -> Iterator[Event]:
        """Read the transactions of the files, trail by trail, for the states of the trails; yield nothing."""
        named, others = trails_among(paths)
        for group in (*([name.path for name in names] for names in named), *([path] for path in others)):
            survey = TrailSurvey(group)
            self.surveys.append(survey)
            for _ in survey.steps(self._workers):
                yield from ()


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
        is_open_file = wildcard is None and len(paths) == 1
        files = checker.run(session.trail) if is_open_file else _check_several(checker, paths)
        run = chain(files, checker.read_as_trails(paths)) if as_trails else files
        yield from answered(
            run, lambda: Reading(where=f"at {checker.reached}"), lambda reading: iter((checker.result(title, reading),))
        )


def _check_several(checker: Checker, paths: list[Path]) -> Iterator[Event]:
    for path in paths:
        try:
            with TrailFile(path) as trail:
                yield from checker.run(trail)
        except NotATrail as error:
            yield checker.unreadable(path, error)


COMMANDS = (
    Command(
        "CHECK",
        AnyOrder(CheckOptions, {"values": OneOf({"VALUES": True}), "over": File("<filename> | <wildcard>")}),
        "List everything in trail files that is not a good record",
        run_check,
        details=(
            "For each gap: RBA, bytes, the reason, and the next good record; for each record whose columns do not fit",
            "its images or its definition: RBA, table, column, the reason; then one summary line, and what is wrong in",
            "the trail: missing files, files that are not as their headers say, and what RECOVERY finds.",
            "VALUES decodes the values too, by the types of their columns.",
            "Files whose record data looks encrypted are named.",
            "Under -c and -f the exit status is 4 for a gap, a bad row, a missing file, or a file that is not as",
            "its header says; 3 for what RECOVERY finds. The position stays.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
