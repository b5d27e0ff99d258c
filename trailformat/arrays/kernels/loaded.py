"""The kernels of arrays, ready to be called."""

from __future__ import annotations

from collections.abc import Sequence

from trailformat.scan.kernels.loaded import Kernel, chosen


def kernels() -> dict[str, Kernel]:
    """Each kernel of arrays by its name."""
    return chosen(_sources)


def _sources() -> Sequence[Kernel]:
    from trailformat.arrays.kernels.library import KERNELS  # noqa: PLC0415 - machine code needs no source

    return KERNELS
