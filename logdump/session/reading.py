"""Reading for an answer: completeness, progress, and the verdict, which only a complete reading allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.notation.text import amount, some_of
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from trailformat.codec.on_demand import on_demand
from trailformat.trail.packed import is_file, known_size

with on_demand:
    from trailformat.native import loaded

if TYPE_CHECKING:
    from trailformat.transactions.header_promises import HeaderMismatch
    from trailformat.transactions.whole_trail import FileGap, WholeTrail


_FIRST = 0.3
"""Seconds before the progress of a command is shown."""
_LARGE = 50_000_000
"""Size in bytes of files that take minutes if kernels are interpreted."""
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
        """The percentage of all bytes that is read."""
        return 100 * self.read // max(1, self.size)


class Hint:
    """Suggests a faster build once in a session, at the first large file, if kernels are interpreted."""

    def __init__(self) -> None:
        self._is_said = False

    @property
    def text(self) -> str:
        """The sentence that names the faster build."""
        return f"A faster build reads this in a fraction of the time: {loaded.HOW_TO_GET_THEM}"

    def due(self, size: int) -> bool:
        """Return True if the sentence is to be shown now, for files of ``size`` bytes; only once."""
        if self._is_said or size < _LARGE:
            return False
        self._is_said = True
        return loaded.why_interpreted() is not None


class ReadProgress:
    """Collects the progress of reading and reports it from time to time.

    Args:
        tell: called with each report.
        stops: returns the effect of Ctrl+C on the current command.
    """

    def __init__(self, tell: Callable[[ReadSoFar], object], stops: Callable[[], str]) -> None:
        self._tell, self._stops = tell, stops
        self._sizes: dict[Path, int] = {}
        self._read_to: dict[Path, int] = {}
        self._due = time.monotonic() + _FIRST

    def announce(self, paths: Iterable[Path]) -> None:
        """Announce files to be read from now on; those announced before are read again."""
        for path in paths:
            self._sizes.setdefault(path, 0)
            self._read_to[path] = 0

    def report(self, path: Path, rba: int) -> None:
        """Note that a file is read up to an RBA; call ``tell`` if a report is due."""
        if not self._sizes:
            self.announce([path])
        if path in self._read_to:
            self._read_to[path] = max(rba, self._read_to[path])
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _EVERY
            self._sizes = {file: known_size(file) if is_file(file) else 0 for file in self._sizes}
            self._tell(ReadSoFar(path, rba, sum(self._read_to.values()), sum(self._sizes.values()), self._stops()))


_MOST_NAMED = 5
"""Maximum number of files that a sentence about a reading names."""


class Reading(NamedTuple):
    """The gaps of a reading.

    Attributes:
        is_stopped: True if Ctrl+C ended it; ``where`` is the place, in words.
        damaged: number of places of damage; an incomplete record at the end of a growing trail does not count.
        unreadable: number of files that are not trail files.
        missing: number of gaps in the file numbers.
        left_out: number of gaps of files that exist and were not asked for.
        short: number of files that are not as their headers say.
        files: those of ``unreadable`` that are named.
    """

    is_stopped: bool = False
    damaged: int = 0
    unreadable: int = 0
    missing: int = 0
    left_out: int = 0
    short: int = 0
    where: str = "before the end"
    files: tuple[Path, ...] = ()

    def over(self, gaps: Iterable[FileGap]) -> Reading:
        """Return this reading, of files between which there are gaps."""
        left_out = [gap.is_left_out for gap in gaps]
        return self._replace(missing=left_out.count(False), left_out=left_out.count(True))

    @property
    def is_partial(self) -> bool:
        """True if anything is missing: there are findings then, and no verdict."""
        lacks = self.damaged or self.unreadable or self.missing or self.left_out or self.short
        return bool(self.is_stopped or lacks)

    @property
    def status(self) -> ExitStatus:
        """The exit status that the gaps imply."""
        if self.is_stopped:
            return ExitStatus.INTERRUPTED
        return ExitStatus.BAD_DATA if self.is_partial else ExitStatus.OK

    @property
    def text(self) -> str:
        """The sentence that precedes the findings of a partial reading."""
        reasons = "; ".join(self._reasons())
        return f"{reasons[:1].upper()}{reasons[1:]}: this is partial, without a verdict."

    def _reasons(self) -> Iterator[str]:
        if self.is_stopped:
            yield f"stopped {self.where}"
        if self.damaged:
            yield f"damage at {amount(self.damaged, 'place')}"
        if self.unreadable:
            names = some_of([path.name for path in self.files], _MOST_NAMED)
            yield f"{amount(self.unreadable, 'file')} not read{f' ({names})' if names else ''}"
        if self.missing:
            yield f"files missing at {amount(self.missing, 'place')}"
        if self.left_out:
            yield f"files not asked for at {amount(self.left_out, 'place')}"
        if self.short:
            yield f"{amount(self.short, 'file')} unlike {'its header' if self.short == 1 else 'their headers'}"


def reading_of(whole: WholeTrail, damaged: int, mismatches: Iterable[HeaderMismatch] = ()) -> Reading:
    """Return the gaps of a reading of a whole trail with ``damaged`` places of damage and these header mismatches."""
    short = len({mismatch.path for mismatch in mismatches})
    unreadable = tuple(whole.unreadable)
    reading = Reading(damaged=damaged, unreadable=len(unreadable), short=short, files=unreadable)
    return reading.over(whole.gaps)


def answered(
    run: Iterator[Event], reading: Callable[[], Reading], results: Callable[[Reading], Iterator[Event]]
) -> Iterator[Event]:
    """Run a reading, report its gaps, then yield the results that it allows.

    Args:
        run: the reading; Ctrl+C ends it with the results so far.
        reading: returns the gaps of the reading, Ctrl+C excepted.
        results: returns the results, without verdicts if the reading is partial.

    Raises:
        KeyboardInterrupt: after the results, if Ctrl+C was pressed.
    """
    is_stopped = False
    try:
        yield from run
    except KeyboardInterrupt:
        is_stopped = True
    lacks = reading()._replace(is_stopped=is_stopped)
    yield from _said(lacks)
    try:
        yield from results(lacks)
    except KeyboardInterrupt:
        if not is_stopped:
            yield from _said(Reading(is_stopped=True))
        raise
    if is_stopped:
        raise KeyboardInterrupt


def _said(reading: Reading) -> Iterator[Notice]:
    if reading.is_partial:
        yield Notice((reading.text,), reading.status)
