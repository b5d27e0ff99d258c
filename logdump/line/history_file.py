"""``logdump.hst``: the history of interactive sessions, which the next session continues.

    logdump history, next 124
    open dirdat/lt000000000
    count detail

The first line has the number of the next line; the commands follow, oldest first. A file with another content was not
written by logdump: it is neither used nor overwritten.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from logdump.notation.text import escape
from logdump.session.session import History
from trailformat import CannotWrite
from trailformat.codec.environment import user_file
from trailformat.codec.mapped_file import open_regular
from trailformat.codec.on_demand import on_demand
from trailformat.trail.whole_file.leftovers import close, lock

with on_demand:
    from trailformat.trail import whole_file

_FIRST_LINE = re.compile(r"logdump history, next ([0-9]{1,15})")
_MOST_BYTES = 4 << 20
_TRIES = 50


class UnusableHistory(Exception):
    """The file cannot be read or was not written by logdump; the message is the reason."""


def history_path(environment: Mapping[str, str]) -> Path | None:
    """Return the history file: LOGDUMP_HISTORY, or ``logdump/logdump.hst`` under XDG_STATE_HOME or ~/.local/state.

    None if LOGDUMP_HISTORY is empty, which disables the file, or if there is no home directory.
    """
    path = user_file("state", "logdump.hst", "LOGDUMP_HISTORY", environment)
    return path.absolute() if path is not None else None


def load_history(path: Path) -> History:
    """Return the history in a file, an empty one if there is no file.

    Raises:
        UnusableHistory: the file cannot be read, or was not written by logdump.
    """
    try:
        text = _read(path)
    except FileNotFoundError:
        return History()
    except (OSError, ValueError) as error:
        raise UnusableHistory(getattr(error, "strerror", None) or "it is not UTF-8") from error
    first, *lines = text.split("\n")
    match = _FIRST_LINE.fullmatch(first)
    if match is None or lines[-1:] != [""] or not all(line.isprintable() for line in lines):
        raise UnusableHistory("it was not written by logdump")
    if int(match[1]) < len(lines):
        raise UnusableHistory("its number is too small for its lines")
    return History(lines[:-1], int(match[1]))


def _read(path: Path) -> str:
    with os.fdopen(open_regular(path), "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise UnusableHistory(f"it is larger than {_MOST_BYTES} bytes")
    return data.decode()


def save_history(path: Path, history: History, since: int = 1, *, is_cleared: bool = False) -> None:
    """Write the history atomically, readable by its owner only.

    Lines that other sessions have added to the file stay, unless this one ``is_cleared``; its lines from the number
    ``since`` on follow them.

    Raises:
        UnusableHistory: an existing file was not written by logdump, or the file cannot be written; it is unchanged.
    """
    path = Path(os.path.realpath(path))
    with _alone(path):
        others = load_history(path)
        if not is_cleared and path.exists():
            added = history.lines[max(0, since - history.first) :]
            history = History([*others.lines, *added], others.number + len(added))
        _write(path, history)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other sessions from writing the file meanwhile, if it exists and they end within a second."""
    handle: int | None = None
    for _ in range(_TRIES):
        with suppress(OSError):
            handle = open_regular(path)
            if lock(handle) and not os.path.samestat(os.fstat(handle), path.stat()):
                raise BlockingIOError  # the file that was locked has lost its name
            break
        if handle is None:
            break
        close(handle)
        handle = None
        time.sleep(1 / _TRIES)
    try:
        yield
    finally:
        if handle is not None:
            close(handle)


def _write(path: Path, history: History) -> None:
    text = "".join(f"{line}\n" for line in (f"logdump history, next {history.number}", *map(escape, history.lines)))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file.WholeFile(path, replace=True, mode=0o600) as file:
            file.write(text.encode())
    except OSError as error:
        raise UnusableHistory(error.strerror or str(error)) from error
    except CannotWrite as error:
        raise UnusableHistory(error.problem) from error


class KeptHistory:
    """The history file of a session; after the first failure it is no longer used.

    Args:
        path: the file; None to keep no history.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._since, self._clears = 1, 0

    def recall(self) -> History:
        """Return the history of earlier sessions.

        Raises:
            UnusableHistory: the file cannot be used, and no history will be kept; the message is for the user.
        """
        if self._path is None:
            return History()
        try:
            history = load_history(self._path)
        except UnusableHistory as error:
            path, self._path = self._path, None
            raise UnusableHistory(f"{path} is not changed, and no history is kept: {error}.") from error
        self._since = history.number
        return history

    def save(self, history: History) -> None:
        """Write the lines that the file does not have yet. Raises like ``recall``."""
        if self._path is None:
            return
        try:
            save_history(self._path, history, self._since, is_cleared=history.clears != self._clears)
            self._since, self._clears = history.number, history.clears
        except UnusableHistory as error:
            path, self._path = self._path, None
            raise UnusableHistory(f"{path} cannot be written, no history is kept: {error}.") from error
