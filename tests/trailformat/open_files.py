"""Which files of a folder this process has open."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

OPEN_FILES = Path("/proc/self/fd")
"""Where the system lists them, if it does."""


def open_files(folder: Path) -> list[Path]:
    """The open files of a folder, removed ones too; files elsewhere may be closed meanwhile."""
    opened = []
    for handle in OPEN_FILES.iterdir():
        with suppress(FileNotFoundError):
            opened.append(handle.readlink())
    return [path for path in opened if path.is_relative_to(folder)]
