"""A file of options, which is YAML without what makes YAML dangerous or surprising.

Every value is text, a list or a mapping; the option decides what the text means, so that ``NO`` is a column and not
false. There are no tags, no anchors and aliases, no second document, no key twice and little depth.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from logdump.arrow.records.errors import place
from logdump.tables.errors import BadOption
from trailformat.codec.mapped_file import open_regular
from trailformat.codec.on_demand import on_demand

with on_demand:
    import yaml

_MOST_BYTES = 1 << 20
_DEEPEST = 6
_NAMES = {"SequenceStartEvent": "a list", "ScalarEvent": "text"}


class StatedValue(NamedTuple):
    """A value of an option as it is stated, and where, as it begins a message: ``F.yaml, line 3: ``."""

    value: Any
    where: str


def options_in(path: str | os.PathLike[str]) -> dict[str, StatedValue]:
    """Return the options in a file by name. Raises BadOption if it cannot be read, or is not such a file."""
    shown = place(os.fspath(path))
    try:
        text = _text(Path(path))
        return _Options(shown, yaml.parse(text)).options()
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) else str(error)
        raise BadOption(f"{shown}: {problem}") from None
    except ModuleNotFoundError as error:
        raise BadOption(f"{shown}: {error}; pip install 'logdump[apply]' has it") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is not YAML"
        raise BadOption(f"{shown}{where}: {problem}") from None


def _text(path: Path) -> str:
    """Return the text of a file. Raises OSError, and ValueError if it is too large or not UTF-8."""
    with os.fdopen(open_regular(path), "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("it has more than 1 MB, and is no file of options")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 at byte {error.start}") from None


class _Options:
    """The options among the events of a file, which are made one by one: what is refused ends the reading."""

    def __init__(self, shown: str, events: Iterator[Any]) -> None:
        self._shown, self._events = shown, events

    def options(self) -> dict[str, StatedValue]:
        """Return the options by name. Raises BadOption, and errors of yaml."""
        options: dict[str, StatedValue] = {}
        for event in self._events:
            name = type(event).__name__
            if name == "DocumentStartEvent":
                first = next(self._events)
                if type(first).__name__ == "ScalarEvent" and not first.value and first.style is None:
                    continue
                if type(first).__name__ != "MappingStartEvent":
                    self._refuse(first, f"it is {_NAMES.get(type(first).__name__, 'an alias')}, not options by name")
                if options:
                    self._refuse(first, "a second document begins")
                self._check(first)
                options = {key: StatedValue(value, where) for key, value, where in self._pairs(1)}
        return options

    def _pairs(self, depth: int) -> Iterator[tuple[str, Any, str]]:
        """Yield the keys and values of a mapping up to its end, each with the place of the key."""
        keys: set[str] = set()
        while (event := next(self._events)) and type(event).__name__ != "MappingEndEvent":
            self._check(event)
            if type(event).__name__ != "ScalarEvent":
                self._refuse(event, "a name is a list or a mapping")
            if event.value in keys:
                self._refuse(event, f"{event.value[:80]} stands twice")
            keys.add(event.value)
            yield event.value, self._value(next(self._events), depth), self._where(event)

    def _value(self, event: Any, depth: int) -> Any:
        self._check(event)
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return None if event.style is None and event.value in ("", "~") else event.value
        if depth >= _DEEPEST:
            self._refuse(event, "lists and mappings are too deep in each other")
        if kind == "MappingStartEvent":
            return {key: value for key, value, _ in self._pairs(depth + 1)}
        values = []
        while (entry := next(self._events)) and type(entry).__name__ != "SequenceEndEvent":
            values.append(self._value(entry, depth + 1))
        return values

    def _check(self, event: Any) -> None:
        """Refuse what a file of options does not have."""
        if type(event).__name__ == "AliasEvent" or event.anchor is not None:
            self._refuse(event, "an anchor or an alias (& or *): write the value itself, a name with * in quotes")
        if event.tag is not None:
            self._refuse(event, "a tag (!): write the value alone")

    def _where(self, event: Any) -> str:
        return f"{self._shown}, line {event.start_mark.line + 1}: "

    def _refuse(self, event: Any, problem: str) -> None:
        raise BadOption(f"{self._where(event)}{problem}")
