"""Errors for values that an Arrow batch cannot hold, and the position in their messages."""

from __future__ import annotations

from pathlib import Path

from trailformat import TrailName

MOST_BYTES = 1 << 30
"""Maximum size of a value: a longer one does not fit into a Java heap of the usual size; 2 GiB fit into none."""


class ValueTooLarge(Exception):
    """A value, or the values of an array, that a batch or a row of Spark cannot hold."""


def place(path: str | Path, rba: int | None = None) -> str:
    """Return path, seqno and RBA, with which every message begins."""
    name = TrailName.parse(path)
    parts = [str(path)]
    parts += [f"seqno {name.seqno}"] if name else []
    parts += [f"RBA {rba}"] if rba is not None else []
    return ", ".join(parts)
