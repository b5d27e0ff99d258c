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
    """

    code: str
    severity: str
    source: str
    roles: tuple[PlaceRole, ...]
    text: str
    next: str
    is_frame: bool
    begins_file: bool


@cache
def meanings() -> dict[str, Meaning]:
    """Return the meanings by number, such as ``OGG-02191``."""
    table: dict[str, Any] = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))
    return {f"OGG-{code}": _meaning(f"OGG-{code}", row) for row in table["message"] for code in row["codes"]}


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
    )


def code_in(text: str) -> str | None:
    """Return the first number of a message in a text, such as ``OGG-02191``; None without one."""
    code = _CODE.search(text)
    return f"OGG-{code[1]}" if code else None
