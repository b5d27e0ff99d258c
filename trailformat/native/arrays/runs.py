"""Runs of bytes from many places, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.arrays.arguments import SPARE
from trailformat.native.loads import i64, load64, put64, store8, u8


def join_runs(runs: int, count: int, out: int) -> Any:
    """Copy runs, int64[count, 2] of addresses and sizes, to ``out``, which has no byte more than they have.

    Returns where they end.
    """
    to: Any = np.int64(0)
    for number in range(count):
        data, size, at = i64(runs, 16 * number), i64(runs, 16 * number + 8), 0
        while at + SPARE <= size:
            put64(out, to + at, load64(data, at))
            at += SPARE
        while at < size:
            store8(out, to + at, u8(data, at))
            at += 1
        to += size
    return to
