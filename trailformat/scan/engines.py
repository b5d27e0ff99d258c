"""Which engine fills the batches."""

from __future__ import annotations

import enum
import importlib
import sys
from functools import cache

from trailformat.scan.numba_cache import prepare_cache


class Engine(enum.Enum):
    """PYTHON needs no other package; NUMBA is about a hundred times as fast once it is loaded."""

    PYTHON = "python"
    NUMBA = "numba"


NUMBA_ENGINE = "trailformat.scan.numba_engine"
NUMBA_PAYS = 32 << 20
"""From so many bytes on NUMBA is done first.

Loading numpy, numba and the kept kernels takes 0.35 s (0.7 s on a slower disk), in which PYTHON scans 15 to 30 MB. Only
the first use on a machine takes some seconds more, in which the kernels are compiled.
"""


NUMBA_PAYS_LOADED = 1 << 18
"""The same where they are loaded already."""


@cache
def is_available(engine: Engine) -> bool:
    """Whether the engine can be loaded, which is tried; numba's kernels are for little-endian machines."""
    if engine is Engine.PYTHON:
        return True
    prepare_cache()
    try:
        importlib.import_module(NUMBA_ENGINE)
    except ImportError:
        return False
    return sys.byteorder == "little"


def choose_engine(size: int) -> Engine:
    """The engine that is done first with ``size`` bytes."""
    pays = NUMBA_PAYS_LOADED if NUMBA_ENGINE in sys.modules else NUMBA_PAYS
    return Engine.NUMBA if size >= pays and is_available(Engine.NUMBA) else Engine.PYTHON
