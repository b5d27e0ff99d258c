"""Members of records as fields of lines: their forms, and the lists: columns of images, tokens, pieces of LOBs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from logdump.arrow.records.rows import DefinitionGroups, Rows
from logdump.arrow.records.texts import gg_parts, image_texts
from logdump.arrow.tables.group import Array
from logdump.display.json_record import COLUMN, GGS_TOKEN, SEGMENT, ColumnShown, token_text
from logdump.display.json_shape import Member, Shape, exact
from trailformat import ByteOrder, Column, ColumnDefinition, Token, TrailFile, Value, decode_value
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
from trailformat.records.columns import MOST_COUNTED, NULL, PRESENT
from trailformat.scan.rows import NONE, Fields, headers_of, images_of, lob_pieces
from trailformat.scan.rows.definitions import are_wide


class StoredBytes(NamedTuple):
    """The bytes of a value in each row, and their sizes."""

    at: BytesAt
    sizes: Array


class MemberChoice(NamedTuple):
    """Members with few distinct values: these values as JSON, and the index of each row's value."""

    members: Shape
    texts: list[str]
    numbers: Array


Values = Strings | Digits | Numbered | Parts | StoredBytes


class MemberForms(NamedTuple):
    """The forms in which a text format writes members.

    Attributes:
        number, text: return the form of values, given the name of the member.
        json: returns the form of lists and objects, which are JSON already.
        quoted: returns JSON as it is written in such a list or object.
        nested: the escapes of texts in it.
        line: returns the form of the lines of a file, with member ``file`` in their head.
    """

    number: Callable[[str], FieldForm]
    text: Callable[[str], FieldForm]
    json: Callable[[str], FieldForm]
    quoted: Callable[[str], str]
    nested: Escapes
    line: Callable[[Path], LineForm]

    def field(self, member: Member, values: Values) -> Field:
        """Return a member as a field. Lists and objects are given as Parts, each an object, or as texts in JSON."""
        kind = _kind(member)
        if kind in _PLAIN:
            return _field(self.text(member.name) if kind == _STRING else self.number(member.name), values)
        form = self.json(member.name)
        begin, end = (b"[", b"]") if kind == _LIST else (b"", b"")
        opening, closing = form.opening + begin, end + form.closing
        if isinstance(values, Parts):
            absent = opening + closing if kind == _LIST else b""
            form = FieldForm(opening + b"{", b"}" + closing, form.null, absent, b"},{")
        else:
            form = form._replace(opening=opening, closing=closing)
        return _field(form, values)

    def inside(self, shape: Shape, values: Iterable[Values | MemberChoice]) -> Iterator[Field]:
        """Yield the members of objects in a list as fields; ``values`` are in the order of the members."""
        members, comma = iter(shape.members), ""
        for value in values:
            if isinstance(value, MemberChoice):
                for _ in value.members.members:
                    next(members)
                texts = [self.quoted(comma + text) for text in value.texts]
                yield Field(FieldForm(b""), numbered(texts or [""], value.numbers))
            else:
                member = next(members)
                key, quote = f'{comma}"{member.name}":', '"' if _kind(member) == _STRING else ""
                opening, closing, null = (self.quoted(text).encode() for text in (key + quote, quote, f"{key}null"))
                form = FieldForm(opening, closing, null, escapes=self.nested)
                yield _field(form, value)
            comma = ","

    def inner(self, value: Any) -> str:
        """Return a list or an object as JSON, without its brackets."""
        is_ascii = self.nested is Escapes.JSON_ASCII
        return json.dumps(exact(value), ensure_ascii=is_ascii, separators=(",", ":"))[1:-1]


_STRING, _LIST = "string", "list"
_PLAIN = (_STRING, "number", "boolean")


def _kind(member: Member) -> str:
    """Return the first word of a member's type; for an object, the name of its shape."""
    return member.type.split()[0]


def _field(form: FieldForm, values: Values) -> Field:
    return Field(form, values.at, values.sizes) if isinstance(values, StoredBytes) else Field(form, values)


def numbered(texts: list[Any] | Strings, numbers: Array) -> Numbered:
    """Return texts selected by number."""
    values = texts if isinstance(texts, Strings) else Strings.of(texts)
    return Numbered(values, numbers.astype(np.int32))


def distinct(numbers: Array) -> tuple[list[int], Array]:
    """Return the distinct numbers in order, and the index of each number among them; numbers must be small."""
    is_there = np.bincount(numbers, minlength=1) > 0
    places: Array = (np.cumsum(is_there) - 1)[numbers]
    return np.flatnonzero(is_there).tolist(), places


