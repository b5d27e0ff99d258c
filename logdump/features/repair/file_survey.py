"""A scan of one file of a damaged trail: its sound records, and the damage with its extent."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from logdump.session.events import Progress
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.codec.tokens import is_wide, length_at, token_places
from trailformat.errors import TrailError
from trailformat.records import framing
from trailformat.records.record_header import HEADER_SIZE, METADATA, NOT_TRANSACTIONAL, RecordHeader, parse_header
from trailformat.scan import FILE_HEADER, PARTIAL, RECORD, Batch, scan
from trailformat.trail import resync
from trailformat.trail.command_files import name_incomplete
from trailformat.trail.file import TrailFile


class ByteRange(NamedTuple):
    """The bytes from RBA ``start`` up to, but not including, ``stop``."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.stop - self.start


class ByteRanges:
    """Sorted byte ranges that neither overlap nor touch; given ranges that do are merged."""

    def __init__(self, given: Iterable[ByteRange] = ()) -> None:
        self._starts, self._stops = array("q"), array("q")
        for start, stop in sorted(given):
            if self._stops and start <= self._stops[-1]:
                self._stops[-1] = max(self._stops[-1], stop)
            else:
                self._starts.append(start)
                self._stops.append(stop)

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[ByteRange]:
        return map(ByteRange, self._starts, self._stops)

    def at(self, rba: int) -> ByteRange | None:
        """Return the range that contains an RBA; None if there is none."""
        span = self.before(rba + 1)
        return span if span is not None and rba < span.stop else None

    def before(self, rba: int) -> ByteRange | None:
        """Return the last range that begins before an RBA; None if there is none."""
        index = bisect_right(self._starts, rba - 1) - 1
        return ByteRange(self._starts[index], self._stops[index]) if index >= 0 else None

    def after(self, rba: int) -> ByteRange | None:
        """Return the first range that begins at or after an RBA; None if there is none."""
        index = bisect_left(self._starts, rba)
        return ByteRange(self._starts[index], self._stops[index]) if index < len(self) else None

    def outside(self, start: int, stop: int) -> Iterator[ByteRange]:
        """Yield the parts of ``start`` to ``stop`` that no range covers."""
        span = self.at(start)
        position = start if span is None else span.stop
        while position < stop:
            following = self.after(position)
            end = stop if following is None else min(following.start, stop)
            if position < end:
                yield ByteRange(position, end)
            position = stop if following is None else following.stop

    @property
    def size(self) -> int:
        """Number of bytes in all ranges."""
        return sum(span.size for span in self)


_SMALLEST = 8
_MOST_CANDIDATES = 100_000
_FRAMES = ((False, 4), (True, 6))
_FIRST = {framing.RECORD: ord("H"), framing.FILE_HEADER: ord("0")}


def claimed_extent(buffer: Source, rba: int, size: int) -> ByteRange | None:
    """Return the extent of the record at ``rba`` according to its length; None if nothing confirms that.

    It is confirmed by the trailer, or by valid tokens together with a sound record or the end of the file after it.
    """
    if size - rba < _SMALLEST or buffer[rba] not in _FIRST:
        return None
    for order in ByteOrder:
        length, frame = length_at(buffer, rba, order)
        stop = rba + length
        if 2 * frame < stop - rba <= size - rba and (
            _has_trailer(buffer, ByteRange(rba, stop), frame)
            or (_has_tokens(buffer, ByteRange(rba, stop), frame, order) and _is_followed(buffer, stop, size))
        ):
            return ByteRange(rba, stop)
    return None


def _has_trailer(buffer: Source, span: ByteRange, frame: int) -> bool:
    trailer = buffer[span.stop - frame : span.stop]
    return trailer[:1] == b"Z" and trailer[2:] == buffer[span.start + 2 : span.start + frame]


def _is_followed(buffer: Source, stop: int, size: int) -> bool:
    return stop == size or any(framing.is_sound(buffer, stop, size, order) for order in ByteOrder)


def _has_tokens(buffer: Source, span: ByteRange, frame: int, order: ByteOrder) -> bool:
    try:
        places = token_places(buffer, span.start + frame, span.stop - frame, order)
        tokens = [token for token, _, _, _ in places]
    except TrailError:
        return False
    return len(tokens) > 1 and tokens[0] == _FIRST[buffer[span.start]]


