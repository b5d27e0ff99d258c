"""The bytes of rows, read from the file: a file that somebody cuts ends a read of it with an error, not the process."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trailformat import TrailFile
from trailformat.codec.mapped_file import copied

Array = Any
_NEAR = 1 << 16
"""Rows with fewer bytes between them are read in one go."""
_MOST_COPIED = 1 << 26
"""A single record of more bytes stays where it is mapped."""


class Window(NamedTuple):
    """Bytes of a file: ``view``, uint8, and where in it each row begins."""

    view: Array
    starts: Array


def window_of(trail: TrailFile, rbas: Array, lengths: Array) -> Window:
    """The bytes of rows that stand in the order of the file.

    Raises:
        NotATrail: the file has become shorter, or cannot be read.
    """
    if not len(rbas):
        return Window(np.empty(0, np.uint8), rbas)
    if len(rbas) == 1 and lengths[0] > _MOST_COPIED:
        return Window(np.frombuffer(trail.buffer, np.uint8), rbas)
    ends = rbas + lengths
    breaks = np.flatnonzero(rbas[1:] - ends[:-1] > _NEAR) + 1
    begins, finishes = rbas[np.append(0, breaks)], ends[np.append(breaks, len(rbas)) - 1]
    parts = [copied(trail.buffer, *one) for one in zip(begins.tolist(), finishes.tolist(), strict=True)]
    sizes = finishes - begins
    shifts = np.repeat(np.cumsum(sizes) - sizes - begins, np.diff(breaks, prepend=0, append=len(rbas)))
    return Window(np.frombuffer(parts[0] if len(parts) == 1 else b"".join(parts), np.uint8), rbas + shifts)
