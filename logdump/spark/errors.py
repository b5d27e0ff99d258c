"""Errors of the data source, each one line that says what to do.

Spark carries the name of the class and the line to the user, in an AnalysisException while it plans and in a
PythonException while it reads.
"""

from __future__ import annotations

from pathlib import Path

from logdump.arrow.records.errors import place
from trailformat import CannotRead, TrailError


class SourceError(Exception):
    """Something about a read or a write of trails through Spark."""


class BadOption(SourceError):
    """An option that there is not, or whose value is wrong."""


class BadSchema(SourceError):
    """A schema with a column that there is not, or of another type."""


class NoTrailFiles(SourceError):
    """A path that leads to no file."""


class BadTrail(SourceError):
    """Damage in a trail, or a file that is none."""


class FileChanged(SourceError):
    """A file that has gone, has become shorter or cannot be read any more, since the read was planned."""


class SplitMismatch(SourceError):
    """A piece of a file did not end where the next begins."""


class SchemaChanged(SourceError):
    """A table has a column, a type or a key that came after the schema of the read was made."""


def located(error: TrailError | CannotRead, path: str | Path, rba: int | None = None) -> str:
    """The line about an error of the trail: where, what, what was expected and found."""
    rba = error.rba if error.rba is not None else rba
    return f"{place(error.path or path, rba)}: {error.explained()}"
