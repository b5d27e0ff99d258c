"""Processes of Spark that plan and read are reused: what Spark does in them between two tasks is made cheap."""

from __future__ import annotations

import gc
import sys
from functools import cache
from pathlib import Path
from zipimport import zipimporter


@cache
def prepare_worker() -> None:
    """Make garbage collections and ``importlib.invalidate_caches``, which follow each task, cheap in this process.

    Objects that are loaded now are excluded from collections; they stay anyway.
    """
    keep_archives()
    gc.freeze()


def keep_archives() -> None:
    """Read the directories of archives in the path again only if the archive has changed.

    Before each task Spark calls ``importlib.invalidate_caches``. Python 3.11 then reads the directory of
    ``pyspark.zip`` for each package imported from it: some 30 ms, or 0.2 s on a busy machine.
    """
    for path, finder in sys.path_importer_cache.items():
        if type(finder) is zipimporter:
            sys.path_importer_cache[path] = _KeptArchive(path)


class _KeptArchive(zipimporter):
    """A finder in an archive, or in a folder of it, that knows which version of the file it has read."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._version = _version(self.archive)

    def invalidate_caches(self) -> None:
        """Read the directory again, unless the archive is the same."""
        if self._version is None or _version(self.archive) != self._version:
            self._version = _version(self.archive)
            super().invalidate_caches()


def _version(path: str) -> tuple[int, ...] | None:
    """Return what changes with a file; None if it cannot be had."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
