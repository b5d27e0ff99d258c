"""The session log of LOG: a copy of all that is printed, and of all that is entered."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TextIO

from logdump.notation.escape import Harmless


class SessionLog:
    """Off at first; while it is on, text is appended to a file.

    Attributes:
        path: the file, or None while it is off.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self._file: TextIO | None = None

    def start(self, path: Path) -> None:
        """Continue in the file ``path``; the file in use before is closed.

        One that is created is for its owner alone, for it gets the data of rows. A link is not followed.

        Raises:
            OSError: it cannot be opened for writing; nothing changes.
        """
        from trailformat.trail.whole_file import kind_of  # noqa: PLC0415 - loaded with the first LOG

        kind = kind_of(path)
        if kind not in (None, "a file"):
            raise OSError(None, f"it is {kind}, not a regular file")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # should it have become a link or a FIFO
        file = os.fdopen(os.open(path, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace")
        with contextlib.suppress(OSError):
            self.stop()
        self.path, self._file = path, file

    @property
    def status(self) -> os.stat_result | None:
        """The status of the file in use; None while the log is off."""
        return os.fstat(self._file.fileno()) if self._file is not None else None

    def write_line(self, line: Harmless) -> None:
        """Append a line, if the log is on. Raises OSError."""
        if self._file is not None:
            self._file.write(f"{line}\n")

    def flush(self) -> None:
        """Hand what was written to the system. Raises OSError."""
        if self._file is not None:
            self._file.flush()

    def stop(self) -> None:
        """Close the file; the log is off afterwards in any case. Raises OSError."""
        file, self._file, self.path = self._file, None, None
        if file is not None:
            file.close()
