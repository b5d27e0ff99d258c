"""Batches, the results of a scan: one row per record, one column per field.

| column | type | |
|---|---|---|
| ``rba``, ``length`` | int64 | RBA and size of the record, or of the span |
| ``kind`` | uint8 | RECORD, FILE_HEADER, BAD_SPAN, PARTIAL; every column below is 0 for the last two |
| ``order`` | uint8 | 0 big-endian, 1 little-endian |
| ``io_type``, ``orig_node``, ``trans_ind``, ``before_after``, ``partition`` | uint8 | from the header |
| ``record_length`` | int64 | as ``Record.data_length`` |
| ``io_time`` | int64 | Julian microseconds, as stored |
| ``audit_pos``, ``audit_rba`` | uint64, uint32 | from the header |
| ``table`` | int64 | key of the table's name in ``names``; 0 no name |
| ``transaction`` | int64 | ordinal, from 0 where the scan starts; -1 outside of every transaction |
| ``data_offset``, ``data_size`` | uint32 | payload of the first ``D``, from ``rba``; 0, 0 if there is none |
| ``token_offset``, ``token_size`` | uint32 | the same of the first ``T`` |

For a file header the columns from the header are 0. A transaction ends with TransInd 2 or 3, as for COUNT.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter, itemgetter
from typing import Any, Protocol, SupportsIndex, cast

from trailformat.codec.mapped_file import FileBuffer
from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotRead
from trailformat.native.constants import KIND_BAD_SPAN, KIND_FILE_HEADER, KIND_PARTIAL, KIND_RECORD
from trailformat.records.record_header import ENDS, RESTARTS
from trailformat.scan.names import Names

with on_demand:
    import numpy as np


RECORD, FILE_HEADER, BAD_SPAN, PARTIAL = KIND_RECORD, KIND_FILE_HEADER, KIND_BAD_SPAN, KIND_PARTIAL
"""Column ``kind``: a ``G`` record, an ``F`` record, damage, an incomplete record at the end."""
BATCH_SIZE = 1 << 14
"""Rows of a batch: their columns fit into the cache of a core; larger ones would be written to memory and reread."""


class BatchColumn(Protocol):
    """One column: an ``array.array`` or a one-dimensional ``numpy.ndarray``; both support memoryview.

    Iterating or indexing an ndarray gives numpy scalars, which compare and hash like the equal int.
    """

    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    def __iter__(self) -> Iterator[int]: ...


@dataclass(slots=True)
class Batch:
    """Columns of equal length; see the table above. They are copies: a batch does not refer to the mapped file."""

    names: Names
    rba: BatchColumn
    length: BatchColumn
    kind: BatchColumn
    order: BatchColumn
    io_type: BatchColumn
    orig_node: BatchColumn
    trans_ind: BatchColumn
    before_after: BatchColumn
    partition: BatchColumn
    record_length: BatchColumn
    io_time: BatchColumn
    audit_pos: BatchColumn
    audit_rba: BatchColumn
    table: BatchColumn
    transaction: BatchColumn
    data_offset: BatchColumn
    data_size: BatchColumn
    token_offset: BatchColumn
    token_size: BatchColumn

    def __len__(self) -> int:
        return len(self.rba)

    @property
    def end(self) -> int:
        """The RBA at which the last row ends."""
        return int(self.rba[-1]) + int(self.length[-1])

    def require(self, buffer: FileBuffer) -> None:
        """Check that the file still has all the rows.

        Raises:
            CannotRead: the file is shorter than when the batch was made.
        """
        if self.end > len(buffer):
            raise CannotRead("the file has become shorter", expected=f"{self.end} bytes", found=f"{len(buffer)} bytes")

    def spans(self) -> list[int]:
        """Return the numbers of the rows that are not records: damage, an incomplete end."""
        kinds = bytes(memoryview(self.kind))  # type: ignore[arg-type]
        if kinds.find(BAD_SPAN) < 0 and kinds.find(PARTIAL) < 0:
            return []
        return [row for row, kind in enumerate(kinds) if kind > FILE_HEADER]

    def sound_rows(self) -> np.ndarray[Any, np.dtype[np.bool]]:
        """Return a mask of the rows that are records, the file header included."""
        return np.asarray(self.kind) <= FILE_HEADER

    def restarts(self) -> list[int]:
        """Return the numbers of the rows of restart records."""
        return self.rows_of(RESTARTS)

    def rows_of(self, io_types: Iterable[int]) -> list[int]:
        """Return the numbers of the rows of these record types, ascending."""
        column = bytes(memoryview(self.io_type))  # type: ignore[arg-type]
        rows = []
        for io_type in io_types:
            row = -1
            while (row := column.find(io_type, row + 1)) >= 0:
                rows.append(row)
        return sorted(rows)

    def rows_of_tables(self, keys: set[int]) -> list[int]:
        """Return the numbers of the rows whose table has one of these keys."""
        if not keys:
            return []
        rows: list[int] = np.flatnonzero(np.isin(self.table, list(keys))).tolist()  # type: ignore[arg-type]
        return rows

    def ends(self) -> np.ndarray[Any, np.dtype[np.bool]]:
        """Return a mask of the rows that end a transaction: TransInd 2 or 3."""
        return np.isin(self.trans_ind, tuple(ENDS)) & (np.asarray(self.transaction) >= 0)  # type: ignore[arg-type]

    def transactions_to_here(self, before: int) -> int:
        """Return the number of transactions that end up to the end of the batch; ``before`` of them end before it."""
        for row in range(len(self) - 1, -1, -1):
            if self.transaction[row] >= 0:
                return int(self.transaction[row]) + (self.trans_ind[row] in ENDS)
        return before

    def part(self, first: int, stop: int) -> Batch:
        """Return the rows from ``first`` to before ``stop`` as a batch."""
        if first == 0 and stop == len(self):
            return self
        return Batch(self.names, *map(itemgetter(slice(first, stop)), attrgetter(*_COLUMNS)(self)))

    def columns(self) -> Iterator[tuple[str, BatchColumn]]:
        """Yield each column with its name, in the order of the fields."""
        for name in _COLUMNS:
            yield name, getattr(self, name)


_COLUMNS = tuple(field.name for field in fields(Batch) if field.name != "names")


class StringColumn:
    """A column of texts; each may be None.

    Attributes:
        data: the bytes of all texts.
        starts, sizes: int64; the offset of each text in ``data`` and its number of bytes; below 0: None, or in
            ``known``.
        known: texts by row that are not in ``data``.
    """

    def __init__(self, data: bytes, starts: BatchColumn, sizes: BatchColumn, known: Mapping[int, str | None]) -> None:
        self.data = data
        self.starts = starts
        self.sizes = sizes
        self.known = known

    def part(self, first: int, stop: int | None = None) -> StringColumn:
        """Return the texts from ``first`` to before ``stop``."""
        part = slice(first, stop)
        starts, sizes = (cast("Any", column)[part] for column in (self.starts, self.sizes))
        known = {number - first: text for number, text in self.known.items() if first <= number < first + len(sizes)}
        return StringColumn(self.data, starts, sizes, known)

    def take(self, numbers: Any) -> StringColumn:
        """Return the texts with these numbers, an array."""
        starts, sizes = (np.asarray(column)[numbers] for column in (self.starts, self.sizes))
        places = enumerate(numbers.tolist()) if self.known else ()
        known = {place: self.known[number] for place, number in places if number in self.known}
        return StringColumn(self.data, starts, sizes, known)

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: int) -> str | None:
        r"""Return a text, with bytes that are not UTF-8 as ``\xNN``; None if there is none. -1 is the last."""
        start, size = int(self.starts[number]), int(self.sizes[number])
        if size < 0:
            return self.known.get(int(number) if number >= 0 else int(number) + len(self))
        return self.data[start : start + size].decode("utf-8", "backslashreplace")

    def __iter__(self) -> Iterator[str | None]:
        data, known = self.data, self.known
        places = zip(memoryview(self.starts).tolist(), memoryview(self.sizes).tolist(), strict=True)  # type: ignore[arg-type]
        for number, (start, size) in enumerate(places):
            if size < 0:
                yield known.get(number)
            else:
                yield data[start : start + size].decode("utf-8", "backslashreplace")
