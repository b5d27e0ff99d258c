"""Errors for values that an Arrow batch cannot hold, and the place in their messages."""

from __future__ import annotations

from pathlib import Path

from trailformat import TrailName

MOST_BYTES = 1 << 30
"""The longest value: more bytes do not get through a Java heap of the usual size; 2 GiB get through none."""


class ValueTooLarge(Exception):
    """A value, or the values of an array, that a batch or a row of Spark cannot hold."""


def place(path: str | Path, rba: int | None = None) -> str:
    """File, seqno and RBA, as every message begins."""
    name = TrailName.parse(path)
    parts = [str(path)]
    parts += [f"seqno {name.seqno}"] if name else []
    parts += [f"RBA {rba}"] if rba is not None else []
    return ", ".join(parts)
