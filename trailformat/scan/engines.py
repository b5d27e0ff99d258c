"""The engines that fill batches, and the choice between them: the one place that knows whether there are kernels."""

from __future__ import annotations

import enum
import importlib
import sys
from functools import cache
from importlib.util import find_spec


class Engine(enum.Enum):
    """PYTHON is always there; NUMBA, the library of kernels that numba compiled, is a hundred times as fast."""

    PYTHON = "python"
    NUMBA = "numba"


NUMBA_ENGINE = "trailformat.scan.kernels.loaded"
NUMBA_PAYS = 6 << 20
"""The size in bytes from which NUMBA is done first: loading numpy and the kernels takes as long as PYTHON for these.

In processor time of whole processes: 4 MB 0.11 s by PYTHON and 0.14 s by NUMBA, 8 MB 0.15 s and 0.13 s.
"""
NUMBA_PAYS_LOADED = 1 << 18
"""The same where they are loaded already."""


def is_available(engine: Engine) -> bool:
    """Whether the engine can be loaded, which is tried; kernels are for little-endian machines."""
    return engine is Engine.PYTHON or why_no_kernels() is None


@cache
def why_no_kernels() -> str | None:
    """Why there are no kernels here, in a few words; None where there are."""
    if sys.byteorder != "little":
        return "kernels are for little-endian machines"
    try:
        if find_spec("numpy") is None:
            return "numpy is not installed"
        importlib.import_module(NUMBA_ENGINE).kernels()
    except (ImportError, OSError) as error:
        return str(error)
    return None


def how_to_get_kernels() -> str:
    """What makes the fast build, in a few words: the one text for all who tell a user."""
    return "make native, or pip install where there is a C compiler"


def choose_engine(size: int) -> Engine:
    """The engine that is done first with ``size`` bytes."""
    pays = NUMBA_PAYS_LOADED if NUMBA_ENGINE in sys.modules else NUMBA_PAYS
    return Engine.NUMBA if size >= pays and is_available(Engine.NUMBA) else Engine.PYTHON


def kernels_pay(size: int, least: int = NUMBA_PAYS) -> bool:
    """Whether kernels are done first with ``size`` bytes of rows: they are loaded already, or ``least`` are there."""
    return (NUMBA_ENGINE in sys.modules or size >= least) and is_available(Engine.NUMBA)
