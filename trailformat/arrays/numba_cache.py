"""Where numba keeps its compiled kernels: the user's cache directory, so that each machine compiles them once.

    $XDG_CACHE_HOME/logdump/numba/<digest of the kernels' sources>

numba looks at the age of one source file only; the digest makes the kernels of a changed program compile again. numba
unpickles what it finds there and runs it: a folder that others can write to is not used.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from trailformat.scan.kernels.private_folder import holds_only_ours, private_folder

_VARIABLE = "NUMBA_CACHE_DIR"
_SOURCES = ("kernels.py", "byte_kernels.py", "value_kernels.py", "../scan/kernels/loads.py")


def prepare_cache() -> None:
    """Point numba to the cache, if it is not imported yet and NUMBA_CACHE_DIR does not name another one.

    Where others can write to the cache, this process and its children get a folder of their own, which goes with it.
    """
    if os.environ.get(_VARIABLE) or "numba" in sys.modules:
        return
    here = Path(__file__).parent
    sources = hashlib.sha256(b"".join((here / name).read_bytes() for name in _SOURCES)).hexdigest()
    folder = private_folder("numba", sources[:16])
    if folder is None or not os.access(folder, os.W_OK) or not holds_only_ours(folder):
        folder = Path(tempfile.mkdtemp(prefix="logdump-numba-"))
        atexit.register(_remove, folder, os.getpid())
    os.environ[_VARIABLE] = str(folder)


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
