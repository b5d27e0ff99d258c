"""Where an export is written before anybody can see it: under a name of its own beside the target, then renamed.

One file, or a folder of files that appears under its name with all of them in it. An error, an interrupt or a full disk
leaves nothing behind, and what was there before as it was.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from logdump.export.options import ExportOptions
from logdump.session import CommandError
from trailformat import CannotWrite
from trailformat.whole_file import publish

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
        self.target = target.resolve() if is_folder else target
        self._is_folder = is_folder
        self._replaces = replaces
        _check(self.target, is_folder=is_folder, replaces=replaces)
        try:
            self.path = self._make()
        except (OSError, ValueError) as error:
            raise _cannot_write(error, target) from error

    def _make(self) -> Path:
        prefix, suffix, folder = f".{self.target.name}.", ".part", self.target.parent
        if self._is_folder:
            return Path(tempfile.mkdtemp(suffix, prefix, folder))
        handle, name = tempfile.mkstemp(suffix, prefix, folder)
        os.close(handle)
        return Path(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            try:
                self._commit()
            except BaseException as failure:
                self._abort()
                if isinstance(failure, OSError):
                    raise _cannot_write(failure, self.target) from failure
                raise
            return
        self._abort()
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _cannot_write(error, self.target) from error

    def _commit(self) -> None:
        if not self._is_folder:
            publish(self.path, self.target, replace=self._replaces)
            return
        _sync(self.path)
        mask = os.umask(0)
        os.umask(mask)
        self.path.chmod(0o777 & ~mask)
        if not self.target.exists():
            self.path.rename(self.target)
            return
        former = Path(tempfile.mkdtemp(prefix=f".{self.target.name}.", suffix=".former", dir=self.target.parent))
        self.target.rename(former)
        try:
            self.path.rename(self.target)
        except BaseException:
            former.rename(self.target)
            raise
        shutil.rmtree(former, ignore_errors=True)

    def _abort(self) -> None:
        if self._is_folder:
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            self.path.unlink(missing_ok=True)


def _check(target: Path, *, is_folder: bool, replaces: bool) -> None:
    if not target.exists():
        return
    if target.is_dir() != is_folder:
        there, wanted = ("file", "a folder") if is_folder else ("folder", "one file")
        raise CommandError(f"{target} is a {there}, and {wanted} is to be written.")
    entries = sorted(target.iterdir()) if is_folder else [target]
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


def _sync(folder: Path) -> None:
    """Have the names in a folder on disk, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _cannot_write(error: OSError | ValueError, target: Path) -> CannotWrite:
    return CannotWrite(getattr(error, "strerror", None) or str(error), path=target)
