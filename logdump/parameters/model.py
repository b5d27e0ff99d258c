"""What the statements of parameter files have in common: the process that they are for, and their place."""

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
        """As the texts name it."""
        return "GLOBALS" if self is ProcessSide.GLOBALS else self.value.capitalize()


class Rule(NamedTuple):
    """A statement at one place of a parameter file."""

    path: Path
    line: int
    text: str
