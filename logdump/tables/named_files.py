"""Files named by options: ``sourceDefs`` for tables that a trail does not define, and ``params`` (parameter files)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import ParameterError, ProcessSide
from logdump.tables.errors import BadOption
from logdump.tables.options import Options
from logdump.tables.paths import local_path
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.codec.remote.path import path_of
from trailformat.definitions.file import DefinitionsFile, read_definitions
from trailformat.trail.packed import status_of
from trailformat.trail.row_definitions import RowDefinitions


class _ParameterFile(NamedTuple):
    """A parameter file as the option names it, with the side that may follow its name."""

    path: Path
    side: ProcessSide | None

    def __str__(self) -> str:
        return f"{self.path} {self.side.name}" if self.side else str(self.path)


def with_absolute_paths(options: Options) -> Options:
    """Return the options with absolute paths of the files, which are read to check them.

    Raises:
        BadOption: a file cannot be read or parsed; the message has file and line.
    """
    if options.params:
        parameters_of(options)
        options = replace(options, params=tuple(str(_parameter_file(text)) for text in options.params))
    if options.source_defs is None:
        return options
    source_definitions(options)
    return replace(options, source_defs=str(_absolute(options.source_defs, "sourceDefs")))


def parameters_of(options: Options) -> ParametersInUse:
    """Return the parameter files of the options; GLOBALS is read first. Raises like with_absolute_paths."""
    parameters = ParametersInUse()
    given = [_parameter_file(text) for text in options.params]
    try:
        for path, side in sorted(given, key=lambda parameter_file: not _is_globals(parameter_file)):
            parameters = parameters.having(parameters.read(path, side))
    except ParameterError as error:
        raise BadOption(f"option params: {error}") from None
    return parameters


def _is_globals(given: _ParameterFile) -> bool:
    return given.side is ProcessSide.GLOBALS or given.path.name.upper() == ProcessSide.GLOBALS.name


def _parameter_file(text: str) -> _ParameterFile:
    name, _, last = text.strip().rpartition(" ")
    side = ProcessSide.__members__.get(last.upper()) if name else None
    path = (name if side else text).strip()
    return _ParameterFile(_absolute(path, "params"), side)


def source_definitions(options: Options) -> DefinitionsFile | None:
    """Return the definitions file of the options, read again if it has changed. Raises like with_absolute_paths."""
    if options.source_defs is None:
        return None
    path = _absolute(options.source_defs, "sourceDefs")
    try:
        status = status_of(path)
        return _read_definitions(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError) as error:
        raise BadOption(f"option sourceDefs: {path}: {getattr(error, 'strerror', None) or error}") from None
    except (TrailError, CannotRead) as error:
        raise BadOption(f"option sourceDefs: {error}") from None


def definitions_of(trail: TrailFile, options: Options) -> RowDefinitions:
    """Return the definitions of a trail's rows under these options. Raises like with_absolute_paths."""
    return RowDefinitions(trail, source_definitions(options), override=options.source_defs_override)


def _absolute(given: str, option: str) -> Path:
    try:
        return path_of(Path(local_path(given))).absolute()
    except ValueError as error:
        raise BadOption(f"option {option}: {given[:200]}: {error}") from None


@lru_cache(maxsize=4)
def _read_definitions(path: Path, _modified: int, _size: int) -> DefinitionsFile:
    return read_definitions(path)
