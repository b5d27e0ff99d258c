"""Runs of bytes from many places, joined by a kernel: no object is made for any of them."""

from __future__ import annotations

import numpy as np

from trailformat.native.loaded import kernels
from trailformat.scan.rows.row_bytes import Array


def joined_runs(sources: list[Array], of_source: Array, begins: Array, ends: Array) -> Array:
    """The bytes from ``begins`` to ``ends`` of the sources, uint8 all, that ``of_source`` numbers; in this order."""
    addresses = np.array([source.ctypes.data for source in sources], np.int64)
    runs = np.stack((addresses[of_source] + begins, ends - begins), 1)
    out = np.empty(int(runs[:, 1].sum()), np.uint8)
    kernels()["join_runs"](runs.ctypes.data, len(runs), out.ctypes.data)
    return out
