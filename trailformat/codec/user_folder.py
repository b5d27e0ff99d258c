"""The folders in which a program keeps things of its user, as the XDG Base Directory Specification has them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

_FOLDERS = {
    "cache": ("XDG_CACHE_HOME", ".cache"),
    "config": ("XDG_CONFIG_HOME", ".config"),
    "state": ("XDG_STATE_HOME", ".local/state"),
}
"""The variable that names each, and its place in the home directory without one."""


def user_folder(kind: Literal["cache", "config", "state"], environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder ``logdump`` for a kind of files; None where there is no home directory.

    A variable that is no absolute path is ignored, as the specification demands.
    """
    variable, place = _FOLDERS[kind]
    named = Path(environment.get(variable, ""))
    try:
        return (named if named.is_absolute() else Path.home() / place) / "logdump"
    except RuntimeError:
        return None
