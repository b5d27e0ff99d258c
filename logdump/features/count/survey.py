"""COUNT of one or several files, from the sums of the counting kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.count.model import CountShown, EmptyIntervals, IntervalShown, TransactionsShown
from logdump.notation.text import amount, name_test
from logdump.session.across import files_from
from logdump.session.errors import ExitStatus
from logdump.session.events import Bad, Event, Notice, Progress, say
from logdump.session.selection import Selection
from logdump.session.session import Session
from logdump.session.settings import Detail
from trailformat import TrailError, TrailFile, TrailName
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.scan import (
    CountBounds,
    KernelTotals,
    ParallelScan,
    RowCount,
    Workers,
    parallel_counts,
)
from trailformat.scan.parallel import Ordered, first_counted_time
from trailformat.totals.counting import Totals, TransactionHistory, TypeTotals, add_counted, breakdown_of

with on_demand:
    from logdump.session import defined_names, passing
    from logdump.session import files as trail_files
    from trailformat import index
    from trailformat.transactions import whole_trail

if TYPE_CHECKING:
    from trailformat.index import RecordIndex

_MANY_BYTES, _BEGINNING = 1 << 23, 1 << 18
"""Size of a file from which on there may be many minutes; the bytes in which its first counted record is sought."""
_MOST_EMPTY = 3
"""Maximum number of consecutive empty intervals that are shown one by one."""


class CountOptions(NamedTuple):
    """Options of COUNT: times as Julian microseconds, the interval in microseconds (0: none), wildcards as written.

    ``effective``: without the rows of transactions that a Replicat does not apply.
    """

    detail: bool = False
    start: int | None = None
    end: int | None = None
    interval: int = 0
    logtrail: trail_files.FileNames | None = None
    file: str | None = None
    path: str | None = None
    effective: bool = False


class FileCount(NamedTuple):
    """The prepared count of one file; ``begun``: the sums that threads compute, None if a filter is active."""

    trail: TrailFile
    selection: Selection
    begun: ParallelScan[KernelTotals, KernelTotals] | None = None


class CountRun:
    """One run of COUNT over one or more files."""

    def __init__(self, session: Session, options: CountOptions, workers: Workers) -> None:
        settings = session.settings
        self.options = options
        self._counted = CountBounds(options.start, options.end, name_test(options.file))
        self.detail = options.detail or settings.detail is not Detail.OFF
        history = TransactionHistory(settings.trans_hist, settings.trans_rec_limit, settings.trans_byte_limit)
        self.count = Totals(history, options.interval, options.start)
        self.notices: list[Notice] = []
        self.paths: list[Path] | None = None  # the files that are counted; None: those of the session
        self.suppressed = self.scanned = 0
        self.is_filtered = False
        self.stopped_at: str | None = None
        self.workers = workers
        self._has_begun = False
        self._size = 0
        self._session = session

    def prepare(self, _paths: Sequence[Path]) -> Iterator[Event]:
        """Prepare all files before the first is begun; here nothing."""
        yield from ()

    def begin(self, trail: TrailFile) -> FileCount:
        """Prepare the count of a file; without a filter, threads start on it now."""
        selection = self._session.selection(trail)
        self.is_filtered |= selection.is_active
        if selection.is_active:
            return FileCount(trail, selection)
        self._look_at_beginning(trail)
        return FileCount(
            trail, selection, parallel_counts(trail, self.workers, self._counted, breakdown_of(self.count))
        )

    def _look_at_beginning(self, trail: TrailFile) -> None:
        """Find where intervals begin, by the first record of all files, if that may save many sums of minutes."""
        is_first, self._has_begun = not self._has_begun, True
        if self.options.interval and self.count.origin is None and is_first and trail.size > _MANY_BYTES:
            with contextlib.suppress(TrailError):  # that of the count itself is reported
                if (time := first_counted_time(trail, self._counted, _BEGINNING)) is not None:
                    self.count.interval_origin(time)

    def run(self, counting: FileCount) -> Iterator[Event]:
        """Count every sound record of a file, skipping damage; yields Progress."""
        trail = counting.trail
        name = TrailName.parse(trail.path)
        seqno = name.seqno if name else 0
        self._size = trail.size
        try:
            for counted in self._sums(counting):
                add_counted(self.count, self._counted, seqno, counted)
                yield from self._progress_at(trail, counted.places)
                for _, rba, length in counted.spans:
                    self._note_span(trail, rba, length)
        except KeyboardInterrupt:
            self.stopped_at = f"{trail.path}, after {self.scanned} records"

    def _sums(self, counting: FileCount) -> Iterator[KernelTotals]:
        if counting.begun is not None:
            return (counted for counted, _ in counting.begun.results())
        return self._filtered_sums(counting.trail, counting.selection)

    def _filtered_sums(self, trail: TrailFile, selection: Selection) -> Iterator[KernelTotals]:
        count = RowCount(self._counted, breakdown_of(self.count))
        places = self._places_to_feed(trail)
        for batch, rows in passing.passing_batches(selection, trail, self.workers):
            if places is not None:
                places.extend(batch)
            mask = selection.rows(batch) if rows is None else rows
            spans = batch.spans()
            self.suppressed += len(batch) - len(spans) - int(mask.sum())
            yield from count.of(batch, mask)
            for row in spans:
                self._note_span(trail, int(batch.rba[row]), int(batch.length[row]))

    def _progress_at(self, trail: TrailFile, places: Sequence[int]) -> Iterator[Event]:
        """Yield the reports of NOTIFY that are due at the records at these RBAs."""
        step, before = self._session.settings.notify, self.scanned
        self.scanned += len(places)
        for due in range(step - before % step, len(places) + 1, step):
            record = trail.record_at(places[due - 1])
            if record is not None:
                yield Progress.at(before + due, record)._replace(size=self._size)

    def _places_to_feed(self, trail: TrailFile) -> RecordIndex | None:
        """Return the record index of the open file, which this count extends; None for another file."""
        if not self._session.has_trail or trail is not self._session.trail:
            return None
        return index.index_of(trail).places

    def _note_span(self, trail: TrailFile, rba: int, length: int) -> None:
        """Note a span that is not a sound record, with the error of reading a record there."""
        if (error := trail.error_at(rba)) is not None:
            self._note(trail, rba, error, length)

    def _note(self, trail: TrailFile, rba: int, error: TrailError, length: int) -> None:
        lines = (f"{error.at(trail.path, rba)}: {length} bytes are not counted",)
        self.notices.append(Notice(lines, bad=Bad(error, length)))

    def results(self, title: str) -> Iterator[Event]:
        """Yield a notice if the count is partial, the results, then what was not counted."""
        if self.stopped_at is not None:
            yield Notice((f"Stopped at {self.stopped_at}: this count is partial.",), ExitStatus.INTERRUPTED)
        yield from intervals(self.count, self.options)
        yield CountShown(title, self.count, self.detail)
        history = self.count.history
        if history.size:
            yield TransactionsShown(tuple(history.largest), history.record_limit, history.byte_limit)
        if self.is_filtered:
            yield say(
                f"Filtering matched   {self.count.total.records:>9} records",
                f"          suppressed{self.suppressed:>9} records",
            )
            if not self.count.total.records and self.stopped_at is None:
                yield from defined_names.undefined_names(self._session, self.paths)
        yield from self.notices


def intervals(count: Totals, options: CountOptions) -> Iterator[Event]:
    """Yield the intervals of a count in order, with empty ones between them and up to the bounds of the options."""
    length, tallies = options.interval, sorted(count.intervals.items())
    if not tallies:
        return
    next_start = options.start if options.start is not None else tallies[0][0]
    for start, tally in tallies:
        yield from _empty(next_start, start, length)
        yield IntervalShown(start, start + length, tally)
        next_start = start + length
    if options.end is not None and options.end >= next_start:
        yield from _empty(next_start, next_start + ((options.end - next_start) // length + 1) * length, length)


def _empty(start: int, end: int, length: int) -> Iterator[Event]:
    """Yield the empty intervals from ``start`` to ``end``: each one, or their number if there are many."""
    number = (end - start) // length
    if number > _MOST_EMPTY:
        yield EmptyIntervals(start, end, number)
        return
    for begin in range(start, end, length):
        yield IntervalShown(begin, begin + length, TypeTotals())


def count_files(counter: CountRun, session: Session) -> Generator[Event, None, str]:
    """Count the files that the options select; returns the title of the result."""
    options = counter.options
    if options.logtrail is not None:
        counter.paths = trail_files.matching_files(options.logtrail)
        counter.notices += _missing_among(counter.paths)
        return (yield from _count_several(counter, str(options.logtrail), counter.paths))
    if options.path is not None:
        with TrailFile(path_of(options.path).absolute()) as trail:
            counter.paths = [trail.path]
            yield from counter.prepare([trail.path])
            yield from counter.run(counter.begin(trail))
            return f"LogTrail {trail.path}"
    trail, paths = session.trail, list(files_from(session))
    if len(paths) > 1:
        session.cursor.move(0)
        return (yield from _count_several(counter, str(trail.path), paths))
    yield from counter.prepare([trail.path])
    yield from counter.run(counter.begin(trail))
    session.cursor.move(0)
    return f"LogTrail {trail.path}"


def _missing_among(paths: Sequence[Path]) -> Iterator[Notice]:
    """Yield a notice if files between those of a trail do not exist: their records are in no count."""
    if gaps := whole_trail.missing_among(paths) if len(paths) > 1 else ():
        more = f", and so are files at {amount(len(gaps) - 1, 'other place')}" if len(gaps) > 1 else ""
        yield Notice((f"{gaps[0].first} is missing{more}: this is no count of a whole trail.",), ExitStatus.BAD_DATA)


def _count_several(counter: CountRun, name: str, paths: list[Path]) -> Generator[Event, None, str]:
    """Count the files in turn; returns the title of their total."""
    yield from counter.prepare(paths)
    # threads work on the next files meanwhile
    begun = ((path, _begin(counter, path)) for path in paths)
    try:
        with Ordered(begun, counter.workers.number - 1, lambda item: _close(item[1])) as files:
            for path, counting in files:
                yield from _count_file(counter, path, counting)
                if counter.stopped_at is not None:
                    break
    except KeyboardInterrupt:
        counter.stopped_at = f"{name}, after {counter.scanned} records"
    return f"LogTrail {name}, {amount(len(paths), 'file')},"


def _count_file(counter: CountRun, path: Path, counting: FileCount | TrailError) -> Iterator[Event]:
    """Count one of several files and report its records; an unreadable file is reported at the end."""
    before = counter.count.total.records
    try:
        if isinstance(counting, TrailError):
            raise counting
        with contextlib.closing(counting.trail):
            yield from counter.run(counting)
    except TrailError as error:
        what = "not counted" if counter.count.total.records == before else "counted up to there"
        counter.notices.append(Notice((f"{error}: {what}",), bad=Bad(error)))
        return
    yield say(f"LogTrail {path} counted, {amount(counter.count.total.records - before, 'record')}")


def _begin(counter: CountRun, path: Path) -> FileCount | TrailError:
    try:
        trail = TrailFile(path)
    except TrailError as error:
        return error
    return counter.begin(trail)


def _close(counting: FileCount | TrailError) -> None:
    if isinstance(counting, FileCount):
        counting.trail.close()
