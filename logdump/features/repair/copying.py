"""The bytes of a copy: runs of the source as they stand there, and definitions from elsewhere between them."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import NamedTuple

from logdump.features.repair.byte_ranges import ByteRange, ByteRanges
from logdump.features.repair.definitions import CopiedDefinitions
from logdump.features.repair.file_survey import FileSurvey
from logdump.features.repair.headers import NewHeader
from trailformat import Record, TrailFile, TrailWriter
from trailformat.changes.transactions import is_transactional
from trailformat.codec.mapped_file import MappedFile
from trailformat.definitions.metadata_kinds import REFERENCE
from trailformat.trail.carried_definitions import definition_of

_CHUNK = 1 << 20


class FileCopy(NamedTuple):
    """What of a file of the source goes into the copy; ``left_out`` holds the records of transactions that do not."""

    survey: FileSurvey
    definitions: CopiedDefinitions
    left_out: ByteRanges

    def first_row(self, trail: TrailFile) -> Record | None:
        """The first record of a transaction in the copy."""
        records = (one for piece in self.pieces(trail, 0) for one in _records(trail, piece))
        return next((one for one in records if is_transactional(one)), None)

    def pieces(self, trail: TrailFile, begin: int) -> Iterator[ByteRange | Record]:
        """Runs of the source from ``begin`` on, and records that stand elsewhere."""
        additions = iter(self.definitions.additions)
        addition = next(additions, None)
        at = begin
        end = [ByteRange(self.survey.end, self.survey.end)]
        for gap in merge(self.survey.damage, self._rows(trail), self._references(trail), end):
            stop = min(gap.start, self.survey.end)
            while addition is not None and addition.rba <= stop:
                if at < addition.rba:
                    yield ByteRange(at, addition.rba)
                    at = addition.rba
                yield addition.record
                addition = next(additions, None)
            if at < stop:
                yield ByteRange(at, stop)
            at = max(at, gap.stop)

    def _rows(self, trail: TrailFile) -> Iterator[ByteRange]:
        """The records that are left out with their transactions: definitions and restart records among them are not."""
        for span in self.left_out:
            for run in self.survey.damage.outside(span.start, min(span.stop, self.survey.end)):
                for record in filter(is_transactional, _records(trail, run)):
                    yield ByteRange(record.rba, record.rba + record.length)

    def _references(self, trail: TrailFile) -> Iterator[ByteRange]:
        for rba in self.definitions.left_out:
            yield ByteRange(rba, rba + trail.record_length(rba))


def _records(trail: TrailFile, piece: ByteRange | Record) -> Iterator[Record]:
    """The records of a piece."""
    if isinstance(piece, Record):
        yield piece
        return
    for rba in trail.sound_rbas(*piece):
        record = trail.record_at(rba)
        if record is not None:
            yield record


def write_as_it_is(writer: TrailWriter, trail: TrailFile, copy: FileCopy, header: NewHeader) -> None:
    """Write the copy of a file into a file of its own."""
    if header.record is not None:
        writer.write_bytes(header.record.raw, 1)
    for piece in copy.pieces(trail, header.begin):
        if isinstance(piece, Record):
            writer.write_bytes(piece.raw, 1)
            continue
        if isinstance(trail.buffer, MappedFile):
            writer.copy_range(trail.buffer, *piece, 0)
            continue
        for start in range(*piece, _CHUNK):
            writer.write_bytes(trail.bytes[start : min(start + _CHUNK, piece.stop)], 0)


def write_on(writer: TrailWriter, trail: TrailFile, copy: FileCopy, header: NewHeader | None) -> Iterator[Record]:
    """Write the copy of a file record by record behind what there is, in files that are begun where one is full.

    Yields each record that is written.

    Without a ``header`` that of the file is left out.
    """
    if header is not None and header.record is not None:
        writer.write(header.record)
    for piece in copy.pieces(trail, header.begin if header is not None else trail.first_rba):
        for record in _records(trail, piece):
            writer.write(_own_form(trail, record))
            yield record


def _own_form(trail: TrailFile, record: Record) -> Record:
    """A reference as a TDR: its index is that of its place in the source."""
    if record.is_metadata and record.header.orig_node == REFERENCE and record.path is not None:
        entry = trail.tables.defined_at(record.rba)
        return (definition_of(trail, entry) if entry is not None else None) or record
    return record
