"""The tables of a trail and their columns, for completion: from definitions read so far or in its first megabyte."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from trailformat import CannotRead, TrailError, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.trail.table_definitions import TableEntry

with on_demand:
    from logdump.arrow.tables import layout

_NEAR = 1 << 20


def table_names(trail: TrailFile) -> list[str]:
    """Return the names of the tables."""
    return [entry.name for entry in _entries(trail)]


def column_names(trail: TrailFile, table: str) -> list[str]:
    """Return the names of the columns of a table, named in any case; empty for an unknown table."""
    for entry in _entries(trail):
        definition = trail.tables.columns(entry) if entry.name.lower() == table.lower() else None
        if definition is not None:
            return layout.TableLayout(entry.name, definition.columns, "").column_names
    return []


@lru_cache(maxsize=16)
def column_names_in(path: Path, table: str) -> list[str]:
    """Return ``column_names`` of a trail opened anew, for callers that must not use the session's TrailFile."""
    try:
        with TrailFile(path) as trail:
            return column_names(trail, table)
    except (TrailError, CannotRead):
        return []


def _entries(trail: TrailFile) -> Iterator[TableEntry]:
    try:
        yield from trail.tables.in_force(max(trail.tables.known_to, min(trail.size, _NEAR)))
    except (TrailError, CannotRead):
        return
