"""Records that continue in other records: the base record of a LOB piece or record fragment, and its number.

    RBA 1811  Insert                    the base record
        1980  LargeObject, Continued Y  piece 1 of 2
        2096  LargeObject, Continued N  piece 2 of 2
    RBA 2407  Insert, Continued Y       the base record
        2517  RecordFragment            fragment 1
        2599  RecordFragment, N         fragment 2, the last

Fragments continue the data of the record before them (documented); that their data is simply appended is inferred.
Metadata may be between the records of a row, and the row may continue in the next file of the trail.
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from trailformat.changes.transactions import is_transactional
from trailformat.codec.tokens import build_tokens, make_token
from trailformat.errors import BadData, NotATrail, TrailError
from trailformat.records.columns import HEADER_BYTES, MOST_COUNTED, PieceHeader, parse_piece
from trailformat.records.record import Record, build_record
from trailformat.records.record_header import LARGE_OBJECT, RECORD_FRAGMENT
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition, next_file, previous_file

FARTHEST = 1 << 20
"""Maximum number of records read on the way back to a base record; a LOB of 2 GB has as many pieces."""
_MARK_EVERY = 64
"""Number of records of a row between two marks."""
_MOST_BETWEEN = 1 << 12
"""Number of definitions and fragments between a row and its first LOB piece that are read in search of it."""
LARGEST = 1 << 26
"""Maximum size in bytes of a record with its fragments that is joined in memory."""


class Kind(enum.Enum):
    """The kind of a segment."""

    LOB = "lob_piece"
    FRAGMENT = "fragment"


class Segment(NamedTuple):
    """The place of a LOB piece or a record fragment in its row.

    Attributes:
        kind: LOB piece or fragment.
        base: the base record; None if not found (lost, or in a file that is missing).
        number: counted from 1: the number in the piece, else that of the record after the base; None if neither is
            known.
        pieces: the number of pieces: from the piece, else RecCount; of fragments known at the last one only.
        numbers: the header of a LOB piece; None if its layout is not the assumed one.
    """

    kind: Kind
    base: FilePosition | None
    number: int | None
    pieces: int | None
    numbers: PieceHeader | None = None


def kind_of(record: Record) -> Kind | None:
    """Return the kind of segment that the record is; None if it is a record of its own."""
    if record.is_file_header:
        return None
    return {LARGE_OBJECT: Kind.LOB, RECORD_FRAGMENT: Kind.FRAGMENT}.get(record.header.io_type)


def numbers_of(record: Record) -> PieceHeader | None:
    """Return the header of a LOB piece; None if its layout is not the assumed one."""
    return parse_piece(record.header, record.head("D", HEADER_BYTES), record.order, record.data_size)


class Row(NamedTuple):
    """The state of a row after some of its records.

    Attributes:
        base: its base record; None if not found.
        first: the first record found: the base record, else a part.
        fragments: the number of fragments so far.
        pieces: the number of pieces so far of the unfinished LOB; 0 after its last.
    """

    base: FilePosition | None = None
    first: FilePosition | None = None
    fragments: int = 0
    pieces: int = 0

    def with_part(self, record: Record, kind: Kind) -> Row:
        """Return the row with one more part."""
        if kind is Kind.FRAGMENT:
            return self._replace(fragments=self.fragments + 1)
        return self._replace(pieces=self.pieces + 1 if record.header.continued else 0)

    def place_of(self, record: Record, kind: Kind) -> Segment:
        """Return the segment of the next part."""
        header, is_known = record.header, self.base is not None
        if kind is Kind.FRAGMENT:
            number = self.fragments + 1 if is_known else None
            return Segment(kind, self.base, number, None if header.continued else number)
        numbers = numbers_of(record)
        if numbers is not None:
            return Segment(kind, self.base, numbers.number, numbers.pieces, numbers)
        number = self.pieces + 1 if is_known else None
        is_possible = (number or 1) <= header.rec_count < MOST_COUNTED
        return Segment(kind, self.base, number, header.rec_count if is_possible else None)


class SegmentContext:
    """Follows the rows through the records of one file.

    Records read in the order of the file cost nothing extra; after a jump the base record is searched backwards, in
    earlier files too. Marks along this way keep backward reading of a row with many parts cheap.
    """

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._expected_rba = -1
        self._row = Row()
        self._marks: list[tuple[int, Row]] = []
        self._marked_to = 0

    def of(self, record: Record) -> Segment | None:
        """Return the segment of ``record``; None if it is not part of another."""
        follows, self._expected_rba = record.rba == self._expected_rba, record.rba + record.length
        kind = kind_of(record)
        if kind is not None:
            row = self._row if follows else self._row_before(record.rba)
            self._row = row.with_part(record, kind)
            return row.place_of(record, kind)
        if is_transactional(record):
            self._row = Row(FilePosition(self._trail.path, record.rba))
        elif not follows:
            self._expected_rba = -1
        return None

    def _row_before(self, rba: int) -> Row:
        """Return the row that continues in the part at ``rba``."""
        if self._marks and self._marks[0][0] <= rba <= self._marked_to:
            index = bisect_right(self._marks, rba, key=itemgetter(0)) - 1
            return self._walk(*self._marks[index], rba)
        row = row_before(self._trail, rba)
        start = row.first
        if start is not None and start.path == self._trail.path:
            self._marks = []
            self._walk(start.rba, Row(row.base, row.first), rba, self._marks)
            self._marked_to = rba
        return row

    def _walk(self, start: int, row: Row, rba: int, marks: list[tuple[int, Row]] | None = None) -> Row:
        """Return the row at ``rba``, walking from ``row`` at ``start``, its base record or a part; add ``marks``."""
        for number, record in enumerate(self._trail.records(start)):
            if marks is not None and number % _MARK_EVERY == 0:
                marks.append((record.rba, row))
            if record.rba >= rba:
                break
            kind = kind_of(record)
            row = row.with_part(record, kind) if kind is not None else row
        return row


def row_before(trail: TrailFile, rba: int) -> Row:
    """Return the row that continues in the part at ``rba``, found by walking back to its base."""
    first, fragments, pieces, counts_pieces = FilePosition(trail.path, rba), 0, 0, True
    for position, record in _records_before(trail, rba):
        kind = kind_of(record)
        if kind is None and is_transactional(record):
            return Row(position, position, fragments, pieces)
        if kind is Kind.FRAGMENT:
            fragments += 1
        elif kind is Kind.LOB:
            counts_pieces = counts_pieces and bool(record.header.continued)
            pieces += counts_pieces
        first = first if kind is None else position
    return Row(None, first, fragments, pieces)


def _records_before(trail: TrailFile, rba: int) -> Iterator[tuple[FilePosition, Record]]:
    """Yield the records before a position, last first, up to damage, a missing file, or ``FARTHEST`` records."""
    left = FARTHEST
    path = trail.path
    try:
        for record in trail.records_backwards(rba):
            yield FilePosition(path, record.rba), record
            left -= 1
            if not left:
                return
        earlier, _ = previous_file(path)
        while earlier is not None:
            path = earlier
            with TrailFile(path) as other:
                for record in other.records_backwards():
                    yield FilePosition(path, record.rba), record
                    left -= 1
                    if not left:
                        return
            earlier, _ = previous_file(path)
    except TrailError:
        return


def records_from(trail: TrailFile, position: FilePosition) -> Iterator[tuple[FilePosition, Record | TrailError]]:
    """Yield the records from a position on, over the files of the trail; damage yields its error and is skipped."""
    path: Path | None = position.path
    start = position.rba
    while path is not None:
        if path == trail.path:
            yield from _with_damage(trail, start)
        else:
            try:
                with TrailFile(path) as other:
                    yield from _with_damage(other, start)
            except NotATrail as error:
                yield FilePosition(path, 0), error
        path, missing = next_file(path)
        if missing is not None:
            yield FilePosition(missing, 0), NotATrail("the file is missing", path=missing)
        start = 0


def _with_damage(trail: TrailFile, start: int) -> Iterator[tuple[FilePosition, Record | TrailError]]:
    rba: int | None = start
    while rba is not None:
        try:
            record = trail.record_at(rba)
        except TrailError as error:
            yield FilePosition(trail.path, rba), error
            rba = trail.next_good_header(rba + 1)
            continue
        if record is None:
            return
        yield FilePosition(trail.path, rba), record
        rba += record.length


def followed_by_lob(trail: TrailFile, record: Record) -> bool:
    """Return whether the record after the last one of a row is a piece of a LOB, which then belongs to the row."""
    if record.is_file_header or kind_of(record) is not None:
        return False
    following_records = records_from(trail, FilePosition(trail.path, record.rba + record.length))
    for _, following in islice(following_records, _MOST_BETWEEN):
        if isinstance(following, TrailError):
            return False
        is_skipped = following.is_file_header or not is_transactional(following) or kind_of(following) is Kind.FRAGMENT
        if not is_skipped:
            return kind_of(following) is Kind.LOB
    return False


def whole_record(trail: TrailFile, record: Record) -> Record | None:
    """Return ``record`` with the data of its fragments appended; None if it has none.

    Raises:
        BadData: a fragment is missing, or the data have more than LARGEST bytes.
    """
    if record.is_file_header or kind_of(record) is not None or not record.header.continued:
        return None
    parts = [record.data]
    size = len(record.data)
    for _, following in records_from(trail, FilePosition(trail.path, record.rba + record.length)):
        if isinstance(following, TrailError):
            break
        if following.is_file_header or not is_transactional(following):
            continue
        if kind_of(following) is not Kind.FRAGMENT:
            break
        parts.append(following.data)
        size += len(following.data)
        if size > LARGEST:
            raise BadData("the record is too large with its fragments", expected=f"at most {LARGEST} bytes").at(
                record.path, record.rba
            )
        if not following.header.continued:
            return _with_data(record, b"".join(parts))
    if len(parts) == 1:
        return None
    raise BadData("a record fragment is missing", expected="one with Continued N").at(record.path, record.rba)


def joined(trail: TrailFile, record: Record) -> Record:
    """Return the whole record, or ``record`` itself if it has no fragments or they are incomplete."""
    try:
        return whole_record(trail, record) or record
    except TrailError:
        return record


def _with_data(record: Record, data: bytes) -> Record:
    tokens = [make_token("D", data) if token.id == ord("D") else token for token in record.tokens]
    raw = build_record(record.frame.info, build_tokens(tokens, record.order), record.order)
    return Record(raw, rba=record.rba, order=record.order, path=record.path)
