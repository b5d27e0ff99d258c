"""What one command reads: each of its files is one file from beginning to end, and what its answer lacks is noted.

    with one_reading() as files:      in it, code that opens, lists or leaves out files notes it in ``reading()``
        ...
    files.unborn, files.incomplete    what has to be said of the answer

Code that reads no files for a command, such as a task of Spark, has no reading: nothing is checked, nothing noted.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from trailformat.codec.mapped_file import InputFile, LocalFile
from trailformat.codec.remote.path import RemotePath
from trailformat.errors import CannotRead, PartialRecord

_MOST_KEPT = 16
"""Maximum number of files that are kept open so that the system does not give their inode to another file."""


class FilesRead:
    """The files that one command reads.

    Attributes:
        unborn: newest files of trails that have no records yet, and were left out.
        incomplete: the error at the end of each trail whose last record is incomplete, by file.
        named: the files whose incomplete record the answer itself names, with its status.
        goes_on: True for a command that goes on while files come and go: what lies around a file may be removed.
    """

    def __init__(self) -> None:
        self.unborn: dict[Path, None] = {}
        self.incomplete: dict[Path, PartialRecord] = {}
        self.named: set[Path] = set()
        self.goes_on = False
        self._opened: dict[Path, tuple[int, int]] = {}
        self._sizes: dict[Path, int] = {}
        self._listed: set[Path] = set()
        self._kept: OrderedDict[Path, InputFile] = OrderedDict()

    def close(self) -> None:
        """Close the files that were kept open."""
        while self._kept:
            with suppress(OSError):
                self._kept.popitem()[1].close()

    def listed(self, paths: Iterable[Path]) -> None:
        """Note that these files exist, and which files they are, so that a command begins with all of them at once."""
        for path in paths:
            if path not in self._listed and not isinstance(path, RemotePath):
                with suppress(OSError):
                    self._note(path, path.stat())
            self._listed.add(path)

    def _note(self, path: Path, status: os.stat_result) -> None:
        self._opened.setdefault(path, (status.st_dev, status.st_ino))
        self._sizes.setdefault(path, status.st_size)

    def opened(
        self, path: Path, status: os.stat_result, file: InputFile | None = None, *, is_packed: bool = False
    ) -> None:
        """Note that a file was opened; ``file`` is None if it stays open, ``status`` that of the packed file.

        Raises:
            CannotRead: it is another file than the one that was opened before, or has become shorter.
        """
        self._note(path, status)
        if self._opened[path] != (status.st_dev, status.st_ino):
            raise CannotRead("the file was replaced by another one while it was read", path=path)
        if not is_packed and status.st_size < self._sizes[path]:
            raise CannotRead.cut(path, status.st_size)
        self._sizes[path] = status.st_size
        if isinstance(file, LocalFile) and not is_packed and path not in self._kept:
            with suppress(OSError):
                self._kept[path] = file.twin()
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)[1].close()

    def check_removed(self, path: Path) -> None:
        """Raise CannotRead if a file that does not exist now was listed or opened before."""
        if path in self._opened or path in self._listed:
            raise CannotRead("the file was removed while it was read", path=path)

    def has_noted(self, path: Path) -> bool:
        """Return True if a file existed when it was listed or opened."""
        return path in self._opened

    def forget(self, path: Path) -> None:
        """Let the next opening of a path be that of another file."""
        self._opened.pop(path, None)
        self._sizes.pop(path, None)
        self._listed.discard(path)
        if (file := self._kept.pop(path, None)) is not None:
            file.close()

    def leave_out(self, paths: Iterable[Path]) -> None:
        """Note files without records that are left out."""
        self.unborn.update(dict.fromkeys(paths))

    def note_incomplete(self, path: Path, error: Exception | None) -> None:
        """Note the error at the end of a trail, if it is that of an incomplete record."""
        if isinstance(error, PartialRecord):
            self.incomplete[path] = error


_reading: ContextVar[FilesRead | None] = ContextVar("reading", default=None)


def reading() -> FilesRead | None:
    """Return what the command of this thread reads; None outside of commands."""
    return _reading.get()


def name_incomplete(path: Path) -> None:
    """Note that the answer of the command names the incomplete record at the end of a file, with its status."""
    if (files := reading()) is not None:
        files.named.add(path)


@contextmanager
def one_reading(files: FilesRead | None = None) -> Iterator[FilesRead]:
    """Return a context for one command; ``files`` continues that of a command in another thread.

    A command may be ended by another thread than the one in which it began: the former reading is set, not reset.
    """
    own, former = files if files is not None else FilesRead(), _reading.get()
    _reading.set(own)
    try:
        yield own
    finally:
        _reading.set(former)
        if files is None:
            own.close()
