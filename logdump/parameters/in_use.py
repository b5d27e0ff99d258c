"""The parameter files of a session. It imports little: the full-screen view loads it before any such file is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.parameters.not_used import ParameterUse, sentences
from logdump.session.events import Text, say
from logdump.session.session import Session
from trailformat import TrailName
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.parameters import reading

if TYPE_CHECKING:
    from logdump.parameters.model import ProcessSide
    from logdump.parameters.tree import ParameterFile


class ParametersInUse(NamedTuple):
    """The parameter files that PARAMS has set, at most one for each side."""

    extract: ParameterFile | None = None
    replicat: ParameterFile | None = None
    globals: ParameterFile | None = None

    @property
    def files(self) -> list[ParameterFile]:
        """The files that are set, in the order in which a statement passes them: GLOBALS, Extract, Replicat."""
        return [file for file in (self.globals, self.extract, self.replicat) if file is not None]

    def read(self, path: Path, side: ProcessSide | None = None) -> ParameterFile:
        """Read a file with the quotes that GLOBALS sets; arguments and errors are those of ``read_parameters``."""
        ansi_quotes = not (self.globals and self.globals.has("NOUSEANSISQLQUOTES"))
        return reading.read_parameters(path, side, ansi_quotes=ansi_quotes)

    def for_trail(self, path: Path) -> ParametersInUse:
        """Return the same with only the part of Extract's file for the trail of ``path``.

        If the file names no such trail, it is unchanged.
        """
        name = TrailName.parse(path)
        if self.extract is None or name is None:
            return self
        wanted = [trail for trail in self.extract.trails if trail.bare_name == name.prefix]
        return self._replace(extract=self.extract.for_trails(wanted)) if wanted else self

    def having(self, file: ParameterFile) -> ParametersInUse:
        """Return the same with this file as the one of its side."""
        return self._replace(**{file.side.value: file})


def parameters_in_use(session: Session) -> ParametersInUse:
    """Return the files that PARAMS has set in this session."""
    return session.kept(ParametersInUse) or ParametersInUse()


def unused_parameters(session: Session, answer: ParameterUse) -> Iterator[Text]:
    """Yield the statements of the parameter files in use that would change an answer but are not evaluated."""
    if files := parameters_in_use(session).files:
        yield from map(say, sentences(files, answer))