_MARK = 0xFF
_BLANK, _PRINTABLE, _HIGH = np.uint8(0x20), 0x5F, 0x80
"""The first printable character of ASCII, the number of printable ones, and the first byte beyond ASCII."""
_CHANGES = (None, True, False)
_UNKNOWN, _TRUE, _FALSE = range(len(_CHANGES))
_DESCRIBED = COLUMN.only("index", "name", "type", "key", "null")
_COMPARED = COLUMN.only("changed", "problem")
_TOKEN_HEAD = GGS_TOKEN.only("id", "name", "info")
_PIECE_BASE = SEGMENT.only("kind", "base_file")
_VALUE = Column(0, PRESENT)
_SOUND, _UNDEFINED = Value(b""), decode_value(_VALUE, None, ByteOrder.BIG)
"""A value without a problem, and a value without a definition."""


class Lists(NamedTuple):
    """A list in each row, and a mask of the rows that need the slow path."""

    parts: Parts
    irregular: Array


class RowImages:
    """Both images of rows on the fast path: the columns of all before images, followed by those of all after images."""

    def __init__(self, rows: Rows, known: DefinitionGroups, other: Array, forms: MemberForms) -> None:
        self._rows = rows
        self._known = known
        self._other = other
        self._forms = forms
        row_images = images_of(rows)
        self._present = row_images.present
        self._before = len(row_images.images[0].number)
        self._parts = _joined(*row_images.images)
        self._region = self._parts.region
        self._row = np.where(self._region < len(rows), self._region, self._region - len(rows))
        self._group = known.group[self._row]
        self.irregular = ~row_images.is_sound
        self._look_for_irregular()

    def _look_for_irregular(self) -> None:
        """Mark rows whose columns do not ascend as odd; if one half of an update is odd, both are."""
        number, is_same = self._parts.number, self._region[1:] == self._region[:-1]
        self.irregular[self._row[1:][is_same & (number[1:] <= number[:-1])]] = True
        halves = np.flatnonzero(self._other != NONE)
        self.irregular[halves] |= self.irregular[self._other[halves]]

    def lists(self) -> list[Parts]:
        """Return the columns of the before images, and those of the after images."""
        rows, first, fields = len(self._rows), self._parts.first, self._fields()
        return [
            Parts(first[start : start + rows + 1], fields, present)
            for start, present in zip((0, rows), self._present, strict=True)
        ]

    def _fields(self) -> list[Field]:
        parts, view = self._parts, self._rows.view
        values = image_texts(self._rows, parts, self._known, self._row)
        self.irregular[[problem.row for problem in values.problems]] = True
        first, second = (view[np.minimum(parts.start + offset, len(view) - 1)] for offset in range(2))
        is_null = (parts.size >= 2) & (first == _MARK) & (second == _MARK)
        is_undefined = values.columns < 0
        self._look_at_undefined(is_undefined, is_null | ((parts.size >= 2) & (first == 0) & (second == 0)))
        return [
            *self._forms.inside(
                COLUMN,
                [
                    self._described(is_null, is_undefined),
                    StoredBytes(BytesAt(view, parts.start), parts.size),
                    numbered(values.texts, values.places),
                    self._compared(is_null, is_undefined & ~is_null),
                ],
            )
        ]

    def _look_at_undefined(self, is_undefined: Array, is_marked: Array) -> None:
        """Mark as odd: columns that a definition lacks; without a definition, columns with an unknown indicator."""
        if is_undefined.any():
            is_defined = np.array([definition.table is not None for definition in self._known.definitions], bool)
            self.irregular[self._row[is_undefined & (is_defined[self._group] | ~is_marked)]] = True

    def _described(self, is_null: Array, is_undefined: Array) -> MemberChoice:
        """Return the definition of each column and whether it is NULL; tables without a definition share texts."""
        tables = [definition.table.columns if definition.table else () for definition in self._known.definitions]
        columns: list[tuple[int, ColumnDefinition | None]] = [pair for table in tables for pair in enumerate(table)]
        counts = np.array([len(table) for table in tables], np.int64)
        position = (np.cumsum(counts) - counts)[self._group] + self._parts.number
        indexes, places = distinct(self._parts.number[is_undefined])
        position[is_undefined] = len(columns) + places
        columns += [(index, None) for index in indexes]
        texts = [
            _described(index, column, is_null=is_null_value, forms=self._forms)
            for index, column in columns
            for is_null_value in (False, True)
        ]
        return MemberChoice(_DESCRIBED, texts, 2 * position + is_null)

    def _compared(self, is_null: Array, is_problem: Array) -> MemberChoice:
        """Return for each column whether the other image has another value, and the problem of this value."""
        shown = [ColumnShown(_VALUE, None, value, change) for value in (_SOUND, _UNDEFINED) for change in _CHANGES]
        texts = [self._forms.inner(_COMPARED.build(column)) for column in shown]
        return MemberChoice(_COMPARED, texts, self._changes(is_null) + len(_CHANGES) * is_problem)

    def _changes(self, is_null: Array) -> Array:
        """Return for each column of both images whether the other image has another value; _UNKNOWN if it lacks it."""
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
    """Return the regions of both, those of ``before`` first."""
    first = np.concatenate((before.first, after.first[1:] + before.first[-1]))
    return Fields(first, *(np.concatenate(pair) for pair in zip(before[1:], after[1:], strict=True)))


