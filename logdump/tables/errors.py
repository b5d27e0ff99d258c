"""Errors of the data source, each with one line that says what to do, and the log of what a read skips.

Spark passes the name of the class and the line to the user, in an AnalysisException while planning and in a
PythonException while reading; the log is part of the logs of its workers.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

from logdump.arrow.records.errors import place
from trailformat import CannotRead, TrailError

LOG = "logdump.spark"
"""The name of the log of what a read skips."""
_LOG = logging.getLogger(LOG)


def report(text: str) -> None:
    """Log a line about damage, a skipped file, or a part of a record that is null because it cannot be decoded."""
    _LOG.warning("%s", text)


_CARRIED = re.compile(r"logdump\.(?:tables|targets|spark)\.(?:\w+\.)*(\w+): (.+)")


class SourceError(Exception):
    """Base class of the errors of reading and writing trails through Spark."""


class BadOption(SourceError):
    """An option does not exist, or its value is wrong.

    Args:
        problem: what is wrong.
        option: the option whose value is wrong; None if the problem names it.

    Attributes:
        problem: what is wrong, for a caller whose user knows the option by another name.
        option: as given.
    """

    def __init__(self, problem: str, option: str | None = None) -> None:
        super().__init__(problem if option is None else f"option {option}: {problem}")
        self.problem = problem
        self.option = option


class BadSchema(SourceError):
    """A schema has a column that does not exist, or is of another type."""


class NoTrailFiles(SourceError):
    """A path matches no file."""


class BadTrail(SourceError):
    """Damage in a trail, or a file that is not a trail."""


class FileChanged(SourceError):
    """A file was removed, has become shorter or cannot be read any more since the read was planned."""


class SplitMismatch(SourceError):
    """A slice of a file does not end where the next one begins."""


class SchemaChanged(SourceError):
    """A table got a column, a type or a key after the schema of the read was made."""


class DefinedOtherwiseError(Exception):
    """A table has another definition than the one assumed by a read; a read with all definitions succeeds."""


def carried_by(text: str) -> SourceError | None:
    """Return the last of these errors that the text of a Spark error names; None if it names none."""
    matches = _CARRIED.findall(text)
    kinds = {kind.__name__: kind for kind in SourceError.__subclasses__()}
    return kinds.get(matches[-1][0], SourceError)(matches[-1][1]) if matches else None


def located(error: TrailError | CannotRead, path: str | Path, rba: int | None = None) -> str:
    """Return the line about an error of the trail: place, problem, and the values expected and found."""
    rba = error.rba if error.rba is not None else rba
    return f"{place(error.path or path, rba)}: {error.explained()}"
