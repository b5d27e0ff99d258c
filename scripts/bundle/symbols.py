"""Which C library a file of machine code needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_VERSION = re.compile(rb"GLIBC_(\d+)\.(\d+)")
_ELF = b"\x7fELF"


def programs_and_libraries(folder: Path) -> Iterator[Path]:
    """Yield the ELF files below a folder, but for links."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(len(_ELF)) == _ELF:
                    yield path


def highest_glibc(path: Path) -> tuple[int, int]:
    """Return the highest version of glibc that a file names, (0, 0) if it names none.

    All bytes are searched, not the table of needed versions alone: a version that is only looked up counts too.
    """
    found = ((int(first), int(second)) for first, second in _VERSION.findall(path.read_bytes()))
    return max(found, default=(0, 0))
