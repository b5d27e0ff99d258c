"""Records with all their members as lines of text, by columns: the fast path, for ordinary rows of tables.

Records that need more than their own bytes and their definition are written one by one, like a record that is shown
alone. A batch of one record takes 4.5 ms, a record by ``display.json_record`` 0.3 ms; of many records, columns write
180,000 per processor second, the other way 3,000. Both write the members that ``json_record.RECORD`` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from logdump.arrow.records.rows import DefinitionGroups, Rows, Source
from logdump.arrow.records.texts import bodies, row_ids, user_tokens_by_row
from logdump.arrow.tables.group import Array, Piece
from logdump.arrow.tables.lines import iso_texts
from logdump.display import json_record
from logdump.display.json_shape import Get, Member
from logdump.features.export.members import (
    LobPlaces,
    MemberForms,
    RowImages,
    StoredBytes,
    Values,
    gg_tokens,
    numbered,
    segments,
)
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.session import Session
from trailformat import TrailError, TrailFile
from trailformat.arrays import BytesAt, Digits, Field, Numbered, Strings, new_room, write_lines
from trailformat.arrays.lines import LinePart
from trailformat.changes.row_changes import FULL, OPERATIONS, is_unknown
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.records.record_header import DDL_OP, METADATA, PIECES, PLACES
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows import (
    NONE,
    UNKNOWN,
    Fields,
    Related,
    RowBytes,
    by_definition,
    has_columns,
    has_unknown_tokens,
    headers_of,
    piece_numbers,
    related_rows,
)
from trailformat.scan.rows.definitions import header_positions
from trailformat.transactions.tracker import RowTransactions

_MOST_BYTES = 3 << 20
"""Bytes of records that become lines together; the lines are several times as long."""
_WIDEST = 0xFFFF
"""Above this size RecLength is not the length of the data."""
_IS_PLAIN = np.array([number not in {METADATA, DDL_OP, *PIECES} and not is_unknown(number) for number in range(256)])
"""Types whose lines need only the record, its transaction and the other half of its update."""
_IS_FULL = np.array([number in FULL for number in range(256)])


class RecordPiece(NamedTuple):
    """Some rows, and facts about them that need the session.

    Attributes:
        rows: the rows.
        ordinary: a mask of the rows that may be written by columns.
        known: the definitions of ordinary rows.
        tables: the name of the table of each definition.
        other: for each row the index, among these rows, of the other half of the same update; or NONE.
        base_rba: for a piece of a LOB the RBA of its base record; NONE for other rows.
        number: for a piece of a LOB its number, from the records before it; 0 if unknown.
        owners: the transactions of the batch.
        names: LOGCSN and TRANID of the transactions of the batch.
    """

    rows: RowBytes
    ordinary: Array
    known: DefinitionGroups
    tables: list[str | None]
    other: Array
    base_rba: Array
    number: Array
    owners: RowTransactions
    names: tuple[Strings, Strings]

    def between(self, begin: int, end: int) -> RecordPiece:
        """Return a range of the rows; rows whose other half is outside are not ordinary in it."""
        part = slice(begin, end)
        other = self.other[part]
        is_inside = (other >= begin) & (other < end)
        ordinary = self.ordinary[part] & (is_inside | (other == NONE))
        group, definitions = self.known.group[part], self.known.definitions
        used = np.flatnonzero(np.bincount(group, minlength=1)[: len(definitions)])
        known = DefinitionGroups(np.searchsorted(used, group), [definitions[number] for number in used.tolist()])
        tables = [self.tables[number] for number in used.tolist()]
        rows, inside = self.rows.subset(np.arange(begin, end)), np.where(is_inside, other - begin, NONE)
        places = self.base_rba[part], self.number[part]
        return RecordPiece(rows, ordinary, known, tables, inside, *places, self.owners, self.names)


class RecordPieces:
    """Builds the pieces of the records of a session's trail; batches must come one after the other."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._related: tuple[Batch, Related] | None = None
        self._names: tuple[RowTransactions, tuple[Strings, Strings]] | None = None

    def of(self, piece: Piece) -> Iterator[RecordPiece]:
        """Yield a piece in smaller ones, with the facts about their rows."""
        rows, related = piece.rows, self._related_in(piece.rows.batch)
        headers = headers_of(rows)
        ordinary = _ordinary(rows, related, headers.is_continued)
        chosen = np.flatnonzero(ordinary)
        groups = by_definition(rows.subset(chosen), headers.table_index[chosen])
        path = self._session.trail.path
        shown = [KnownRecord(rows.record(row, path), self._session) for row in chosen[groups.firsts].tolist()]
        group = np.zeros(len(rows), np.int64)
        group[chosen] = groups.group
        ordinary[chosen] = np.array([*map(_is_named, shown)], bool)[groups.group]
        tables = [json_record.table_of(record) for record in shown]
        known = DefinitionGroups(group, [record.row_definition for record in shown])
        other = _others(rows, related, ordinary, known.group, np.array([*map(tables.index, tables)], np.int64))
        base = related.base[rows.rows]
        base_rba = np.where(base >= 0, np.asarray(rows.batch.rba)[np.maximum(base, 0)], NONE)
        number = piece_numbers(rows, related, headers.is_continued)
        names = self._names_of(piece.owners)
        whole = RecordPiece(rows, ordinary, known, tables, other, base_rba, number, piece.owners, names)
        ends = np.cumsum(rows.of("length"))
        bounds = np.flatnonzero(np.diff(ends // _MOST_BYTES)) + 1
        yield from (whole.between(*pair) for pair in pairwise([0, *bounds.tolist(), len(rows)]))

    def _related_in(self, batch: Batch) -> Related:
        if self._related is None or self._related[0] is not batch:
            self._related = batch, related_rows(batch)
        return self._related[1]

    def _names_of(self, owners: RowTransactions) -> tuple[Strings, Strings]:
        if self._names is None or self._names[0] is not owners:
            self._names = owners, (Strings.of_column(owners.csns), Strings.of_column(owners.xids))
        return self._names[1]


def _ordinary(rows: RowBytes, related: Related, is_continued: Array) -> Array:
    """Return a mask of the rows that may be written by columns."""
    is_full = _IS_FULL[rows.of("io_type")] & ~has_columns(rows)
    is_whole = _IS_PLAIN[rows.of("io_type")] & ~is_full & ~is_continued
    is_known = (rows.kind == RECORD) & (rows.of("length") <= _WIDEST) & (related.other[rows.rows] != UNKNOWN)
    mask: Array = is_known & (is_whole | (related.base[rows.rows] >= 0)) & ~has_unknown_tokens(rows)
    return mask


def _is_named(known: KnownRecord) -> bool:
    """Return True if the name of a record can be resolved, or it has none."""
    return known.look_up(Facet.TABLE) is None and known.look_up(Facet.NAME) is None


def _others(rows: RowBytes, related: Related, ordinary: Array, group: Array, names: Array) -> Array:
    """Return the row number of the other half of each update; halves without it are removed from ``ordinary``.

    ``names`` holds a number for each definition, which definitions of the same name share.
    """
    wanted = related.other[rows.rows]
    halves = np.flatnonzero(ordinary & (wanted >= 0))
    position = np.minimum(np.searchsorted(rows.rows, wanted[halves]), len(rows) - 1)
    is_there = (rows.rows[position] == wanted[halves]) & ordinary[position]
    is_alike = (group[position] == group[halves]) & (rows.is_little[position] == rows.is_little[halves])
    is_of_table = names[group[position]] == names[group[halves]] if len(halves) else is_alike
    other = np.full(len(rows), NONE)
    other[halves[is_there & is_alike]] = position[is_there & is_alike]
    ordinary[halves[~is_there | (is_of_table & ~is_alike)]] = False
    return other


_OPERATIONS = Strings.of(OPERATIONS.get(number) for number in range(256))
_STEP = 32 << 20
"""Buffers are multiples of this size, so that the next lines fit too; pages never written take no memory."""
_USUAL = "HDTU"
_USUAL_PLACES = np.array([_USUAL.find(chr(number)) for number in range(256)])


class Rooms:
    """Memory for lines, reused when they are on disk: new pages are the most expensive part."""

    def __init__(self) -> None:
        self._free: list[Array] = []

    def take(self, size: int) -> Array:
        """Return an array of at least ``size`` bytes."""
        room = self._free.pop() if self._free else None
        return room if room is not None and len(room) >= size else new_room(-(-size // _STEP) * _STEP)

    def give_back(self, room: Array) -> None:
        """Put back an array that is no longer used."""
        self._free.append(room)


class RecordLines(NamedTuple):
    """The lines of a piece that are written by columns, in the array ``room``; ``irregular`` masks the other rows."""

    piece: RecordPiece
    part: LinePart
    irregular: Array
    room: Array


def record_lines(piece: RecordPiece, trail: TrailFile, forms: MemberForms, rooms: Rooms) -> RecordLines:
    """Return the lines of the ordinary rows of a piece; needs no session, so that threads can run it."""
    chosen = np.flatnonzero(piece.ordinary)
    records = _Records(trail, piece, chosen, forms)
    lines = write_lines(
        forms.line(trail.path), [*records.fields()] if len(chosen) else [], records.irregular, rooms.take
    )
    irregular = ~piece.ordinary
    irregular[chosen[records.irregular]] = True
    part = LinePart(piece.rows.rows[chosen], lines.data.data, lines.ends)
    return RecordLines(piece, part, irregular, lines.room)


class _Records:
    """Ordinary rows, and their members as fields of lines.

    Attributes:
        irregular: a mask of the rows that turn out not to be ordinary.
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
        self.irregular = ~_have_usual_tokens(self._rows)

    def fields(self) -> Iterator[Field]:
        """Yield the members of records, as in JSON, except ``file``."""
        values = self._lists()
        for member in json_record.RECORD.members[1:]:
            name = member.name
            if name not in values:
                values[name] = _VALUES[name](self) if name in _VALUES else self._read(member)
            yield self._forms.field(member, values[name])

    def _read(self, member: Member) -> Values:
        """Return a member that is one field of the record, which the path of the member names."""
        name = member.path.rpartition(".")[2]
        if name in _BYTES:
            return numbered(_texts(member.make or str), self.byte(name))
        return self.column(name)

    def _lists(self) -> dict[str, Values]:
        """Return the members that are lists or objects, and the data."""
        forms, rows = self._forms, self._rows
        images = RowImages(rows, self._known, self._other, forms)
        before, after = images.lists()
        base_rba, number = (column[self._chosen] for column in (self._piece.base_rba, self._piece.number))
        places = LobPlaces(base_rba, number, self.byte("rec_count"))
        tokens, pieces = gg_tokens(rows, forms), segments(rows, base_rba != NONE, places, forms)
        self.irregular |= images.irregular | tokens.irregular | pieces.irregular
        starts, ends = rows.payload("data")
        return {
            "before": before,
            "after": after,
            "segment": pieces.parts,
            "gg_tokens": tokens.parts,
            "data": StoredBytes(BytesAt(rows.view, starts), ends - starts),
        }

    def empty(self) -> Numbered:
        """Return a member that is an empty list in every ordinary record."""
        return numbered([""], np.zeros(len(self._rows)))

    def nothing(self) -> Strings:
        """Return a member that is null in every ordinary record."""
        return Strings.nulls(len(self._rows))

    def byte(self, name: str) -> Array:
        """Return the values of a one-byte header field."""
        values: Array = self._rows.view[self._header + PLACES[name].start]
        return values

    def column(self, name: str) -> Digits:
        """Return a column of the batch as unsigned numbers."""
        return Digits(self._rows.of(name).astype(np.uint64))

    def table_index(self) -> Digits:
        """Return the index of the table definition in the header; null if it has none."""
        index = headers_of(self._rows).table_index
        return Digits(index.astype(np.uint64), index >= 0)

    def other_rba(self) -> Digits:
        """Return the RBA of the other half of an update; null for other records."""
        rbas = self._rows.of("rba").astype(np.uint64)
        return Digits(rbas[self._other], self._other != NONE)

    def time(self) -> Numbered:
        """Return IO Time; rows with a time outside the calendar become odd."""
        julian = self._rows.of("io_time")
        self.irregular |= (julian < FIRST_TIME) | (julian > LAST_TIME)
        return iso_texts(np.where(self.irregular, 0, julian - JULIAN_UNIX_EPOCH))

    def table(self) -> Numbered:
        """Return the names of the tables."""
        return numbered(self._piece.tables, self._known.group)

    def of_transaction(self, texts: Strings) -> Numbered:
        """Return the text of each row's transaction."""
        return numbered(texts, np.asarray(self._piece.owners.index)[self._rows.rows])

    def csn(self) -> Numbered:
        """Return LOGCSN."""
        return self.of_transaction(self._piece.names[0])

    def xid(self) -> Numbered:
        """Return TRANID."""
        return self.of_transaction(self._piece.names[1])

    def row_id(self) -> Strings:
        """Return ORAROWID."""
        return row_ids(self._rows)

    def user_tokens(self) -> Strings | Numbered:
        """Return the user tokens of each row, separated by commas."""
        tokens = user_tokens_by_row(self._rows)
        if not tokens:
            return self.empty()
        texts = [""] * len(self._rows)
        for row, pairs in tokens.items():
            if isinstance(pairs, TrailError):
                self.irregular[row] = True
            else:
                items = [json_record.USER_TOKEN.build(pair) for pair in pairs]
                texts[row] = self._forms.inner(items)
        return Strings.of(texts)


def _have_usual_tokens(rows: Rows) -> Array:
    """Return a mask of the rows that consist of the tokens H, D, T and U, each at most once."""
    parts = bodies(rows)
    unusual = (_USUAL_PLACES[parts.number] < 0) | _repeated(parts)
    mask: Array = parts.is_sound.copy()
    mask[parts.region[unusual]] = False
    return mask


def _repeated(parts: Fields) -> Array:
    """Return a mask of the parts whose region has another part of the same kind (H, D, T or U)."""
    places = len(_USUAL) * parts.region + np.maximum(_USUAL_PLACES[parts.number], 0)
    mask: Array = np.bincount(places, minlength=1)[places] > 1
    return mask


@cache
def _texts(make: Get) -> Strings:
    """Return the text of each byte value."""
    return Strings.of([make(number) for number in range(256)])


_BYTES = {name for name, place in PLACES.items() if place.end - place.start == 1}
"""The fields of the header with one byte; others are columns of the batch."""
_VALUES: dict[str, Callable[[_Records], Values]] = {
    "data_length": lambda records: records.column("record_length"),
    "audit_rba": lambda records: records.column("audit_rba"),
    "operation": lambda records: numbered(_OPERATIONS, records.byte("io_type")),
    "table": _Records.table,
    "table_index": _Records.table_index,
    "time": _Records.time,
    "other_rba": _Records.other_rba,
    "csn": _Records.csn,
    "xid": _Records.xid,
    "row_id": _Records.row_id,
    "user_tokens": _Records.user_tokens,
    **dict.fromkeys(("ddl", "metadata"), _Records.nothing),
    **dict.fromkeys(("other_tokens", "problems"), _Records.empty),
}
"""The members of ordinary records that are not one field of the record, except those of ``_lists``."""


def parts_of(lines: RecordLines, other_lines: Iterable[tuple[int, str]]) -> list[LinePart]:
    """Return the lines of a piece: those written by columns, and ``other_lines``, given by row number in the batch."""
    pairs = [(number, text.encode()) for number, text in other_lines]
    if not pairs:
        return [lines.part]
    ends = np.cumsum([len(text) for _, text in pairs], dtype=np.int64)
    numbers = np.array([number for number, _ in pairs], np.int64)
    return [lines.part, LinePart(numbers, memoryview(b"".join(text for _, text in pairs)), ends)]
