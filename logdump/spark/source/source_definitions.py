"""Option ``sourceDefs``: the definitions file with the columns of tables that a trail does not define."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from logdump.spark.errors import BadOption
from logdump.spark.source.options import Options
from logdump.spark.source.paths import local_path
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.definitions.file import DefinitionsFile, read_definitions
from trailformat.trail.packed import status_of
from trailformat.trail.row_definitions import RowDefinitions


def with_absolute_definitions(options: Options) -> Options:
    """The options with the whole path of the definitions file, which is read to see that it can be.

    Raises:
        BadOption: it cannot be read, or is none; file and line are named.
    """
    if options.source_defs is None:
        return options
    source_definitions(options)
    return replace(options, source_defs=str(_path(options.source_defs)))


def source_definitions(options: Options) -> DefinitionsFile | None:
    """The definitions file of the options, read again when it has changed; raises like with_absolute_definitions."""
    if options.source_defs is None:
        return None
    path = _path(options.source_defs)
    try:
        status = status_of(path)
        return _read(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError) as error:
        raise BadOption(f"option sourceDefs: {path}: {getattr(error, 'strerror', None) or error}") from None
    except (TrailError, CannotRead) as error:
        raise BadOption(f"option sourceDefs: {error}") from None


def definitions_of(trail: TrailFile, options: Options) -> RowDefinitions:
    """The definitions of a trail's rows under these options. Raises like with_absolute_definitions."""
    return RowDefinitions(trail, source_definitions(options), override=options.source_defs_override)


def _path(given: str) -> Path:
    try:
        return Path(local_path(given)).expanduser().absolute()
    except (RuntimeError, ValueError) as error:
        raise BadOption(f"option sourceDefs: {given[:200]}: {error}") from None


@lru_cache(maxsize=4)
def _read(path: Path, _modified: int, _size: int) -> DefinitionsFile:
    return read_definitions(path)
