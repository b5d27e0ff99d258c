"""Folders with a short path, for what does not bear that of a long TMPDIR: sockets, and screens, which wrap it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_SHORT = "/tmp"


def short_folder(prefix: str = "tmp") -> Path:
    """A new folder, in TMPDIR only where /tmp cannot be written; it goes when the tests are done."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=_SHORT if os.access(_SHORT, os.W_OK) else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
