"""Rows of a batch that belong together: both halves of an update in two records, a piece of a LOB and its base record.

A related row is UNKNOWN if it is outside the batch or lost in damage. The rules are those of
:mod:`trailformat.changes.row_changes` and :mod:`trailformat.changes.segments`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.changes.row_changes import LEAST_UNKNOWN, Half, half_in
from trailformat.codec.mapped_file import FileBuffer
from trailformat.records.columns import HEADER_BYTES, MOST_COUNTED, PieceHeader
from trailformat.records.record_header import LARGE_OBJECT, NOT_TRANSACTIONAL, PIECES, PLACES
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch
from trailformat.scan.rows.definitions import header_positions, headers_of, length_at, metadata_rows
from trailformat.scan.rows.row_bytes import Array, RowBytes

NONE, UNKNOWN = -1, -2
_BEFORE = ord("B")
_HALVES = np.array(
    [
        [
            [half_in(number, trans_ind, is_before=is_before) for trans_ind in range(LEAST_UNKNOWN + 1)]
            for is_before in (False, True)
        ]
        for number in range(256)
    ],
    np.uint8,
)
"""The Half of a row, by IOType, whether it is a before image, and TransInd."""
_IS_BASE = np.array([number not in NOT_TRANSACTIONAL | PIECES for number in range(256)])


class Related(NamedTuple):
    """For each row of a batch the number of a related row, NONE or UNKNOWN.

    Attributes:
        other: the other half of the same update, provided that both have the same table.
        base: the base record of a piece of a LOB; NONE for every other row.
        ordinal: the ordinal of a piece among the pieces of its base record, from 1.
    """

    other: Array
    base: Array
    ordinal: Array


def related_rows(batch: Batch) -> Related:
    """Return the related rows of a batch; metadata records may be between the halves of an update."""
    return Related(other_halves(batch, np.flatnonzero(~metadata_rows(batch))), *bases(batch))


def halves_of(batch: Batch) -> Array:
    """Return the half of an update, as :class:`Half`, that each row of a batch can be."""
    columns = (batch.kind, batch.io_type, batch.before_after, batch.trans_ind)
    kind, io_type, before_after, trans_ind = map(np.asarray, columns)
    is_before = (before_after == _BEFORE).astype(np.uint8)
    halves: Array = _HALVES[io_type, is_before, np.minimum(trans_ind, LEAST_UNKNOWN)]
    return np.where(kind == RECORD, halves, Half.NONE)


def other_halves(batch: Batch, plain: Array) -> Array:
    """Return the column ``other`` of :class:`Related`; the halves of an update are adjacent in the rows ``plain``."""
    other = np.full(len(batch), NONE)
    if not len(plain):
        return other
    kind, io_type, half = np.asarray(batch.kind)[plain], np.asarray(batch.io_type)[plain], halves_of(batch)[plain]
    is_first, is_second = half == Half.FIRST, half == Half.SECOND
    is_pair = is_first[:-1] & is_second[1:] & (io_type[:-1] == io_type[1:])
    other[plain[:-1][is_pair]] = plain[1:][is_pair]
    other[plain[1:][is_pair]] = plain[:-1][is_pair]
    is_lost = np.concatenate(([True], kind[:-1] > FILE_HEADER))
    other[plain[is_second & is_lost]] = UNKNOWN
    if is_first[-1]:
        other[plain[-1]] = UNKNOWN
    return other


def bases(batch: Batch) -> tuple[Array, Array]:
    """Return the columns ``base`` and ``ordinal`` of :class:`Related`."""
    kind, io_type = np.asarray(batch.kind), np.asarray(batch.io_type)
    numbers = np.arange(len(batch))
    ends = row_ends(batch)
    latest = np.maximum.accumulate(np.where(ends != NONE, numbers, NONE))
    is_piece = (kind == RECORD) & (io_type == LARGE_OBJECT)
    base = np.where(is_piece, np.where(latest >= 0, ends[latest], UNKNOWN), NONE)
    pieces = np.cumsum(is_piece)
    return base, pieces - pieces[np.maximum(base, 0)]


def row_ends(batch: Batch) -> Array:
    """Return for each row its own number if it is a base record, UNKNOWN if it is not a record, else NONE."""
    kind, io_type = np.asarray(batch.kind), np.asarray(batch.io_type)
    is_base = (kind == RECORD) & _IS_BASE[io_type]
    return np.where(is_base, np.arange(len(batch)), np.where(kind > FILE_HEADER, UNKNOWN, NONE))


class LobPieces(NamedTuple):
    """The headers of pieces of LOBs, int64; ``is_sound`` is a mask of the rows whose header is consistent."""

    numbers: PieceHeader
    is_sound: Array


def lob_pieces(rows: RowBytes, is_continued: Array, rec_count: Array) -> LobPieces:
    """Return the piece headers of rows that are pieces of LOBs, checked against two fields of their record headers."""
    view = rows.view
    starts, ends = rows.payload("data")
    offsets = np.minimum(starts, len(view) - HEADER_BYTES)
    is_long = np.ones(len(rows), bool)
    fields = [
        length_at(view, offsets + 4 * place, rows.is_little, is_long) for place in range(len(PieceHeader._fields))
    ]
    numbers = PieceHeader._make(fields)
    end, is_last = numbers.offset + ends - starts - HEADER_BYTES, numbers.number == numbers.pieces
    is_sound = (
        (ends - starts > HEADER_BYTES)
        & (numbers.number >= 1)
        & (numbers.number <= numbers.pieces)
        & (numbers.column <= 0xFFFF)
        & ((numbers.number == 1) == (numbers.offset == 0))
        & (end <= numbers.total)
        & (is_last == (end == numbers.total))
        & (is_last != is_continued)
        & (rec_count == np.minimum(numbers.pieces, MOST_COUNTED))
    )
    return LobPieces(numbers, is_sound)


def piece_numbers(rows: RowBytes, related: Related, is_continued: Array) -> Array:
    """Return the ordinal, from 1, of each piece in its LOB; 0 if not all pieces before it are among the rows.

    A LOB begins with the first piece of a base record, and after a piece that is not continued.
    """
    indexes = np.flatnonzero(related.base[rows.rows] >= 0)
    base, ordinal = (column[rows.rows[indexes]] for column in (related.base, related.ordinal))
    places = np.arange(len(indexes))
    is_first = np.diff(base, prepend=NONE) != 0
    begins_lob = is_first | np.concatenate(([True], ~is_continued[indexes[:-1]]))[: len(indexes)]
    begins_row, begins = (np.maximum.accumulate(np.where(mask, places, 0)) for mask in (is_first, begins_lob))
    numbers = np.zeros(len(rows), np.int64)
    numbers[indexes] = np.where(places - begins_row + 1 == ordinal, places - begins + 1, 0)
    return numbers


class WholeLobs:
    """The LOBs of a batch, in file order, of those base records whose LOBs are all complete in it and sound.

    Args:
        buffer: the bytes of the file.
        batch: the batch.

    Attributes:
        row: the number of the base record of each LOB in the batch.
        column: the index of its column.
        is_before: True if it belongs to the before image.
        size: its size in bytes.
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
        piece_headers = lob_pieces(pieces, headers_of(pieces).is_continued, rec_count)
        column, number, count, offset, total = map(np.asarray, piece_headers.numbers)
        image, base = pieces.of("before_after"), bases(batch)[0][pieces.rows]
        goes_on = np.ones(len(pieces), bool)
        goes_on[0] = False
        for same in (base, image, column, count, total):
            goes_on[1:] &= same[1:] == same[:-1]
        piece_ends = offset + self._ends - self._starts
        goes_on[1:] &= (number[1:] == number[:-1] + 1) & (offset[1:] == piece_ends[:-1])
        first = np.flatnonzero(~goes_on)
        stop = np.append(first[1:], len(pieces))
        is_whole = (number[first] == 1) & (number[stop - 1] == count[stop - 1])
        is_whole &= np.logical_and.reduceat(piece_headers.is_sound, first) & _are_alone(base, image, column, first)
        is_plain = _are_closed(batch, base[first]) & ~np.isin(base[first], base[first][~is_whole])
        self._first, self._stop = first[is_plain], stop[is_plain]
        self.row, self.column, self.size = (values[self._first] for values in (base, column, total))
        self.is_before = image[self._first] == _BEFORE

    def data(self, lob: int) -> bytes:
        """Return the bytes of a LOB, by its index in ``row``."""
        pieces, view = slice(self._first[lob], self._stop[lob]), memoryview(self._pieces.data)
        return b"".join(view[start:end] for start, end in zip(self._starts[pieces], self._ends[pieces], strict=True))


def _are_alone(base: Array, image: Array, column: Array, first: Array) -> Array:
    """Return a mask of the LOBs that are the only ones of their row, image and column."""
    keys = np.stack([part[first].astype(np.int64) for part in (base, image, column)])
    _, kinds, counts = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
    alone: Array = counts[kinds.ravel()] == 1
    return alone


def _are_closed(batch: Batch, rows: Array) -> Array:
    """Return a mask of the base records whose end is in the batch: another base record follows, with no damage between.

    ``rows`` are row numbers; NONE and UNKNOWN give False.
    """
    ends = row_ends(batch)
    known = np.append(np.flatnonzero(ends != -1), -1)
    following = known[np.searchsorted(known[:-1], rows, "right")]
    closed: Array = (rows >= 0) & (following >= 0) & (ends[following] >= 0)
    return closed
