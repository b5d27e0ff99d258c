"""Types shared by all statements of parameter files: the process that they are for, their position, the error."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import NamedTuple

from logdump.session.errors import CommandError

_LONGEST = 300


class ParameterPlace(NamedTuple):
    """A line of a parameter file; for the expansion of a macro, the line of its call."""

    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}"


class ParameterError(CommandError):
    """A parameter file that cannot be read or understood; its place is part of the message."""

    def __init__(self, place: ParameterPlace, problem: str) -> None:
        problem = problem if len(problem) <= _LONGEST else f"{problem[:_LONGEST]}…"
        super().__init__(f"PARAMS: {place}: {problem}")
        self.place = place
        self.problem = problem


class ProcessSide(enum.Enum):
    """The process that a parameter file is for; GLOBALS is for all of them."""

    EXTRACT = "extract"
    REPLICAT = "replicat"
    GLOBALS = "globals"

    @property
    def title(self) -> str:
        """The name for display."""
        return "GLOBALS" if self is ProcessSide.GLOBALS else self.value.capitalize()


class Rule(NamedTuple):
    """A statement at one place of a parameter file."""

    path: Path
    line: int
    text: str
