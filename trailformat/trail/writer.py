"""Writing a trail: whole or not at all.

Its files get their names when all are complete; after an error, an interrupt or a full disk no file remains.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileContents
from trailformat.codec.remote.path import place
from trailformat.codec.tokens import Token
from trailformat.errors import CannotWrite, TrailError
from trailformat.records.file_header import FileHeader, Value, replace_values
from trailformat.records.images import Images
from trailformat.records.record import Record, make_file_header_record, make_record
from trailformat.records.record_header import RecordHeader
from trailformat.trail.carried_definitions import CarriedDefinitions
from trailformat.trail.sequence import TrailName
from trailformat.trail.whole_file import StagedFiles, cannot_write, mark_as_copy
from trailformat.trail.whole_file.early import EarlyWriting, parts


class TrailWriter:
    """Writes records to a trail file, and on to the next of its sequence when ``max_bytes`` is reached.

    Used as a context manager: leaving it normally commits, leaving it by an exception aborts.

    Args:
        path: the first file, such as ``dirdat/lt000000``.
        order: byte order of the records that :meth:`write_values` builds.
        file_header: written at the head of every file, with FileName and Seqno of that file; None writes none (a copy
            of a trail brings its own header record).
        max_bytes: size over which a file is not to grow; a single record may be larger. None: one file.
        replace: whether existing files may be replaced.
        is_copy: whether its files are marked as copies of others (``whole_file.copies``).

    Raises:
        CannotWrite: a target exists, cannot be created or written, or rolling over has no next name.
    """

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
        self._size = self._head_size = 0
        self._definitions = CarriedDefinitions()
        self._start(place(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        else:
            self.abort()

    @property
    def size(self) -> int:
        """Bytes in the file being written."""
        return self._size

    def write(self, record: Record) -> None:
        """Write a record as it is, byte for byte; definitions it needs go before it when a new file lacks them."""
        try:
            if record.is_file_header:
                self._head = record
                self._put(record)
                self._head_size = self._size
                return
            self._roll_before(record)
            for definition in self._definitions.wanted_by(record) if self._is_rolled else ():
                self._put(definition)
            self._put(self._carried(record) if record.is_metadata else record)
        except (OSError, ValueError) as error:
            raise self._aborted(error, self.paths[-1]) from error

    def begin(self, path: Path) -> None:
        """Finish the file being written and begin another, without a head."""
        self._finish_or_abort()
        self._head = None
        self._start(path)

    def finish(self) -> tuple[Path, ...]:
        """Finish the file being written.

        Return the temporary paths of all files, which can be read before ``commit``.
        """
        self._finish_or_abort()
        return self._files.paths

    def _finish_or_abort(self) -> None:
        try:
            self._finish()
        except OSError as error:
            raise self._aborted(error, self.paths[-1]) from error

    def write_bytes(self, data: bytes | memoryview, records: int) -> None:
        """Write the bytes of whole records that need no definitions before them; the file does not roll over."""
        try:
            self._open_file().write(data)
        except (OSError, ValueError) as error:
            raise self._aborted(error, self.paths[-1]) from error
        self._grow(len(data), records)

    def copy_range(self, source: FileContents, start: int, stop: int, records: int) -> None:
        """Write the bytes from ``start`` to before ``stop`` of another file, as :meth:`write_bytes` does.

        Raises:
            NotATrail: the source has been truncated.
            CannotWrite: as in ``write``.
        """
        file = self._open_file()
        try:
            file.flush()
            for begin, end in parts(start, stop):
                source.copy_to(file.fileno(), begin, end)
                self._grow(end - begin, 0)
        except OSError as error:
            raise self._aborted(error, self.paths[-1]) from error
        self.records_written += records

    @property
    def _is_rolled(self) -> bool:
        """True if the file being written is not the first, so that it needs the definitions of the first one."""
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
        """Build a record in this writer's byte order, write it, and return it."""
        record = make_record(header, data, tuple(gg_tokens), user_tokens, self.order)
        record.rba = self._size
        self.write(record)
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
        try:
            self._file = self._files.new(path)
            self._early = EarlyWriting(self._file)
            self.paths.append(path)
            self._size = self._head_size = 0
            if self._head is not None:
                self._put(make_file_header_record(_named(self._head.file_header, path, is_rolled=self._is_rolled)))
                self._head_size = self._size
        except (OSError, ValueError) as error:
            raise self._aborted(error, path) from error
        except TrailError:
            self.abort()
            raise

    def _aborted(self, error: OSError | ValueError, path: Path) -> CannotWrite:
        """Abort, and return the error for the system's reason."""
        self.abort()
        return cannot_write(error, path)

    def _open_file(self) -> BinaryIO:
        if self._file is None:
            raise CannotWrite("the writer is closed", path=self.paths[-1])
        return self._file

    def _put(self, record: Record) -> None:
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
        """Sync what was written and give every file its name.

        Raises:
            CannotWrite: no file has a target's name.
        """
        try:
            self._finish()
            self._files.publish()
        except OSError as error:
            raise self._aborted(error, self.paths[-1]) from error
        except BaseException:
            self.abort()
            raise

    def abort(self) -> None:
        """Remove everything that was written."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None
        self._files.discard()


def _named(header: FileHeader, path: Path, *, is_rolled: bool) -> FileHeader:
    """``header`` with FileName and Seqno of ``path``; where a rolled file begins is not known from the first."""
    name = TrailName.parse(path)
    values: dict[str, Value] = {"FileName": str(path), "Seqno": name.seqno if name else 0}
    if is_rolled:
        values |= {"FirstCSN": None, "FirstIOTime": None}
    return replace_values(header, "TrailInfo", values)
