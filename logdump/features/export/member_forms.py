"""Members of records as fields of lines: what the tables of shapes say of each, and how a text format writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from logdump.arrow.records.rows import Array
from logdump.display.json_shape import Member, Shape, exact
from trailformat.arrays import BytesAt, Digits, Escapes, Field, FieldForm, LineForm, Numbered, Parts, Strings


class StoredBytes(NamedTuple):
    """Bytes of rows, and their sizes."""

    at: BytesAt
    sizes: Array


class MemberChoice(NamedTuple):
    """Members that have few different values: these values as JSON, and the number of one for each row."""

    members: Shape
    texts: list[str]
    numbers: Array


Values = Strings | Digits | Numbered | Parts | StoredBytes


class MemberForms(NamedTuple):
    """The forms in which a text format writes members.

    Attributes:
        number, text: the forms of values, by the name of the member.
        json: the form of lists and objects that are JSON already.
        quoted: turns JSON into an element of such a list.
        nested: the escapes of a text inside.
        line: the line of records in a file, with member ``file`` in its head.
    """

    number: Callable[[str], FieldForm]
    text: Callable[[str], FieldForm]
    json: Callable[[str], FieldForm]
    quoted: Callable[[str], str]
    nested: Escapes
    line: Callable[[Path], LineForm]

    def field(self, member: Member, values: Values) -> Field:
        """A member of a record. The parts of a list or of an object are objects; texts in its place are JSON."""
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
        """The members of objects in a list; values come in their order."""
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
        """A list or an object in JSON, without its brackets."""
        is_ascii = self.nested is Escapes.JSON_ASCII
        return json.dumps(exact(value), ensure_ascii=is_ascii, separators=(",", ":"))[1:-1]


_STRING, _LIST = "string", "list"
_PLAIN = (_STRING, "number", "boolean")


def _kind(member: Member) -> str:
    """The first word of its type; that of an object is the name of its shape."""
    return member.type.split()[0]


def _field(form: FieldForm, values: Values) -> Field:
    return Field(form, values.at, values.sizes) if isinstance(values, StoredBytes) else Field(form, values)


def numbered(texts: list[Any] | Strings, numbers: Array) -> Numbered:
    """Return texts selected by number."""
    values = texts if isinstance(texts, Strings) else Strings.of(texts)
    return Numbered(values, numbers.astype(np.int32))


def distinct(numbers: Array) -> tuple[list[int], Array]:
    """The different ones of some small numbers, and for each number its place among these."""
    is_there = np.bincount(numbers, minlength=1) > 0
    places: Array = (np.cumsum(is_there) - 1)[numbers]
    return np.flatnonzero(is_there).tolist(), places
