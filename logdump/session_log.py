"""The session log of LOG: a copy of all that is printed, and of all that is entered."""

from __future__ import annotations

import contextlib
import stat
from pathlib import Path
from typing import TextIO


class SessionLog:
    """Off at first; while it is on, text is appended to a file.

    Attributes:
        path: the file, or None while it is off.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self._file: TextIO | None = None

    def start(self, path: Path) -> None:
        """Go on in the file ``path``, which is created if need be; the file in use before is closed.

        Raises:
            OSError: it cannot be opened for writing; nothing changes.
        """
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            raise OSError(None, "it is not a regular file")
        file = path.open("a", encoding="utf-8", errors="backslashreplace")
        with contextlib.suppress(OSError):
            self.stop()
        self.path, self._file = path, file

    def write(self, text: str) -> None:
        """Append text, if the log is on. Raises OSError."""
        if self._file is not None:
            self._file.write(text)

    def flush(self) -> None:
        """Hand what was written to the system. Raises OSError."""
        if self._file is not None:
            self._file.flush()

    def stop(self) -> None:
        """Close the file; the log is off afterwards in any case. Raises OSError."""
        file, self._file, self.path = self._file, None, None
        if file is not None:
            file.close()