def extents_ending(buffer: Source, stop: int) -> Iterator[ByteRange]:
    """Yield the extents of a record that ends at ``stop``, according to the possible trailers there."""
    for wide, frame in _FRAMES:
        trailer = buffer[max(0, stop - frame) : stop]
        if len(trailer) == frame and trailer[:1] == b"Z" and is_wide(trailer[1]) == wide:
            for order in ByteOrder:
                length = order.decode(trailer[2:])
                if 2 * frame < length <= stop:
                    yield ByteRange(stop - length, stop)


def readable_headers(buffer: Source, span: ByteRange, order: ByteOrder) -> Iterator[tuple[int, RecordHeader]]:
    """Yield RBA and header of the metadata records in damage whose header is readable.

    At most _MOST_CANDIDATES places that look like records are examined.
    """
    for rba in islice(resync.candidates(buffer, span.start, span.stop), _MOST_CANDIDATES):
        header = _header_at(buffer, rba, span.stop, order) if buffer[rba] == framing.RECORD else None
        if header is not None and header.io_type == METADATA:
            yield rba, header


def _header_at(buffer: Source, rba: int, stop: int, order: ByteOrder) -> RecordHeader | None:
    token = rba + length_at(buffer, rba, order)[1]
    length, size = length_at(buffer, token, order)
    start = token + size
    if not HEADER_SIZE <= length <= stop - start:
        return None
    return parse_header(buffer[start : start + length], order)


def holds_no_row(buffer: Source, span: ByteRange, size: int) -> bool:
    """Return True if damage is exactly one record that was the file header or of a kind outside of transactions."""
    whole = {claimed_extent(buffer, span.start, size), *extents_ending(buffer, span.stop)}
    if span not in whole:
        return False
    if buffer[span.start] != framing.RECORD:
        return not span.start
    headers = (_header_at(buffer, span.start, span.stop, order) for order in ByteOrder)
    return any(header is not None and header.io_type in NOT_TRANSACTIONAL for header in headers)


class FileSurvey:
    """A scan of one file, and its results.

    Args:
        trail: the file.
        stops: True if the scan ends at the first damage.

    Attributes:
        size: its size in bytes.
        records: number of sound records, the file header included; with ``stops`` those before the damage.
        damage: bytes outside of sound records, and damaged records in full length with any records inside.
        embedded: number of records inside damaged ones.
        half: RBA of an incomplete record at its end; None without one.
        rowless: RBAs of damage that was exactly one record outside of transactions.
        order: its byte order; None without a record.
        has_header: True if it begins with a file header, whose ``version`` is None if it is not readable.
        continued: RBAs of damage right after a record that continues in the next one.
        lacks_definitions: True if rows after damage refer to a definition that is missing.
        stop: RBA of the damage at which the copy ends; None without damage or ``stops``.
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
        """RBA of the end of the surveyed bytes."""
        return self.size if self.stop is None else self.stop

    def run(self, step: int) -> Iterator[Progress]:
        """Scan the file; yield progress every ``step`` records."""
        walk = scan(self._trail)
        for batch in walk:
            before = self.records
            self._take(batch)
            if before // step != self.records // step:
                yield Progress(self.records, int(batch.rba[-1]), int(batch.io_time[-1]), self.size)
            if self.stop is not None:
                break
        if self._first is not None:
            self._trail.record_at(self._first)  # sets the trail's byte order, unknown if its beginning is damaged
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
                name_incomplete(self.path)
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
        """Yield damaged records that contain sound ones, found by their frames or by a file header inside."""
        buffer = self._trail.bytes
        starts = {span.start for span in bad}
        for span in bad:
            claimed = claimed_extent(buffer, span.start, self.size)
            if claimed is not None and claimed.stop > span.stop:
                yield claimed
            yield from (extent for extent in extents_ending(buffer, span.stop) if extent.start in starts)
        for damage, other in pairwise(bad):
            if any(damage.stop <= rba < other.start for rba in self._headers):
                yield ByteRange(damage.start, other.stop)

    def _goes_on(self, rba: int) -> bool:
        """Return True if the record that ends at damage continues in the next record."""
        if rba <= 0 or self.damage.at(rba - 1) is not None:
            return False
        try:
            record = self._trail.record_before(rba)
        except TrailError:
            return False
        return record is not None and not record.is_file_header and bool(record.header.continued)
