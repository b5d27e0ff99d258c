"""Whole LOBs, assembled in order from their pieces over records and files, with the missing parts named.

A piece in the assumed layout (:mod:`trailformat.records.columns`) has its column and its offset: the pieces of several
columns may alternate, and a gap is located to the byte. Pieces in other layouts form one LOB up to the one that is not
continued, and only their number (RecCount) shows whether one is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from trailformat.changes.segments import Kind, Row, kind_of, numbers_of, records_from, row_before
from trailformat.changes.transactions import is_transactional
from trailformat.codec.charsets import codec_of, decode
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.errors import BadData, TrailError
from trailformat.records.columns import HEADER_BYTES, MOST_COUNTED
from trailformat.records.record import Record
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition
from trailformat.values import Family, Value, data_type_of
from trailformat.values.value import sub_type

MOST_LOBS = 1 << 12
"""More LOBs than a row can have; limits the memory that a hostile file can take."""
_MOST_GAPS = 1 << 10
_MOST_PROBLEMS = 1 << 4


class Missing(NamedTuple):
    """A missing part of a LOB, in bytes."""

    offset: int
    length: int


class Lob(NamedTuple):
    """A LOB of one row, as far as its pieces were found.

    Attributes:
        ordinal: its number among the LOBs of the row, by first piece, from 1.
        column: the index of its column; None if the layout of its pieces is unknown.
        is_before: True for a before image.
        base: the base record; None if not found.
        first: its first piece.
        pieces: the number of pieces found; ``size`` is their total size in bytes.
        total: the number of bytes expected; None if unknown.
        missing: the gaps, if offsets are known.
        problems: other faults, in words.
    """

    ordinal: int
    column: int | None
    is_before: bool
    base: FilePosition | None
    first: FilePosition
    pieces: int
    size: int
    total: int | None
    missing: tuple[Missing, ...]
    problems: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """True if it is complete, as far as its pieces show."""
        return not self.missing and not self.problems


class LobBytes(NamedTuple):
    """A LOB and its bytes, which are complete only if it is whole and not too large."""

    lob: Lob
    data: bytes


class _Piece(NamedTuple):
    """A piece: the ordinal of its LOB, its record, and the offset of its bytes in the record's data."""

    ordinal: int
    record: Record
    start: int


class _Assembly:
    """The LOBs of one row, assembled piece by piece."""

    def __init__(self, base: FilePosition | None) -> None:
        self.base = base
        self.lobs: list[_LobParts] = []
        self._by_column: dict[tuple[int, int], _LobParts] = {}
        self._open: _LobParts | None = None

    def add(self, position: FilePosition, record: Record) -> _Piece | None:
        """Add a piece; return None if it must belong to another row, because it begins a LOB that has begun already."""
        numbers, header = numbers_of(record), record.header
        if numbers is None:
            lob = self._open or self._new(position, None, is_before=header.is_before)
            lob.add_counted(record)
            self._open = lob if header.continued else None
            return _Piece(lob.ordinal, record, 0)
        key = (header.before_after, numbers.column)
        known = self._by_column.get(key)
        if known is not None and numbers.number == 1:
            return None
        lob = known or self._new(position, numbers.column, is_before=header.is_before)
        self._by_column[key] = lob
        lob.add_placed(numbers.offset, numbers.total, record.data_size - HEADER_BYTES)
        return _Piece(lob.ordinal, record, HEADER_BYTES)

    def _new(self, position: FilePosition, column: int | None, *, is_before: bool) -> _LobParts:
        if len(self.lobs) == MOST_LOBS:
            raise BadData("more LOBs in a row than there can be", path=position.path, rba=position.rba)
        lob = _LobParts(len(self.lobs) + 1, position, column, is_before=is_before)
        self.lobs.append(lob)
        return lob

    def damaged(self, problem: str) -> None:
        """Note unreadable bytes between the pieces of a LOB without offsets; with offsets, the gap shows the loss."""
        if self._open is not None:
            self._open.note(problem)


class _LobParts:
    """A LOB under assembly."""

    def __init__(self, ordinal: int, first: FilePosition, column: int | None, *, is_before: bool) -> None:
        self.ordinal = ordinal
        self._problems: list[str] = []
        self._first = first
        self._column = column
        self._is_before = is_before
        self._pieces = self._size = self._expected = 0
        self._total: int | None = None
        self._missing: list[Missing] = []
        self._rec_count: int | None = None

    def add_placed(self, offset: int, total: int, size: int) -> None:
        """Add a piece with a known offset."""
        if self._total not in (None, total):
            self.note(f"its pieces disagree about its length, {self._total} and {total} bytes")
        if offset < self._expected:
            self.note(f"a piece at byte {offset} comes after byte {self._expected}")
        if offset > self._expected:
            self._miss(offset)
        self._total, self._expected = total, max(self._expected, offset + size)
        self._pieces += 1
        self._size += size

    def add_counted(self, record: Record) -> None:
        """Add a piece without an offset; its position is given by its order."""
        self._pieces += 1
        self._size += record.data_size
        if not record.header.continued:
            self._rec_count = record.header.rec_count

    def _miss(self, up_to: int) -> None:
        if len(self._missing) < _MOST_GAPS:
            self._missing.append(Missing(self._expected, up_to - self._expected))

    def note(self, problem: str) -> None:
        """Note a problem, at most _MOST_PROBLEMS of them."""
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(problem)

    def finished(self, base: FilePosition | None) -> Lob:
        """Return the LOB, after its last piece."""
        if self._column is not None and self._total is not None and self._expected < self._total:
            self._miss(self._total)
        if self._column is None:
            self._check_count(base)
        return Lob(
            self.ordinal,
            self._column,
            self._is_before,
            base,
            self._first,
            self._pieces,
            self._size,
            self._total,
            tuple(self._missing),
            tuple(self._problems),
        )

    def _check_count(self, base: FilePosition | None) -> None:
        if base is None and self.ordinal == 1:
            self.note("its base record was not found; its first pieces may be missing too")
        if self._rec_count is None:
            self.note("its last piece is missing")
        elif self._rec_count < MOST_COUNTED and self._rec_count != self._pieces:
            self.note(f"{self._pieces} pieces found, RecCount is {self._rec_count}")


