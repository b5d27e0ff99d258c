"""What an input brings about, as short texts without its numbers: the errors, the findings, the kinds of records."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from functools import lru_cache

from trailformat import TrailError

_PARTICULAR = re.compile(r"\"[^\"]*\"|'[^']*'|\bx[0-9a-fA-F]{2,}|\S*/\S*|\\x\w\w|-?\d[\w.:-]*")
_LONGEST = 80


class Behaviour:
    """What one input brings about.

    Attributes:
        found: the texts.
    """

    def __init__(self) -> None:
        self.found: set[str] = set()

    def note(self, where: str, text: str = "") -> None:
        """Add something; numbers, names and paths in ``text`` do not count."""
        self.found.add(f"{where}: {_general(text)}" if text else where)

    @contextlib.contextmanager
    def only_trail_error(self, where: str) -> Iterator[None]:
        """A TrailError is what may happen here, and is noted; anything else goes on."""
        try:
            yield
        except TrailError as error:
            self.note(f"{where} {type(error).__name__}", error.problem)


@lru_cache(4096)
def _general(text: str) -> str:
    return _PARTICULAR.sub("#", text)[:_LONGEST]
