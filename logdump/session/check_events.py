"""The events of CHECK and SAFE."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.exit_status import ExitStatus
from logdump.session.reading import Reading

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat import TrailError
    from trailformat.search.transaction_walk import Extent


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


class SafePointShown(NamedTuple):
    """SAFE: the transaction that holds an RBA of a file; None when the RBA is between two.

    Where not all of it could be read, ``is_partial``, there is no word on whether a restart is safe.
    """

    path: Path
    rba: int
    extent: Extent | None

    @property
    def reading(self) -> Reading:
        """What the reading of the transaction lacks."""
        if self.extent is None:
            return Reading()
        damaged = sum(not one.is_partial for one in self.extent.damage)
        return Reading(damaged=damaged, missing=self.extent.missing is not None)

    @property
    def is_partial(self) -> bool:
        """Whether not all of it could be read."""
        return self.reading.is_partial

    @property
    def status(self) -> ExitStatus:
        """Bad data when there is damage in the transaction."""
        return ExitStatus.BAD_DATA if self.extent and self.extent.damage else ExitStatus.OK
