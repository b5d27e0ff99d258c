"""Option ``params``: the parameter files against which DDL is evaluated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import ParameterError, ProcessSide
from logdump.spark.errors import BadOption
from logdump.spark.source.options import Options
from logdump.spark.source.paths import local_path


class _Given(NamedTuple):
    """A parameter file as the option names it, with the side that may stand behind its name."""

    path: Path
    side: ProcessSide | None

    def __str__(self) -> str:
        return f"{self.path} {self.side.name}" if self.side else str(self.path)


def with_absolute_parameters(options: Options) -> Options:
    """The options with the whole paths of the parameter files, which are read to see that they can be.

    Raises:
        BadOption: one cannot be read or understood; file and line are named.
    """
    parameters_of(options)
    return replace(options, params=tuple(str(_given(text)) for text in options.params))


def parameters_of(options: Options) -> ParametersInUse:
    """The parameter files of the options, GLOBALS being read first. Raises like with_absolute_parameters."""
    found = ParametersInUse()
    given = [_given(text) for text in options.params]
    try:
        for path, side in sorted(given, key=lambda one: not _is_globals(one)):
            found = found.having(found.read(path, side))
    except ParameterError as error:
        raise BadOption(f"option params: {error}") from None
    return found


def _is_globals(given: _Given) -> bool:
    return given.side is ProcessSide.GLOBALS or given.path.name.upper() == ProcessSide.GLOBALS.name


def _given(text: str) -> _Given:
    name, _, last = text.strip().rpartition(" ")
    side = ProcessSide.__members__.get(last.upper()) if name else None
    path = (name if side else text).strip()
    try:
        return _Given(Path(local_path(path)).expanduser().absolute(), side)
    except (RuntimeError, ValueError) as error:
        raise BadOption(f"option params: {path[:200]}: {error}") from None
