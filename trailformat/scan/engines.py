"""The engines that fill batches, and the choice between them."""

from __future__ import annotations

import enum
import importlib
import sys
from functools import cache


class Engine(enum.Enum):
    """PYTHON needs no other package; NUMBA, machine code that numba compiled once, is a hundred times as fast."""

    PYTHON = "python"
    NUMBA = "numba"


NUMBA_ENGINE = "trailformat.scan.kernels.loaded"
NUMBA_PAYS = 8 << 20
"""The size in bytes from which NUMBA is done first.

Loading llvmlite, numpy and the kept kernels takes 0.15 s, in which PYTHON scans 8 MB or so. Only the first use on a
machine takes some seconds more, in which numba compiles the kernels.
"""


NUMBA_PAYS_LOADED = 1 << 18
"""The same where they are loaded already."""


@cache
def is_available(engine: Engine) -> bool:
    """Whether the engine can be loaded, which is tried; numba's kernels are for little-endian machines."""
    if engine is Engine.PYTHON:
        return True
    try:
        importlib.import_module(NUMBA_ENGINE).kernels()
    except (ImportError, OSError, RuntimeError):
        return False
    return sys.byteorder == "little"


def choose_engine(size: int) -> Engine:
    """The engine that is done first with ``size`` bytes."""
    pays = NUMBA_PAYS_LOADED if NUMBA_ENGINE in sys.modules else NUMBA_PAYS
    return Engine.NUMBA if size >= pays and is_available(Engine.NUMBA) else Engine.PYTHON


@cache
def are_kept() -> bool:
    """Whether kernels are there without being compiled; finding out takes a few hundredths of a second."""
    try:
        kept: bool = importlib.import_module("trailformat.scan.kernels.machine").are_kept()
    except (ImportError, OSError, RuntimeError):
        return False
    return kept


def kernels_pay(size: int, least: int = NUMBA_PAYS) -> bool:
    """Whether kernels are done first with ``size`` bytes of rows: they are loaded already, or ``least`` are there."""
    return (NUMBA_ENGINE in sys.modules or size >= least) and is_available(Engine.NUMBA)
