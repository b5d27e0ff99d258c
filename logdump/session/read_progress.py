"""The progress of whatever a command reads, made here for all of them: bytes read of all files, and where it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from trailformat.trail.packed import is_file, known_size

_FIRST = 0.3
"""Seconds of a command before its progress is shown."""
_LARGE = 50_000_000
"""Bytes of files that take minutes where kernels are interpreted."""
_EVERY = 0.2
"""Seconds between two reports."""


class ReadSoFar(NamedTuple):
    """Progress of reading: ``read`` bytes of the ``size`` of all files, an RBA, and the effect of Ctrl+C."""

    path: Path
    rba: int
    read: int
    size: int
    stops: str

    @property
    def percent(self) -> int:
        """The part of all bytes that is read."""
        return 100 * self.read // max(1, self.size)


class Hint:
    """Says once in a session, at the first large file, that there is a faster build, where there is none."""

    def __init__(self) -> None:
        self._is_said = False

    @property
    def text(self) -> str:
        """The sentence that names the faster build."""
        from trailformat.native.loaded import HOW_TO_GET_THEM  # noqa: PLC0415 - of few sessions

        return f"A faster build reads this in a fraction of the time: {HOW_TO_GET_THEM}"

    def due(self, size: int) -> bool:
        """Return True if the sentence is to be shown now, for files of ``size`` bytes; only once."""
        if self._is_said or size < _LARGE:
            return False
        from trailformat.native.loaded import why_interpreted  # noqa: PLC0415 - of large files

        self._is_said = True
        return why_interpreted() is not None


class ReadProgress:
    """Collects the progress of reading and reports it from time to time.

    Args:
        tell: called with each report.
        stops: returns the effect of Ctrl+C on the current command.
    """

    def __init__(self, tell: Callable[[ReadSoFar], object], stops: Callable[[], str]) -> None:
        self._tell, self._stops = tell, stops
        self._sizes: dict[Path, int] = {}
        self._reached: dict[Path, int] = {}
        self._due = time.monotonic() + _FIRST

    def announce(self, paths: Iterable[Path]) -> None:
        """Announce files to be read from now on; those announced before are read again."""
        for path in paths:
            self._sizes.setdefault(path, 0)
            self._reached[path] = 0

    def report(self, path: Path, rba: int) -> None:
        """A file is read up to an RBA."""
        if not self._sizes:
            self.announce([path])
        if path in self._reached:
            self._reached[path] = max(rba, self._reached[path])
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _EVERY
            self._sizes = {one: known_size(one) if is_file(one) else 0 for one in self._sizes}
            self._tell(ReadSoFar(path, rba, sum(self._reached.values()), sum(self._sizes.values()), self._stops()))
