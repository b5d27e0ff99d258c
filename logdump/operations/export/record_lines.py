"""Records with all their members as lines of text, by columns: those that are ordinary rows of tables.

The others, which need more than their own bytes and their definition, are left to be written one by one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.arrow.records.columns.definitions import Known
from logdump.arrow.records.columns.image_values import image_values
from logdump.arrow.records.columns.tokens import bodies, gg_parts, row_ids, user_tokens_by_row
from logdump.arrow.records.rows import Rows, Source
from logdump.arrow.tables.lines import LinePart, iso_texts
from logdump.arrow.tables.piece import Array
from logdump.operations.export.record_pieces import RecordPiece
from logdump.render import json_record
from trailformat import ColumnDefinition, Token, TrailError, TrailFile, io_type_name
from trailformat.arrays import Escapes, Field, FieldForm, LineForm, hex_at, write_lines
from trailformat.changes.row_changes import OPERATIONS
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.records.record_header import PLACES
from trailformat.scan.kernels.arguments import ABSENT, NULL
from trailformat.scan.rows import Fields, RowBytes, headers_of, images_of
from trailformat.scan.rows.headers import are_wide, header_positions

_DIGITS = pa.array([str(number) for number in range(256)])
_LETTERS = pa.array([chr(number) for number in range(256)])
_TYPES = pa.array([io_type_name(number) for number in range(256)])
_OPERATIONS = pa.array([OPERATIONS.get(number) for number in range(256)], pa.string())
_MARK = 0xFF
_ORDINARY_TOKENS = np.array([chr(number) in "HDTU" for number in range(256)])
_UNKNOWN, _TRUE, _FALSE = range(3)
_CHANGED = pa.array(["null", "true", "false"])


class MemberForms(NamedTuple):
    """The forms of the members of records in a text format, by their names.

    Attributes:
        number, text: of values.
        list_of: of lists, whose items are JSON already, with commas between them.
        nested: the escapes in that JSON.
        line: the line of records in a file, with member ``file`` in its head.
    """

    number: Callable[[str], FieldForm]
    text: Callable[[str], FieldForm]
    list_of: Callable[[str], FieldForm]
    nested: Escapes
    line: Callable[[Path], LineForm]


class RecordLines(NamedTuple):
    """The lines of the rows of a piece that are written by columns; a mask of the others."""

    piece: RecordPiece
    part: LinePart
    odd: Array


def record_lines(piece: RecordPiece, trail: TrailFile, forms: MemberForms) -> RecordLines:
    """The lines of the ordinary rows of a piece; needs no session, so that threads can do it."""
    chosen = np.flatnonzero(piece.ordinary)
    odd = ~piece.ordinary
    if not len(chosen):
        return RecordLines(piece, LinePart(piece.rows.rows, memoryview(b""), np.zeros(len(odd), np.int64)), odd)
    rows = piece.rows.subset(chosen)
    records = _Records(Rows(Source(trail), rows.batch, rows.rows, rows.read), piece, chosen, forms)
    lines = write_lines(forms.line(trail.path), [*records.fields()], records.odd)
    odd[chosen[records.odd]] = True
    return RecordLines(piece, LinePart(rows.rows, lines.data.data, lines.ends), odd)


class _Records:
    """Ordinary rows, and their members as fields of lines.

    Attributes:
        odd: a mask of the rows that turn out not to be ordinary.
    """

    def __init__(self, rows: Rows, piece: RecordPiece, chosen: Array, forms: MemberForms) -> None:
        self._rows = rows
        self._piece = piece
        self._forms = forms
        self._group = piece.known.group[chosen]
        self._header = header_positions(rows.view, rows.starts)
        self.odd = ~_have_usual_tokens(rows)

    def fields(self) -> Iterator[Field]:
        """The members of a record in JSON but ``file``, as fields of its line."""
        before, after = self._images()
        none = pa.array([""] * len(self._rows), pa.string())
        tokens = {"gg_tokens": self._gg_tokens(), "user_tokens": self._user_tokens(none)}
        lists = {"before": before, "after": after, **tokens, **dict.fromkeys(_EMPTY, none)}
        nothing = pa.nulls(len(self._rows), pa.string())
        for member in json_record.RECORD.members[1:]:
            name = member.name
            if name in lists:
                yield Field(self._forms.list_of(name), lists[name])
            elif name in _TEXTS:
                yield Field(self._forms.text(name), _TEXTS[name](self))
            else:
                yield Field(self._forms.number(name), _NUMBERS[name](self) if name in _NUMBERS else nothing)

    def of_bytes(self, name: str, texts: pa.Array) -> pa.Array:
        """The text of a field of the header that is one byte."""
        return texts.take(pa.array(self._rows.view[self._header + PLACES[name].start]))

    def of_column(self, name: str) -> pa.Array:
        """A column of the batch as text."""
        return pa.array(self._rows.of(name)).cast(pa.string())

    def table_index(self) -> pa.Array:
        """The index of the definition, where the header has one."""
        index = headers_of(self._rows).table_index
        return pa.array(index, mask=index < 0).cast(pa.string())

    def time(self) -> pa.Array:
        """IO Time."""
        julian = self._rows.of("io_time")
        self.odd |= (julian < FIRST_TIME) | (julian > LAST_TIME)
        return iso_texts(pa.array(np.where(self.odd, 0, julian - JULIAN_UNIX_EPOCH)))

    def table(self) -> pa.Array:
        """The name of the table."""
        return pa.array(self._piece.tables, pa.string()).take(pa.array(self._group))

    def of_transaction(self, part: str) -> pa.Array:
        """LOGCSN or TRANID."""
        owners = self._piece.owners
        numbers, places = np.unique(np.asarray(owners.index)[self._rows.rows], return_inverse=True)
        texts = getattr(owners, part)
        return pa.array([texts[number] for number in numbers.tolist()], pa.string()).take(pa.array(places))

    def row_id(self) -> pa.Array:
        """ORAROWID."""
        return row_ids(self._rows)

    def data(self) -> pa.Array:
        """The data in hex."""
        starts, ends = self._rows.payload("data")
        return hex_at(self._rows.view, starts, ends - starts)

    def _images(self) -> list[pa.Array]:
        """Both images: the columns of each row, with commas between them; null where there is no image."""
        found = images_of(self._rows)
        self.odd |= ~found.is_sound
        known = Known(self._group, self._piece.known.definitions)
        counts = np.array([len(one.table.columns) if one.table else 0 for one in known.definitions])
        for parts in found.images:
            region = parts.region
            self.odd[region[parts.number >= counts[self._group][region]]] = True
            self.odd[region[1:][(np.diff(region) == 0) & (np.diff(parts.number) <= 0)]] = True
        sides = [_Side(parts, hex_at(self._rows.view, parts.start, parts.size), self._rows) for parts in found.images]
        changes = _changes(*sides)
        made = []
        for side, changed, present in zip(sides, changes, found.present, strict=True):
            values = image_values(self._rows, side.parts, known)
            self.odd[[problem.row for problem in values.problems]] = True
            null = FieldForm(b"", null=b',"null":true', absent=b',"null":false')
            text = FieldForm(b'","text":"', b'"', b'","text":null', escapes=self._forms.nested)
            fields = [
                self._columns(side, counts),
                Field(null, None, np.where(side.is_null, NULL, ABSENT)),
                Field(FieldForm(b',"hex":"'), side.stored),
                Field(text, values.values),
                Field(FieldForm(b',"changed":', b',"problem":null'), _CHANGED.take(pa.array(changed))),
            ]
            made.append(_listed(side.parts, fields, present))
        return made

    def _columns(self, side: _Side, counts: Array) -> Field:
        """What the definition says of each column."""
        first = np.cumsum(counts) - counts
        texts = [
            _described(index, column, is_ascii=self._forms.nested is Escapes.JSON_ASCII)
            for one in self._piece.known.definitions
            for index, column in enumerate(one.table.columns if one.table else ())
        ]
        group = self._group[side.parts.region]
        at = np.minimum(first[group] + side.parts.number, len(texts) - 1)
        return Field(FieldForm(b""), pa.array(texts or [""], pa.string()).take(pa.array(np.maximum(at, 0))))

    def _gg_tokens(self) -> pa.Array:
        """The GGS tokens of each row, with commas between them."""
        parts, view = gg_parts(self._rows), self._rows.view
        self.odd |= ~parts.is_sound
        info = view[parts.start - 3]
        is_first = np.diff(parts.region, prepend=-1) != 0
        begins = np.where(is_first, self._rows.payload("token")[0][parts.region], np.roll(parts.start + parts.size, 1))
        is_wide = (parts.start - begins != 4) | are_wide(info)
        self.odd[parts.region[is_wide]] = True
        kinds, places = np.unique(parts.number * 256 + info, return_inverse=True)
        heads = pa.array([_token_head(*divmod(kind, 256)) for kind in kinds.tolist()], pa.string())
        text = FieldForm(b'","text":"', b'"', b'","text":null', escapes=self._forms.nested)
        fields = [
            Field(FieldForm(b""), heads.take(pa.array(places.reshape(-1)))),
            Field(FieldForm(b',"hex":"'), hex_at(view, parts.start, parts.size)),
            Field(text, _token_texts(view, parts)),
        ]
        return _listed(parts, fields, np.ones(len(self._rows), bool))

    def _user_tokens(self, none: pa.Array) -> pa.Array:
        """The user tokens of each row, with commas between them."""
        found = user_tokens_by_row(self._rows)
        if not found:
            return none
        texts = [""] * len(none)
        for row, pairs in found.items():
            if isinstance(pairs, TrailError):
                self.odd[row] = True
            else:
                items = [json_record.USER_TOKEN.build(pair) for pair in pairs]
                texts[row] = _json(items, is_ascii=self._forms.nested is Escapes.JSON_ASCII)
        return pa.array(texts, pa.string())


class _Side:
    """The columns of one image of the rows: their places, their bytes in hex, which of them are NULL."""

    def __init__(self, parts: Fields, stored: pa.Array, rows: RowBytes) -> None:
        self.parts = parts
        self.stored = stored
        last = len(rows.view) - 1
        first, second = (rows.view[np.minimum(parts.start + at, last)] for at in range(2))
        self.is_null = (parts.size >= 2) & (first == _MARK) & (second == _MARK)
        self.keys = parts.region << 16 | parts.number


def _changes(before: _Side, after: _Side) -> tuple[Array, Array]:
    """For each column of both images whether the other image has another value."""
    changed = np.full(len(before.keys), _UNKNOWN), np.full(len(after.keys), _UNKNOWN)
    _, old, new = np.intersect1d(before.keys, after.keys, return_indices=True)
    if len(old):
        is_equal = pc.equal(before.stored.take(pa.array(old)), after.stored.take(pa.array(new)))
        is_equal = is_equal.to_numpy(zero_copy_only=False) | (before.is_null[old] & after.is_null[new])
        changed[0][old] = changed[1][new] = np.where(is_equal, _FALSE, _TRUE)
    return changed


def _listed(parts: Fields, fields: list[Field], present: Array) -> pa.Array:
    """Objects of these fields, those of each region with commas between them; null where ``present`` is not set."""
    is_first = np.diff(parts.region, prepend=-1) != 0
    opening = Field(FieldForm(b"", null=b",{", absent=b"{"), None, np.where(is_first, ABSENT, NULL))
    lines = write_lines(LineForm(b"", b"}"), [opening, *fields], np.zeros(len(is_first), bool))
    ends = np.concatenate((np.zeros(1, np.int64), lines.ends))[parts.first].astype(np.int32)
    valid = None if present.all() else pa.py_buffer(np.packbits(present, bitorder="little"))
    buffers = [valid, pa.py_buffer(ends), pa.py_buffer(lines.data)]
    return pa.Array.from_buffers(pa.string(), len(present), buffers)


@lru_cache(1 << 14)
def _described(index: int, column: ColumnDefinition, *, is_ascii: bool) -> str:
    """The members of a column that its definition tells."""
    return _json(json_record.described_column(index, column), is_ascii=is_ascii)


def _json(value: Any, *, is_ascii: bool) -> str:
    """A list or an object in JSON, without its brackets."""
    return json.dumps(value, ensure_ascii=is_ascii, separators=(",", ":"))[1:-1]


def _token_head(number: int, info: int) -> str:
    members = json_record.GGS_TOKEN.build(Token(number, info, b""))
    return _json({name: members[name] for name in ("id", "name", "info")}, is_ascii=True)


def _token_texts(view: Array, parts: Fields) -> pa.Array:
    """The payloads of tokens as text; null where one is not printable."""
    ends = np.cumsum(parts.size)
    at = np.repeat(parts.start - (ends - parts.size), parts.size) + np.arange(int(ends[-1]) if len(ends) else 0)
    payloads = view[at]
    plain = np.concatenate((np.zeros(1, np.int32), ends)).astype(np.int32)
    odd = np.unique(np.searchsorted(ends, np.flatnonzero((payloads < 0x20) | (payloads > 0x7E)), side="right"))
    if not len(odd):
        return pa.Array.from_buffers(pa.string(), len(ends), [None, pa.py_buffer(plain), pa.py_buffer(payloads)])
    stored = pa.Array.from_buffers(pa.binary(), len(ends), [None, pa.py_buffer(plain), pa.py_buffer(payloads)])
    texts = [_token_text(data.as_py()) for data in stored.take(pa.array(odd))]
    mask = np.zeros(len(ends), bool)
    mask[odd] = True
    kept = pc.if_else(pa.array(mask), pa.scalar(b"", pa.binary()), stored).cast(pa.string())
    return pc.replace_with_mask(kept, pa.array(mask), pa.array(texts, pa.string()))


@lru_cache(1 << 12)
def _token_text(payload: bytes) -> str | None:
    return json_record.token_text(Token(0, 0, payload))


def _have_usual_tokens(rows: Rows) -> Array:
    """A mask of the rows that are made of H, D, T and U, each at most once."""
    parts = bodies(rows)
    unusual = ~_ORDINARY_TOKENS[parts.number] | _repeated(parts)
    mask: Array = parts.is_sound.copy()
    mask[parts.region[unusual]] = False
    return mask


def _repeated(parts: Fields) -> Array:
    """A mask of the parts whose region has another one of their number."""
    _, places, counts = np.unique(parts.region << 8 | parts.number, return_inverse=True, return_counts=True)
    mask: Array = counts[places.reshape(-1)] > 1
    return mask


def _bytes_of(name: str, texts: pa.Array) -> Callable[[_Records], pa.Array]:
    return lambda records: records.of_bytes(name, texts)


def _column_of(name: str) -> Callable[[_Records], pa.Array]:
    return lambda records: records.of_column(name)


_EMPTY = frozenset({"other_tokens", "problems"})
_TEXTS: dict[str, Callable[[_Records], pa.Array]] = {
    "io_type_name": _bytes_of("io_type", _TYPES),
    "table": _Records.table,
    "time": _Records.time,
    "julian_time": _column_of("io_time"),
    "before_after": _bytes_of("before_after", _LETTERS),
    "format_type": _bytes_of("format_type", _LETTERS),
    "audit_pos": _column_of("audit_pos"),
    "operation": _bytes_of("io_type", _OPERATIONS),
    "csn": lambda records: records.of_transaction("csns"),
    "xid": lambda records: records.of_transaction("xids"),
    "row_id": _Records.row_id,
    "data": _Records.data,
}
_BYTES = {"syskey_length": "syskey_len"}
_NUMBERS: dict[str, Callable[[_Records], pa.Array]] = {
    **{name: _column_of(name) for name in ("rba", "length", "record_length", "audit_rba")},
    "data_length": _column_of("record_length"),
    "table_index": _Records.table_index,
    **{
        name: _bytes_of(_BYTES.get(name, name), _DIGITS)
        for name in (
            "io_type",
            "trans_ind",
            "partition",
            "undo_flag",
            "orig_node",
            "syskey_length",
            "incomplete",
            "continued",
            "rec_count",
        )
    },
}
"""Members that are numbers; any that stands nowhere here is null in an ordinary row."""


def parts_of(lines: RecordLines, others: Iterable[tuple[int, str]]) -> list[LinePart]:
    """The lines of a piece: those by columns, and others by the numbers of their rows in the batch."""
    pairs = [(number, text.encode()) for number, text in others]
    ends = np.cumsum([len(text) for _, text in pairs], dtype=np.int64)
    numbers = np.array([number for number, _ in pairs], np.int64)
    return [lines.part, LinePart(numbers, memoryview(b"".join(text for _, text in pairs)), ends)]
