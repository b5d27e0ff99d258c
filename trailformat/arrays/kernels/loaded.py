"""The kernels of arrays, ready to be called."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from trailformat.scan.kernels.loaded import Kernel, Library


@cache
def kernels() -> dict[str, Kernel]:
    """Each kernel by its name; raises like :meth:`trailformat.scan.kernels.loaded.Library.kernels`."""
    return Library(__package__, Path(__file__).parent).kernels()
