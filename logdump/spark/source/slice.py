"""A slice of a file, as the driver plans it and a task reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.spark.source.bounds import RbaRange

if TYPE_CHECKING:
    from trailformat.trail.table_definitions import DefinitionsState
    from trailformat.transactions.not_applied import Ranges
    from trailformat.transactions.tracker import TrackerState


class StateBefore(NamedTuple):
    """What stands before a slice; None for what the slice's columns do not need.

    Attributes:
        definitions: those in force where it begins.
        transaction: the one that is open there.
    """

    definitions: DefinitionsState | None
    transaction: TrackerState | None


class Slice(NamedTuple):
    """A stretch of one file that one task reads: records that begin from ``start`` to before ``stop``, both RBAs.

    Attributes:
        size: what the file had when it was planned; the last slice of a file stops there.
        only: the RBAs among them that are wanted.
        ends_trail: no later file is there, so that a last record which is not complete is one being written.
        not_applied: where the rows stand that a Replicat does not apply; None where that does not matter.
        file_order: the place of the file among those of the read, in the order of writing; None in a stream.
        before: what stands before it; None where the task has to look for what it needs.
    """

    path: str
    seqno: int | None
    start: int
    stop: int
    size: int
    only: RbaRange = RbaRange()
    ends_trail: bool = True
    file_order: int | None = None
    not_applied: Ranges | None = None
    before: StateBefore | None = None

    @property
    def is_read_to_its_end(self) -> bool:
        """Whether it has all records of the file, the last ones not left out."""
        return self.start == 0 and self.only.last >= self.stop == self.size
