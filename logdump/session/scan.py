"""Reading from the session's position to the next record that passes its filter."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.session.cursor import REPORTED, Cursor
from logdump.session.events import Event, Progress, RecordsInLines
from logdump.session.selection import RecordsAhead
from trailformat import PartialRecord, Record, TrailError
from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotRead
from trailformat.trail import command_files

with on_demand:
    from logdump.session import across
    from trailformat import index, scan
    from trailformat.transactions import tracker

if TYPE_CHECKING:
    from logdump.filters import FilterSet
    from logdump.notation.text import Harmless
    from logdump.session.session import Session
    from trailformat.scan import Batch
    from trailformat.transactions.tracker import RowTransactions

_GROWTH = 8
"""Factor by which the first batches under a filter grow: records that pass are mostly near."""
_LARGEST = 1 << 9
"""Maximum number of records of these batches."""
_TOGETHER = 1 << 16
"""Records of a batch whose lines are made together: each table in a batch costs some time, however few its rows are."""
_BACK = 2000
"""Records that are walked back over before the file up to there is scanned from the beginning.

In processor time on 60 MB with 160,000 records: walking back over 2000 takes 20 ms, the scan with FILTER STRING 40.
"""


class FoundRows(NamedTuple):
    """Some records of a batch: their row numbers in it, an ascending array, and the transactions of its rows."""

    batch: Batch
    rows: Any
    owners: RowTransactions


class FilteredReader:
    """Reads from the session's position on, through its filter and any others.

    With ACROSS it continues in the next file of the trail, unless ``stop`` or ``stays`` is given: then it ends before
    the RBA ``stop`` or at the end of the file. Close it after use: threads may have read ahead.

    Attributes:
        scanned: records read.
        suppressed: records that a filter dropped.
    """

    def __init__(
        self,
        session: Session,
        *,
        filtered: bool = True,
        also: Sequence[FilterSet] = (),
        stop: int | None = None,
        stays: bool = False,
    ) -> None:
        self._session = session
        self._stop = stop
        self._stays = stays or stop is not None
        self._filtered, self._also = filtered, also
        self._begin()
        self._stream: Generator[Record | Progress, None, None] | None = None
        self._stream_of_rows: Generator[FoundRows | Progress, None, None] | None = None
        self._has_ended = False
        self.scanned = 0
        self.suppressed = 0

    def _begin(self) -> None:
        """Begin in the open file."""
        self._cursor = self._session.cursor
        self._selection = self._session.selection(filtered=self._filtered, also=self._also)

    def close(self) -> None:
        """Stop reading ahead; no further records are found, and what was not reached has not been read."""
        for stream in (self._stream, self._stream_of_rows):
            if stream is not None:
                stream.close()
        files, path = command_files.reading(), self._session.trail.path
        if files is not None and path in files.undecided and not self._has_ended:
            first, last = files.undecided[path]
            if last < self._cursor.next if self._cursor.is_backwards else first >= self._cursor.next:
                del files.undecided[path]
        self._has_ended = True

    def find_rows(self, *, prints_reports: bool) -> Generator[Event, None, FoundRows | None]:
        """Read forward to the next records that pass the filters, some of a batch at a time; None at the end.

        The caller moves the position to the record that it has used last. Yields Progress: with ``prints_reports``
        between the records at their places, else after those of a batch. Raises as ``cross``.
        """
        while True:
            if self._stream_of_rows is None:
                self._stream_of_rows = self._passing_rows(prints_reports=prints_reports)
            for item in self._stream_of_rows:
                if isinstance(item, FoundRows):
                    return item
                yield item
            if self._stays or not (yield from across.cross(self._session)):
                self._has_ended = True
                return None
            self._begin()
            self._stream_of_rows = None

    def find(self, wanted: Callable[[Record], bool] | None = None) -> Generator[Event, None, Record | None]:
        """Read to the next record that passes the filters and is wanted; None at the end. Yields Progress.

        Ctrl+C leaves the position before the first undecided record. Raises as ``cross``.
        """
        while (record := (yield from self._find_here(wanted))) is None:
            if self._stays or not (yield from across.cross(self._session)):
                self._has_ended = True
                return None
            self._begin()
            self._stream = None
        return record

    def _find_here(self, wanted: Callable[[Record], bool] | None) -> Generator[Event, None, Record | None]:
        """Find the next record in the open file: record by record without a filter, else by columns."""
        if self._stream is None and self._selection.is_active:
            self._stream = self._passing_backwards() if self._cursor.is_backwards else self._passing()
        while self._stream is None:
            is_over = self._stop is not None and self._cursor.next >= self._stop
            if is_over or (record := self._cursor.read()) is None:
                return None
            try:
                yield from self._progress_at(record)
                if wanted is None or wanted(record):
                    return record
            except (KeyboardInterrupt, GeneratorExit):
                self._cursor.stand_before(record)
                raise
        for item in self._stream:
            if not isinstance(item, Record):
                yield item
            elif wanted is None or wanted(item):
                return item
        return None

    def _progress_at(self, record: Record) -> Iterator[Progress]:
        """Count a record read on its own, and report progress at intervals."""
        self.scanned += 1
        if self.scanned % REPORTED == 0:
            command_files.report(self._session.trail.path, record.rba)
        if self.scanned % self._session.settings.notify == 0:
            yield Progress.at(self.scanned, record)

    def _passing_backwards(self) -> Generator[Record | Progress, None, None]:
        """Yield the passing records before the position, last first, up to damage; near ones are scanned first."""
        cursor = self._cursor
        end = cursor.next if cursor.next < cursor.trail.size else cursor.trail.end_of_records()
        for most in (*_sizes(1), _BACK, None):
            start = 0 if most is None else self._walked_back(end, most)
            if start == end or (yield from self._stretch_backwards(start, end)):
                cursor.read()
                return
            end = start

    def _walked_back(self, end: int, most: int) -> int:
        """Return the RBA ``most`` records before ``end``, or that of the first record after damage or in the file."""
        with suppress(TrailError):
            for _ in range(most):
                record = self._cursor.trail.record_before(end)
                if record is None:
                    break
                end = record.rba
        return end

    def _stretch_backwards(self, start: int, end: int) -> Generator[Record | Progress, None, bool]:
        """Yield the passing records between two RBAs, last first; return True if there is damage between."""
        from array import array  # noqa: PLC0415 - loaded with the first batch

        trail, step = self._session.trail, self._session.settings.notify
        rbas, ordinals = array("q"), array("q")
        total, wall = 0, start
        for batch, passing in self._batches(start, end):
            first = 0
            if spans := batch.spans():
                first, total, wall = spans[-1] + 1, 0, int(batch.rba[spans[-1]]) + int(batch.length[spans[-1]])
                del rbas[:], ordinals[:]
            for row in passing[first:].nonzero()[0].tolist():
                rbas.append(int(batch.rba[first + row]))
                ordinals.append(total + row)
            begun, total = total, total + len(batch) - first
            if begun // step != total // step:
                yield Progress(self.scanned + total, int(batch.rba[-1]), int(batch.io_time[-1]))
        scanned, passed = self.scanned, self.scanned - self.suppressed
        while rbas and (record := trail.record_at(rbas.pop())) is not None:
            passed += 1
            self.scanned = scanned + total - ordinals.pop()
            self.suppressed = self.scanned - passed
            self._cursor.stand_on(record)
            yield record
        self.scanned = scanned + total
        self.suppressed = self.scanned - passed
        self._cursor.move(wall)
        return wall > start

    def _passing(self) -> Generator[Record | Progress, None, None]:
        """Yield the records that pass, and Progress; the position moves past each record."""
        trail, passed = self._session.trail, self.scanned - self.suppressed
        places, state = index.index_of(trail).places, trail.settled_state
        for batch, passing, start in self._first_and_others(state):
            places.extend(batch)
            begun = self.scanned - (passing[start - 1] + 1 if start else 0)
            bad = next(iter(batch.spans()), len(batch))
            for number in range(start, bisect_left(passing, bad)):
                row = passing[number]
                yield from self._progress(batch, begun, row + 1)
                record = trail.record_at(int(batch.rba[row]))
                if record is not None:
                    passed += 1
                    self.suppressed = self.scanned - passed
                    self._cursor.stand_on(record)
                    self._selection.share(record, row)
                    if state is not None and bad == len(batch):
                        self._cursor.ahead = RecordsAhead(self._selection, batch, passing, number + 1, state)
                    yield record
            yield from self._progress(batch, begun, bad)
            self.suppressed = self.scanned - passed
            self._stand_after(batch, bad)
            if bad < len(batch):
                self._cursor.read()

    def _passing_rows(self, *, prints_reports: bool) -> Generator[FoundRows | Progress, None, None]:
        """Yield the records that pass, in parts of batches, and Progress; see ``find_rows``."""
        import numpy as np  # noqa: PLC0415 - batches have loaded it

        cursor, trail, step = self._cursor, self._session.trail, self._session.settings.notify
        places, cursor.ahead = index.index_of(trail).places, None
        owners = tracker.TransactionTracker(trail, before=cursor.transactions.open_at(cursor.next))
        for batch, passing, _ in self._first_and_others(None, _TOGETHER):
            places.extend(batch)
            of_batch, begun, done = owners.of(batch), self.scanned, 0
            bad = next(iter(batch.spans()), len(batch))
            due = range((begun // step + 1) * step - begun - 1, bad, step) if prints_reports else ()
            for stop in (*due, bad):
                if rows := passing[bisect_left(passing, done) : bisect_left(passing, stop)]:
                    yield FoundRows(batch, np.array(rows), of_batch)
                yield from self._progress(batch, begun, min(stop + 1, bad))
                done = stop
            self._stand_after(batch, bad)
            if bad < len(batch):
                cursor.read()

    def _stand_after(self, batch: Batch, rows: int) -> None:
        """Move to the end of the last of the first ``rows`` rows, unless the position is there already."""
        rba, length = (int(batch.rba[rows - 1]), int(batch.length[rows - 1])) if rows else (0, 0)
        if rba + length > self._cursor.next:
            self._cursor.stand_at(rba, length)

    def _first_and_others(
        self, state: tuple[int, int] | None, most: int | None = None
    ) -> Iterator[tuple[Batch, list[int], int]]:
        """Yield batches from the position on, their passing rows, and the number of these rows before the position.

        The first batches are small; a batch left over from an earlier command precedes them. ``most`` is the number of
        records of the others.
        """
        start, rows = self._cursor.next, 1
        ahead, self._cursor.ahead = self._cursor.ahead, None
        if ahead is not None and self._follows(ahead, start, state):
            self._selection = ahead.selection
            self._selection.go_on(ahead.batch, start)
            yield ahead.batch, ahead.passing, ahead.at
            start, rows = ahead.batch.end, len(ahead.batch) * _GROWTH
        for size in _sizes(rows):
            batch = next(scan.scan(self._session.trail, start, self._stop, batch_size=size), None)
            if batch is None:
                return
            yield batch, self._selection.rows(batch).nonzero()[0].tolist(), 0
            start = batch.end
        for batch, mask in self._batches(start, self._stop, most):
            yield batch, mask.nonzero()[0].tolist(), 0

    def _follows(self, ahead: RecordsAhead, rba: int, state: tuple[int, int] | None) -> bool:
        """Return whether ``ahead`` continues at ``rba``, for the same filters, in a file that has not changed."""
        is_here = self._stop is None and ahead.state == state and ahead.rba == rba
        return is_here and ahead.selection.decides_as(self._selection)

    def _batches(
        self, start: int, stop: int | None, most: int | None = None
    ) -> Generator[tuple[Batch, Any], None, None]:
        """Yield the records between two RBAs as batches, with masks of those that pass."""
        from logdump.session.passing import passing_batches  # noqa: PLC0415 - long scans only

        with scan.Workers() as workers:
            for batch, passing in passing_batches(
                self._selection, self._session.trail, workers, start, stop=stop, batch_size=most
            ):
                yield batch, self._selection.rows(batch) if passing is None else passing

    def _progress(self, batch: Batch, begun: int, rows: int) -> Iterator[Progress]:
        """Count the rows of a batch up to ``rows``; ``begun`` records had been scanned before the batch."""
        step = self._session.settings.notify
        for due in range((self.scanned // step + 1) * step, begun + rows + 1, step):
            row = due - begun - 1
            yield Progress(due, int(batch.rba[row]), int(batch.io_time[row]))
        self.scanned = begun + rows


class DamagePassed(NamedTuple):
    """Damage at ``rba``; reading continues at the RBA ``good``, None if no sound record follows."""

    error: TrailError
    rba: int
    good: int | None

    @property
    def text(self) -> str:
        """The error, and the RBA at which reading continues."""
        return f"Error: {self.error}" + (f"; reading on at RBA {self.good}" if self.good is not None else "")


Find = Callable[[FilteredReader], Generator[Event, None, "Record | FoundRows | None"]]


def over_damage(
    session: Session,
    *,
    also: Sequence[FilterSet] = (),
    stays: bool = False,
    waits: bool = False,
    find: Find = FilteredReader.find,
) -> Generator[Event | Record | FoundRows | DamagePassed, None, None]:
    """Yield the records that ``FilteredReader`` finds, up to the end, and the damage between them.

    After damage, reading continues at the next sound record, if there is one; backwards it ends. With ``waits``, an
    incomplete record or a file that became shorter is raised. ``find`` is the method of the reader that is used.
    """
    while True:
        try:
            with closing(FilteredReader(session, also=also, stays=stays)) as reader:
                while (match := (yield from find(reader))) is not None:
                    yield match
        except TrailError as error:
            if waits and isinstance(error, (PartialRecord, CannotRead)):
                raise
            passed = _passed(session, error)
        else:
            return
        yield passed
        if passed.good is None:
            return
        session.cursor.move(passed.good)


def _passed(session: Session, error: TrailError) -> DamagePassed:
    rba = session.cursor.next
    good = None if session.cursor.is_backwards else session.trail.next_good_header(rba + 1)
    return DamagePassed(error, rba, good)


def _sizes(rows: int) -> Iterator[int]:
    """Yield the numbers of records of the first batches, from ``rows`` on."""
    while rows <= _LARGEST:
        yield rows
        rows *= _GROWTH


def handed_over(cursor: Cursor, lines: list[Harmless], rba: int, length: int) -> Iterator[Event]:
    """Yield the lines of records up to the one at ``rba``; once they are taken, the position is after that record."""
    if not lines:
        return
    start, shown = cursor.next, RecordsInLines(lines)
    cursor.stand_at(rba, length)
    try:
        yield shown
    except BaseException:
        if not shown.is_handed_over:
            cursor.move(start)
        raise
