"""Lists in records as fields of lines: the columns of both images, the tokens; the places of pieces of LOBs."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from logdump.arrow.records.columns.definitions import Known
from logdump.arrow.records.columns.image_values import image_texts
from logdump.arrow.records.columns.tokens import gg_parts
from logdump.arrow.records.rows import Rows
from logdump.arrow.tables.piece import Array
from logdump.render import json_record
from trailformat import ColumnDefinition, Token
from trailformat.arrays import (
    BytesAt,
    Digits,
    Escapes,
    Field,
    FieldForm,
    LineForm,
    Numbered,
    Parts,
    Strings,
    are_unequal,
)
from trailformat.changes.segments import Kind
from trailformat.records.lob_pieces import MOST_COUNTED
from trailformat.scan.rows import NONE, Fields, headers_of, images_of, lob_pieces
from trailformat.scan.rows.headers import are_wide

_MARK = 0xFF
_BLANK, _PRINTABLE = np.uint8(0x20), 0x5F
"""The first character of ASCII that is printed, and how many are."""
_NULLS = (',"null":false,"hex":"', ',"null":true,"hex":"')
_CHANGES = ("null", "true", "false")
_UNKNOWN, _TRUE, _FALSE = range(3)


class MemberForms(NamedTuple):
    """The forms of the members of records in a text format, by their names.

    Attributes:
        number, text: of values.
        json: of lists and objects that are JSON already.
        quoted: makes of JSON what stands in such a list.
        nested: the escapes of a text there.
        line: the line of records in a file, with member ``file`` in its head.
    """

    number: Callable[[str], FieldForm]
    text: Callable[[str], FieldForm]
    json: Callable[[str], FieldForm]
    quoted: Callable[[str], str]
    nested: Escapes
    line: Callable[[Path], LineForm]

    @property
    def is_ascii(self) -> bool:
        """Whether other characters are escaped."""
        return self.nested is Escapes.JSON_ASCII

    def list_of(self, name: str) -> FieldForm:
        """A list of JSON."""
        form = self.json(name)
        return form._replace(opening=form.opening + b"[", closing=b"]" + form.closing)

    def objects(self, name: str) -> FieldForm:
        """A list of objects, whose members are fields."""
        form = self.json(name)
        opening, closing = form.opening + b"[", b"]" + form.closing
        return FieldForm(opening + b"{", b"}" + closing, form.null, opening + closing, b"},{")

    def object(self, name: str) -> FieldForm:
        """One object, whose members are fields."""
        form = self.json(name)
        return FieldForm(form.opening + b"{", b"}" + form.closing, form.null)

    def inside(self, opening: str, closing: str = "", null: str = "") -> FieldForm:
        """A field in a list."""
        before, behind, instead = (self.quoted(text).encode() for text in (opening, closing, null))
        return FieldForm(before, behind, instead, escapes=self.nested)

    def choice(self, texts: list[str], numbers: Array) -> Field:
        """One of a few pieces of JSON in each row of a list."""
        return Field(FieldForm(b""), numbered([self.quoted(text) for text in texts], numbers))


def numbered(texts: list[Any] | Strings, numbers: Array) -> Numbered:
    """Texts by their numbers."""
    values = texts if isinstance(texts, Strings) else Strings.of(texts)
    return Numbered(values, numbers.astype(np.int32))


class Lists(NamedTuple):
    """A list in each row, and a mask of the rows that are not ordinary."""

    parts: Parts
    odd: Array


class RowImages:
    """Both images of ordinary rows: the columns before of all rows, and those after behind them.

    Args:
        rows: the rows.
        known: their definitions.
        other: for each row that of the other half of the same update, or NONE.
        forms: those of the format.

    Attributes:
        odd: a mask of the rows that turn out not to be ordinary.
    """

    def __init__(self, rows: Rows, known: Known, other: Array, forms: MemberForms) -> None:
        self._rows = rows
        self._known = known
        self._other = other
        self._forms = forms
        found = images_of(rows)
        self._present = found.present
        self._before = len(found.images[0].number)
        self._parts = _joined(*found.images)
        self._region = self._parts.region
        self._row = np.where(self._region < len(rows), self._region, self._region - len(rows))
        self.odd = ~found.is_sound
        self._counts = np.array([len(one.table.columns) if one.table else 0 for one in known.definitions], np.int64)
        self._look_for_odd()

    def _look_for_odd(self) -> None:
        """Columns that the definition lacks or that do not ascend; what is odd in one half is in both."""
        number, is_same = self._parts.number, self._region[1:] == self._region[:-1]
        self.odd[self._row[number >= self._counts[self._known.group[self._row]]]] = True
        self.odd[self._row[1:][is_same & (number[1:] <= number[:-1])]] = True
        halves = np.flatnonzero(self._other != NONE)
        self.odd[halves] |= self.odd[self._other[halves]]

    def lists(self) -> list[Parts]:
        """The columns before, and those after."""
        rows, first, fields = len(self._rows), self._parts.first, self._fields()
        return [
            Parts(first[at : at + rows + 1], fields, present)
            for at, present in zip((0, rows), self._present, strict=True)
        ]

    def _fields(self) -> list[Field]:
        forms, parts, view = self._forms, self._parts, self._rows.view
        values = image_texts(self._rows, parts, self._known, self._row)
        self.odd[[problem.row for problem in values.problems]] = True
        first, second = (view[np.minimum(parts.start + at, len(view) - 1)] for at in range(2))
        is_null = (parts.size >= 2) & (first == _MARK) & (second == _MARK)
        text = forms.inside('","text":"', '"', '","text":null')
        return [
            self._described(is_null),
            Field(FieldForm(b""), BytesAt(view, parts.start), parts.size),
            Field(text, numbered(values.texts, values.places)),
            forms.choice([f',"changed":{change},"problem":null' for change in _CHANGES], self._changes(is_null)),
        ]

    def _described(self, is_null: Array) -> Field:
        """What the definition says of each column, and whether it is NULL."""
        texts = [
            _described(index, column, is_ascii=self._forms.is_ascii) + null
            for one in self._known.definitions
            for index, column in enumerate(one.table.columns if one.table else ())
            for null in _NULLS
        ]
        first = np.cumsum(self._counts) - self._counts
        at = first[self._known.group[self._row]] + self._parts.number
        return self._forms.choice(texts or [""], np.clip(2 * at + is_null, 0, max(len(texts) - 1, 0)))

    def _changes(self, is_null: Array) -> Array:
        """For each column of both images whether the other image has another value."""
        parts, numbers = self._parts, np.arange(len(self._other))
        changes = np.full(len(parts.number), _UNKNOWN)
        change = np.where(self._other == NONE, numbers, np.minimum(self._other, numbers))
        keys = change[self._row] << 16 | parts.number
        old, new = _alike(keys[: self._before], keys[self._before :])
        new = new + self._before
        if len(old):
            is_equal = parts.size[old] == parts.size[new]
            compared = np.flatnonzero(is_equal & (parts.size[old] > 0))
            starts = parts.start[old[compared]], parts.start[new[compared]]
            is_equal[compared] = ~are_unequal(self._rows.view, starts, parts.size[old[compared]])
            is_equal |= is_null[old] & is_null[new]
            changes[old] = changes[new] = np.where(is_equal, _FALSE, _TRUE)
        return changes


def _joined(before: Fields, after: Fields) -> Fields:
    """The regions of one behind those of another."""
    first = np.concatenate((before.first, after.first[1:] + before.first[-1]))
    return Fields(first, *(np.concatenate(pair) for pair in zip(before[1:], after[1:], strict=True)))


def _alike(keys: Array, others: Array) -> tuple[Array, Array]:
    """The places of equal keys, among both; those of rows that are ordinary ascend."""
    if not len(keys) or not len(others):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    found = np.flatnonzero(others[at] == keys)
    return found, at[found]


def gg_tokens(rows: Rows, forms: MemberForms) -> Lists:
    """The GGS tokens of each row."""
    parts, view = gg_parts(rows), rows.view
    odd, region = ~parts.is_sound, parts.region
    info = view[parts.start - 3]
    is_first = np.diff(region, prepend=-1) != 0
    begins = np.where(is_first, rows.payload("token")[0][region], np.roll(parts.start + parts.size, 1))
    is_wide = (parts.start - begins != 4) | are_wide(info)
    odd[region[is_wide]] = True
    kinds = parts.number << 8 | info
    is_there = np.bincount(kinds, minlength=1) > 0
    heads = [_token_head(*divmod(kind, 256)) for kind in np.flatnonzero(is_there).tolist()]
    fields = [
        forms.choice(heads or [""], (np.cumsum(is_there) - 1)[kinds]),
        Field(FieldForm(b""), BytesAt(view, parts.start), parts.size),
        Field(forms.inside('","text":"', '"', '","text":null'), _token_texts(view, parts)),
    ]
    return Lists(Parts(parts.first, fields, np.ones(len(rows), bool)), odd)


class LobPlaces(NamedTuple):
    """Of pieces of LOBs the RBA of the record that each belongs to, its number by the records before it, RecCount."""

    base_rba: Array
    number: Array
    rec_count: Array


def segments(rows: Rows, is_piece: Array, places: LobPlaces, forms: MemberForms) -> Lists:
    """The places of the rows that are pieces of LOBs."""
    at = np.flatnonzero(is_piece)
    pieces = rows.subset(at)
    base_rba, counted, rec_count = (column[at] for column in places)
    found = lob_pieces(pieces, headers_of(pieces).is_continued, rec_count)
    odd = np.zeros(len(rows), bool)
    odd[at] = ~found.is_sound & (counted == 0)
    is_possible = (counted <= rec_count) & (rec_count < MOST_COUNTED)
    told = found.numbers._asdict()
    number = np.where(found.is_sound, told.pop("number"), counted)
    all_pieces, has_pieces = np.where(found.is_sound, told.pop("pieces"), rec_count), found.is_sound | is_possible
    base_file = json.dumps(str(rows.source.trail.path), ensure_ascii=forms.is_ascii)
    fields = [
        forms.choice([f'"kind":"{Kind.LOB.value}","base_file":{base_file}'], np.zeros(len(at))),
        _number("base_rba", base_rba, forms),
        _number("number", number, forms),
        _number("pieces", all_pieces, forms, has_pieces),
        *(_number(name, values, forms, found.is_sound) for name, values in told.items()),
    ]
    return Lists(Parts(np.concatenate(([0], np.cumsum(is_piece))), fields, is_piece), odd)


def _number(name: str, values: Array, forms: MemberForms, is_known: Array | None = None) -> Field:
    """A member of a segment."""
    return Field(forms.inside(f',"{name}":', null=f',"{name}":null'), Digits(values.astype(np.uint64), is_known))


@lru_cache(1 << 14)
def _described(index: int, column: ColumnDefinition, *, is_ascii: bool) -> str:
    """The members of a column that its definition tells."""
    return inner_json(json_record.described_column(index, column), is_ascii=is_ascii)


def inner_json(value: Any, *, is_ascii: bool) -> str:
    """A list or an object in JSON, without its brackets."""
    return json.dumps(value, ensure_ascii=is_ascii, separators=(",", ":"))[1:-1]


@lru_cache(1 << 12)
def _token_head(number: int, info: int) -> str:
    members = json_record.GGS_TOKEN.build(Token(number, info, b""))
    return inner_json({name: members[name] for name in ("id", "name", "info")}, is_ascii=True) + ',"hex":"'


def _token_texts(view: Array, parts: Fields) -> Strings:
    """The payloads of tokens as text; null where one is not printable."""
    stored = Strings.at(view, parts.start, parts.size)
    places = np.searchsorted(stored.offsets[1:], np.flatnonzero(stored.data - _BLANK >= _PRINTABLE), side="right")
    odd = places[np.diff(places, prepend=-1) != 0]
    if not len(odd):
        return stored
    distinct, numbers = stored.take(odd).distinct()
    texts = [json_record.token_text(Token(0, 0, payload)) for payload in distinct]
    return stored.replaced(odd, Strings.of(texts), numbers)
