"""Processes of Spark that plan and read are reused: what Spark does in them between two tasks is made cheap."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipimport import zipimporter

from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.tables import reader

if TYPE_CHECKING:
    from logdump.tables.slice import Slice
    from logdump.tables.slices import Request


def read_in_worker(slices: Sequence[Slice], request: Request) -> Iterator[Any]:
    """Call :func:`logdump.tables.reader.read` in a worker of Spark. Raises like read."""
    prepare_worker()
    return reader.read(slices, request)


@cache
def prepare_worker() -> None:
    """Make garbage collections and ``importlib.invalidate_caches``, which follow each task, cheap in this process.

    Objects that are loaded now are excluded from collections; they stay anyway.
    """
    keep_archives()
    gc.freeze()


_HIDES = "SPARK_HIDE_TRACEBACK"
"""The variable by which Spark leaves tracebacks out of the errors of a process; it is looked at for each error."""
_OURS = "logdump"
"""Its value where a session has not set it."""


def hide_traceback() -> None:
    """Have Spark report errors of this process as lines, if it is a process that plans.

    In one that runs tasks nothing changes: it has the errors of a user's own functions, too.
    """
    if _HIDES not in os.environ and _plans(sys.modules["__main__"], sys.orig_argv):
        os.environ[_HIDES] = _OURS


def show_tracebacks() -> None:
    """Have Spark report errors of this process as the session is set to."""
    if os.environ.get(_HIDES) == _OURS:
        del os.environ[_HIDES]


def _plans(main: Any, words: Sequence[str]) -> bool:
    """Return whether a process with this main module, started with these words, plans and runs no tasks."""
    name = getattr(getattr(main, "__spec__", None), "name", None) or ""
    return name.startswith("pyspark.") and any(word.startswith("pyspark.sql.worker.") for word in words)


def keep_archives() -> None:
    """Have directories of archives in the path read once more, and then only if the archive has changed.

    Before each task Spark calls ``importlib.invalidate_caches``. Python 3.11 then reads the directory of
    ``pyspark.zip`` for each package imported from it: some 30 ms, or 0.2 s on a busy machine.
    """
    for path, finder in sys.path_importer_cache.items():
        if type(finder) is zipimporter:
            sys.path_importer_cache[path] = _KeptArchive(path)


class _KeptArchive(zipimporter):
    """A finder in an archive, or in a folder of it, that knows which version of the file it has read.

    The version of what was read before, by the finder that it replaces, is not known.
    """

    _read: tuple[int, ...] | None = None

    def invalidate_caches(self) -> None:
        """Read the directory again, unless the archive is the one that was read."""
        version = _version(self.archive)
        if version is None or version != self._read:
            super().invalidate_caches()
            self._read = version


def _version(path: str) -> tuple[int, ...] | None:
    """Return what changes with a file; None if it cannot be had."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
