"""The sources of a DataFrame's rows, and the records that their new files have to begin with.

They are read from the source file where ``file`` and ``rba`` are selected, else from the file header and the metadata
records among the rows themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from logdump.features.save.header import SavedDefinitions
from logdump.features.save.ranges import CopyRows
from logdump.spark.errors import BadTrail, SourceError, located
from logdump.spark.write.part_files import SourceFiles
from logdump.spark.write.raw_records import RawRecords
from logdump.spark.write.target import Target
from trailformat import CannotRead, Record, TrailError, TrailFile
from trailformat.definitions.metadata import REFERENCE, TABLE
from trailformat.scan import scan
from trailformat.scan.rows import headers_at
from trailformat.scan.rows.definitions import metadata_in, metadata_rows
from trailformat.trail.table_definitions import MetadataRecord
from trailformat.trail.writer import CarriedDefinitions

_AHEAD = 64 << 20
SELECT = 'select("file", "seqno", "rba", "raw")'


class SourceUnknown(SourceError):
    """The error for rows that lack what their new file has to begin with."""


class FrameSource(Protocol):
    """The source of some rows."""

    @property
    def source(self) -> SourceFiles:
        """The source, as a file to be written needs it."""

    def rows(self, raw: RawRecords, numbers: Any, rba: Any) -> CopyRows:
        """The rows of these numbers, as a copy takes them; ``rba`` has a value per row of ``raw``, or is None."""

    def close(self) -> None:
        """Let go of the file."""


class FileSource:
    """Rows whose file and RBA are known: the file has their header and definitions.

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
        """See RowSource."""
        places = rba[numbers]
        self._learn_to(int(places[-1]))
        trail = self._trail

        def record(row: int) -> Record:
            number = int(numbers[row])
            return Record(raw.bytes_of(number), rba=int(places[row]), order=raw.order_of(number), path=trail.path)

        segment = np.searchsorted(np.array(self._metadata, dtype=np.int64), places)
        return _rows(raw, numbers, segment, record)

    def _learn_to(self, rba: int) -> None:
        """Look for the metadata records before ``rba``, and some way on, so that columns pay."""
        if rba <= self._scanned:
            return
        begun, metadata = self._scanned, list[MetadataRecord]()
        batches = scan(self._trail, begun, min(self._trail.size, rba + _AHEAD))
        for batch in batches:
            metadata += metadata_in(batch, metadata_rows(batch))
        self._scanned = batches.position.rba
        self._trail.tables.learn(begun, self._scanned, metadata)
        self._metadata += [one.rba for one in metadata]

    def close(self) -> None:
        """See RowSource."""
        self._trail.close()


class HeaderSource:
    """Rows that follow the file header they come from, as rows themselves, with the metadata between them."""

    def __init__(self, header: Record) -> None:
        known = _Known()
        self.source = SourceFiles(None, header.file_header, lambda: _RowDefinitions(known))
        self._metadata = 0

    def rows(self, raw: RawRecords, numbers: Any, _rba: Any) -> CopyRows:
        """See RowSource."""
        segment = self._metadata + np.cumsum(raw.is_metadata(numbers))
        self._metadata = int(segment[-1])

        def record(row: int) -> Record:
            number = int(numbers[row])
            return Record(raw.bytes_of(number), order=raw.order_of(number))

        return _rows(raw, numbers, segment, record)

    def close(self) -> None:
        """See RowSource."""


def _rows(raw: RawRecords, numbers: Any, segment: Any, record: Callable[[int], Record]) -> CopyRows:
    starts = raw.starts[numbers]
    indexes = headers_at(raw.view, starts, raw.is_little[numbers]).table_index
    return CopyRows(raw.buffer, starts, raw.ends[numbers], segment, raw.is_metadata(numbers), indexes, record)


def source_of_file(path: str | None, target: Target) -> FrameSource:
    """The source of rows with this value in ``file``.

    Raises:
        SourceUnknown: it is null.
        TargetRefused: it is in the target.
        BadTrail: the file cannot be read.
    """
    if path is None:
        raise SourceUnknown(f"a row has no file; write what {SELECT} gives")
    target.refuse_source(path)
    return FileSource(path)


class _Known:
    """The definitions met among the rows of one source so far."""

    def __init__(self) -> None:
        self.carried = CarriedDefinitions()
        self.indexes: set[int] = set()


class _RowDefinitions:
    """Definitions for one new file, from the metadata records among the rows."""

    def __init__(self, known: _Known) -> None:
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
