"""The records of a file as columns, with a mask of those that pass a filter."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from trailformat import TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.scan import Batch, Workers, parallel_batches, scan
from trailformat.scan.batch import BATCH_SIZE
from trailformat.scan.parallel import is_for_threads

with on_demand:
    from trailformat.scan.rows import definitions

if TYPE_CHECKING:
    from logdump.session.selection import Selection
    from trailformat.trail.table_definitions import MetadataRecord


def passing_batches(
    selection: Selection,
    trail: TrailFile,
    workers: Workers,
    start: int = 0,
    *,
    stop: int | None = None,
    batch_size: int | None = None,
    by_definition: bool = False,
) -> Iterator[tuple[Batch, Any]]:
    """Yield the batches of a file, each with a mask of the rows that pass.

    Several threads scan a large file, and apply the selection if they can. The mask is None if the selection drops
    nothing, or if the caller has to apply it, to each batch before it takes the next one.
    Only records that begin before the RBA ``stop`` are read; ``by_definition``: see Names.
    """
    size = batch_size or BATCH_SIZE
    if not is_for_threads(trail, workers, start, stop):
        batches = scan(trail, start, stop, batch_size=size, by_definition=by_definition)
        return ((batch, None) for batch in batches)
    is_with_batch = selection.is_active and selection.takes_any_batch

    def passing(batch: Batch, own: TrailFile) -> Any:
        return selection.on(own).rows(batch) if is_with_batch else None

    pairs = parallel_batches(trail, workers, passing, size, start, stop=stop, by_definition=by_definition)
    if is_with_batch or not selection.takes_any_order:
        return pairs
    return _decided(selection, trail, workers, (batch for batch, _ in pairs))


def _decided(
    selection: Selection, trail: TrailFile, workers: Workers, batches: Iterator[Batch]
) -> Iterator[tuple[Batch, Any]]:
    """Yield batches and the rows that pass, decided by threads once names and definitions before a batch are known."""
    deciders = _Deciders(selection, trail, workers.number)
    try:
        yield from workers.in_order((batch, deciders.job(batch)) for batch in batches)
    finally:
        deciders.close()


class _Decider(NamedTuple):
    """A selection on a TrailFile of its own, and the number of batches whose definitions it has."""

    selection: Selection
    trail: TrailFile
    learned: int


class _Deciders:
    """Copies of a selection for several threads, each on a TrailFile of its own.

    Each is given the definitions before a batch when it decides about the batch.

    Args:
        selection: the selection.
        trail: the file.
        number: number of threads.
    """

    def __init__(self, selection: Selection, trail: TrailFile, number: int) -> None:
        self._selection, self._trail, self._number = selection, trail, number
        self._learned: list[tuple[int, int, list[MetadataRecord]]] = []
        self._is_over = False
        self._free: deque[_Decider] = deque()

    def _make(self) -> None:
        for _ in range(self._number):
            twin = self._trail.twin()
            twin.tables.take_over(self._trail.tables)
            self._free.append(_Decider(self._selection.on(twin), twin, 0))

    def job(self, batch: Batch) -> Callable[[Callable[[], bool]], Any]:
        """Return the job that decides about a batch; batches must come in file order."""
        is_metadata = definitions.learn_definitions(self._trail, batch)
        if not self._learned:
            # the definitions before the walk are searched once
            self._make()
        self._learned.append((int(batch.rba[0]), batch.end, definitions.metadata_in(batch, is_metadata)))
        known = len(self._learned)

        def decide(_is_over: Callable[[], bool]) -> Any:
            try:
                own, twin, learned = self._free.pop()
            except IndexError:
                # each thread has one until ``close``
                return None
            try:
                twin.refresh()
                for metadata in self._learned[learned:known]:
                    twin.tables.learn(*metadata)
                return own.rows(batch)
            finally:
                self._free.append(_Decider(own, twin, max(learned, known)))
                if self._is_over:
                    self.close()

        return decide

    def close(self) -> None:
        """Close the files of the threads; a working thread closes its file when it finishes."""
        self._is_over = True
        with suppress(IndexError):
            while True:
                self._free.pop().trail.close()
