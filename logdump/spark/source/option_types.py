"""Types of option values: each reads a text, and describes in a few words what it accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_TRUTHS = {"true": True, "false": False}
_LONGEST_NUMBER = 18


class OptionType(NamedTuple):
    """A kind of value; ``read`` raises ValueError for a text that is none."""

    wants: str
    read: Callable[[str], Any]


def _truth(text: str) -> bool:
    try:
        return _TRUTHS[text.strip().lower()]
    except KeyError:
        raise ValueError from None


def _number(text: str) -> int:
    if not re.fullmatch(rf"[0-9]{{1,{_LONGEST_NUMBER}}}", text.strip()):
        raise ValueError
    return int(text)


def _positive(text: str) -> int:
    if not (number := _number(text)):
        raise ValueError
    return number


def _size(text: str) -> int:
    match = re.fullmatch(rf"([0-9]{{1,{_LONGEST_NUMBER}}})\s*([bkmgt]?)b?", text.strip().lower())
    if not match:
        raise ValueError
    return int(match[1]) * _UNITS[match[2]]


def _positive_size(text: str) -> int:
    if not (size := _size(text)):
        raise ValueError
    return size


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text.strip())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError
    return names


def _json_list(text: str) -> tuple[str, ...]:
    values = json.loads(text)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError
    return tuple(values)


def _json_object(text: str) -> tuple[tuple[str, str], ...]:
    values = json.loads(text)
    if not isinstance(values, dict):
        raise ValueError  # noqa: TRY004 - of the text, not of an argument
    return tuple((name, one if isinstance(one, str) else json.dumps(one)) for name, one in values.items())


def one_of(*words: str) -> OptionType:
    """One of some words, case aside."""
    known = {word.upper(): word for word in words}

    def read(text: str) -> str:
        if text.strip().upper() not in known:
            raise ValueError
        return known[text.strip().upper()]

    return OptionType(" or ".join(words), read)


TEXT = OptionType("text", str)
TRUTH = OptionType("true or false", _truth)
NUMBER = OptionType("a number", _number)
POSITIVE = OptionType("a number above 0", _positive)
SIZE = OptionType("a number of bytes, as 134217728 or 128m", _size)
POSITIVE_SIZE = OptionType("a number of bytes above 0, as 8388608 or 8m", _positive_size)
MOMENT = OptionType("a time, as 2024-03-01T09:00:00 (UTC) or 2024-03-01T09:00:00+01:00", _moment)
NAMES = OptionType("names with commas between them", _names)
JSON_LIST = OptionType("a JSON list of texts", _json_list)
JSON_OBJECT = OptionType("a JSON object", _json_object)
