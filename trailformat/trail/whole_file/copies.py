"""The mark of a file that was made as a copy of another, and may be made again.

It is an attribute of the file (``user.logdump``), where the file system has such: it goes with the file, not its name.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_NAME, _VALUE = "user.logdump", b"copy"


def mark_as_copy(file: int) -> None:
    """Mark an open file, where that can be done."""
    if hasattr(os, "setxattr"):
        with contextlib.suppress(OSError):
            os.setxattr(file, _NAME, _VALUE)


def is_copy(path: Path) -> bool:
    """Return True if a file has the mark; False if that cannot be determined."""
    if hasattr(os, "getxattr"):
        with contextlib.suppress(OSError):
            return os.getxattr(path, _NAME, follow_symlinks=False) == _VALUE
    return False
