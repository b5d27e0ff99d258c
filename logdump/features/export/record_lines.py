"""Records with all their members as lines of text, by columns: those that are ordinary rows of tables.

The others, which need more than their own bytes and their definition, are left to be written one by one, as a record
that is shown alone is: a batch of one costs 4.5 ms, a record by ``display.json_record`` 0.3 ms, and of many the columns
write 180,000 in a processor second, the other way 3,000. Both go through the members that ``json_record.RECORD`` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from logdump.arrow.records.rows import Rows, Source
from logdump.arrow.records.tokens import bodies, row_ids, user_tokens_by_row
from logdump.arrow.tables.lines import iso_texts
from logdump.arrow.tables.piece import Array
from logdump.display import json_record
from logdump.display.json_shape import Get, Member
from logdump.features.export.member_forms import MemberForms, StoredBytes, Values, distinct, numbered
from logdump.features.export.record_lists import LobPlaces, RowImages, gg_tokens, segments
from logdump.features.export.record_pieces import RecordPiece
from trailformat import TrailError, TrailFile
from trailformat.arrays import BytesAt, Digits, Field, Numbered, Strings, new_room, write_lines
from trailformat.arrays.lines import LinePart
from trailformat.changes.row_changes import OPERATIONS
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.records.record_header import PLACES
from trailformat.scan.rows import NONE, Fields, headers_of
from trailformat.scan.rows.headers import header_positions

_OPERATIONS = Strings.of(OPERATIONS.get(number) for number in range(256))
_STEP = 32 << 20
"""Buffers are multiples of this size, so that the next lines fit too; pages never written take no memory."""
_USUAL = "HDTU"
_USUAL_PLACES = np.array([_USUAL.find(chr(number)) for number in range(256)])


class Rooms:
    """Memory in which lines are written, and others when these are on disk: pages that are new cost the most of it."""

    def __init__(self) -> None:
        self._free: list[Array] = []

    def take(self, size: int) -> Array:
        """Return an array of at least ``size`` bytes."""
        room = self._free.pop() if self._free else None
        return room if room is not None and len(room) >= size else new_room(-(-size // _STEP) * _STEP)

    def give_back(self, room: Array) -> None:
        """Return an array that is no longer used."""
        self._free.append(room)


class RecordLines(NamedTuple):
    """The lines of the rows of a piece that are written by columns, in an array of the rooms; a mask of the others."""

    piece: RecordPiece
    part: LinePart
    odd: Array
    room: Array


def record_lines(piece: RecordPiece, trail: TrailFile, forms: MemberForms, rooms: Rooms) -> RecordLines:
    """The lines of the ordinary rows of a piece; needs no session, so that threads can do it."""
    chosen = np.flatnonzero(piece.ordinary)
    records = _Records(trail, piece, chosen, forms)
    lines = write_lines(forms.line(trail.path), [*records.fields()] if len(chosen) else [], records.odd, rooms.take)
    odd = ~piece.ordinary
    odd[chosen[records.odd]] = True
    part = LinePart(piece.rows.rows[chosen], lines.data.data, lines.ends)
    return RecordLines(piece, part, odd, lines.room)


class _Records:
    """Ordinary rows, and their members as fields of lines.

    Attributes:
        odd: a mask of the rows that turn out not to be ordinary.
    """

    def __init__(self, trail: TrailFile, piece: RecordPiece, chosen: Array, forms: MemberForms) -> None:
        rows = piece.rows.subset(chosen)
        self._rows = Rows(Source(trail), rows.batch, rows.rows, rows.read)
        self._piece = piece
        self._chosen = chosen
        self._forms = forms
        self._known = piece.known._replace(group=piece.known.group[chosen])
        number = np.append(np.cumsum(piece.ordinary) - 1, NONE)
        self._other = number[piece.other[chosen]]
        self._header = header_positions(self._rows.view, self._rows.starts)
        self.odd = ~_have_usual_tokens(self._rows)

    def fields(self) -> Iterator[Field]:
        """The members of a record in JSON but ``file``, as fields of its line."""
        values = self._lists()
        for member in json_record.RECORD.members[1:]:
            name = member.name
            if name not in values:
                values[name] = _VALUES[name](self) if name in _VALUES else self._read(member)
            yield self._forms.field(member, values[name])

    def _read(self, member: Member) -> Values:
        """A member that is made of one field, which the table of members names."""
        name = member.path.rpartition(".")[2]
        if name in _BYTES:
            return numbered(_texts(member.make or str), self.byte(name))
        return self.column(name)

    def _lists(self) -> dict[str, Values]:
        """The members that are lists or objects, and the data."""
        forms, rows = self._forms, self._rows
        images = RowImages(rows, self._known, self._other, forms)
        before, after = images.lists()
        base_rba, number = (column[self._chosen] for column in (self._piece.base_rba, self._piece.number))
        places = LobPlaces(base_rba, number, self.byte("rec_count"))
        tokens, pieces = gg_tokens(rows, forms), segments(rows, base_rba != NONE, places, forms)
        self.odd |= images.odd | tokens.odd | pieces.odd
        starts, ends = rows.payload("data")
        return {
            "before": before,
            "after": after,
            "segment": pieces.parts,
            "gg_tokens": tokens.parts,
            "data": StoredBytes(BytesAt(rows.view, starts), ends - starts),
        }

    def empty(self) -> Numbered:
        """A list without parts in every ordinary record."""
        return numbered([""], np.zeros(len(self._rows)))

    def nothing(self) -> Strings:
        """A member that is null in every ordinary record."""
        return Strings.nulls(len(self._rows))

    def byte(self, name: str) -> Array:
        """Return the values of a one-byte header field."""
        values: Array = self._rows.view[self._header + PLACES[name].start]
        return values

    def column(self, name: str) -> Digits:
        """A column of the batch as numbers."""
        return Digits(self._rows.of(name).astype(np.uint64))

    def table_index(self) -> Digits:
        """The index of the definition, where the header has one."""
        index = headers_of(self._rows).table_index
        return Digits(index.astype(np.uint64), index >= 0)

    def other_rba(self) -> Digits:
        """RBA of the other half of an update."""
        rbas = self._rows.of("rba").astype(np.uint64)
        return Digits(rbas[self._other], self._other != NONE)

    def time(self) -> Numbered:
        """Return IO Time."""
        julian = self._rows.of("io_time")
        self.odd |= (julian < FIRST_TIME) | (julian > LAST_TIME)
        return iso_texts(np.where(self.odd, 0, julian - JULIAN_UNIX_EPOCH))

    def table(self) -> Numbered:
        """Return the names of the tables."""
        return numbered(self._piece.tables, self._known.group)

    def of_transaction(self, part: str) -> Numbered:
        """Return LOGCSN or TRANID."""
        numbers, places = distinct(np.asarray(self._piece.owners.index)[self._rows.rows])
        texts = getattr(self._piece.owners, part)
        return numbered([texts[number] for number in numbers], places)

    def row_id(self) -> Strings:
        """Return ORAROWID."""
        return row_ids(self._rows)

    def user_tokens(self) -> Strings | Numbered:
        """The user tokens of each row, with commas between them."""
        found = user_tokens_by_row(self._rows)
        if not found:
            return self.empty()
        texts = [""] * len(self._rows)
        for row, pairs in found.items():
            if isinstance(pairs, TrailError):
                self.odd[row] = True
            else:
                items = [json_record.USER_TOKEN.build(pair) for pair in pairs]
                texts[row] = self._forms.inner(items)
        return Strings.of(texts)


def _have_usual_tokens(rows: Rows) -> Array:
    """A mask of the rows that are made of H, D, T and U, each at most once."""
    parts = bodies(rows)
    unusual = (_USUAL_PLACES[parts.number] < 0) | _repeated(parts)
    mask: Array = parts.is_sound.copy()
    mask[parts.region[unusual]] = False
    return mask


def _repeated(parts: Fields) -> Array:
    """A mask of the usual parts whose region has another one of their kind."""
    places = len(_USUAL) * parts.region + np.maximum(_USUAL_PLACES[parts.number], 0)
    mask: Array = np.bincount(places, minlength=1)[places] > 1
    return mask


@cache
def _texts(make: Get) -> Strings:
    """What is made of each byte."""
    return Strings.of([make(number) for number in range(256)])


_BYTES = {name for name, place in PLACES.items() if place.end - place.start == 1}
"""The fields of the header of one byte; others are columns of the batch."""
_VALUES: dict[str, Callable[[_Records], Values]] = {
    "data_length": lambda records: records.column("record_length"),
    "audit_rba": lambda records: records.column("audit_rba"),
    "operation": lambda records: numbered(_OPERATIONS, records.byte("io_type")),
    "table": _Records.table,
    "table_index": _Records.table_index,
    "time": _Records.time,
    "other_rba": _Records.other_rba,
    "csn": lambda records: records.of_transaction("csns"),
    "xid": lambda records: records.of_transaction("xids"),
    "row_id": _Records.row_id,
    "user_tokens": _Records.user_tokens,
    **dict.fromkeys(("ddl", "metadata"), _Records.nothing),
    **dict.fromkeys(("other_tokens", "problems"), _Records.empty),
}
"""The members of ordinary records that are more than a field of the record, but those that ``_lists`` makes."""


def parts_of(lines: RecordLines, others: Iterable[tuple[int, str]]) -> list[LinePart]:
    """The lines of a piece: those by columns, and others by the numbers of their rows in the batch."""
    pairs = [(number, text.encode()) for number, text in others]
    if not pairs:
        return [lines.part]
    ends = np.cumsum([len(text) for _, text in pairs], dtype=np.int64)
    numbers = np.array([number for number, _ in pairs], np.int64)
    return [lines.part, LinePart(numbers, memoryview(b"".join(text for _, text in pairs)), ends)]
