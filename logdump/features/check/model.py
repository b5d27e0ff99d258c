"""The events of CHECK: gaps, notes, and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.features.recovery.model import TrailState
    from trailformat import TrailError


class GapShown(NamedTuple):
    """CHECK: bytes of a file that hold no sound record.

    ``length`` is the number of bytes up to ``next_good``, the RBA of the next good record, or to the end (None).
    """

    path: Path
    rba: int
    length: int
    next_good: int | None
    error: TrailError


class BadRowShown(NamedTuple):
    """CHECK: a record with a sound frame whose columns, or values, do not decode.

    ``table`` is empty and ``column`` None if they are not known; ``error`` is about the first such column.
    """

    path: Path
    rba: int
    table: str
    column: str | None
    error: TrailError


class CheckShown(NamedTuple):
    """CHECK: the result for one or several files.

    ``records`` are good records, ``bad_rows`` those whose columns, or values, do not decode; ``undefined`` is the
    number of records whose table definition is missing; ``encrypted`` are the files whose record data looks encrypted;
    ``states`` are those of the trails; ``is_partial`` is True if it was stopped.
    """

    title: str
    size: int
    records: int
    transactions: int
    gaps: int
    gap_bytes: int
    undefined: int
    encrypted: tuple[Path, ...] = ()
    states: tuple[TrailState, ...] = ()
    is_partial: bool = False
    bad_rows: int = 0

    @property
    def restarts(self) -> int:
        """Restarts of Extract in all trails."""
        return sum(state.restarts for state in self.states)

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage or a bad row; else the most severe status of the trails."""
        if self.gaps or self.bad_rows:
            return ExitStatus.BAD_DATA
        return max((state.status for state in self.states), default=ExitStatus.OK)
