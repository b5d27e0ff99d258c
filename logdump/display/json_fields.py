"""Members of JSON objects from the fields of a class: type, meaning and name are on the field.

    size: Annotated[int, "Bytes of the file", "bytes"]

is the member ``bytes`` of type number. Without a second text the name is that of the field, without ``is_``; a third
one is the name that it had before. The reference pages and the columns of tables come from the same members. Only what
is computed is a ``member`` of its own.
"""

from __future__ import annotations

import ast
from operator import attrgetter
from typing import Any, NamedTuple

from logdump.display.json_shape import (
    SHARED,
    Get,
    Member,
    Shape,
    member,
    renamed,
    seconds,
    where_there,
)
from logdump.notation.times import iso_time


class _Kind(NamedTuple):
    """JSON type of a value, and what converts one that is not None; None if nothing does."""

    type: str
    make: Get | None = None


_SIMPLE = {
    "str": _Kind("string"),
    "Path": _Kind("string"),
    "int": _Kind("number"),
    "float": _Kind("number"),
    "bytes": _Kind("string"),
    "bool": _Kind("boolean"),
    "dict": _Kind("object"),
    "Julian": _Kind("string", iso_time),
    "Microseconds": _Kind("number", seconds),
}
_LISTS = frozenset({"tuple", "list", "Sequence"})
_ENUM = _Kind("string", attrgetter("value"))


def fields(model: type, names: str = "", *, of: str = "", **parts: Shape) -> tuple[Member, ...]:
    """Return the members for fields of a class whose annotations are text.

    Args:
        model: the class.
        names: names of its fields, separated by blanks; empty for all that have a meaning.
        of: path of the value with these fields in the source, as in ``at``; empty for the source itself.
        parts: the objects of other classes by their names; a class without one is an enumeration.

    Raises:
        ValueError: a field does not exist, or has no meaning.
    """
    texts = {name: str(getattr(text, "__forward_arg__", text)) for name, text in model.__annotations__.items()}
    described = [name for name, text in texts.items() if text.startswith("Annotated[")]
    wanted = names.split() or described
    if unknown := [name for name in wanted if name not in described]:
        raise ValueError(f"{model.__name__} has no such fields with a meaning: {', '.join(unknown)}")
    return tuple(part for name in wanted for part in _members(name, texts[name], of and f"{of}.", SHARED | parts))


def _members(field: str, annotation: str, before: str, parts: dict[str, Shape]) -> tuple[Member, ...]:
    """Return the member of a field at ``before`` and its name, and the same under its former name if it has one."""
    type_, *texts = ast.parse(annotation, mode="eval").body.slice.elts  # type: ignore[attr-defined]
    meaning, name, *former = map(ast.literal_eval, texts if texts[1:] else (*texts, ast.Constant(_usual(field))))
    kind, is_optional = _kind(type_, parts)
    or_null = (", or null" if kind.type.startswith("list") else " or null") if is_optional else ""
    make = kind.make if kind.make is None or not is_optional else where_there(_itself, kind.make)
    part = member(name, kind.type + or_null, meaning, before + field, make=make)
    return renamed(former[0], part) if former else (part,)


def _usual(field: str) -> str:
    return field.removeprefix("is_")


def _kind(type_: ast.expr, parts: dict[str, Shape]) -> tuple[_Kind, bool]:
    """Return the kind of the values of a type, and whether they may be None."""
    if isinstance(type_, ast.BinOp):
        return _kind(type_.left, parts)[0], True
    name = _name(type_)
    if name in _LISTS:
        items = type_.slice  # type: ignore[attr-defined]
        kind = _kind(items.elts[0] if isinstance(items, ast.Tuple) else items, parts)[0]
        return _Kind(f"list of {kind.type}", _each(kind.make)), False
    part = parts.get(name)
    return _Kind(part.name, part.build) if part is not None else _SIMPLE.get(name, _ENUM), False


def _each(make: Get | None) -> Get | None:
    return None if make is None else lambda values: [make(value) for value in values]


def _itself(value: Any) -> Any:
    return value


def _name(type_: ast.expr) -> str:
    """Return the name of a type without its arguments."""
    return _name(type_.value) if isinstance(type_, ast.Subscript) else type_.id  # type: ignore[attr-defined]
