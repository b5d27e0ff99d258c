"""The scan of a file: batches of its records from one RBA to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from functools import partial
from typing import Protocol, Self, TypeVar

from trailformat.codec.mapped_file import FileBuffer, copied
from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotRead
from trailformat.native.loaded import address_of_bytes, kernels
from trailformat.scan.batch import BATCH_SIZE, Batch
from trailformat.scan.kernel_run import Window, Windows
from trailformat.scan.names import Names
from trailformat.scan.position import FileRange, ScanPosition, damage_at, first_position
from trailformat.trail import command_files
from trailformat.trail.file import TrailFile

with on_demand:
    from trailformat.scan import batch_filler

WINDOW = 1 << 16


def occurrences(value: bytes, buffer: FileBuffer, start: int, end: int, *, any_case: bool = False) -> Iterator[int]:
    """Yield the offsets of ``value`` in a buffer between ``start`` and ``end``, in order, overlapping ones too.

    With ``any_case`` ASCII letters of either case match. The buffer is searched in copies of WINDOW bytes.

    Raises:
        CannotRead: the file of the buffer was truncated or can no longer be read.
    """
    overlap = len(value) - 1
    while start + overlap < end:
        part = copied(buffer, start, min(start + WINDOW + overlap, end))
        for place in _places(value, part, any_case=any_case):
            yield start + place
        start += WINDOW


def _places(value: bytes, part: bytes, *, any_case: bool) -> Iterator[int]:
    find = kernels()["find"]
    wanted = value.lower() if any_case else value
    folds = bytes(0x20 * (any_case and byte in b"abcdefghijklmnopqrstuvwxyz") for byte in wanted)
    addresses = [address_of_bytes(data) for data in (part, wanted, folds)]
    offset = -1
    while (offset := find(addresses[0], offset + 1, len(part), *addresses[1:], len(value))) >= 0:
        yield offset


T = TypeVar("T", bound=Sized)
Made_co = TypeVar("Made_co", bound=Sized, covariant=True)


class Filler(Protocol[Made_co]):
    """Processes records and makes results of them, such as batches or sums.

    It keeps no view of the window between calls.
    """

    @property
    def transactions(self) -> int:
        """The number of transactions that have ended."""

    @property
    def is_full(self) -> bool:
        """True if there is no room for another record."""

    def fill(self, window: Window, position: ScanPosition, end: int, stop: int) -> tuple[ScanPosition, int]:
        """Process records until the filler is full, the position is at or after ``stop``, or no sound record is there.

        ``end`` is the length of the file. Return the position, and the number of bytes from there that a window must
        have to continue; 0 if this window has enough.
        """

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add a span that is not a sound record; ``kind`` is BAD_SPAN or PARTIAL."""

    def take(self) -> Made_co:
        """Return the result so far and begin a new one."""


class Scanning(Iterator[T]):
    """Iterator over the results of a filler for one file, from a position on.

    Args:
        trail: the file.
        position: the position of the first record.
        stop: the RBA before which the last record begins; None: all records.
        make_filler: returns the filler for given names.
        earlier: returns the names of the file up to ``position``; None: they are looked up when needed.
        by_definition: see Names.

    Attributes:
        position: of the next record; in the end at or after ``stop``, or at the end of the file.
        stop: the RBA before which the last record begins.
        names: the names of the table keys.
    """

    def __init__(
        self,
        trail: TrailFile,
        position: ScanPosition,
        stop: int | None,
        make_filler: Callable[[Names], Filler[T]],
        earlier: Callable[[], Names] | None = None,
        *,
        by_definition: bool = False,
    ) -> None:
        self.position = position
        self._trail = trail
        self._own_order = trail.first_order
        self.stop = stop
        before = (earlier or EarlierNames(trail, position.rba)) if position.rba else None
        self.names = Names(before, by_definition=by_definition)
        self._filler = make_filler(self.names)
        self._windows = Windows(trail)
        self._size = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        """Return the next result of the filler, of at least one record or span."""
        filler = self._filler
        need = 1
        most = self.position.rba + self._trail.most_looked_at
        while not filler.is_full and self.position.rba < most:
            size = self._look_at_size()
            stop = size if self.stop is None else min(size, self.stop)
            if self.position.rba >= stop:
                break
            window = self._windows.at(self.position.rba, need, size, stop)
            stop = stop if window.is_whole else self.position.rba + 1
            self.position, need = filler.fill(window, self.position, size, stop)
            if not need and self.position.rba < stop and not filler.is_full:
                self._step_over_damage(size)
            need = need or 1
        result = filler.take()
        if not len(result):
            raise StopIteration
        command_files.report(self._trail.path, self.position.rba)
        return result

    def _look_at_size(self) -> int:
        size = self._trail.refresh()
        if size < self._size:
            raise CannotRead.cut(self._trail.path, size)
        self._size = size
        return size

    def _step_over_damage(self, size: int) -> None:
        kind, length = damage_at(self._trail.bytes, self.position, size, self._own_order)
        self._filler.add_span(kind, self.position.rba, length)
        self.position = self.position._replace(rba=self.position.rba + length)

    @property
    def transactions(self) -> int:
        """The number of transactions that have ended up to ``position``."""
        return self._filler.transactions

    def run(self) -> Self:
        """Scan to the end, discarding the results; return self, for its position and names."""
        for _ in self:
            pass
        return self


class Scan(Scanning[Batch]):
    """The batches of one file, from a position on."""

    def __init__(
        self,
        trail: TrailFile,
        position: ScanPosition,
        stop: int | None,
        batch_size: int = BATCH_SIZE,
        earlier: Callable[[], Names] | None = None,
        *,
        by_definition: bool = False,
    ) -> None:
        if batch_size < 1:
            raise ValueError("a batch has at least one row")
        make_filler = partial(batch_filler.BatchFiller, batch_size=batch_size)
        super().__init__(trail, position, stop, make_filler, earlier, by_definition=by_definition)


class EarlierNames:
    """The names of the table indexes in force at ``start``, looked up when called."""

    def __init__(self, trail: TrailFile, start: int) -> None:
        self._trail = trail
        self._start = start

    def __call__(self) -> Names:
        """Return the names; none of them needs an earlier scan."""
        names = Names()
        for entry in self._trail.tables.in_force(self._start):
            names.set(entry.table_index, entry.name)
        return names


def scan(
    trail: TrailFile,
    start: int = 0,
    stop: int | None = None,
    *,
    batch_size: int = BATCH_SIZE,
    by_definition: bool = False,
) -> Scan:
    """Return the batches of the records from ``start``, the RBA of a record, to before ``stop`` (None: the end).

    The rows are the records that a walk with ``TrailFile.record_at`` and ``next_good_header`` gives, in order; the
    damage that it skips has rows too. The batches stay valid after the file is closed. ``by_definition``: see Names.

    Raises:
        NotATrail: the file is closed.
        CannotRead: the file can no longer be read; raised while iterating, as is NotATrail.
    """
    return Scan(trail, first_position(trail, start), stop, batch_size, by_definition=by_definition)


def scan_range(trail: TrailFile, part: FileRange, *, batch_size: int = BATCH_SIZE) -> Scan:
    """Return the batches of a range; the next range fits if it begins at the final ``position`` of the scan."""
    return Scan(trail, part.start, part.stop, batch_size)
