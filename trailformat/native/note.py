"""The note beside the library of kernels: what it was made of, by what, for what, and the kernels in it.

sources 3d0c...         SHA-256 of the kernels' sources and of the numbers of the format that are compiled in
library 91fe...         SHA-256 of the library
processor x86-64-v2     the oldest processor that runs it
made_by logdump 0.1.0, numba 0.68.1
kernel fill 8           a kernel and the number of its arguments
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trailformat.native import constants

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

LIBRARY, NOTE = "native/kernels.so", "native/kernels.txt"
"""The files, in the package."""
SOURCES = ("native", "native/scan", "native/arrays")
"""The folders of the kernels' sources, in the package."""


class LibraryNote(NamedTuple):
    """What stands in the note."""

    sources: str
    library: str
    processor: str
    made_by: str
    kernels: dict[str, int]

    def is_of(self, code: bytes) -> bool:
        """Whether these are the bytes of the library."""
        return hashlib.sha256(code).hexdigest() == self.library

    def __str__(self) -> str:
        lines = [f"{name} {getattr(self, name)}" for name in self._fields[:-1]]
        return "\n".join([*lines, *(f"kernel {name} {count}" for name, count in self.kernels.items()), ""])


def read_note(text: str) -> LibraryNote:
    """The note in a text.

    Raises:
        ImportError: there is none.
    """
    try:
        lines = [line.split(" ", 1) for line in text.splitlines()]
        kernels = {name: int(count) for word, rest in lines if word == "kernel" for name, count in [rest.split()]}
        return LibraryNote(**{word: rest for word, rest in lines if word != "kernel"}, kernels=kernels)
    except (TypeError, ValueError) as error:
        raise ImportError("the note beside the library of kernels cannot be read") from error


def source_digest(package: Traversable | None = None) -> str:
    """SHA-256 of the kernels' sources in a package, this one or another, and of the numbers that they are made with."""
    digest = hashlib.sha256(constants.values().encode())
    for folder in SOURCES:
        sources = (package or _package()).joinpath(folder)
        for source in sorted(sources.iterdir(), key=lambda source: source.name):
            if source.name.endswith(".py"):
                digest.update(source.name.encode() + b"\n" + source.read_bytes())
    return digest.hexdigest()


def _package() -> Traversable:
    folder = Path(__file__).parents[1]
    if folder.is_dir():
        return folder
    from importlib.resources import files  # noqa: PLC0415 - of a package in a zip only

    return files("trailformat")
