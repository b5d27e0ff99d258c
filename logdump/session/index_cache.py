"""What was learned of large trails, kept for the next session: off unless LOGDUMP_INDEX_CACHE asks for it.

It names tables of the trail and lies outside of the trail's own directory, so nobody gets it unasked; and going over a
trail again takes a second for some gigabytes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from trailformat import NotATrail, TrailFile

VARIABLE = "LOGDUMP_INDEX_CACHE"
_LARGE = 16 << 20
"""Trails of fewer bytes are gone over as fast as a kept index is read."""


def cache_folder(environment: Mapping[str, str]) -> Path | None:
    """``logdump/index`` under XDG_CACHE_HOME or ~/.cache when LOGDUMP_INDEX_CACHE is set, and not to 0; else None."""
    if environment.get(VARIABLE, "0") in {"", "0"}:
        return None
    cache = environment.get("XDG_CACHE_HOME", "")
    try:
        base = Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "logdump" / "index"


def recall(trail: TrailFile) -> None:
    """Give a trail just opened the index that was kept of it, if one was."""
    folder = cache_folder(os.environ)
    if folder is not None and _pays(trail):
        from trailformat.index import IndexFolder, attach  # noqa: PLC0415 - for those who ask for it

        found = IndexFolder(folder).recall(trail)
        if found is not None:
            attach(trail, found)


def keep(trail: TrailFile) -> None:
    """Keep the index of a trail that is about to be closed, if there is one and it is complete."""
    folder = cache_folder(os.environ)
    if folder is not None and _pays(trail):
        from trailformat.index import IndexFolder, known_index  # noqa: PLC0415 - for those who ask for it

        index = known_index(trail)
        if index is not None:
            IndexFolder(folder).keep(trail, index)


def _pays(trail: TrailFile) -> bool:
    try:
        return trail.size >= _LARGE
    except NotATrail:
        return False
