"""Types that all statements of parameter files share: the process that they are for, and their position."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import NamedTuple


class ProcessSide(enum.Enum):
    """The process that a parameter file is for; GLOBALS is for all of them."""

    EXTRACT = "extract"
    REPLICAT = "replicat"
    GLOBALS = "globals"

    @property
    def title(self) -> str:
        """The name in texts."""
        return "GLOBALS" if self is ProcessSide.GLOBALS else self.value.capitalize()


class Rule(NamedTuple):
    """A statement at one place of a parameter file."""

    path: Path
    line: int
    text: str
