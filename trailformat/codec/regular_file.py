"""Opening of a file for reading; refuses what is not a regular file, since it may block or never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def open_regular(path: Path) -> int:
    """A descriptor of a regular file for reading; links are followed.

    Raises:
        OSError: it is not there, cannot be read, or is a directory, FIFO, socket or device.
        ValueError: no file can have such a name.
    """
    # a FIFO without a writer would block
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        mode = os.fstat(handle).st_mode
    except OSError:
        os.close(handle)
        raise
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    is_directory = stat.S_ISDIR(mode)
    problem = "it is a directory" if is_directory else "it is not a regular file"
    raise OSError(errno.EISDIR if is_directory else errno.EINVAL, problem, os.fspath(path))
