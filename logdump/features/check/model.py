"""The events of CHECK: gaps, notes, and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat import TrailError


class GapShown(NamedTuple):
    """CHECK: bytes of a file that hold no sound record.

    ``length`` reaches up to the next good record, whose RBA is ``next_good``, or to the end of the file (None).
    """

    path: Path
    rba: int
    length: int
    next_good: int | None
    error: TrailError


class CheckShown(NamedTuple):
    """CHECK: what it found in a file, or in several.

    ``undefined`` records refer to a table definition that is not there; ``restarts`` are those of Extract, as RECOVERY
    counts them; the record data of the files ``encrypted`` looks encrypted; ``is_partial`` when it was stopped.
    """

    title: str
    size: int
    records: int
    transactions: int
    gaps: int
    gap_bytes: int
    undefined: int
    restarts: int = 0
    encrypted: tuple[Path, ...] = ()
    is_partial: bool = False

    @property
    def status(self) -> ExitStatus:
        """Bad data when there is damage."""
        return ExitStatus.BAD_DATA if self.gaps else ExitStatus.OK
