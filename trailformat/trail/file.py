"""A trail file, memory-mapped: its records by RBA, forwards, backwards, and after damage."""

from __future__ import annotations

import contextlib
import mmap
import os
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import (
    MOST_RECENT,
    FileBuffer,
    FileBytes,
    FileContents,
    InputFile,
    RecentBytes,
    Source,
    as_read,
    copied,
    is_read,
)
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import place
from trailformat.codec.tokens import TokenPlace, length_at
from trailformat.errors import BadRecord, CannotRead, NotATrail, PartialRecord, TrailError, not_opened
from trailformat.records import framing, record_header
from trailformat.records.record import LARGEST, Record
from trailformat.records.record_header import IO_TYPE_AT, CarriedTransaction
from trailformat.trail import command_files
from trailformat.trail.command_files import FilesRead, reading
from trailformat.trail.packed import open_unpacked
from trailformat.trail.table_definitions import KnownPlaces, TableDefinitions, TableEntry

if TYPE_CHECKING:
    from trailformat.records.file_header import FileHeader

with on_demand:
    from trailformat.native import loaded
    from trailformat.records import large_record
    from trailformat.trail import resync

_TOGETHER = 1 << 16  # bytes that records_at reads
_FAR = 1 << 17
"""Bytes above which a kernel searches for metadata: loading it takes 10 ms, as long as a walk over 700 records."""
_WINDOW = 1 << 19
"""Bytes that the kernel searches in one call: they stay in the cache of the core (70 % of the time with 4 MB)."""
_HEADER = 1 << 13
"""Bytes of a record in which the kernel expects its header; a record with a longer one is read by the walk."""
_MOST_RESULTS = 256
_SETTLED = 2_000_000_000
"""Nanoseconds after the last change of a file; a write after this time is certain to change its mtime."""


