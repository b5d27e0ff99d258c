"""Ways of a beat: Extract, the pumps or distribution paths between, Replicat.

A routing path is a list ``group[:path],…`` that may hold ``"*"``, for whatever comes next (the documentation of the
flow); names may be in double quotes. Oracle's views write a way as ``EXT1 ==> PMP1 ==> REP1``.
"""

from __future__ import annotations

import re

_ANY = "*"
_ITEM = re.compile(r'\s*(?:"([^"]*)"|([^,"]*))\s*(?:,|$)')
MOST_ITEMS = 10_000


def routing_path(text: str | None) -> tuple[str, ...]:
    """The groups of a routing path in their order, without ``*`` and empty ones; at most MOST_ITEMS of them."""
    names: list[str] = []
    at = 0
    while text and at < len(text) and len(names) < MOST_ITEMS:
        match = _ITEM.match(text, at)
        if match is None or match.end() == at:
            return (*names, text[at:].strip())
        name = (match[1] if match[1] is not None else match[2]).strip()
        if name and name != _ANY:
            names.append(name)
        at = match.end()
    return tuple(names)
