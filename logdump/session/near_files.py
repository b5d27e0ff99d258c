"""The files whose names are most like one that is not there."""

from __future__ import annotations

import re
from pathlib import Path

from logdump.notation.wildcard import matches
from trailformat.trail.packed import entries_of, is_file

_NUMBERED = re.compile(r"(.*?)0*([0-9]+)")
_MOST = 3
_CLOSE = 0.8


def near_files(path: Path) -> list[str]:
    """The names of files beside ``path``: that a wildcard in it fits, else that differ least; at most three.

    A name in other letters, or with another number of zeros before its number, differs least. A name with a number is
    like none with another number.
    """
    try:
        names = sorted(entry.name for entry in entries_of(path.parent) if is_file(entry))
    except OSError:
        return []
    if any(one in path.name for one in "*?"):
        return [name for name in names if matches(path.name, name, case_sensitive=True)][:_MOST]
    same = [name for name in names if _plain(name) == _plain(path.name)]
    if same or _NUMBERED.fullmatch(path.name):
        return same[:_MOST]
    from difflib import get_close_matches  # noqa: PLC0415 - where a file is not there

    return get_close_matches(path.name, names, n=_MOST, cutoff=_CLOSE)


def _plain(name: str) -> tuple[str, ...]:
    """A name without its case and without the zeros before its number."""
    found = _NUMBERED.fullmatch(name.lower())
    return found.groups() if found else (name.lower(),)
