"""The files that a wildcard in a command names."""

from __future__ import annotations

from pathlib import Path

from logdump.session import CommandError
from logdump.wildcard import matches


def matching_files(wildcard: str) -> list[Path]:
    """The files whose names fit, in the order in which a trail is written.

    Raises:
        CommandError: there are none, or their directory cannot be read.
    """
    pattern = Path(wildcard).expanduser().absolute()
    try:
        entries = [entry for entry in pattern.parent.iterdir() if entry.is_file()]
    except OSError as error:
        raise CommandError(f"{pattern.parent}: {error.strerror}") from error
    found = sorted(entry for entry in entries if matches(pattern.name, entry.name, case_sensitive=True))
    if not found:
        raise CommandError(f"No file matches {wildcard}.")
    return found
