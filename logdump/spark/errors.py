"""Errors of the data source, each one line that says what to do, and the log of what a read passes over.

Spark carries the name of the class and the line to the user, in an AnalysisException while it plans and in a
PythonException while it reads; the log it keeps in those of its workers.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

from logdump.arrow.records.errors import place
from trailformat import CannotRead, TrailError

_LOG = logging.getLogger("logdump.spark")


def report(text: str) -> None:
    """One line about damage, a file left out, or a part of a record that is null because it cannot be decoded."""
    _LOG.warning("%s", text)


_CARRIED = re.compile(r"logdump\.spark\.(?:\w+\.)*(\w+): (.+)")


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


class DefinedOtherwiseError(Exception):
    """A table has another definition than the one that a read was begun with; a read with all of them goes well."""


def carried_by(text: str) -> SourceError | None:
    """The last one of these errors in the text of an error of Spark."""
    found = _CARRIED.findall(text)
    kinds = {kind.__name__: kind for kind in SourceError.__subclasses__()}
    return kinds.get(found[-1][0], SourceError)(found[-1][1]) if found else None


def located(error: TrailError | CannotRead, path: str | Path, rba: int | None = None) -> str:
    """The line about an error of the trail: where, what, what was expected and found."""
    rba = error.rba if error.rba is not None else rba
    return f"{place(error.path or path, rba)}: {error.explained()}"
