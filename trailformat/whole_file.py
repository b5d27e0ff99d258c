"""A file that is written whole or not at all: beside its target, synced, and renamed when it is complete."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from trailformat.errors import CannotWrite


class WholeFile:
    """A file under a temporary name, which takes its own when the context is left without an exception.

    Args:
        path: the target.
        replace: whether it may exist already.

    Raises:
        CannotWrite: it exists, or cannot be created or written; nothing is left behind.
    """

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        self._path = path
        self._replace = replace
        if path.exists() and not replace:
            raise CannotWrite("file exists already", path=path)
        try:
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        except (OSError, ValueError) as error:
            raise self._cannot(error) from error
        self._temporary = Path(name)
        self._file = os.fdopen(handle, "wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._abandon()
            return
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            publish(self._temporary, self._path, replace=self._replace)
        except OSError as trouble:
            self._abandon()
            raise self._cannot(trouble) from trouble

    def write(self, data: bytes) -> None:
        """Add bytes."""
        try:
            self._file.write(data)
        except OSError as error:
            raise self._cannot(error) from error

    def _abandon(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        self._temporary.unlink(missing_ok=True)

    def _cannot(self, error: OSError | ValueError) -> CannotWrite:
        return CannotWrite(getattr(error, "strerror", None) or str(error), path=self._path)


def publish(temporary: Path, path: Path, *, replace: bool) -> None:
    """Give a finished file its name and the permissions of a new file; without ``replace`` never over another."""
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o666 & ~mask)
    if replace:
        temporary.replace(path)
        return
    try:
        path.hardlink_to(temporary)
    except OSError as error:
        if error.errno == errno.EEXIST or path.exists():
            raise
        temporary.rename(path)  # a file system without hard links
    else:
        temporary.unlink()
