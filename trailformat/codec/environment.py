"""What environment variables set: the user's folders and files, and limits of disk space."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from trailformat.codec.remote.path import path_of
from trailformat.errors import CannotRead

_FOLDERS = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "state": ("XDG_STATE_HOME", ".local/state"),
}
"""The environment variable of each kind, and the default folder in the home directory."""
Kind = Literal["config", "state"]
UNPACKED = "LOGDUMP_UNPACKED_LIMIT"
"""Limit of the unpacked copies of packed files."""
CACHED = "LOGDUMP_REMOTE_CACHE"
"""Limit of the kept bytes of files in stores."""
_SIZE = re.compile(r"(\d{1,18})\s*([kmgt]?)(?:i?b)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


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


def size_limit(variable: str) -> int | None:
    """Return the bytes that a variable allows: ``4294967296``, ``500M``, ``4G``; None if it is not set or empty.

    Raises:
        CannotRead: its value is not a size.
    """
    text = os.environ.get(variable, "").strip()
    if not text:
        return None
    size = _SIZE.fullmatch(text)
    if size is None:
        raise CannotRead(f"{variable}={text!r} is not a size: write a number of bytes, or 500M, 64G")
    return int(size[1]) << _UNITS[size[2].lower()]