def _alike(keys: Array, other_keys: Array) -> tuple[Array, Array]:
    """Return the indexes of equal keys in both arrays; on the fast path, keys ascend."""
    if not len(keys) or not len(other_keys):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    position = np.minimum(np.searchsorted(other_keys, keys), len(other_keys) - 1)
    indexes = np.flatnonzero(other_keys[position] == keys)
    return indexes, position[indexes]


def gg_tokens(rows: Rows, forms: MemberForms) -> Lists:
    """Return the GGS tokens of each row."""
    parts, view = gg_parts(rows), rows.view
    irregular, region = ~parts.is_sound, parts.region
    info = view[parts.start - 3]
    is_first = np.diff(region, prepend=-1) != 0
    begins = np.where(is_first, rows.payload("token")[0][region], np.roll(parts.start + parts.size, 1))
    is_wide = (parts.start - begins != 4) | are_wide(info)
    irregular[region[is_wide]] = True
    kinds, places = distinct(parts.number << 8 | info)
    heads = [forms.inner(_TOKEN_HEAD.build(Token(*divmod(kind, 256), b""))) for kind in kinds]
    values: list[Values | MemberChoice] = [
        MemberChoice(_TOKEN_HEAD, heads, places),
        StoredBytes(BytesAt(view, parts.start), parts.size),
        _token_texts(view, parts),
    ]
    return Lists(Parts(parts.first, [*forms.inside(GGS_TOKEN, values)], np.ones(len(rows), bool)), irregular)


class LobPlaces(NamedTuple):
    """For pieces of LOBs: RBA of the base record, piece number by the records before it (0 if unknown), RecCount."""

    base_rba: Array
    number: Array
    rec_count: Array


def segments(rows: Rows, is_piece: Array, places: LobPlaces, forms: MemberForms) -> Lists:
    """Return the member ``segment`` of the rows that are pieces of LOBs: the place of the piece in its LOB."""
    row = np.flatnonzero(is_piece)
    pieces = rows.subset(row)
    base_rba, counted, rec_count = (column[row] for column in places)
    headers = lob_pieces(pieces, headers_of(pieces).is_continued, rec_count)
    irregular = np.zeros(len(rows), bool)
    irregular[row] = ~headers.is_sound & (counted == 0)
    is_possible = (counted <= rec_count) & (rec_count < MOST_COUNTED)
    members = {name: _digits(values, headers.is_sound) for name, values in headers.numbers._asdict().items()}
    members |= {
        "base_rba": _digits(base_rba),
        "number": _digits(np.where(headers.is_sound, headers.numbers.number, counted)),
        "pieces": _digits(
            np.where(headers.is_sound, headers.numbers.pieces, rec_count), headers.is_sound | is_possible
        ),
    }
    base = forms.inner(_PIECE_BASE.build(_Base(Kind.LOB, rows.source.trail)))
    of_base = MemberChoice(_PIECE_BASE, [base], np.zeros(len(row)))
    values: list[Values | MemberChoice] = [
        of_base,
        *(members[member.name] for member in SEGMENT.members if member not in _PIECE_BASE.members),
    ]
    fields = [*forms.inside(SEGMENT, values)]
    return Lists(Parts(np.concatenate(([0], np.cumsum(is_piece))), fields, is_piece), irregular)


class _Base(NamedTuple):
    """The kind of pieces, and the file of their base record."""

    kind: Kind
    base: TrailFile


def _digits(values: Array, is_known: Array | None = None) -> Digits:
    return Digits(values.astype(np.uint64), is_known)


@lru_cache(1 << 14)
def _described(index: int, column: ColumnDefinition | None, *, is_null: bool, forms: MemberForms) -> str:
    """Return the description of a column without its value, as JSON."""
    shown = ColumnShown(Column(index, NULL if is_null else PRESENT), column, _SOUND, None)
    return forms.inner(_DESCRIBED.build(shown))


def _token_texts(view: Array, parts: Fields) -> Strings:
    """Return the payloads of tokens as text; null for those that are not printable."""
    stored = Strings.at(view, parts.start, parts.size)
    is_strange = stored.data - _BLANK >= _PRINTABLE
    is_high = stored.data >= _HIGH
    present = np.ones(len(stored), bool)
    present[stored.rows_with(is_strange)] = False
    texts = Strings(stored.data, stored.offsets, np.packbits(present, bitorder="little"))
    undecided = np.setdiff1d(stored.rows_with(is_high), stored.rows_with(is_strange & ~is_high), assume_unique=True)
    places = stored.offsets[undecided].tolist(), stored.offsets[undecided + 1].tolist()
    payloads = {
        row: stored.data[begin:end].tobytes() for row, begin, end in zip(undecided.tolist(), *places, strict=True)
    }
    return texts.with_rows(payloads, lambda row: token_text(Token(0, 0, payloads[row])))
