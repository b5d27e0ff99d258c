"""Writing to disk while more is being written, so that the sync at the end has little left to wait for."""

from __future__ import annotations

import os
import threading

STEP = 1 << 25
"""After so many bytes the disk is set to work."""


class EarlySync:
    """Syncs a file from time to time in a thread of its own.

    An error of the disk is told to one caller only: it is kept, and raised by :meth:`finish`.
    """

    def __init__(self) -> None:
        self._waiting = 0
        self._thread: threading.Thread | None = None
        self._error: OSError | None = None

    def wrote(self, size: int, file: int) -> None:
        """So many bytes more have gone to the file with this descriptor."""
        self._waiting += size
        if self._waiting >= STEP and (self._thread is None or not self._thread.is_alive()):
            self._waiting = 0
            self._thread = threading.Thread(target=self._sync, args=(file,), daemon=True)
            self._thread.start()

    def _sync(self, file: int) -> None:
        try:
            os.fsync(file)
        except OSError as error:
            self._error = error

    def finish(self) -> None:
        """Wait until no thread is at work with the file, which can be closed then.

        Raises:
            OSError: what was written so far did not reach the disk.
        """
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            raise self._error
