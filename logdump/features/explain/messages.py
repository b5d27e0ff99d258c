"""What messages of GoldenGate mean for a trail, from the table ``messages.toml``; nothing is said of other codes."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from logdump.features.explain.places import PlaceRole

_CODE = re.compile(r"\bOGG-(\d{5})\b", re.IGNORECASE)
NOT_SEEN = "unverified"
"""The source of a meaning for which neither Oracle's page nor a printed message was seen."""


class Meaning(NamedTuple):
    """What a message means for a trail.

    Attributes:
        code: its number, such as ``OGG-02191``.
        severity: ERROR, WARNING or INFO, as it is mostly printed.
        source: how it is known: reference, printed or unverified.
        roles: the roles of the places that it names, in their order; empty if it names none.
        text: one sentence.
        next: what to do, in one sentence; may be empty.
        is_frame: True if it only says that something ended; the cause is in a message beside it.
        begins_file: True if it is about the beginning of the file that it names.
        is_of_damage: True if no record can be read at the place that it names.
    """

    code: str
    severity: str
    source: str
    roles: tuple[PlaceRole, ...]
    text: str
    next: str
    is_frame: bool
    begins_file: bool
    is_of_damage: bool = False


@cache
def meanings() -> dict[str, Meaning]:
    """Return the meanings by number, such as ``OGG-02191``."""
    return {f"OGG-{code}": _meaning(f"OGG-{code}", row) for row in _table()["message"] for code in row["codes"]}


class TextMeaning(NamedTuple):
    """What a text without a number is: a pattern that it has, and its meaning."""

    pattern: re.Pattern[str]
    meaning: Meaning


_MOST_LOOKED_AT = 1 << 14
"""Characters of a text in which its pattern is looked for."""


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))


@cache
def _texts() -> tuple[TextMeaning, ...]:
    return tuple(
        TextMeaning(
            re.compile(row["pattern"], re.MULTILINE),
            Meaning(
                "", "INFO", "reference", (), row["meaning"], row.get("next", ""), is_frame=False, begins_file=False
            ),
        )
        for row in _table()["text"]
    )


def text_meaning(text: str) -> Meaning | None:
    """Return what a text without a number is; None if it is not known."""
    looked_at = text[:_MOST_LOOKED_AT]
    return next((row.meaning for row in _texts() if row.pattern.search(looked_at)), None)


def _meaning(code: str, row: dict[str, Any]) -> Meaning:
    return Meaning(
        code,
        row["severity"],
        row["source"],
        tuple(PlaceRole[name.upper()] for name in row.get("place", ())),
        row["meaning"],
        row.get("next", ""),
        row.get("is_frame", False),
        row.get("begins_file", False),
        row.get("is_of_damage", False),
    )


def code_in(text: str) -> str | None:
    """Return the first number of a message in a text, such as ``OGG-02191``; None without one."""
    code = _CODE.search(text)
    return f"OGG-{code[1]}" if code else None
