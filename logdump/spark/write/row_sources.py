"""Records in a binary Arrow column, the sources of their rows, and the header and definitions for their new files.

The bytes of a column are one buffer with offsets, so the records of a batch are in it as they are in a trail. Header
and definitions are read from the source file if ``file`` and ``rba`` are selected, else from the file header and the
metadata records among the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from logdump.features.save.header import SavedDefinitions
from logdump.features.save.ranges import CopyRows
from logdump.spark.write.publish import SourceFiles
from logdump.spark.write.target import Target
from logdump.tables.errors import BadTrail, SourceError, located
from trailformat import ByteOrder, CannotRead, Record, TrailError, TrailFile
from trailformat.records import framing
from trailformat.records.record_header import HDR_IND, IO_TYPE_AT, METADATA, REFERENCE, TABLE
from trailformat.scan import scan
from trailformat.scan.rows import headers_at
from trailformat.scan.rows.definitions import are_wide, header_positions, metadata_in, metadata_rows
from trailformat.trail.table_definitions import MetadataRecord
from trailformat.trail.writer import CarriedDefinitions

_SMALLEST_RECORD = 46
_SMALLEST_HEADER = 12
_UNKNOWN = -1


class NoRecord(SourceError):
    """A value of the column raw is not a whole record."""


class RawRecords(NamedTuple):
    """The records of a column; arrays have one value per row.

    Attributes:
        buffer: the bytes of the records.
        view: the same bytes as a numpy array of uint8.
        starts: offset of each record in the buffer.
        ends: offset of the end of each.
        is_file_header: mask of the ``F`` records.
        is_little: mask of the little-endian records.
    """

    buffer: memoryview
    view: Any
    starts: Any
    ends: Any
    is_file_header: Any
    is_little: Any

    def bytes_of(self, row: int) -> bytes:
        """Return the bytes of a record."""
        return bytes(self.buffer[int(self.starts[row]) : int(self.ends[row])])

    def order_of(self, row: int) -> ByteOrder:
        """Return the byte order of a record."""
        return ByteOrder.LITTLE if self.is_little[row] else ByteOrder.BIG

    def is_metadata(self, rows: Any) -> Any:
        """Return a mask of the rows that are metadata; none of the rows may be a file header."""
        return self.view[header_positions(self.view, self.starts[rows]) + IO_TYPE_AT] == METADATA


def read_column(column: Any, last_order: ByteOrder | None = None) -> RawRecords:
    """Return the records of a binary ``pyarrow`` array; ``last_order`` is the byte order of the record before it.

    Raises:
        NoRecord: a value is null or not a whole record.
    """
    if column.null_count:
        raise NoRecord(f"row {int(np.flatnonzero(column.is_null())[0])} of a batch: raw is null")
    width = np.int64 if str(column.type).startswith("large") else np.int32
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, dtype=width)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    buffer = memoryview(data if data is not None else b"")
    view = np.frombuffer(buffer, dtype=np.uint8)
    starts, ends = places[:-1], places[1:]
    _refuse(buffer, starts, ends, np.flatnonzero(ends - starts < _SMALLEST_HEADER))
    kind = view[starts]
    is_big, is_little = _orders(view, starts, ends)
    is_file_header = (kind == framing.FILE_HEADER) & is_big
    is_record = (kind == framing.RECORD) & (ends - starts >= _SMALLEST_RECORD) & (is_big | is_little)
    _refuse(buffer, starts, ends, np.flatnonzero(~(is_file_header | is_record)))
    positions = header_positions(view, starts)[is_record]
    _refuse(buffer, starts, ends, np.flatnonzero(is_record)[view[np.minimum(positions, len(view) - 1)] != HDR_IND])
    decided = np.where(is_big & is_little, _UNKNOWN, is_little.astype(np.int8))
    decided[is_file_header] = _UNKNOWN
    return RawRecords(buffer, view, starts, ends, is_file_header, _filled(decided, last_order) == 1)


def _orders(view: Any, starts: Any, ends: Any) -> tuple[Any, Any]:
    """Return masks of the rows whose length and trailer fit their bytes: read big-endian, read little-endian."""
    is_wide = are_wide(view[starts + 1])
    trailer = ends - np.where(is_wide, 6, 4)
    is_framed = (view[trailer] == ord("Z")) & (are_wide(view[trailer + 1]) == is_wide)
    big, little = _numbers(view, starts + 2, is_wide)
    big_again, little_again = _numbers(view, trailer + 2, is_wide)
    length = ends - starts
    fits_big = (big == length) & (big_again == length)
    return is_framed & fits_big, is_framed & (little == length) & (little_again == length)


def _numbers(view: Any, positions: Any, is_wide: Any) -> tuple[Any, Any]:
    """Return numbers of two bytes, or of four where wide, read big-endian and little-endian."""
    first, second = view[positions].astype(np.int64), view[positions + 1].astype(np.int64)
    big, little = first << 8 | second, second << 8 | first
    if is_wide.any():
        third, fourth = (view[positions + np.where(is_wide, number, 0)].astype(np.int64) for number in (2, 3))
        big = np.where(is_wide, big << 16 | third << 8 | fourth, big)
        little = np.where(is_wide, fourth << 24 | third << 16 | little, little)
    return big, little


def _filled(decided: Any, last_order: ByteOrder | None) -> Any:
    """Return the order of each row; if its length reads alike in both, that of the row before, or else of the next."""
    known = np.flatnonzero(decided != _UNKNOWN)
    if len(known) == len(decided):
        return decided
    if not len(known):
        return np.full(len(decided), 1 if last_order is ByteOrder.LITTLE else 0)
    before = np.searchsorted(known, np.arange(len(decided)), side="right") - 1
    filled = decided[known[np.maximum(before, 0)]]
    if last_order is not None:
        filled[before < 0] = int(last_order is ByteOrder.LITTLE)
    return filled


def _refuse(buffer: memoryview, starts: Any, ends: Any, rows: Any) -> None:
    """Raise NoRecord with the reason for the first of these rows, if there are any."""
    if not len(rows):
        return
    row = int(rows[0])
    data = bytes(buffer[int(starts[row]) : int(ends[row])])
    reason = "its length is not that of the value"
    try:
        if data:
            framing.frame_at(data, 0, len(data), ByteOrder.BIG)
    except TrailError as error:
        reason = str(error)
    raise NoRecord(f"row {row} of a batch: raw holds no whole record, {len(data)} bytes: {reason}")


_AHEAD = 64 << 20
SELECT = 'select("file", "seqno", "rba", "raw")'


class SourceUnknown(SourceError):
    """Rows lack the header or the definitions that their new file needs."""


class FrameSource(Protocol):
    """The source of some rows."""

    @property
    def source(self) -> SourceFiles:
        """Path, header and definitions of the source."""

    def rows(self, raw: RawRecords, numbers: Any, rba: Any) -> CopyRows:
        """Return the rows with these numbers, for a copy; ``rba`` has a value per row of ``raw``, or is None."""

    def close(self) -> None:
        """Close the file."""


class FileSource:
    """The source of rows whose file and RBA are known: the file has their header and definitions.

    Raises:
        BadTrail: the file cannot be read.
    """

    def __init__(self, path: str) -> None:
        try:
            self._trail = TrailFile(path)
        except (TrailError, CannotRead) as error:
            raise BadTrail(located(error, path)) from None
        self._scanned = 0
        self._metadata: list[int] = []
        self.source = SourceFiles(path, self._trail.file_header, lambda: SavedDefinitions(self._trail))

    def rows(self, raw: RawRecords, numbers: Any, rba: Any) -> CopyRows:
        """See FrameSource."""
        places = rba[numbers]
        self._learn_to(int(places[-1]))
        trail = self._trail

        def record(row: int) -> Record:
            number = int(numbers[row])
            return Record(raw.bytes_of(number), rba=int(places[row]), order=raw.order_of(number), path=trail.path)

        segment = np.searchsorted(np.array(self._metadata, dtype=np.int64), places)
        return _rows(raw, numbers, segment, record)

    def _learn_to(self, rba: int) -> None:
        """Find the metadata records before ``rba`` and for some bytes after it, since scans of few records are slow."""
        if rba <= self._scanned:
            return
        begun, metadata = self._scanned, list[MetadataRecord]()
        batches = scan(self._trail, begun, min(self._trail.size, rba + _AHEAD))
        for batch in batches:
            metadata += metadata_in(batch, metadata_rows(batch))
        self._scanned = batches.position.rba
        self._trail.tables.learn(begun, self._scanned, metadata)
        self._metadata += [record.rba for record in metadata]

    def close(self) -> None:
        """See FrameSource."""
        self._trail.close()


class HeaderSource:
    """The source of rows that follow their file header in the same frame, with the metadata records between them."""

    def __init__(self, header: Record) -> None:
        known = _SourceDefinitions()
        self.source = SourceFiles(None, header.file_header, lambda: _RowDefinitions(known))
        self._metadata = 0

    def rows(self, raw: RawRecords, numbers: Any, _rba: Any) -> CopyRows:
        """See FrameSource."""
        segment = self._metadata + np.cumsum(raw.is_metadata(numbers))
        self._metadata = int(segment[-1])

        def record(row: int) -> Record:
            number = int(numbers[row])
            return Record(raw.bytes_of(number), order=raw.order_of(number))

        return _rows(raw, numbers, segment, record)

    def close(self) -> None:
        """See FrameSource."""


def _rows(raw: RawRecords, numbers: Any, segment: Any, record: Callable[[int], Record]) -> CopyRows:
    starts = raw.starts[numbers]
    indexes = headers_at(raw.view, starts, raw.is_little[numbers]).table_index
    return CopyRows(raw.buffer, starts, raw.ends[numbers], segment, raw.is_metadata(numbers), indexes, record)


def source_of_file(path: str | None, target: Target) -> FrameSource:
    """Return the source of rows with this value in ``file``.

    Raises:
        SourceUnknown: the value is null.
        TargetRefused: the file is in the target.
        BadTrail: the file cannot be read.
    """
    if path is None:
        raise SourceUnknown(f"a row has no file; write what {SELECT} gives")
    target.refuse_source(path)
    return FileSource(path)


class _SourceDefinitions:
    """The definitions found among the rows of one source so far."""

    def __init__(self) -> None:
        self.carried = CarriedDefinitions()
        self.indexes: set[int] = set()


class _RowDefinitions:
    """Definitions for one new file, from the metadata records among the rows."""

    def __init__(self, known: _SourceDefinitions) -> None:
        self._known = known
        known.carried.new_file()

    def before(self, record: Record) -> Iterator[Record]:
        """See Definitions."""
        index = None if record.is_metadata else record.table_index
        if index is not None and index not in self._known.indexes:
            raise SourceUnknown(f"table index {index} is defined in no row before; write what {SELECT} gives")
        yield from self._known.carried.wanted_by(record)

    def own_form(self, record: Record) -> Record:
        """See Definitions."""
        if record.header.orig_node == REFERENCE:
            raise SourceUnknown(f"a row refers to an earlier table definition; write what {SELECT} gives")
        self._known.carried.learn(record)
        self._known.carried.note(record)
        if record.header.orig_node == TABLE:
            self._known.indexes.add(record.metadata_indexes[1])
        return record
