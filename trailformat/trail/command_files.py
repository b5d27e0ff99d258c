"""The files of one command: which it reads, how far it has read them, and which it has written.

    with one_reading() as files:      in it, code that opens, lists or leaves out files notes it in ``reading()``
        ...
    files.unborn, files.incomplete    what has to be said of the answer

Each file that a command reads is one file from beginning to end. Code that reads no files for a command, such as a task
of Spark, has no reading: nothing is checked, nothing noted.

Readers announce the files that they read and report their progress in them; an observer shows it, and commands need no
code of their own. Writers note their outcomes in OUTCOMES: complete files, and what is left of others.
"""

from __future__ import annotations

import os
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol

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
        undecided: by file, the RBAs of the first and last change of which a filter could not tell whether it passes.
        named: the files whose incomplete record the answer itself names, with its status.
        goes_on: True for a command that goes on while files come and go: what lies around a file may be removed.
    """

    def __init__(self) -> None:
        self.unborn: dict[Path, None] = {}
        self.incomplete: dict[Path, PartialRecord] = {}
        self.undecided: dict[Path, tuple[int, int]] = {}
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

    def note_undecided(self, path: Path, first: int, last: int) -> None:
        """Note RBAs between which a filter could not tell of some changes whether they pass; threads may call it."""
        known = self.undecided.get(path, (first, last))
        self.undecided[path] = min(known[0], first), max(known[1], last)

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


class Observer(Protocol):
    """Receives the progress of reading, in the thread that reads."""

    def announce(self, paths: Iterable[Path]) -> None:
        """Receive the files that are read from now on; progress in a file announced before restarts at 0."""

    def report(self, path: Path, rba: int) -> None:
        """Receive the RBA up to which a file has been read."""


_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)
_search_observer: ContextVar[Callable[[int], object] | None] = ContextVar("search_observer", default=None)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Return a context in which the observer receives the progress of this thread."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def announce(paths: Iterable[Path]) -> None:
    """Announce files to be read to the observer, if there is one."""
    if (observer := _observer.get()) is not None:
        observer.announce(paths)


def report(path: Path, rba: int) -> None:
    """Report the RBA reached in a file to the observer, if there is one."""
    if (observer := _observer.get()) is not None:
        observer.report(path, rba)


@contextmanager
def search_observed(tell: Callable[[int], object]) -> Iterator[None]:
    """Return a context in which searches of this thread among damaged bytes report the RBAs that they reach."""
    token = _search_observer.set(tell)
    try:
        yield
    finally:
        _search_observer.reset(token)


def search_observer() -> Callable[[int], object]:
    """Return the observer of this thread's searches, to be used in another thread."""
    return _search_observer.get() or (lambda _rba: None)


def report_search(rba: int) -> None:
    """Report the RBA that a search has reached to the observer, if there is one."""
    if (tell := _search_observer.get()) is not None:
        tell(rba)


class Outcomes:
    """The results of writers since the last ``forget``.

    Attributes:
        named: complete files and folders that have their names.
        left: temporary and former files and folders that could not be removed.
        displaced: former files and folders that could not get their names back: present and original path.
    """

    def __init__(self) -> None:
        self.named: list[Path] = []
        self.left: list[Path] = []
        self.displaced: list[tuple[Path, Path]] = []

    def remove(self, path: Path) -> None:
        """Remove a file or a folder with its contents, if it exists; after two failures it is added to ``left``."""
        for _ in range(2):
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError:
                continue
            return
        self.keep(path)

    def keep(self, path: Path) -> None:
        """Add a file or a folder to ``left`` if it still exists."""
        if os.path.lexists(path):
            self.left.append(path)

    def displace(self, former: Path, path: Path) -> None:
        """Note that the file of ``path`` is at ``former``: displaced, or only left if ``path`` is the same file."""
        if not os.path.lexists(former):
            return
        if not os.path.lexists(path) or not os.path.samestat(os.lstat(former), os.lstat(path)):
            self.displaced.append((former, path))
        else:
            self.keep(former)

    def forget(self) -> None:
        """Remove all results."""
        self.named.clear()
        self.left.clear()
        self.displaced.clear()


OUTCOMES = Outcomes()
"""The outcomes of this process: a writer that fails has no other way to report what it has done."""
