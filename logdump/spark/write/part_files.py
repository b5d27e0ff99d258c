"""The files that one attempt of a task writes, in its own folder: one for each source, and on to the next when full."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from logdump.features.save.header import own_header
from logdump.spark.write.publish import StagedFile
from logdump.spark.write.target import Target
from trailformat import CannotWrite, FileHeader, Record, TrailWriter, make_file_header_record
from trailformat.codec.mapped_file import FileContents

_NAME = "tr{:09d}"


class Definitions(Protocol):
    """The definitions of a source that a new file already holds."""

    def before(self, record: Record) -> Iterator[Record]:
        """The definitions to be written before a record."""

    def own_form(self, record: Record) -> Record:
        """A metadata record that is written itself, in the form that means the same in the new file."""


class SourceFiles(NamedTuple):
    """A source of records: its path where it is known, its file header, and definitions for one new file."""

    path: str | None
    header: FileHeader | None
    definitions: Callable[[], Definitions]


class PartFiles:
    """Writes records, each after the definitions it needs, into files that stand alone.

    Args:
        directory: makes an empty folder; called for the first record.
        max_bytes: size over which a file is not to grow; a single record may be larger. None: no limit.
        target: the target that the files will have. FileName in their headers is as long as it will be there, so that
            they are not written again when they get their names.
    """

    def __init__(self, directory: Callable[[], Path], max_bytes: int | None, target: Target | None = None) -> None:
        self.parts: list[StagedFile] = []
        self._make_directory = directory
        self._directory: Path | None = None
        self._max_bytes = max_bytes
        self._target = target
        self._source: SourceFiles | None = None
        self._writer: TrailWriter | None = None
        self._definitions: Definitions | None = None
        self._head_size = self._records = 0

    def begin(self, source: SourceFiles) -> None:
        """Begin a source: the records that follow come from it and go to files of its own."""
        self.end()
        self._source, self._definitions = source, None

    @property
    def room(self) -> int:
        """Bytes that the file being written takes as they are; 0 where the next record begins a file."""
        if self._writer is None:
            return 0
        return max(self._max_bytes - self._writer.size, 0) if self._max_bytes is not None else 1 << 62

    def write(self, record: Record) -> bool:
        """Write a record and what it needs before it; whether a new file begins with it."""
        writer, definitions = self._writer, self._definitions
        wanted = [*definitions.before(record)] if definitions is not None else []
        is_new = writer is None or (
            sum(needed.length for needed in (*wanted, record)) > self.room and writer.size > self._head_size
        )
        if is_new:
            writer, definitions = self._start(record)
            wanted = [*definitions.before(record)]
        assert writer is not None and definitions is not None  # noqa: PT018, S101 - for the type checker
        for definition in wanted:
            writer.write(definition)
        writer.write(definitions.own_form(record) if record.is_metadata else record)
        self._records += 1
        return is_new

    def write_bytes(self, data: bytes | memoryview, records: int) -> None:
        """Write the bytes of whole records that need nothing before them and fit in the room."""
        if self._writer is None:
            raise CannotWrite("no file has been begun")
        self._writer.write_bytes(data, records)
        self._records += records

    def copy_range(self, source: FileContents, start: int, stop: int, records: int) -> None:
        """Write a range of another file, of such records."""
        if self._writer is None:
            raise CannotWrite("no file has been begun")
        self._writer.copy_range(source, start, stop, records)
        self._records += records

    def _start(self, first: Record) -> tuple[TrailWriter, Definitions]:
        self.end()
        if self._source is None:
            raise CannotWrite("no source has been named")
        if self._directory is None:
            self._directory = self._make_directory()
        path = self._directory / _NAME.format(len(self.parts))
        self._writer = TrailWriter(path, order=first.order)
        self._definitions = self._source.definitions()
        if self._source.header is not None:
            name = path if self._target is None else self._target.likely_name(self._source.path)
            self._writer.write(make_file_header_record(own_header(self._source.header, path, str(name), first)))
        self._head_size = self._writer.size
        return self._writer, self._definitions

    def end(self) -> None:
        """Finish the file being written, if there is one."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        writer.commit()
        source = self._source.path if self._source else None
        path = str(writer.paths[0])
        self.parts.append(StagedFile(path, source, self._records, writer.size))
        self._records = 0

    def abort(self) -> None:
        """Close the file being written, and forget it."""
        if self._writer is not None:
            self._writer.abort()
            self._writer = None
