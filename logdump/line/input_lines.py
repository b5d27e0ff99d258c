"""Lines of commands from a file or a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from logdump.language.words import MOST_CHARACTERS


def lines_of(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file without their ends; a line that is too long is cut right above the limit."""
    while line := file.readline(MOST_CHARACTERS + 1):
        rest = line
        while len(rest) > MOST_CHARACTERS and not rest.endswith("\n"):
            rest = file.readline(MOST_CHARACTERS + 1)
        yield line.rstrip("\r\n")
