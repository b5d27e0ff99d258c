"""Checkpoints of Bounded Recovery and the transactions open at each, computed from their begins and ends.

    C_k = first + k * interval
    open at C_k            begin <= C_k < end
    persisted at C_k       open, and begin < C_k - interval: for more than an interval
    restart of C_k         the least begin of the open ones that are not persisted; C_k itself without one
    dirty at C_k           persisted before, with an operation in (C_k-1, C_k]: written again

Transactions can be added in any order. The time to add one does not depend on the number of checkpoints at which it is
open, because only the changes of sums from one checkpoint to the next and the least begin at each are stored.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from logdump.features.bounded_recovery.model import (
    BeginSource,
    BrIntervalShown,
    CheckpointShown,
    RedoStart,
    TransactionInterval,
)
from logdump.notation.times import TimeOffset, parse_datetime
from logdump.session.errors import CommandError
from trailformat.records.record_header import NOT_TRANSACTIONAL
from trailformat.scan import RECORD, Batch, scan
from trailformat.transactions.extent import Extent, Moment
from trailformat.transactions.redo_clock import RedoClock, RedoPlace
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_HEADERS = (["xid", "begin"], ["xid", "begin", "end"], ["xid", "begin", "records"], ["xid", "begin", "end", "records"])
_DATE = re.compile(r"[0-9]{4}[-/][0-9]")
MOST_GIVEN = 100_000
"""Maximum number of transactions in the file."""


class GivenBegin(NamedTuple):
    """A line of the file of BEGINS; ``end`` is None if the transaction is still open."""

    line: int
    xid: str
    begin: int
    end: int | None
    records: int


def read_begins(path: Path, offset: TimeOffset) -> dict[str, GivenBegin]:
    """Return the lines of a file by TRANID; times without a zone are in that of ``offset``.

    Raises:
        CommandError: the file cannot be read, or a line (the error has its number) is wrong.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _by_xid(path, file, offset)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise CommandError(f"{path} is not a CSV file in UTF-8: {error}") from error


def _by_xid(path: Path, file: Iterator[str], offset: TimeOffset) -> dict[str, GivenBegin]:
    rows = csv.reader(file)
    header = [name.strip().lower() for name in next(rows, [])]
    if header not in _HEADERS:
        raise CommandError(f"{path}, line 1: the columns are xid,begin[,end][,records], not {','.join(header)!r}.")
    begins: dict[str, GivenBegin] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        try:
            given = _given(rows.line_num, header, row, offset)
        except ValueError as error:
            raise CommandError(f"{path}, line {rows.line_num}: {error}.") from error
        if given.xid in begins:
            before = begins[given.xid].line
            raise CommandError(f"{path}, line {rows.line_num}: {given.xid} is on line {before} already.")
        if len(begins) >= MOST_GIVEN:
            raise CommandError(f"{path}, line {rows.line_num}: there are more than {MOST_GIVEN} transactions.")
        begins[given.xid] = given
    return begins


def _given(line: int, header: list[str], row: list[str], offset: TimeOffset) -> GivenBegin:
    """Parse one line. Raises ValueError with the reason if it is malformed."""
    if len(row) != len(header):
        raise ValueError(f"{len(row)} values for {len(header)} columns")
    cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
    if not cells["xid"]:
        raise ValueError("there is no xid")
    begin = _time(cells["begin"], offset)
    end = _time(cells["end"], offset) if cells.get("end") else None
    if end is not None and end < begin:
        raise ValueError("it ends before it begins")
    records = cells.get("records") or "0"
    if not records.isascii() or not records.isdigit():
        raise ValueError(f"records are a number, not {records!r}")
    return GivenBegin(line, cells["xid"], begin, end, int(records))


def _time(text: str, offset: TimeOffset) -> int:
    """Parse a time with its date. Raises ValueError."""
    if _DATE.match(text) is None:
        raise ValueError(f"a time is yyyy-mm-ddThh:mm:ss, with Z or +hh:mm unless it is in the zone here, not {text!r}")
    return parse_datetime(text, offset)


MOST_CHECKPOINTS = 50_000


class TimedOperation(NamedTuple):
    """The latest time at which an operation can have been done, and its bytes."""

    time: int
    size: int


class _Sums(NamedTuple):
    """Counts and bytes of the transactions at one checkpoint."""

    open: int
    persisted: int
    dirty: int
    size: int


