"""A look at the open file from outside: its size, whether it is still there, and whether the trail goes on."""

from __future__ import annotations

from pathlib import Path

from logdump.session.session import Session
from logdump.tui.reading.messages import FilePolled
from trailformat import TrailName
from trailformat.trail.packed import is_file


def poll_file(session: Session, known: int) -> FilePolled:
    """The state of the open file now; ``known`` is its size as far as the screen knows."""
    trail = session.trail
    return FilePolled(trail.path, known, trail.size, is_gone=not is_file(trail.path), following=_following(trail.path))


def _following(path: Path) -> Path | None:
    name = TrailName.parse(path)
    return name.next.path if name is not None and is_file(name.next.path) else None
