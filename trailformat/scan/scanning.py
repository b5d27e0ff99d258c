"""The scan: batches from one place of a file to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, Self

from trailformat.framing import Buffer
from trailformat.scan.batch import Batch
from trailformat.scan.engines import Engine, choose_engine
from trailformat.scan.names import Names
from trailformat.scan.numba_cache import prepare_cache
from trailformat.scan.place import Place, damage_at, first_place
from trailformat.trail_file import TrailFile

BATCH_SIZE = 1 << 16


class Filler(Protocol):
    """What an engine is: it collects rows and hands them out as batches.

    It keeps no view of the buffer between calls.
    """

    @property
    def transactions(self) -> int:
        """How many transactions have ended."""

    @property
    def is_full(self) -> bool:
        """Whether the batch has all its rows."""

    def fill(self, buffer: Buffer, place: Place, end: int, stop: int) -> Place:
        """Add rows until the batch is full, the place is at or after ``stop``, or no sound record starts there.

        ``end`` is the length of the buffer.
        """

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add the row of a span that is no sound record."""

    def take(self) -> Batch:
        """The rows so far; the next ones go to a new batch."""


class Scan(Iterator[Batch]):
    """Batches of one file, from one place on; an iterator that can be asked where it is.

    Attributes:
        place: where it has come to; after the last batch at or beyond ``stop``, or at the end of the file.
        names: what the keys in column ``table`` mean.
    """

    def __init__(
        self, trail: TrailFile, place: Place, stop: int | None, engine: Engine | None, batch_size: int = BATCH_SIZE
    ) -> None:
        if batch_size < 1:
            raise ValueError("a batch has at least one row")
        self.place = place
        self._trail = trail
        self._stop = stop
        self._engine = engine or choose_engine((trail.size if stop is None else stop) - place.rba)
        self.names = Names(_EarlierNames(trail, place.rba) if place.rba else None)
        self._filler = _filler(self._engine, self.names, batch_size)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Batch:
        """The next batch, of at least one row."""
        filler = self._filler
        while not filler.is_full:
            size = self._trail.refresh()
            stop = size if self._stop is None else min(size, self._stop)
            if self.place.rba >= stop:
                break
            buffer = self._trail.buffer
            self.place = filler.fill(buffer, self.place, size, stop)
            if self.place.rba < stop and not filler.is_full:
                kind, length = damage_at(buffer, self.place, size)
                filler.add_span(kind, self.place.rba, length)
                self.place = self.place._replace(rba=self.place.rba + length)
        batch = filler.take()
        if not len(batch):
            raise StopIteration
        return batch

    @property
    def transactions(self) -> int:
        """How many transactions have ended so far."""
        return self._filler.transactions

    def run(self) -> Self:
        """Go to the end without keeping anything but the names."""
        for _ in self:
            pass
        return self


class _EarlierNames:
    """The names up to ``start``, looked up when somebody asks."""

    def __init__(self, trail: TrailFile, start: int) -> None:
        self._trail = trail
        self._start = start

    def __call__(self) -> Names:
        names = Names()
        for entry in self._trail.tables.in_force(self._start):
            names.set(entry.table_index, entry.name)
        return names


def _filler(engine: Engine, names: Names, batch_size: int) -> Filler:
    if engine is Engine.NUMBA:
        prepare_cache()
        from trailformat.scan.numba_engine import NumbaFiller  # noqa: PLC0415 - half a second

        return NumbaFiller(names, batch_size)
    from trailformat.scan.python_engine import PythonFiller  # noqa: PLC0415 - only one of the two is needed

    return PythonFiller(names, batch_size)


def scan(
    trail: TrailFile,
    start: int = 0,
    stop: int | None = None,
    *,
    engine: Engine | None = None,
    batch_size: int = BATCH_SIZE,
) -> Scan:
    """The records from ``start``, where one begins, to the last that begins before ``stop`` (or in the file).

    The rows are the records that a walk with ``TrailFile.record_at`` and ``next_good_header`` gives, in order; what it
    steps over are rows too. The batches stay valid when the file is closed.

    Raises:
        NotATrail: while iterating, when the file is closed or cannot be read any more.
    """
    return Scan(trail, first_place(trail, start), stop, engine, batch_size)
