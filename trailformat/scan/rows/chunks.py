"""Rows in lots whose bytes are read together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from trailformat.scan.rows.fields import Array


def chunks(starts: Array, ends: Array, most: int) -> Iterator[tuple[int, int]]:
    """The first row of each lot and the one behind its last: a lot goes over ``most`` bytes, unless one row has more.

    ``starts`` and ``ends`` are the RBAs of rows in the order of the file.
    """
    at = 0
    while at < len(starts):
        stop = max(int(np.searchsorted(ends, starts[at] + most, "right")), at + 1)
        yield at, stop
        at = stop
