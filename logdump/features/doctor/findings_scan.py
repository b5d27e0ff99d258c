"""The findings of DOCTOR for the full-screen view: read beside it, in the order of their places."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from logdump.display.text import Severity
from logdump.features.doctor.command import Examination, findings_of
from logdump.features.doctor.model import Finding
from logdump.session.reading import Reading
from logdump.session.session import Session
from trailformat.trail.packed.opening import status_of
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.whole_trail import WholeTrail


class TrailFindings(NamedTuple):
    """The findings of a trail.

    Attributes:
        findings: those with a place in the order of the trail, then the others.
        paths: the files of the trail.
        is_whole: True if all has been read.
    """

    findings: tuple[Finding, ...]
    paths: tuple[Path, ...]
    is_whole: bool

    def positions(self) -> list[FilePosition]:
        """Return the places of the findings, each once, in order; without notes on a file as a whole."""
        positions = (
            found.position for found in self.findings if found.severity is not Severity.NOTE or _is_of_record(found)
        )
        return list(dict.fromkeys(position for position in positions if position is not None))

    def next_position(self, here: FilePosition, step: int) -> FilePosition | None:
        """Return the place after ``here`` (``step`` 1) or before it (-1), from the other end if there is none."""
        positions = self.positions()[::step]
        place = _place(here, self.paths)
        onward = (
            position
            for position in positions
            if position != here and (_place(position, self.paths) > place) == (step > 0)
        )
        return next(onward, positions[0] if positions else None)

    def at(self, position: FilePosition) -> tuple[Finding, ...]:
        """Return the findings at a place."""
        return tuple(found for found in self.findings if found.position == position)


def _is_of_record(finding: Finding) -> bool:
    return finding.position is not None and finding.position.rba > 0


def _place(position: FilePosition, paths: tuple[Path, ...]) -> tuple[int, int]:
    """Return a sort key: the number of the file, and the RBA."""
    return paths.index(position.path) if position.path in paths else len(paths), position.rba


def _in_order(findings: tuple[Finding, ...], paths: tuple[Path, ...]) -> tuple[Finding, ...]:
    """Return findings in the order of their places; those without one come last."""
    number = {path: index for index, path in enumerate(paths)}

    def order(finding: Finding) -> tuple[int, int]:
        if finding.position is None:
            return len(paths) + 1, 0
        return number.get(finding.position.path, len(paths)), finding.position.rba

    return tuple(sorted(findings, key=order))


def _size(path: Path) -> int:
    """Return the size of a file in bytes, -1 if it is not there."""
    with suppress(OSError):
        return status_of(path).st_size
    return -1


class FindingsScan:
    """Runs of DOCTOR over the trail of a file, again only if a file of it has grown, is new or gone.

    Attributes:
        paths: the files of the trail; empty before the first run.
        found: the findings so far; None before the first.
    """

    def __init__(self) -> None:
        self.paths: tuple[Path, ...] = ()
        self._sizes: dict[Path, int] = {}
        self.found: TrailFindings | None = None

    def lacks(self) -> Reading:
        """Return what is missing of the result: damage is a finding itself."""
        return Reading()

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Examine the trail, unless what is known of it is up to date; yield the number of steps."""
        whole = WholeTrail.around(session.trail.path)
        sizes = {path: _size(path) for path in whole.paths}
        if self.found is not None and self.found.is_whole and sizes == self._sizes:
            return
        self.paths, self._sizes = tuple(whole.paths), sizes
        examination, is_whole = Examination(session, whole, session.trail.path.name), False
        try:
            for number, _ in enumerate(examination.run()):
                yield number
            is_whole = True
        finally:
            findings = findings_of(examination.events)
            self.found = TrailFindings(_in_order(findings, self.paths), self.paths, is_whole)
