"""The make-up of our JSON objects: a table per kind of object, from which the objects and docs/json.md are made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from operator import attrgetter, itemgetter
from pathlib import PurePath
from typing import Any, NamedTuple

from logdump.notation.times import iso_time
from trailformat import TrailError

EXACT = 2**53
"""The largest integer that every reader of JSON keeps exactly; larger ones are written as strings."""
Get = Callable[[Any], Any]
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_AS_IT_IS = frozenset({str, bool, type(None)})
"""The types of most values, which JSON has too."""


class Member(NamedTuple):
    """One member of an object.

    Attributes:
        name: as written, which is API.
        type: its JSON type as documented.
        meaning: as documented.
        value: the function that gets it.
        path: the path of the value that it is made of; empty where a function finds that.
        make: what it is made by; None where it is the value.
    """

    name: str
    type: str
    meaning: str
    value: Get
    path: str = ""
    make: Get | None = None


def member(name: str, type_: str, meaning: str, value: Get | str = "", *, make: Get | None = None) -> Member:
    """A member; ``value`` gets it, or is the path to it where that is not its name; ``make``: what is made of that."""
    get, path = at(value or name), "" if callable(value) else value or name
    return Member(name, type_, meaning, get if make is None else lambda source: make(get(source)), path, make)


def at(path: Get | str) -> Get:
    """Return a function that gets the value at a path of attributes and items, such as ``bad?.error``, ``0.rba``.

    It returns None if a value followed by ``?`` is None.
    """
    if not isinstance(path, str):
        return path
    if all(map(str.isidentifier, path.split("."))):
        return attrgetter(path)
    step, _, rest = path.partition(".")
    name, get_rest = step.rstrip("?"), at(rest) if rest else _itself
    get: Get = itemgetter(int(name)) if name.isdigit() else attrgetter(name)
    return _where_there(get, get_rest) if "?" in step else lambda source: get_rest(get(source))


def _itself(source: Any) -> Any:
    return source


def _where_there(get: Get, use: Get) -> Get:
    return lambda source: None if (value := get(source)) is None else use(value)


def time_at(path: Get | str) -> Get:
    """Gets the time at a path in ISO 8601, UTC; None where there is none, and outside the years 1 to 9999."""
    return _where_there(at(path), iso_time)


def verdict(name: str, type_: str, meaning: str, value: Get | str = "", *, tells_findings: bool = False) -> Member:
    """A member that only a whole reading has, else null; ``tells_findings``: unless it has found any."""
    get = at(value or name)

    def of_whole(source: Any) -> Any:
        if not source.is_partial:
            return get(source)
        return (get(source) or None) if tells_findings else None

    why = "null in a partial reading" + (" that has found none" if tells_findings else "")
    return Member(name, type_ if type_.endswith(" or null") else f"{type_} or null", f"{meaning}; {why}", of_whole)


PARTIAL = member(
    "partial", "boolean", "Whether not all was read: stopped, damage, a file missing or not read", "is_partial"
)
"""The member that says that there are findings and no verdicts."""
PROBLEMS = Member("problems", "list of string", "Parts that do not decode (null above), and why", lambda _: [])


def alone(source: Any) -> tuple[Any]:
    """The event itself, which has one object."""
    return (source,)


class Shape(NamedTuple):
    """One kind of object.

    Attributes:
        name, meaning: as the documents have them.
        members: in order.
        event: the class of event that it is the line of; None for a part of other objects.
        sources: returns the parts of an event that have an object each.
    """

    name: str
    meaning: str
    members: tuple[Member, ...]
    event: type | None = None
    sources: Callable[[Any], Iterable[Any]] = alone

    def build(self, source: Any) -> dict[str, Any]:
        """The object of ``source``.

        Raises:
            TrailError: a part of it does not decode.
        """
        return {part.name: part.value(source) for part in self.members}

    def build_what_decodes(self, source: Any) -> dict[str, Any]:
        """The object of ``source``, null where a part does not decode and a sentence in ``problems`` for each."""
        result: dict[str, Any] = {}
        problems: list[str] = []
        for part in self.members:
            try:
                result[part.name] = part.value(source)
            except TrailError as error:
                result[part.name] = None
                problems.append(f"{part.name}: {error.problem}")
        return {**result, PROBLEMS.name: problems} if PROBLEMS in self.members else result

    def only(self, *names: str) -> Shape:
        """Return a shape with some of its members."""
        return self._replace(members=tuple(part for part in self.members if part.name in names))

    def one(self, path: Get | str) -> Get:
        """Return a function that gets the object of the value at a path; None if there is none."""
        return _where_there(at(path), self.build)

    def each(self, path: Get | str) -> Get:
        """Gets a list with the object of each thing at a path; None where there is no list."""
        return _where_there(at(path), lambda sources: [self.build(source) for source in sources])


def exact(value: Any) -> Any:
    """``value`` as JSON can hold it: an integer beyond 2^53 and a path as a string, bytes in hex; in containers too."""
    if type(value) in _AS_IT_IS:
        return value
    if isinstance(value, int):
        return value if -EXACT <= value <= EXACT else str(value)
    if isinstance(value, dict):
        return {key: item if type(item) in _AS_IT_IS else exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [exact(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, PurePath) else value


def encoded(value: Any) -> str:
    """A value as JSON in ASCII."""
    return _ENCODER.encode(exact(value))
