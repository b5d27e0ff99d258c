"""Where numba keeps its compiled kernels: the user's cache directory, so that each machine compiles them once.

    $XDG_CACHE_HOME/logdump/numba/<digest of the kernels' sources>

numba looks at the age of one source file only; the digest makes the kernels of a changed program compile again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

_VARIABLE = "NUMBA_CACHE_DIR"
_SOURCES = ("kernels.py", "byte_kernels.py", "value_kernels.py", "../scan/kernel_loads.py")


def prepare_cache() -> None:
    """Point numba to the cache, if it is not imported yet and NUMBA_CACHE_DIR does not name another one.

    Where no directory can be made, numba compiles the kernels anew in every process.
    """
    if os.environ.get(_VARIABLE) or "numba" in sys.modules:
        return
    here = Path(__file__).parent
    sources = hashlib.sha256(b"".join((here / name).read_bytes() for name in _SOURCES)).hexdigest()
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        directory = Path(home) / "logdump" / "numba" / sources[:16]
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return
    if os.access(directory, os.W_OK):
        os.environ[_VARIABLE] = str(directory)