def lobs_of(trail: TrailFile, rba: int) -> list[Lob]:
    """Return the LOBs of the row to which the record at ``rba`` belongs, as its base record or as a part of it.

    Raises:
        TrailError: there is no record, or it belongs to no row.
    """
    walk = _Walk(trail, rba)
    for _ in walk.pieces():
        pass
    return walk.lobs()


def read_lob(trail: TrailFile, rba: int, ordinal: int, write: Callable[[bytes], object]) -> Lob:
    """Pass the bytes of one LOB of the row to ``write``, piece by piece, and return its description.

    Raises:
        BadData: it is incomplete, or the row has no such LOB.
    """
    walk = _Walk(trail, rba)
    for piece in walk.pieces():
        if piece.ordinal == ordinal:
            for stretch in piece.record.stretches("D", start=piece.start):
                write(stretch)
    for lob in walk.lobs():
        if lob.ordinal == ordinal and lob.is_whole:
            return lob
    raise BadData(f"LOB {ordinal} is not whole", path=trail.path, rba=rba)


def _row_at(trail: TrailFile, here: FilePosition) -> Row:
    """Return the row to which the record at a position belongs."""
    record = trail.record_at(here.rba)
    if record is None or not is_transactional(record):
        raise BadData("this record belongs to no row", path=here.path, rba=here.rba)
    return Row(here) if kind_of(record) is None else row_before(trail, here.rba)


def whole_lobs(trail: TrailFile, rba: int, most: int, pieces: Sequence[Record] | None = None) -> list[LobBytes]:
    """Return the LOBs of a row, with the bytes of those of at most ``most`` bytes.

    ``pieces`` are those of the row with the base record at ``rba``; None: they are searched for. Raises like lobs_of.
    """
    walk = _Walk(trail, rba, pieces)
    data: list[bytearray] = []
    for piece in walk.pieces():
        if piece.ordinal > len(data):
            data.append(bytearray())
        for stretch in piece.record.stretches("D", start=piece.start) if len(data[piece.ordinal - 1]) <= most else ():
            data[piece.ordinal - 1] += stretch
    return [LobBytes(*pair) for pair in zip(walk.lobs(), map(bytes, data), strict=True)]


def lob_value(data: bytes, definition: ColumnDefinition, codec: str) -> Value:
    """Return the value of a column whose LOB has these bytes; ``codec`` is that of text in its database.

    Raises:
        BadData: the bytes are not text in the character set of the column.
    """
    subtype = sub_type(definition.sub_data_type)
    if data_type_of(definition).family is not Family.TEXT or subtype.is_binary:
        return Value(data, data)
    return Value(data, decode(data, subtype.codec or codec_of(definition.charset, codec)))


class _Walk:
    """A walk through the records of a row, or through its pieces if these are given."""

    def __init__(self, trail: TrailFile, rba: int, pieces: Sequence[Record] | None = None) -> None:
        here = FilePosition(trail.path, rba)
        row = _row_at(trail, here) if pieces is None else Row(here)
        self._trail = trail
        self._start = row.first or here
        self._given = pieces
        self._assembly = _Assembly(row.base)

    def _records(self) -> Iterator[tuple[FilePosition, Record | TrailError]]:
        if self._given is None:
            return records_from(self._trail, self._start)
        return ((FilePosition(self._trail.path, record.rba), record) for record in self._given)

    def pieces(self) -> Iterator[_Piece]:
        """Yield the pieces in order, up to the next record that is not part of the row."""
        begun = self._assembly.base is None
        for position, record in self._records():
            if isinstance(record, TrailError):
                self._assembly.damaged(f"damage at RBA {position.rba} of {position.path}: {record.problem}")
                continue
            kind = kind_of(record)
            if kind is Kind.LOB:
                piece = self._assembly.add(position, record)
                if piece is None:
                    return
                yield piece
            elif kind is None and is_transactional(record):
                if begun:
                    return
                begun = True

    def lobs(self) -> list[Lob]:
        """Return the LOBs assembled from the pieces."""
        return [lob.finished(self._assembly.base) for lob in self._assembly.lobs]
