"""Reading on from the session's position to the next record that passes its filter."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from logdump.session.events import Event, Progress
from trailformat import Record
from trailformat.records import reached
from trailformat.scan.nearby import NEARBY

if TYPE_CHECKING:
    from logdump.filters import FilterSet
    from logdump.session.session import Session
    from trailformat.scan import Batch

_OF_VALUE = 4
"""How many times as long a record takes whose values are decoded."""


_REPORTED = 64
"""Records that are read one by one between two reports of how far that is."""


class FilteredReader:
    """Reading on from the session's position, through its filter and any others.

    With ACROSS it goes on in the next file of the trail, unless ``stop`` or ``stays`` is given: before the RBA ``stop``
    or at the end of the file it ends. It is to be closed: threads may be ahead of what has been found.

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
        self._reads_nearby = True
        self.scanned = 0
        self.suppressed = 0

    def _begin(self) -> None:
        """Begin in the open file."""
        self._cursor = self._session.cursor
        self._selection = self._session.selection(filtered=self._filtered, also=self._also)

    def close(self) -> None:
        """End what threads have begun to read; nothing is found any more."""
        if self._stream is not None:
            self._stream.close()

    @property
    def _nearby(self) -> int:
        """Records that are read one by one at first, one at least; fewer where the values in each are decoded."""
        return max(1, NEARBY // _OF_VALUE) if self._selection.decodes_values else NEARBY

    def find(self, wanted: Callable[[Record], bool] | None = None) -> Generator[Event, None, Record | None]:
        """Read on to the next record that passes the filters and is wanted; None at the end. Yields Progress.

        Ctrl+C leaves the position before the first record of which it is not known yet. Raises as ``cross``.
        """
        while (record := (yield from self._find_here(wanted))) is None:
            if self._stays:
                return None
            from logdump.session.across import cross  # noqa: PLC0415 - at the end of a file only

            if not (yield from cross(self._session)):
                return None
            self._begin()
            self._stream = None if self._reads_nearby else self._columns()
        return record

    def _find_here(self, wanted: Callable[[Record], bool] | None) -> Generator[Event, None, Record | None]:
        """The same in the open file."""
        while self._stream is None:
            if self._reads_nearby and self.scanned >= self._nearby:
                self._reads_nearby, self._stream = False, self._columns()
                continue
            is_over = self._stop is not None and self._cursor.next >= self._stop
            if is_over or (record := self._cursor.read()) is None:
                return None
            try:
                yield from self._progress_at(record)
                if (not self._selection.is_active or self._passes(record)) and (wanted is None or wanted(record)):
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
        """Count a record that is read by itself, and tell how far that is from time to time."""
        self.scanned += 1
        if self.scanned % _REPORTED == 0:
            reached.report(self._session.trail.path, record.rba)
        if self.scanned % self._session.settings.notify == 0:
            yield progress(self.scanned, record)

    def _passes(self, record: Record) -> bool:
        passes = self._selection.accepts(record)
        self.suppressed += not passes
        return passes

    def _columns(self) -> Generator[Record | Progress, None, None] | None:
        """The rest of the file by columns; None where nothing is filtered."""
        if not self._selection.is_active:
            return None
        return self._passing_backwards() if self._cursor.is_backwards else self._passing()

    def _passing_backwards(self) -> Generator[Record | Progress, None, None]:
        """The records before the position that pass, last first, up to damage; they are found from the beginning on."""
        from array import array  # noqa: PLC0415 - long scans only

        trail, step = self._session.trail, self._session.settings.notify
        rbas, ordinals = array("q"), array("q")
        total = wall = 0
        for batch, passing in self._batches(0, self._cursor.next):
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
        if wall:
            self._cursor.read()

    def _passing(self) -> Generator[Record | Progress, None, None]:
        """The records that pass, by columns, with the progress between them; the position moves along."""
        from trailformat.index import index_of  # noqa: PLC0415 - long scans only

        trail, passed = self._session.trail, self.scanned - self.suppressed
        places = index_of(trail).places
        for batch, passing in self._batches(self._cursor.next, self._stop):
            places.extend(batch)
            begun = self.scanned
            bad = next(iter(batch.spans()), len(batch))
            for row in passing[:bad].nonzero()[0].tolist():
                yield from self._progress(batch, begun, row + 1)
                record = trail.record_at(int(batch.rba[row]))
                if record is not None:
                    passed += 1
                    self.suppressed = self.scanned - passed
                    self._cursor.stand_on(record)
                    self._selection.share(record, row)
                    yield record
            yield from self._progress(batch, begun, bad)
            self.suppressed = self.scanned - passed
            self._cursor.move(int(batch.rba[bad]) if bad < len(batch) else int(batch.rba[-1]) + int(batch.length[-1]))
            if bad < len(batch):
                self._cursor.read()

    def _batches(self, start: int, stop: int | None) -> Generator[tuple[Batch, Any], None, None]:
        """The records from one place to another as columns, with a mask of those that pass."""
        from logdump.session.passing import passing_batches  # noqa: PLC0415 - long scans only
        from trailformat.scan import Workers  # noqa: PLC0415 - long scans only

        with Workers() as workers:
            for batch, passing in passing_batches(self._selection, self._session.trail, workers, start, stop=stop):
                yield batch, self._selection.rows(batch) if passing is None else passing

    def _progress(self, batch: Batch, begun: int, rows: int) -> Iterator[Progress]:
        """Count the rows of a batch up to ``rows``; ``begun`` is what had been scanned before the batch."""
        step = self._session.settings.notify
        for due in range((self.scanned // step + 1) * step, begun + rows + 1, step):
            row = due - begun - 1
            yield Progress(due, int(batch.rba[row]), int(batch.io_time[row]))
        self.scanned = begun + rows


def progress(scanned: int, record: Record) -> Progress:
    """NOTIFY's report after ``scanned`` records, at this one."""
    return Progress(scanned, record.rba, 0 if record.is_file_header else record.header.io_time)