class TrailFile:
    """One file of a trail, read-only.

    The file may grow while it is open: every access checks its size first. Reading an incomplete last record raises
    :class:`PartialRecord`. Files from before release 10 have no file header.

    Args:
        path: the file.
        beginnings: the transactions open at the beginnings of files, shared by readers of many files.

    Attributes:
        packing: the format in which the file is packed, such as ``gzip``; None if it is read in place.
        known: facts about the file from an index; None without one.

    Raises:
        NotATrail: it cannot be opened, is empty, or has no sound record.
        CannotRead: a read failed; every method may raise it.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, beginnings: dict[Path, CarriedTransaction | None] | None = None
    ) -> None:
        self.path = place(path)
        self.packing: str | None = None
        self._packed: os.stat_result | None = None
        self.order = ByteOrder.BIG
        self._order_known = False
        self._first_order: ByteOrder | None = None
        self._source: FileContents | None = None
        self._size = self._changed = 0
        self._kept: FileBytes | None = None
        self._recent: RecentBytes | None = None
        self._file: InputFile | None = self._open()
        try:
            self.refresh()
            self._check()
        except BaseException:
            self.close()
            raise
        self.tables = TableDefinitions(self)
        self.known: KnownPlaces | None = None
        self.beginnings = beginnings if beginnings is not None else {}

    def __repr__(self) -> str:
        state = "" if self._file is not None else ", closed"
        return f"<TrailFile {str(self.path)!r}, {self._size} bytes, {self.order.name.lower()}-endian{state}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and its mapping."""
        self._unmap()
        if self._file is not None:
            file, self._file = self._file, None
            with contextlib.suppress(OSError):
                file.close()

    def twin(self) -> TrailFile:
        """Return the same file opened again, for another thread: only one thread at a time may use a TrailFile.

        Raises:
            CannotRead: the file is closed, or no more files can be opened.
        """
        other = object.__new__(TrailFile)
        other.path, other.order, other.packing, other._packed = self.path, self.order, self.packing, self._packed
        other._order_known, other._first_order = self._order_known, self._first_order
        other._source, other._size, other._changed, other._kept, other._recent = None, 0, 0, None, None
        other.known, other.beginnings = None, {}
        other.tables = TableDefinitions(other)
        if self._file is None:
            raise CannotRead("the file is closed", path=self.path)
        try:
            other._file = self._file.twin()
        except OSError as error:
            raise CannotRead.of(error, self.path) from error
        return other

    def _open(self) -> InputFile:
        try:
            opened = open_unpacked(self.path)
        except (OSError, ValueError) as error:
            if isinstance(error, FileNotFoundError) and (files := reading()) is not None:
                files.check_removed(self.path)
            raise not_opened(error, self.path) from error
        if (files := reading()) is not None:
            try:
                files.opened(self.path, opened.status, opened.file, is_packed=opened.packing is not None)
            except CannotRead:
                opened.file.close()
                raise
        self.packing = opened.packing
        self._packed = opened.status if opened.packing is not None else None
        return opened.file

    def forget_read(self) -> None:
        """Forget what was read: the file was rewritten in place."""
        self._kept = self._recent = self._first_order = self.known = None
        self._order_known = False
        self.tables = TableDefinitions(self)

    def note_in(self, files: FilesRead) -> None:
        """Note for a command that this is the file of its path; a file that cannot be examined is not noted."""
        with contextlib.suppress(CannotRead):
            files.opened(self.path, self.status, is_packed=self._packed is not None)

    def keep_recent(self) -> None:
        """Keep the bytes that a scan reads, so that accesses to its rows do not read them again."""
        self._recent = RecentBytes()
        if self._source is not None:
            self._source.recent = self._recent

    @property
    def most_looked_at(self) -> int:
        """Approximate maximum of bytes per batch of a scan; with ``keep_recent``, few enough to be kept whole."""
        return MOST_RECENT * 2 // 3 if self._recent is not None else 1 << 62

    def refresh(self) -> int:
        """Check the file's size, map bytes that have been added, and return the size in bytes.

        Raises:
            CannotRead: the file can no longer be read.
        """
        if self._file is None:
            raise NotATrail("the file is closed", path=self.path)
        try:
            status = self._file.status()
            if status.st_size != self._size or self._source is None:
                self._remap(self._file, status.st_size)
            if status.st_mtime_ns != self._changed:
                self._changed, self._kept = status.st_mtime_ns, None
        except (OSError, ValueError) as error:
            raise CannotRead.of(error, self.path) from error
        return self._size

    @property
    def settled_state(self) -> tuple[int, int] | None:
        """Size and mtime (ns), equal later if the file has not changed; None for two seconds after a change.

        Raises:
            CannotRead: the file can no longer be read.
        """
        size = self.refresh()
        return (size, self._changed) if time.time_ns() - self._changed > _SETTLED else None

    def _remap(self, file: InputFile, size: int) -> None:
        self._unmap()
        former, self._size, self._kept = self._size, 0, None
        if size:
            self._source = file.source(size, self.path, self._recent)
        self._size = size
        if size < former:
            self._first_order, self._recent = None, None
            raise CannotRead.cut(self.path, size)

    def _unmap(self) -> None:
        """Release the mapping; if a view of it exists, it stays until the view is released."""
        if isinstance(self._source, mmap.mmap):
            with contextlib.suppress(BufferError):
                self._source.close()
        self._source = None

    def _check(self) -> None:
        if not self._size:
            raise NotATrail("the file is empty", path=self.path, rba=0, expected="a file header or a record")
        try:
            self.record_at(0)
        except PartialRecord as error:
            raise NotATrail(
                "the file ends inside its first record",
                path=self.path,
                rba=0,
                expected=error.expected,
                found=error.found,
            ) from error
        except TrailError as error:
            if self.next_good_header(1) is None:
                raise NotATrail(
                    "this is not a trail file: no sound record in it",
                    path=self.path,
                    rba=0,
                    expected=error.expected,
                    found=error.found,
                ) from error
        self._detect_order()

    def _detect_order(self) -> None:
        """Set the byte order of the first ``G`` record; the file header is big-endian in every trail seen."""
        if self.first_order is not None:
            self.order, self._order_known = self.first_order, True

    @property
    def first_order(self) -> ByteOrder | None:
        """The byte order of the first ``G`` record; None if none is found in the 64 KiB after the file header."""
        if self._first_order is None:
            rba = self.first_rba
            self._first_order = resync.first_order(self.bytes, rba, self._size)
        return self._first_order

    @property
    def buffer(self) -> FileBuffer:
        """The bytes, valid until the next call that checks the file; a local file is mapped."""
        return self._source if self._source is not None else b""

    @property
    def bytes(self) -> Source:
        """The bytes by offset, until the next call that checks the file: read, not mapped.

        If the system has no pread, the mapped bytes: such systems do not truncate mapped files.
        """
        if self._kept is not None:
            return self._kept
        buffer = self.buffer
        if not is_read(buffer):
            return cast("Source", buffer)
        fresh = FileBytes(buffer, self._size)
        if time.time_ns() - self._changed > _SETTLED:
            self._kept = fresh
        return fresh

    def read_into(self, target: memoryview, rba: int, until: int | None = None) -> int:
        """Copy bytes of the file, from ``rba`` on, to ``target``; return their number.

        ``until`` is the RBA to which the caller will read on. Unlike access to the mapping this is safe if the file is
        truncated.

        Raises:
            CannotRead: the file can no longer be read.
        """
        if self._file is None:
            raise NotATrail("the file is closed", path=self.path)
        try:
            return self._file.read_into(self.buffer, target, rba, until)
        except OSError as error:
            raise CannotRead.of(error, self.path, rba) from error

    @property
    def size(self) -> int:
        """Current size of the file in bytes."""
        return self.refresh()

    @property
    def file_header(self) -> FileHeader | None:
        """The file header; None in a file from before release 10, or if it is damaged."""
        with contextlib.suppress(TrailError):
            record = self.record_at(0)
            if record is not None and record.is_file_header:
                return record.file_header
        return None

    @property
    def status(self) -> os.stat_result:
        """The system's status of the open file; for a packed file its status when it was opened, not that of the copy.

        Raises:
            CannotRead: the file is closed or can no longer be examined.
        """
        if self._file is None:
            raise CannotRead("the file is closed", path=self.path)
        if self._packed is not None:
            return self._packed
        try:
            return self._file.status()
        except OSError as error:
            raise CannotRead.of(error, self.path) from error

    @property
    def first_rba(self) -> int:
        """The RBA after the file header; 0 without one."""
        with contextlib.suppress(TrailError):
            record = self.record_at(0)
            return record.length if record is not None and record.is_file_header else 0
        return 0

    def record_at(self, rba: int) -> Record | None:
        """Return the record that starts at ``rba``; None at the end of the file.

        Raises:
            BadRecord: no sound record starts there.
            PartialRecord: the file ends inside it.
        """
        frame, order = self._frame(rba)
        return record_of(self.bytes, rba, frame[0], order, self.path, frame[1]) if frame is not None else None

    def records_at(self, rba: int, most: int) -> list[Record]:
        """Return at most ``most`` records from ``rba`` on, as far as one read of 64 KiB has them.

        The list ends before a file header and before bytes that are not a sound record in the file's byte order, for
        which ``record_at`` raises the error. It is empty for RBA 0.

        Raises:
            CannotRead: the file can no longer be read.
        """
        size, source = self.refresh(), self.bytes
        if not 0 < rba < size or not isinstance(source, FileBytes):
            return []
        records: list[Record] = []
        offset, order, path = 0, self.order, self.path
        with contextlib.suppress(TrailError):
            window = source.copy(rba, min(size, rba + _TOGETHER))
            end = len(window)
            while offset < end and window[offset] == framing.RECORD and len(records) < most:
                length, places = framing.frame_at(window, offset, end, order)
                records.append(
                    Record(window[offset : offset + length], rba=rba + offset, order=order, path=path, places=places)
                )
                offset += length
        return records

    def record_length(self, rba: int) -> int:
        """Return the length of the record at ``rba`` without reading it; 0 at the end of the file.

        Raises like record_at.
        """
        return frame[0] if (frame := self._frame(rba)[0]) is not None else 0

    def error_at(self, rba: int) -> TrailError | None:
        """Return the error that reading a record at ``rba`` raises; None if a sound record or the end is there."""
        try:
            self._frame(rba)
        except TrailError as error:
            return error
        return None

    def _frame(self, rba: int) -> tuple[framing.Frame | None, ByteOrder]:
        size = self.refresh()
        if rba == size:
            return None, self.order
        if not 0 <= rba < size:
            raise BadRecord("position is outside the file", path=self.path, rba=rba, expected=f"0 to {size}")
        buffer = self.bytes
        try:
            is_file_header = rba == 0 and buffer[0] == framing.FILE_HEADER
            first, own = (ByteOrder.BIG, None) if is_file_header else (self.order, self._first_order)
            frame, order = resync.sound_frame(buffer, rba, size, first, order_known=self._order_known, own=own)
        except TrailError as error:
            raise error.at(self.path, rba) from None
        if rba and order is not first:
            self.order, self._order_known = order, True
        return frame, order

    def records(self, start: int = 0, stop: int | None = None) -> Iterator[Record]:
        """Yield the records from ``start`` to before ``stop`` (None: the end of the file); an incomplete one ends them.

        Raises:
            BadRecord: at damage; continue at ``next_good_header``.
        """
        with contextlib.suppress(PartialRecord):
            while (stop is None or start < stop) and (record := self.record_at(start)) is not None:
                yield record
                start += record.length

    def record_before(self, rba: int) -> Record | None:
        """Return the record that ends at ``rba``; None at the beginning of the file.

        Raises:
            BadRecord: no sound record ends there.
        """
        if rba <= 0:
            return None
        end = min(rba, self.refresh())
        first, buffer = self.order, self.bytes
        for order in (first, first.other):
            if (start := framing.start_before(buffer, end, order)) is not None:
                return self.record_at(start)
        raise BadRecord("no sound record ends here", path=self.path, rba=rba, expected="trailer x5a 'Z' before it")

    def records_backwards(self, end: int | None = None) -> Iterator[Record]:
        """Yield the records before ``end`` (None: all complete ones), last first. Raises like record_before."""
        rba = self.end_of_records() if end is None else end
        while (record := self.record_before(rba)) is not None:
            yield record
            rba = record.rba

    def end_of_records(self) -> int:
        """Return the end of the last complete record: the size of the file, or less if the last one is incomplete."""
        size = self.refresh()
        if any(framing.start_before(self.bytes, size, order) is not None for order in ByteOrder):
            return size
        last = resync.previous_sound(self.bytes, size, size)
        return last + self.record_length(last) if last is not None else 0

    def next_good_header(self, rba: int, most: int | None = None) -> int | None:
        """Return the first RBA at or after ``rba`` where a sound record starts; None without one in ``most`` bytes."""
        size = self.refresh()
        return resync.next_sound(self.bytes, max(rba, 0), size, most)

    def previous_good_header(self, rba: int, most: int | None = None) -> int | None:
        """Return the last RBA before ``rba`` where a sound record starts; None without one in ``most`` bytes."""
        rba = min(rba, size := self.refresh())
        for order in (self.order, self.order.other):
            if rba > 0 and (start := framing.start_before(self.bytes, rba, order)) is not None:
                return start
        return resync.previous_sound(self.bytes, rba, size, most)

    def sound_rbas(self, start: int, stop: int) -> Iterator[int]:
        """Yield the RBAs of the sound records from ``start`` to before ``stop``, skipping damage."""
        rba: int | None = start
        while rba is not None and rba < stop:
            try:
                length = self.record_length(rba)
            except TrailError:
                rba = self.next_good_header(rba + 1)
                continue
            if not length:
                return
            yield rba
            rba += length

    def metadata_rbas(self, start: int, stop: int) -> tuple[list[int], int]:
        """Return the RBAs of all metadata records from ``start``, where a record begins, and the end of the search.

        The search ends at the first record or damage at or after ``stop``, or at the end of the file.
        """
        rbas: list[int] = []
        end = rba = start
        while rba < stop:
            if stop - rba >= _FAR:
                end = rba = self._leap(rba, stop, rbas)
            try:
                length = self.record_length(rba) if rba < stop else 0
            except TrailError:
                good = self.next_good_header(rba + 1)
                if good is None:
                    return rbas, end
                rba = good
                continue
            if not length:
                return rbas, rba
            buffer = self.bytes
            io_type_place = framing.header_at(buffer, rba) + IO_TYPE_AT if buffer[rba] == framing.RECORD else None
            if io_type_place is not None and buffer[io_type_place] == record_header.METADATA:
                rbas.append(rba)
            end = rba = rba + length
        return rbas, rba

    def embedded_up_to(self, rba: int, good: int) -> int | None:
        """Return the end of the damaged record at ``rba`` by its length, if the next good header is before that.

        A sound record begins at that end, or the file ends: the bytes before it may be data of the damaged record, such
        as a trail stored in a column. None if there is no evidence. The length is read in the byte order of the file,
        independent of earlier reads.
        """
        end, buffer, order = self.size, self.bytes, self.first_order or self.order
        if end - rba < framing.SMALLEST or buffer[rba] != framing.RECORD:
            return None
        claimed = rba + length_at(buffer, rba, order)[0]
        is_likely = claimed == end or (claimed < end and framing.detect_order(buffer, claimed, end, order) is not None)
        return claimed if is_likely and good < claimed else None

    def _leap(self, rba: int, stop: int, rbas: list[int]) -> int:
        """Append the RBAs of metadata records from ``rba`` on by a kernel; return the RBA up to which it searched."""
        size, source, find = self.refresh(), self.bytes, loaded.kernels()["find_metadata"]
        state, results = array("q", [rba, self.order is ByteOrder.LITTLE]), array("q", bytes(8 * _MOST_RESULTS))
        addresses, wanted = (loaded.address_of(state), loaded.address_of(results)), _FAR
        while (position := state[0]) < min(stop, size):
            command_files.report_search(position)
            window = copied(source, position, min(position + wanted, stop + _HEADER, size))
            data, limit = loaded.address_of_bytes(window) - position, position + len(window)
            while count := find(data, stop, limit, size, *addresses, _MOST_RESULTS):
                rbas.extend(results[:count])
            if state[0] == position:
                break
            wanted = min(2 * wanted, _WINDOW)
        return state[0]

    def table_of(self, record: Record) -> TableEntry | None:
        """Return the definition in force for a record whose header holds an index; None without index or definition."""
        return self.tables.of(record)

    def name_of(self, record: Record) -> str:
        """Return the table name of a record, from its header or by its index; empty without one."""
        if record.is_file_header:
            return ""
        return entry.name if (entry := self.table_of(record)) else record.name


def record_of(
    buffer: FileBuffer | Source,
    rba: int,
    length: int,
    order: ByteOrder,
    path: Path | None,
    places: list[TokenPlace] | None = None,
) -> Record:
    """Return the sound record of ``length`` bytes at ``rba``. Raises like MappedFile.copy."""
    if length > LARGEST:
        return large_record.LargeRecord(as_read(buffer, rba + length), rba, length, order, path)
    raw = buffer.copy(rba, rba + length) if isinstance(buffer, FileContents) else buffer[rba : rba + length]
    return Record(raw, rba=rba, order=order, path=path, places=places)
