"""Writing a trail, all of it or nothing.

Its files get their names when all are complete; after an error, an interrupt or a full disk no file remains.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileContents
from trailformat.codec.remote.path import place
from trailformat.codec.tokens import Token
from trailformat.errors import CannotWrite
from trailformat.records.columns import Images
from trailformat.records.file_header import FileHeader, Value, replace_values
from trailformat.records.record import Record, make_file_header_record, make_record
from trailformat.records.record_header import DATABASE, REFERENCE, TABLE, RecordHeader
from trailformat.trail.sequence import TrailName
from trailformat.trail.whole_file import StagedFiles, cannot_write, mark_as_copy
from trailformat.trail.whole_file.early import EarlyWriting, parts

if TYPE_CHECKING:
    from trailformat.trail.file import TrailFile
    from trailformat.trail.table_definitions import TableEntry


class CarriedDefinitions:
    """The definitions of a source, and which of them the current file of the target has."""

    def __init__(self) -> None:
        self._database: Record | None = None
        self._tables: dict[int, Record] = {}
        self._highest = 0
        self._told: set[int] = set()
        self._database_told = False

    def learn(self, record: Record) -> Record:
        """Add a metadata record of the source; return it in the form for a rolled file: a reference as a TDR."""
        kind = record.header.orig_node
        _, index = record.metadata_indexes
        if kind == DATABASE:
            self._database = record
            self._database_told = False
            return record
        if kind == REFERENCE and index in self._tables:
            own = self._highest + 1
            index, record = own, resolve_reference(record, self._tables[index], own)
        if kind in (TABLE, REFERENCE):
            self._tables[index] = record
            self._highest = max(self._highest, index)
            self._told.discard(index)
        return record

    def wanted_by(self, record: Record) -> list[Record]:
        """Return the definitions to be written before ``record``; they count as written from then on."""
        index = record.table_index
        wanted: list[Record] = []
        defines_table = record.is_metadata and record.header.orig_node != DATABASE
        if self._database is not None and not self._database_told and (defines_table or index is not None):
            wanted.append(self._database)
            self._database_told = True
        if index is not None and index in self._tables and index not in self._told:
            wanted.append(self._tables[index])
            self._told.add(index)
        return wanted

    def note(self, record: Record) -> None:
        """Note that the current file has this metadata record now."""
        kind = record.header.orig_node
        if kind == DATABASE:
            self._database_told = True
        elif kind == TABLE:
            self._told.add(record.metadata_indexes[1])
        elif kind == REFERENCE:
            self._told.add(self._highest)

    def new_file(self) -> None:
        """Begin another file of the target, without definitions."""
        self._told.clear()
        self._database_told = False


def definition_of(trail: TrailFile, entry: TableEntry) -> Record | None:
    """Return the TDR of an entry, with the entry's own index and name; None if it is lost.

    Raises:
        TrailError: the record is damaged.
    """
    if entry.definition_rba is None:
        return None
    definition = trail.record_at(entry.definition_rba)
    if definition is None or entry.rba == entry.definition_rba:
        return definition
    reference = trail.record_at(entry.rba)
    return resolve_reference(reference, definition, entry.table_index) if reference is not None else None


def resolve_reference(reference: Record, definition: Record, own_index: int) -> Record:
    """Return a reference as a TDR, with its name, time and own index, and the data of the TDR that it refers to."""
    order = reference.order
    ddr, _ = reference.metadata_indexes
    indexes = order.decode(order.encode(ddr, 2) + order.encode(own_index, 2))
    header = reference.header._replace(orig_node=TABLE, audit_rba=indexes)
    return make_record(header, definition.data, order=order)


class _OrNothing:
    """A context in which an error ends a writer: half a record, or a trail that lacks one, is never committed."""

    def __init__(self, writer: TrailWriter, path: Path | None = None) -> None:
        self._writer = writer
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and (failure := self._writer.fail(error, self._path)) is not error:
            raise failure from error


class TrailWriter:
    """Writes records to a trail file and rolls over to the next one at ``max_bytes``.

    As a context manager it commits, or aborts after an exception. One that is dropped before it has committed removes
    its files, with a ResourceWarning. What it failed to write it does not commit, though the error was caught.

    Args:
        path: the first file, such as ``dirdat/lt000000``.
        order: byte order of the records that :meth:`write_values` builds.
        file_header: written at the head of every file, with FileName and Seqno of that file; None: no header is written
            (a copy of a trail has its own header record).
        max_bytes: maximum size of a file, exceeded only by a single larger record; None: one file.
        replace: True if existing files may be replaced.
        is_copy: True if its files are to be marked as copies of others (``whole_file.mark_as_copy``).

    Raises:
        CannotWrite: a target exists, cannot be created or written, or there is no next name to roll over to.
    """

    _is_over = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        order: ByteOrder = ByteOrder.BIG,
        file_header: FileHeader | None = None,
        max_bytes: int | None = None,
        replace: bool = False,
        is_copy: bool = False,
    ) -> None:
        self.order = order
        self.paths: list[Path] = []
        self.records_written = 0
        self._head = make_file_header_record(file_header) if file_header is not None else None
        self._max_bytes = max_bytes
        self._is_copy = is_copy
        self._files = StagedFiles(replace=replace)
        self._file: BinaryIO | None = None
        self._size = self._head_size = self._latest = 0
        self._definitions = CarriedDefinitions()
        self._failure: BaseException | None = None
        self._is_over = False
        self._start(place(path))

    def __repr__(self) -> str:
        state = ", closed" if self._is_over else ""
        return (
            f"<TrailWriter {str(self.paths[-1])!r}, {self._size} bytes, {self.records_written} records written{state}>"
        )

    def __enter__(self) -> Self:
        return self

    def __del__(self) -> None:
        if not self._is_over:
            self.abort()
            text = f"the TrailWriter of {', '.join(map(str, self.paths))} was dropped before it committed"
            warnings.warn(text, ResourceWarning, stacklevel=2, source=self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.abort()
        elif self._failure is not None or not self._is_over:
            self.commit()

    @property
    def size(self) -> int:
        """Bytes in the file being written."""
        return self._size

    def write(self, record: Record) -> None:
        """Write a record byte for byte, in a rolled file after the definitions that it needs and the file lacks.

        A reference in a rolled file is written as a TDR.
        """
        with _OrNothing(self):
            if record.is_file_header:
                self._head = record
                self._put(record)
                self._head_size = self._size
                return
            self._roll_before(record)
            for definition in self._definitions.wanted_by(record) if self._is_rolled else ():
                self._put(definition)
            self._put(self._carried(record) if record.is_metadata else record)

    def begin(self, path: Path) -> None:
        """Finish the file being written and begin another, without a head."""
        with _OrNothing(self):
            self._finish()
            self._head = None
            self._start(path)

    def finish(self) -> tuple[Path, ...]:
        """Finish the file being written; return the temporary paths of all files, for reading before ``commit``."""
        with _OrNothing(self):
            self._finish()
        return self._files.paths

    def write_bytes(self, data: bytes | memoryview, records: int) -> None:
        """Write the bytes of whole records that need no definitions before them; the file does not roll over."""
        with _OrNothing(self):
            self._open_file().write(data)
            self._grow(len(data), records)

    def copy_range(self, source: FileContents, start: int, stop: int, records: int) -> None:
        """Write the bytes from ``start`` to before ``stop`` of another file, as :meth:`write_bytes` does.

        Raises:
            CannotRead: the source has been truncated or cannot be read.
            CannotWrite: as in ``write``.
        """
        with _OrNothing(self):
            file = self._open_file()
            file.flush()
            for begin, end in parts(start, stop):
                source.copy_to(file.fileno(), begin, end)
                self._grow(end - begin, 0)
            self.records_written += records

    @property
    def _is_rolled(self) -> bool:
        """True if the file being written is not the first one, so that it needs definitions of earlier files."""
        return len(self.paths) > 1

    def _carried(self, record: Record) -> Record:
        carried = self._definitions.learn(record)
        written = carried if self._is_rolled else record
        self._definitions.note(written)
        return written

    def write_values(
        self,
        header: RecordHeader,
        data: bytes | Images = b"",
        gg_tokens: Sequence[Token] = (),
        user_tokens: bytes = b"",
    ) -> Record:
        """Build a record in this writer's byte order, write it, and return it with its file and its RBA there."""
        record = make_record(header, data, tuple(gg_tokens), user_tokens, self.order)
        self.write(record)
        record.path, record.rba = self.paths[-1], self._latest
        return record

    def _roll_before(self, record: Record) -> None:
        full = self._max_bytes is not None and self._size + record.length > self._max_bytes
        if not full or self._size <= self._head_size:
            return
        name = TrailName.parse(self.paths[-1])
        if name is None:
            raise CannotWrite(
                "no sequence number to roll over from", path=self.paths[-1], expected="a name like lt000000"
            )
        self._finish()
        self._definitions.new_file()
        self._start(name.next.path)

    def _start(self, path: Path) -> None:
        if self._is_over:
            raise self._closed
        with _OrNothing(self, path):
            self._file = self._files.new(path)
            self._early = EarlyWriting(self._file)
            self.paths.append(path)
            self._size = self._head_size = 0
            if self._head is not None:
                self._put(make_file_header_record(_named(self._head.file_header, path, is_rolled=self._is_rolled)))
                self._head_size = self._size

    def fail(self, error: BaseException, path: Path | None = None) -> BaseException:
        """Abort, and return the error that :meth:`commit` raises from now on: for one of the system its reason."""
        if not self._is_over:
            self.abort()
            of_system = error if isinstance(error, OSError | ValueError) else None
            self._failure = cannot_write(of_system, path or self.paths[-1]) if of_system else error
        return self._failure or error

    @property
    def _closed(self) -> CannotWrite:
        return CannotWrite("the writer is closed", path=self.paths[-1])

    def _open_file(self) -> BinaryIO:
        if self._file is None:
            raise self._closed
        return self._file

    def _put(self, record: Record) -> None:
        self._latest = self._size
        for piece in record.pieces():
            self._open_file().write(piece)
        self._grow(record.length, 1)

    def _grow(self, size: int, records: int) -> None:
        self._size += size
        self.records_written += records
        self._early.reach(self._size)

    def _finish(self) -> None:
        if self._file is not None:
            if self._is_copy:
                mark_as_copy(self._file.fileno())
            self._files.finish(self._file)
            self._file = None

    def commit(self) -> None:
        """Sync the files and give each its name.

        Raises:
            CannotWrite: this failed, and no file got its name; or the writer is closed.
            TrailError, CannotRead: a call before failed, and its error was caught.
        """
        if self._failure is not None:
            raise self._failure
        if self._is_over:
            raise self._closed
        with _OrNothing(self):
            self._finish()
            self._files.publish()
            self._is_over = True

    def abort(self) -> None:
        """Remove all files written."""
        self._is_over = True
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None
        self._files.discard()


def _named(header: FileHeader, path: Path, *, is_rolled: bool) -> FileHeader:
    """Return ``header`` with FileName and Seqno of ``path``; in a rolled file without FirstCSN and FirstIOTime."""
    name = TrailName.parse(path)
    values: dict[str, Value] = {"FileName": str(path), "Seqno": name.seqno if name else 0}
    if is_rolled:
        values |= {"FirstCSN": None, "FirstIOTime": None}
    return replace_values(header, "TrailInfo", values)
