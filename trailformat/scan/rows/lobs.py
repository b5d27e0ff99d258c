"""LOBs of many rows at once, put together from the pieces that follow their rows in a batch.

Where a row's pieces are laid out as assumed, stand one behind the other with nothing missing, and the batch shows where
they end, its LOBs are found here by columns; :mod:`trailformat.changes.lobs` finds those of the other rows, record by
record, and says what is wrong.
"""

from __future__ import annotations

import numpy as np

from trailformat.codec.mapped_file import FileBuffer
from trailformat.records.io_types import LARGE_OBJECT
from trailformat.records.lob_pieces import HEADER_BYTES
from trailformat.records.record_header import PLACES
from trailformat.scan.batch import RECORD, Batch
from trailformat.scan.rows.headers import header_positions, headers_of
from trailformat.scan.rows.related import bases, lob_pieces, row_ends
from trailformat.scan.rows.row_bytes import Array, RowBytes

_BEFORE = ord("B")


class WholeLobs:
    """The LOBs of the rows of a batch all of whose LOBs are whole and plain, in the order of the file.

    Args:
        buffer: the bytes of the file.
        batch: the batch.

    Attributes:
        row: for each LOB the number of its row in the batch.
        column: the index of its column.
        is_before: whether it is of the image before.
        size: its bytes.
    """

    def __init__(self, buffer: FileBuffer, batch: Batch) -> None:
        is_piece = (np.asarray(batch.kind) == RECORD) & (np.asarray(batch.io_type) == LARGE_OBJECT)
        self._pieces = pieces = RowBytes(buffer, batch, np.flatnonzero(is_piece))
        self.row = self.column = self.is_before = self.size = self._first = self._stop = np.empty(0, np.int64)
        if not len(pieces):
            return
        starts, self._ends = pieces.payload("data")
        self._starts = starts + HEADER_BYTES
        rec_count = pieces.view[header_positions(pieces.view, pieces.starts) + PLACES["rec_count"].start]
        found = lob_pieces(pieces, headers_of(pieces).is_continued, rec_count)
        column, number, count, offset, total = map(np.asarray, found.numbers)
        image, base = pieces.of("before_after"), bases(batch)[0][pieces.rows]
        goes_on = np.ones(len(pieces), bool)
        goes_on[0] = False
        for same in (base, image, column, count, total):
            goes_on[1:] &= same[1:] == same[:-1]
        reached = offset + self._ends - self._starts
        goes_on[1:] &= (number[1:] == number[:-1] + 1) & (offset[1:] == reached[:-1])
        first = np.flatnonzero(~goes_on)
        stop = np.append(first[1:], len(pieces))
        is_whole = (number[first] == 1) & (number[stop - 1] == count[stop - 1])
        is_whole &= np.logical_and.reduceat(found.is_sound, first) & _are_alone(base, image, column, first)
        is_plain = _are_closed(batch, base[first]) & ~np.isin(base[first], base[first][~is_whole])
        self._first, self._stop = first[is_plain], stop[is_plain]
        self.row, self.column, self.size = (one[self._first] for one in (base, column, total))
        self.is_before = image[self._first] == _BEFORE

    def data(self, lob: int) -> bytes:
        """The bytes of a LOB, by its number here."""
        at, view = slice(self._first[lob], self._stop[lob]), memoryview(self._pieces.data)
        return b"".join(view[start:end] for start, end in zip(self._starts[at], self._ends[at], strict=True))


def _are_alone(base: Array, image: Array, column: Array, first: Array) -> Array:
    """A mask of the LOBs that are the only ones of their row, image and column."""
    keys = np.stack([part[first].astype(np.int64) for part in (base, image, column)])
    _, kinds, counts = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
    alone: Array = counts[kinds.ravel()] == 1
    return alone


def _are_closed(batch: Batch, rows: Array) -> Array:
    """A mask of the rows, NONE and UNKNOWN among them, whose end the batch shows: another row follows."""
    ends = row_ends(batch)
    told = np.append(np.flatnonzero(ends != -1), -1)
    following = told[np.searchsorted(told[:-1], rows, "right")]
    closed: Array = (rows >= 0) & (following >= 0) & (ends[following] >= 0)
    return closed
