"""The target of an export: one file, or a folder of files, that appears under its name when it is complete."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from logdump.features.export.options import ExportOptions
from logdump.session.errors import CommandError
from trailformat.codec.remote.path import RemotePath
from trailformat.trail.whole_file import WholeFile, WholeFolder, cannot_write, sweep

SUFFIXES = {"JSONL": ".jsonl", "CSV": ".csv", "PARQUET": ".parquet", "ARROW": ".arrow"}
"""Suffixes of the files in a folder; text compressed by GZIP has ``.gz`` after it."""


def suffix_of(options: ExportOptions) -> str:
    """The ending of the names of an export's files."""
    is_gzip = options.format in ("JSONL", "CSV") and options.compression == "GZIP"
    return SUFFIXES[options.format] + (".gz" if is_gzip else "")


def part_name(number: int, suffix: str) -> str:
    """Return the name of one part of a file."""
    return f"part-{number:05d}{suffix}"


def is_part(name: str) -> bool:
    """Return True if a file is named like a part."""
    return name.startswith("part-") and name.endswith(_OURS)


_OURS = tuple(SUFFIXES.values()) + tuple(f"{suffix}.gz" for suffix in SUFFIXES.values())


@contextlib.contextmanager
def export_target(target: Path, *, is_folder: bool, replaces: bool, command: str = "EXPORT") -> Iterator[Path]:
    """Stage an export: an empty file or folder, which becomes ``target`` when the context exits normally.

    ``command`` is the name of the command in messages.

    Raises:
        CommandError: the target exists and may not be replaced.
        CannotWrite: nothing can be written there.
    """
    if not isinstance(target, RemotePath):
        sweep(target.parent)
    _check(target, command, is_folder=is_folder, replaces=replaces)
    with WholeFolder(target) if is_folder else WholeFile(target, replace=replaces) as whole:
        try:
            yield whole.staged
        except BrokenPipeError:
            raise
        except OSError as error:
            raise cannot_write(error, target) from error
        _check(target, command, is_folder=is_folder, replaces=replaces)


def _check(target: Path, command: str, *, is_folder: bool, replaces: bool) -> None:
    if not target.exists():
        return
    entries = sorted(target.iterdir()) if is_folder and target.is_dir() else [target]
    if entries and not replaces:
        raise CommandError(f"{target} exists already; {command} … TO {target.name} REPLACE replaces it.")
    for entry in entries if is_folder else ():
        if not _is_ours(entry):
            raise CommandError(f"{target} is not replaced: {entry.name} in it is no file of an export.")


def _is_ours(entry: Path) -> bool:
    """Return True if this is a file of an export, or the folder of its parts."""
    if entry.is_symlink() or not entry.name.endswith(_OURS):
        return False
    return entry.is_file() or all(
        part.is_file() and not part.is_symlink() and is_part(part.name) for part in entry.iterdir()
    )
