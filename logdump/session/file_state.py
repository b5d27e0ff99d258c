"""A look at a file of a trail from outside: its size, whether it is the same still, and whether the trail goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from trailformat import TrailFile, TrailName
from trailformat.trail.packed import is_file, status_of


class FileState(NamedTuple):
    """The state of a file on disk.

    Attributes:
        size: its bytes now, those of the open file even where its name means another one.
        is_gone: whether its name is not there any more.
        is_replaced: whether its name means another file now.
        following: the file with the next number, where that is there.
    """

    size: int
    is_gone: bool
    is_replaced: bool
    following: Path | None


def file_state(trail: TrailFile) -> FileState:
    """The state of an open file now."""
    name = TrailName.parse(trail.path)
    following = name.next.found() if name is not None else None
    following = following if following is not None and is_file(following) else None
    try:
        there = status_of(trail.path)
    except OSError:
        return FileState(trail.size, is_gone=True, is_replaced=False, following=following)
    is_same = os.path.samestat(there, trail.status)
    return FileState(trail.size, is_gone=False, is_replaced=not is_same, following=following)
