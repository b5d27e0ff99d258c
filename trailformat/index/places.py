"""Where the rows of a file are: a mark every so many, the metadata, the damage."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import NamedTuple

from trailformat.errors import BadRecord, TrailError
from trailformat.index.following import ArrivalOrders, Follower
from trailformat.index.marks import ROWS_PER_MARK, Marks
from trailformat.index.walking import Row, walk
from trailformat.records.io_types import METADATA
from trailformat.scan.batch import BAD_SPAN, FILE_HEADER, RECORD, Batch
from trailformat.trail.file import TrailFile

MOST_METADATA = 1 << 20
MOST_BAD_SPANS = 1 << 12
_MOST_BAD_BYTES = 1 << 24


class BadSpan(NamedTuple):
    """Bytes that are no sound record; :func:`reason` tells why."""

    rba: int
    length: int


class Places(Follower):
    """Rows by number and by RBA, without the sums; a 2 GB file takes some 400 KB.

    Attributes:
        metadata: where the DDRs and TDRs (and references) stand, ascending, the first MOST_METADATA of them.
        metadata_end: RBA up to which they are all there: ``end``, or less where there are more.
        bad_spans: the first MOST_BAD_SPANS of them; ``bad_span_count`` counts all.
    """

    def _forget(self) -> None:
        super()._forget()
        self.marks = Marks()
        self.metadata = array("Q")
        self.metadata_end = 0
        self.bad_spans: list[BadSpan] = []
        self.bad_span_count = 0
        self._last: tuple[int, int, int] | None = None
        self._fitted_size = -1

    def _take(self, batch: Batch, orders: ArrivalOrders) -> None:
        self.marks.add(batch, -self._taken % ROWS_PER_MARK, orders)
        self._take_metadata(batch)
        for row in batch.spans():
            self.bad_span_count += 1
            if len(self.bad_spans) < MOST_BAD_SPANS:
                self.bad_spans.append(BadSpan(int(batch.rba[row]), int(batch.length[row])))
        kinds = bytes(memoryview(batch.kind))  # type: ignore[arg-type]
        sound = max(kinds.rfind(RECORD), kinds.rfind(FILE_HEADER))
        if sound >= 0:
            self._last = int(batch.rba[sound]), int(batch.length[sound]), int(batch.io_time[sound])

    def _take_metadata(self, batch: Batch) -> None:
        if self.metadata_end < self.end:
            return
        types, at = bytes(memoryview(batch.io_type)), -1  # type: ignore[arg-type]
        while (at := types.find(METADATA, at + 1)) >= 0:
            if len(self.metadata) == MOST_METADATA:
                self.metadata_end = int(batch.rba[at])
                return
            self.metadata.append(batch.rba[at])
        self.metadata_end = batch.end

    def fits(self, trail: TrailFile) -> bool:
        """Whether the file is still the one that was followed: as long, its last known record and damage in place.

        A file that has been cut or written anew does not fit, nor one in which what was damage has become a record
        because more of it is there.
        """
        size = trail.size
        if size < self.covered or not self._last_stands(trail):
            return False
        if size != self._fitted_size:
            if not self._damage_stands(trail):
                return False
            self._fitted_size = size
        return True

    def _damage_stands(self, trail: TrailFile) -> bool:
        """Whether the damage is where it was; where it is too much to look at, only a file that has not grown fits."""
        if self.bad_span_count > len(self.bad_spans) or sum(one.length for one in self.bad_spans) > _MOST_BAD_BYTES:
            return trail.size == self.covered
        return all(
            isinstance(reason(trail, rba), BadRecord) and trail.next_good_header(rba + 1) == rba + length
            for rba, length in self.bad_spans
        )

    def _last_stands(self, trail: TrailFile) -> bool:
        if self._last is None:
            return True
        rba, length, io_time = self._last
        try:
            record = trail.record_at(rba)
        except TrailError:
            return False
        if record is None or record.length != length:
            return False
        return record.is_file_header or record.header.io_time == io_time

    def rows(self, trail: TrailFile, number: int, count: int) -> list[Row]:
        """The rows from ``number`` on, ``count`` of them or as many as are known, read from the nearest mark."""
        last = min(number + count, self.records)
        if not 0 <= number < last:
            return []
        mark, skipped = divmod(number, ROWS_PER_MARK)
        if mark == len(self.marks):  # damage at the end, which may still grow and has no mark yet
            return [Row(number, self.end, self.covered - self.end, BAD_SPAN)]
        return walk(trail, self.marks.place(mark, trail), number - skipped, last, self.covered)[skipped:]

    def rba_of(self, trail: TrailFile, number: int) -> int | None:
        """Where row ``number`` stands; None beyond the rows that are known."""
        found = self.rows(trail, number, 1)
        return found[0].rba if found else None

    def row_at(self, trail: TrailFile, rba: int) -> Row | None:
        """The row that holds the byte at ``rba``; None beyond ``covered``."""
        if not 0 <= rba < self.covered:
            return None
        if rba >= self.end:
            return Row(self.records - 1, self.end, self.covered - self.end, BAD_SPAN)
        known = self.rows(trail, self.marks.before(rba) * ROWS_PER_MARK, ROWS_PER_MARK)
        return next((row for row in known if row.rba <= rba < row.rba + row.length), None)

    def number_of(self, trail: TrailFile, rba: int) -> int | None:
        """The number of the row that holds the byte at ``rba``; None beyond ``covered``."""
        row = self.row_at(trail, rba)
        return row.number if row is not None else None

    def sound_before(self, trail: TrailFile, rba: int) -> int | None:
        """Where the last record stands that begins before ``rba``; None without one, or beyond ``covered``."""
        row = self.row_at(trail, rba - 1)
        if row is not None and row.kind == BAD_SPAN:
            row = next(iter(self.rows(trail, row.number - 1, 1)), None)
        return row.rba if row is not None else None

    def metadata_between(self, start: int, stop: int) -> tuple[list[int], int]:
        """Where metadata records stand from ``start`` to before ``stop``; and the next beyond, or ``metadata_end``."""
        first, last = bisect_left(self.metadata, start), bisect_left(self.metadata, stop)
        end = self.metadata[last] if last < len(self.metadata) else self.metadata_end
        return self.metadata[first:last].tolist(), end


def reason(trail: TrailFile, rba: int) -> TrailError | None:
    """Why no sound record starts at ``rba``; None where one does."""
    try:
        trail.record_length(rba)
    except TrailError as error:
        return error
    return None
