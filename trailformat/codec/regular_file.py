"""Opening of regular files for reading, since other files may block or never end; and files in the user's folder."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from trailformat.codec.remote.path import path_of

_FOLDERS = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "state": ("XDG_STATE_HOME", ".local/state"),
}
"""The environment variable of each kind, and the default folder in the home directory."""
Kind = Literal["config", "state"]
_NOT_REGULAR = "it is not a regular file"


def user_folder(kind: Kind, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder ``logdump`` for a kind of files; None without a home directory.

    A variable that is not an absolute path is ignored, as the XDG specification requires.
    """
    variable, place = _FOLDERS[kind]
    named = Path(environment.get(variable, ""))
    try:
        return (named if named.is_absolute() else Path.home() / place) / "logdump"
    except RuntimeError:
        return None


def user_file(kind: Kind, name: str, variable: str, environment: Mapping[str, str]) -> Path | None:
    """Return the file that an environment variable names, else ``name`` in the folder of its kind.

    None if the variable is empty, or if there is no home directory.
    """
    named = environment.get(variable)
    if named is None:
        folder = user_folder(kind, environment)
        return folder / name if folder is not None else None
    return path_of(Path(named)) if named else None


def open_regular(path: Path) -> int:
    """Return a descriptor of a regular file for reading; follow links.

    Raises:
        OSError: it does not exist, cannot be read, or is a directory, FIFO, socket or device.
        ValueError: the name is not valid for a file.
    """
    try:
        # a FIFO without a writer would block
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno not in (errno.ENXIO, errno.ENODEV):
            raise
        raise OSError(errno.EINVAL, _NOT_REGULAR, os.fspath(path)) from error  # a socket
    try:
        mode = os.fstat(handle).st_mode
    except OSError:
        os.close(handle)
        raise
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    is_directory = stat.S_ISDIR(mode)
    problem = "it is a directory" if is_directory else _NOT_REGULAR
    raise OSError(errno.EISDIR if is_directory else errno.EINVAL, problem, os.fspath(path))


def open_script(path: Path) -> int:
    """Return a descriptor of a regular file or of a pipe of the shell, as of ``<(…)``, for reading to its end.

    A FIFO with a name of its own is refused: without a writer it would block.

    Raises:
        OSError, ValueError: like :func:`open_regular`.
    """
    is_inherited = path.is_fifo() and os.path.realpath(path).startswith(("/dev/", "/proc/"))
    return os.open(path, os.O_RDONLY) if is_inherited else open_regular(path)
