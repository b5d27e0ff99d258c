"""The files that a wildcard in a command names."""

from __future__ import annotations

from pathlib import Path

from logdump.notation.wildcard import matches
from logdump.session.errors import MissingFileError
from trailformat.records import reached
from trailformat.trail.packed import entries_of, is_file
from trailformat.trail.sequence import trails_among


def matching_files(wildcard: str) -> list[Path]:
    """The files whose names fit, trail after trail in the order in which each was written; then those of no trail.

    Raises:
        CommandError: there are none, or their directory cannot be read.
    """
    pattern = Path(wildcard).expanduser().absolute()
    try:
        entries = [entry for entry in entries_of(pattern.parent) if is_file(entry)]
    except OSError as error:
        raise MissingFileError(f"{pattern.parent}: {error.strerror}") from error
    matching = [entry for entry in entries if matches(pattern.name, entry.name, case_sensitive=True)]
    if not matching:
        raise MissingFileError(f"No file matches {wildcard}.")
    trails, others = trails_among(matching)
    paths = [*(name.path for trail in trails for name in trail), *others]
    reached.announce(paths)
    return paths
