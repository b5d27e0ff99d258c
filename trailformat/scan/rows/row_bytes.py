"""Rows of a batch with their bytes in the file.

The bytes are read, not accessed in the mapping: if the file is truncated, a read fails, but the process survives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBuffer, FileContents, copied, copied_regions
from trailformat.errors import NotATrail, TrailError
from trailformat.records.framing import Buffer
from trailformat.records.record import LARGEST, Record
from trailformat.records.record_header import COMPRESSED, PREFIX_SIZES, ROW_TYPES
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch
from trailformat.trail.file import record_of

Array = np.ndarray[Any, Any]
MOST_COPIED = 1 << 26
"""Bytes up to which rows are copied; larger ranges are accessed in the mapping, as their copy may exceed the memory."""
_NEAR = 1 << 14
"""Rows with at most this number of bytes between them are read together; with 4 or 64 KiB 1 GB takes 10 % longer."""
_BEFORE = ord("B")
_PREFIX = np.array([PREFIX_SIZES.get(number, 0) for number in range(256)], np.uint8)
_IS_SINGLE = np.array([number in ROW_TYPES for number in range(256)])
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


class RowBuffer(NamedTuple):
    """Bytes of a file, copied or mapped, and the RBA of the first."""

    data: Buffer
    begin: int


def read_range(buffer: FileBuffer, begin: int, end: int) -> RowBuffer:
    """Return the bytes from one RBA to another; mapped if there are more than MOST_COPIED.

    Raises:
        CannotRead: the file has become shorter, or cannot be read.
    """
    if end - begin <= MOST_COPIED:
        return RowBuffer(copied(buffer, begin, end), begin)
    return RowBuffer(*buffer.in_memory(begin, end)) if isinstance(buffer, FileContents) else RowBuffer(buffer, 0)


class RegionBytes(NamedTuple):
    """The bytes of rows, with those between them, and the offset in ``data`` at which each row begins, int64."""

    data: Buffer
    starts: Array


class RowData(NamedTuple):
    """The data of rows, as arrays with a value for each row.

    Attributes:
        starts, ends: int64, their offsets in the bytes; for data that are too large the end is before the start.
        prefix: uint8, the size of the length before two images; 0 without two images.
        is_list: True if the data are one image, a list of columns.
        is_before: True if the single image is a before image.
        little: bool, True for little-endian.
    """

    starts: Array
    ends: Array
    prefix: Array
    is_list: Array
    is_before: Array
    little: Array


class RowBytes:
    """Some rows of a batch and their bytes, which are read on first access.

    Args:
        buffer: the bytes of the file.
        batch: the batch.
        rows: their numbers in it, ascending.
        read: their bytes, if they have been read already.

    Access to the bytes raises like :func:`read_range`.
    """

    def __init__(self, buffer: FileBuffer, batch: Batch, rows: Array, read: RegionBytes | None = None) -> None:
        self._buffer = buffer
        self.batch = batch
        self.rows = rows
        self._given = read

    @classmethod
    def chunks(cls, buffer: FileBuffer, batch: Batch, rows: Array, most: int = MOST_COPIED) -> Iterator[RowBytes]:
        """Yield the rows in chunks whose bytes are read; each spans at most ``most`` bytes of the file, or is one row.

        Raises:
            CannotRead: the file is shorter than when the batch was made.
        """
        batch.require(buffer)
        starts = np.asarray(batch.rba)[rows]
        ends = starts + np.asarray(batch.length)[rows]
        first = 0
        while first < len(rows):
            stop = max(int(np.searchsorted(ends, starts[first] + most, "right")), first + 1)
            chunk = rows[first:stop]
            yield RowBytes(buffer, batch, chunk, read_regions(buffer, starts[first:stop], ends[first:stop]))
            first = stop

    @property
    def buffer(self) -> FileBuffer:
        """The bytes of the file."""
        return self._buffer

    @cached_property
    def read(self) -> RegionBytes:
        """The bytes of the rows."""
        if self._given is not None:
            return self._given
        rbas = self.of("rba")
        return read_regions(self.buffer, rbas, rbas + self.of("length"))

    @property
    def data(self) -> Buffer:
        """The bytes of the rows, with those between them."""
        return self.read.data

    @property
    def starts(self) -> Array:
        """The offset in ``data`` at which each row begins, int64."""
        return self.read.starts

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def view(self) -> Array:
        """The bytes as an array of uint8."""
        return np.frombuffer(self.data, np.uint8)

    def of(self, column: str) -> Array:
        """Return a column of the batch, by name, for these rows."""
        values: Array = np.asarray(getattr(self.batch, column))[self.rows]
        return values

    @cached_property
    def kind(self) -> Array:
        """RECORD, FILE_HEADER, BAD_SPAN or PARTIAL."""
        return self.of("kind")

    @cached_property
    def is_record(self) -> Array:
        """A mask of the ``G`` records."""
        mask: Array = self.kind == RECORD
        return mask

    @cached_property
    def is_sound(self) -> Array:
        """A mask of the rows that are records, the file header included."""
        mask: Array = self.kind <= FILE_HEADER
        return mask

    @cached_property
    def is_little(self) -> Array:
        """A mask of the little-endian rows."""
        mask: Array = self.of("order") == 1
        return mask

    def payload(self, part: str) -> tuple[Array, Array]:
        """Return the offsets of begin and end of each row's payload of ``data`` or ``token``; equal without one."""
        starts = self.starts + self.of(f"{part}_offset")
        return starts, starts + self.of(f"{part}_size")

    @cached_property
    def row_data(self) -> RowData:
        """The data of the rows; callers share the arrays and must not change them."""
        io_type = np.where(self.is_record, self.of("io_type"), 0)
        is_list = _IS_SINGLE[io_type] & (self.of("partition") & COMPRESSED != 0)
        is_before = self.of("before_after") == _BEFORE
        starts, ends = self.payload("data")
        if self.is_too_large.any():
            ends = np.where(self.is_too_large, starts - 1, ends)
        return RowData(starts, ends, _PREFIX[io_type], is_list, is_before, self.is_little)

    @property
    def is_too_large(self) -> Array:
        """A mask of the rows whose data are larger than LARGEST and are not decoded."""
        mask: Array = self.of("data_size") > LARGEST
        return mask

    def record(self, row: int, path: Path | None = None) -> Record:
        """Return a row, by its index in ``rows``, as a record of the file at ``path``.

        Raises:
            NotATrail: the file was overwritten since the batch was made.
        """
        batch_row, start = self.rows[row], int(self.starts[row])
        rba, length, order = (
            int(self.batch.rba[batch_row]),
            int(self.batch.length[batch_row]),
            _ORDERS[self.batch.order[batch_row]],
        )
        if length > LARGEST:
            record = record_of(self.buffer, rba, length, order, path)
        else:
            record = Record(bytes(self.data[start : start + length]), rba=rba, order=order, path=path)
        if self.batch.kind[batch_row] == RECORD and not self._is_same(record, batch_row):
            raise NotATrail("the file was written over while it was read", path=path, rba=rba)
        return record

    def _is_same(self, record: Record, row: int) -> bool:
        """Return True if the header fields of a record are those of ``row`` of the batch."""
        try:
            header, batch = record.header, self.batch
        except TrailError:
            return False
        return (
            header.io_type == batch.io_type[row]
            and header.trans_ind == batch.trans_ind[row]
            and header.before_after == batch.before_after[row]
            and header.partition == batch.partition[row]
            and header.io_time == batch.io_time[row]
        )

    def subset(self, indexes: Array) -> RowBytes:
        """Return the rows with these indexes in ``rows``; they share the bytes."""
        return RowBytes(self.buffer, self.batch, self.rows[indexes], RegionBytes(self.data, self.starts[indexes]))


def read_regions(buffer: FileBuffer, rbas: Array, ends: Array) -> RegionBytes:
    """Read the bytes of rows, or of parts of them, from ``rbas`` to ``ends``, ascending."""
    if not len(rbas):
        return RegionBytes(b"", rbas)
    breaks = np.flatnonzero(rbas[1:] - ends[:-1] > _NEAR) + 1
    begins, finishes = rbas[np.append(0, breaks)], ends[np.append(breaks, len(rbas)) - 1]
    sizes = finishes - begins
    if not len(breaks) or int(sizes.sum()) > MOST_COPIED:
        data, base = read_range(buffer, int(rbas[0]), int(ends[-1]))
        return RegionBytes(data, rbas - base)
    data = copied_regions(buffer, [*zip(begins.tolist(), finishes.tolist(), strict=True)])
    shifts = np.repeat(np.cumsum(sizes) - sizes - begins, np.diff(breaks, prepend=0, append=len(rbas)))
    return RegionBytes(data, rbas + shifts)
