"""A scan of one file of a damaged trail: its sound records, and the damage."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from logdump.features.repair.byte_ranges import ByteRange, ByteRanges
from logdump.features.repair.damaged_records import claimed_extent, extents_ending, holds_no_row
from logdump.session.events import Progress
from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import TrailError
from trailformat.scan import FILE_HEADER, PARTIAL, RECORD, Batch, scan
from trailformat.trail.file import TrailFile


class FileSurvey:
    """The results of a scan of a file.

    Args:
        trail: the file.
        stops: True if the scan ends at the first damage.

    Attributes:
        size: its bytes.
        records: its sound records, the file header included; with ``stops`` those before the damage.
        damage: bytes that hold no sound record, and damaged records with all that looks like records in them.
        embedded: number of records inside damaged ones.
        half: the RBA of the half-written record at its end.
        rowless: places of damage that were one record outside of transactions.
        order: its byte order; None without a record.
        has_header: True if it begins with a sound file header, which has its ``version``.
        continued: places of damage after a record that continues in the next one.
        lacks_definitions: True if rows after damage refer to a definition that is missing.
        stop: the damage at which a copy ends.
    """

    def __init__(self, trail: TrailFile, *, stops: bool) -> None:
        self.path, self.size = trail.path, trail.size
        self.records = self.embedded = 0
        self.damage = ByteRanges()
        self.half: int | None = None
        self.rowless: set[int] = set()
        self.continued: list[int] = []
        self.lacks_definitions = False
        self.stop: int | None = None
        self._trail, self._stops = trail, stops
        self.order: ByteOrder | None = None
        header = trail.file_header
        self.has_header = trail.first_rba > 0
        self.version = header.get("TrailInfo", "Compatibility") if header is not None else None
        self._first: int | None = None
        self._bad: list[ByteRange] = []
        self._headers: list[int] = []
        self._tables: set[int] = set()

    @property
    def end(self) -> int:
        """The end of what is looked at."""
        return self.size if self.stop is None else self.stop

    def run(self, step: int) -> Iterator[Progress]:
        """Scan the file; yields progress every ``step`` records."""
        walk = scan(self._trail)
        for batch in walk:
            before = self.records
            self._take(batch)
            if before // step != self.records // step:
                yield Progress(self.records, int(batch.rba[-1]), int(batch.io_time[-1]), self.size)
            if self.stop is not None:
                break
        if self._first is not None:
            self._trail.record_at(self._first)  # from it the trail learns its byte order where its beginning is damaged
            self.order = self._trail.order
        self.lacks_definitions = any(walk.names.unknown_index(key) is not None for key in self._tables)
        if self._bad:
            self._look_into_damage()

    def _take(self, batch: Batch) -> None:
        spans = batch.spans()
        if self._first is None:
            self._first = next((int(batch.rba[row]) for row, kind in enumerate(batch.kind) if kind == RECORD), None)
        rows = spans[0] if self._stops and spans else len(batch)
        self.records += rows - (0 if self._stops else len(spans))
        first = 0 if self._bad else spans[0] if spans else len(batch)
        for row in spans[:1] if self._stops else spans:
            self._bad.append(ByteRange(int(batch.rba[row]), int(batch.rba[row]) + int(batch.length[row])))
            if batch.kind[row] == PARTIAL:
                self.half = int(batch.rba[row])
        if self._stops and spans:
            self.stop = self._bad[0].start
        elif self._bad:
            self._tables.update(set(memoryview(batch.table)[first:]))  # type: ignore[arg-type]
            self._headers += [int(batch.rba[row]) for row, kind in enumerate(batch.kind) if kind == FILE_HEADER]

    def _look_into_damage(self) -> None:
        trail, bad = self._trail, ByteRanges(self._bad)
        embedding = list(self._embedding(bad))
        self.damage = ByteRanges([*bad, *embedding])
        for span in ByteRanges(embedding):
            self.embedded += sum(bad.at(rba) is None for rba in trail.sound_rbas(span.start, span.stop))
        for span in self.damage:
            if holds_no_row(trail.bytes, span, self.size):
                self.rowless.add(span.start)
            if self._goes_on(span.start):
                self.continued.append(span.start)

    def _embedding(self, bad: ByteRanges) -> Iterator[ByteRange]:
        """The damaged records in which sound ones are found, by their frames; or by a file header among those."""
        buffer = self._trail.bytes
        starts = {span.start for span in bad}
        for span in bad:
            claimed = claimed_extent(buffer, span.start, self.size)
            if claimed is not None and claimed.stop > span.stop:
                yield claimed
            yield from (one for one in extents_ending(buffer, span.stop) if one.start in starts)
        for one, other in pairwise(bad):
            if any(one.stop <= rba < other.start for rba in self._headers):
                yield ByteRange(one.start, other.stop)

    def _goes_on(self, rba: int) -> bool:
        """Return True if the record that ends at damage continues in the next record."""
        if rba <= 0 or self.damage.at(rba - 1) is not None:
            return False
        try:
            record = self._trail.record_before(rba)
        except TrailError:
            return False
        return record is not None and not record.is_file_header and bool(record.header.continued)