class BrCheckpoints:
    """The checkpoints from ``first`` to ``last``, every ``interval`` microseconds.

    Attributes:
        count: number of checkpoints.
        ever: number of transactions that any of them persists.
    """

    def __init__(self, first: int, interval: int, last: int) -> None:
        self.first, self.interval, self.last = first, interval, last
        self.count = max(0, (last - first) // interval + 1)
        self.ever = 0
        self._steps: tuple[Counter[int], Counter[int], Counter[int]] = Counter(), Counter(), Counter()
        """Changes at each checkpoint: of the open transactions, of the persisted ones, of the bytes of these."""
        self._dirty: Counter[int] = Counter()
        self._written = 0
        self._oldest: dict[int, TransactionInterval] = {}
        self._ends: dict[int, RedoPlace] = {}

    def _at_or_after(self, time: int) -> int:
        """Return the number of the first checkpoint at or after a moment."""
        return -((self.first - time) // self.interval)

    def time(self, number: int) -> int:
        """Return the time of a checkpoint."""
        return self.first + number * self.interval

    def is_persisted(self, transaction: TransactionInterval) -> bool:
        """Return True if any checkpoint writes the transaction to disk."""
        return self.persisted_from(transaction) is not None

    def persisted_from(self, transaction: TransactionInterval) -> int | None:
        """Return the moment of the first checkpoint that writes a transaction to disk, None if none does."""
        number = self._persists(transaction)
        return self.time(number) if number < self._stop(transaction.end) else None

    def _persists(self, transaction: TransactionInterval) -> int:
        """Return the number of the first checkpoint that writes a transaction to disk if it is still open."""
        return max(0, self._at_or_after(transaction.high + self.interval + 1))

    def reach(self, transaction: TransactionInterval) -> int:
        """Return how far back a restart reads at most because of a transaction, in microseconds.

        The reach grows until a checkpoint has the transaction on disk, or the transaction ends.
        """
        begins, stop = max(0, self._at_or_after(transaction.high)), self._stop(transaction.end)
        if stop <= begins:
            return (self.last if transaction.end is None else transaction.end) - transaction.high
        return min(self.time(min(self._persists(transaction), stop)), self.last) - transaction.high

    def _stop(self, end: int | None) -> int:
        return self.count if end is None else min(self.count, self._at_or_after(end))

    def add(self, transaction: TransactionInterval, operations: Iterable[TimedOperation] | None = None) -> None:
        """Add a transaction; ``operations`` are those of a persisted transaction, None if unknown."""
        self._note_end(transaction)
        sizes: Counter[int] = Counter()
        for operation in operations or ():
            sizes[max(0, self._at_or_after(operation.time))] += operation.size
        begins = max(0, self._at_or_after(transaction.high))
        persists, stop = self._persists(transaction), self._stop(transaction.end)
        self.ever += persists < stop
        opened, persisted, stored = self._steps
        if begins < stop:
            opened[begins] += 1
            opened[stop] -= 1
        for number in range(begins, min(persists, stop)):
            if number not in self._oldest or is_before(transaction, self._oldest[number]):
                self._oldest[number] = transaction
        if persists >= stop:
            return
        persisted[persists] += 1
        persisted[stop] -= 1
        so_far = (
            transaction.size if operations is None else sum(sizes[number] for number in sizes if number <= persists)
        )
        stored[persists] += so_far
        self._written += so_far
        for number in sorted(number for number in sizes if persists < number < stop and sizes[number]):
            so_far += sizes[number]
            stored[number] += sizes[number]
            self._dirty[number] += 1
            self._written += so_far
        stored[stop] -= so_far

    def _note_end(self, transaction: TransactionInterval) -> None:
        if transaction.end is None or transaction.last_place is None:
            return
        number = max(0, self._at_or_after(transaction.end))
        self._ends[number] = max(transaction.last_place, self._ends.get(number, transaction.last_place))

    def restart(self, number: int) -> RedoStart:
        """Return the position from which Extract reads after a checkpoint."""
        if number in self._oldest:
            return start_of(self._oldest[number])
        numbers, places = self._last_places
        index = bisect_right(numbers, number)
        return RedoStart(self.time(number), places[index - 1] if index else None)

    @cached_property
    def _sums(self) -> dict[int, _Sums]:
        """Sums of the checkpoints with an open transaction; valid once all transactions are added."""
        if not self._steps[0]:
            return {}
        numbers = range(self.count)
        columns = [accumulate(map(steps.__getitem__, numbers)) for steps in self._steps]
        return {
            number: _Sums(total, persisted, self._dirty[number], size)
            for number, total, persisted, size in zip(numbers, *columns, strict=True)
            if total
        }

    @cached_property
    def _last_places(self) -> tuple[list[int], list[RedoPlace]]:
        """Checkpoints after commits, and the last redo position before each; valid once all transactions are added."""
        numbers = sorted(self._ends)
        return numbers, list(accumulate((self._ends[number] for number in numbers), max))

    def number_at(self, time: int) -> int:
        """Return the number of the last checkpoint at or before a moment, below 0 if there is none."""
        return min((time - self.first) // self.interval, self.count - 1)

    def persisted_at(self, number: int) -> int:
        """Return the number of transactions on disk after a checkpoint."""
        total = self._sums.get(number)
        return total.persisted if total is not None else 0

    def is_persisted_at(self, transaction: TransactionInterval, number: int) -> bool:
        """Return True if the transaction is on disk after a checkpoint."""
        return number >= 0 and self._persists(transaction) <= number

    @property
    def busy(self) -> int:
        """Number of checkpoints with an open transaction."""
        return len(self._sums)

    def shown(self) -> list[CheckpointShown]:
        """Return the checkpoints with an open transaction."""
        return [
            CheckpointShown(
                number, self.time(number), sums.open, sums.persisted, sums.dirty, sums.size, self.restart(number)
            )
            for number, sums in self._sums.items()
        ]

    def compared(self) -> BrIntervalShown:
        """Return cost and gain of the interval: the reach at any moment is that of the checkpoint before it."""
        greatest = area = 0
        for number in range(self.count):
            start = self._oldest.get(number)
            begin = start.high if start is not None else self.time(number)
            near, far = self.time(number) - begin, min(self.time(number + 1), self.last) - begin
            greatest = max(greatest, far)
            area += far * far - near * near
        span = self.last - self.first
        mean = area // (2 * span) if span > 0 else 0
        return BrIntervalShown(self.interval, self.count, self.ever, self._written, greatest, mean)


def start_of(transaction: TransactionInterval) -> RedoStart:
    """Return the begin of a transaction as the position from which redo is read."""
    return RedoStart(transaction.high, transaction.place, transaction.csn, transaction.xid)


def is_before(transaction: TransactionInterval, other: TransactionInterval) -> bool:
    """Return True if the transaction begins before the other; redo positions decide between equal times."""
    if transaction.high != other.high or transaction.place is None or other.place is None:
        return transaction.high < other.high
    return transaction.place < other.place


_SECOND = 1_000_000
_EXTRA_ROWS, _MOST_ROWS = 4, 4096
"""Rows read in addition to the records of a transaction, and the maximum number at a time."""


def place_of(moment: Moment) -> RedoPlace | None:
    """Return the redo position of a record, None if it has none."""
    place = RedoPlace(moment.audit_rba, moment.audit_pos)
    return place if any(place) else None


def began(extent: Extent, given: GivenBegin | None, clock: RedoClock | None) -> TransactionInterval:
    """Return the interval of a whole transaction, with the bounds of its begin.

    Raises:
        CommandError: by the file of BEGINS it begins after its commit.
    """
    first, last = extent.first_moment, extent.last_moment
    place = place_of(first)
    low, high, source = _bounds(extent, place, clock)
    if given is not None:
        if given.begin >= last.time + _SECOND:
            raise CommandError(f"BEGINS, line {given.line}: {given.xid} begins after its commit in the trail.")
        low = high = min(given.begin, last.time)
        source = BeginSource.GIVEN
    csn, xid = extent.transaction
    last_place = max(place, place_of(last) or place) if place is not None else None
    size = extent.records, extent.size
    return TransactionInterval(
        csn, xid, low, high, source, last.time, place, last_place, extent.begin, *size, extent.last
    )


def _bounds(extent: Extent, place: RedoPlace | None, clock: RedoClock | None) -> tuple[int | None, int, BeginSource]:
    first, commit = extent.first_moment.time, extent.last_moment.time
    clocked = clock.latest(place) if clock is not None and place is not None else None
    low = clock.earliest(place) if clock is not None and place is not None else None
    if not extent.has_one_time:
        high = min(first, commit)
        return (min(low, high) if low is not None else None), high, BeginSource.OPERATIONS
    if clocked is None:
        return None, commit, BeginSource.NONE
    high = min(clocked, commit)
    return (min(low, high) if low is not None else None), high, BeginSource.REDO_CLOCK


def operations_of(whole: WholeTrail, extent: Extent, clock: RedoClock | None) -> Iterator[TimedOperation] | None:
    """Return the operations of a whole transaction, None if neither their times nor the redo clock dates them."""
    if extent.begin is None or extent.after is None or (extent.has_one_time and clock is None):
        return None
    return _operations(whole, extent, clock if extent.has_one_time else None)


def _operations(whole: WholeTrail, extent: Extent, clock: RedoClock | None) -> Iterator[TimedOperation]:
    begin, after = (
        TrailPosition(whole.ordinals[position.path], position.rba)
        for position in (extent.begin, extent.after)
        if position
    )
    few = min(extent.records + _EXTRA_ROWS, _MOST_ROWS)
    for ordinal in range(begin.ordinal, after.ordinal + 1):
        trail = whole.open(ordinal)
        if trail is None:
            return
        with trail:
            start = begin.rba if ordinal == begin.ordinal else 0
            for batch in scan(trail, start, batch_size=few):
                for row in range(len(batch)):
                    if (ordinal, int(batch.rba[row])) >= after:
                        return
                    if int(batch.kind[row]) == RECORD and int(batch.io_type[row]) not in NOT_TRANSACTIONAL:
                        yield from _operation(batch, row, clock)


def _operation(batch: Batch, row: int, clock: RedoClock | None) -> Iterator[TimedOperation]:
    time: int | None = int(batch.io_time[row])
    if clock is not None:
        time = clock.latest(RedoPlace(int(batch.audit_rba[row]), int(batch.audit_pos[row])))
    if time is not None:
        yield TimedOperation(time, int(batch.length[row]))
