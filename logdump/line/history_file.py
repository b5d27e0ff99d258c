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
from collections.abc import Mapping
from pathlib import Path

from logdump.notation.text import escape
from logdump.session.session import History
from trailformat import CannotWrite
from trailformat.codec.regular_file import open_regular, user_file

_FIRST_LINE = re.compile(r"logdump history, next ([0-9]{1,15})")
_MOST_BYTES = 4 << 20


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


def save_history(path: Path, history: History) -> None:
    """Write the history atomically, readable by its owner only.

    Raises:
        UnusableHistory: an existing file was not written by logdump, or the file cannot be written; it is unchanged.
    """
    from trailformat.trail.whole_file import WholeFile  # noqa: PLC0415 - at the end of a session

    path = Path(os.path.realpath(path))
    load_history(path)
    text = "".join(f"{line}\n" for line in (f"logdump history, next {history.number}", *map(escape, history.lines)))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with WholeFile(path, replace=True, mode=0o600) as file:
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

    def recall(self) -> History:
        """Return the history of earlier sessions.

        Raises:
            UnusableHistory: the file cannot be used, and no history will be kept; the message is for the user.
        """
        if self._path is None:
            return History()
        try:
            return load_history(self._path)
        except UnusableHistory as error:
            path, self._path = self._path, None
            raise UnusableHistory(f"{path} is not changed, and no history is kept: {error}.") from error

    def save(self, history: History) -> None:
        """Write the history. Raises like ``recall``."""
        if self._path is None:
            return
        try:
            save_history(self._path, history)
        except UnusableHistory as error:
            path, self._path = self._path, None
            raise UnusableHistory(f"{path} cannot be written, no history is kept: {error}.") from error
