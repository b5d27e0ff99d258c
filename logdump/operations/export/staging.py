"""The target of an export: one file, or a folder of files, that appears under its name when it is complete."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from logdump.operations.export.options import ExportOptions
from logdump.session.errors import CommandError
from trailformat.trail.whole_file import WholeFile, WholeFolder, cannot_write, sweep

SUFFIXES = {"JSONL": ".jsonl", "CSV": ".csv", "PARQUET": ".parquet", "ARROW": ".arrow"}
"""Of the files in a folder; those that GZIP makes of text have ``.gz`` behind it."""


def suffix_of(options: ExportOptions) -> str:
    """What the names of an export's files end in."""
    is_gzip = options.format in ("JSONL", "CSV") and options.compression == "GZIP"
    return SUFFIXES.get(options.format, "") + (".gz" if is_gzip else "")


def part_name(number: int, suffix: str) -> str:
    """The name of one of the files that stand for one."""
    return f"part-{number:05d}{suffix}"


def is_part(name: str) -> bool:
    """Whether a file is called like a part."""
    return name.startswith("part-") and name.endswith(_OURS)


_OURS = tuple(SUFFIXES.values()) + tuple(f"{one}.gz" for one in SUFFIXES.values())


class Staging:
    """The target of one export; a context manager, left normally it commits.

    Args:
        target: where it is to be in the end.
        is_folder: whether that is a folder.
        replaces: whether it may be there already.

    Attributes:
        path: where to write: the file (empty), or the folder (empty).

    Raises:
        CommandError: the target is there, or is not what is to be replaced.
        CannotWrite: nothing can be written there.
    """

    def __init__(self, target: Path, *, is_folder: bool, replaces: bool) -> None:
        self.target = target
        self._is_folder = is_folder
        self._replaces = replaces
        sweep(target.parent)
        self._check()
        self._whole = WholeFolder(target) if is_folder else WholeFile(target, replace=replaces)
        self.path = self._whole.staged

    def _check(self) -> None:
        _check(self.target, is_folder=self._is_folder, replaces=self._replaces)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._check()
        except BaseException as failure:
            self._whole.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._whole.__exit__(kind, error, trace)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise cannot_write(error, self.target) from error


def _check(target: Path, *, is_folder: bool, replaces: bool) -> None:
    if not target.exists():
        return
    entries = sorted(target.iterdir()) if is_folder and target.is_dir() else [target]
    if entries and not replaces:
        raise CommandError(f"{target} exists already; EXPORT … TO {target.name} REPLACE replaces it.")
    for entry in entries if is_folder else ():
        if not _is_ours(entry):
            raise CommandError(f"{target} is not replaced: {entry.name} in it is no file of an export.")


def _is_ours(entry: Path) -> bool:
    """Whether this is a file of an export, or the folder of the parts of one."""
    if entry.is_symlink() or not entry.name.endswith(_OURS):
        return False
    return entry.is_file() or all(
        one.is_file() and not one.is_symlink() and is_part(one.name) for one in entry.iterdir()
    )
