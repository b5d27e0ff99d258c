"""What our JSON objects consist of: a table per kind of object, from which the objects and docs/json.md are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from trailformat import TrailError

EXACT = 2**53
"""The largest integer that every reader of JSON keeps exactly; larger ones are written as strings."""


class Field(NamedTuple):
    """One member: its name (API), its JSON type as documented, what it means, and how to get it."""

    name: str
    type: str
    meaning: str
    value: Callable[[Any], Any]


PROBLEMS = Field("problems", "list of string", "Parts that do not decode (null above), and why", lambda _: [])


class Shape(NamedTuple):
    """One kind of object: its name, what it stands for, its members in order."""

    name: str
    meaning: str
    fields: tuple[Field, ...]

    def build(self, source: Any) -> dict[str, Any]:
        """The object of ``source``.

        Raises:
            TrailError: a part of it does not decode.
        """
        return {field.name: field.value(source) for field in self.fields}

    def build_what_decodes(self, source: Any) -> dict[str, Any]:
        """The object of ``source``, null where a part does not decode and a sentence in ``problems`` for each."""
        result: dict[str, Any] = {}
        problems: list[str] = []
        for field in self.fields:
            try:
                result[field.name] = field.value(source)
            except TrailError as error:
                result[field.name] = None
                problems.append(f"{field.name}: {error.problem}")
        return {**result, PROBLEMS.name: problems} if PROBLEMS in self.fields else result


def exact(value: Any) -> Any:
    """``value`` with every integer beyond 2^53 as a string, in lists and objects too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -EXACT <= value <= EXACT else str(value)
    if isinstance(value, dict):
        return {key: exact(one) for key, one in value.items()}
    return [exact(one) for one in value] if isinstance(value, list | tuple) else value
