"""The results of DIFF: the differences of two trails, the rows around them, and the summary."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.whole_trail import FileGap


class DiffLevel(enum.Enum):
    """The parts that two records must have in common to be equal."""

    BYTES = "bytes"
    RECORDS = "records"
    VALUES = "values"


class DifferenceKind(enum.Enum):
    """The kind of a difference; ABSENT is a change that consists only of columns absent from one image."""

    MISSING = "missing"
    EXTRA = "extra"
    CHANGED = "changed"
    ABSENT = "absent"
    MOVED = "moved"
    TWICE = "twice"
    DAMAGE = "damage"


class PartDifference(NamedTuple):
    """A part of a record, or a column in an image, that differs; a side is None if it lacks the part."""

    part: Annotated[str, "`before`, `after` for a column, else the part of the record"]
    column: Annotated[str | None, "The name of the column, or `column 3` without a definition"]
    a: Annotated[str | None, "In the first trail; null where it lacks the part"]
    b: Annotated[str | None, "The same in the second trail"]


class DifferenceShown(NamedTuple):
    """One difference.

    Attributes:
        kind: its kind.
    """

    kind: DifferenceKind
    a: Annotated[FilePosition | None, "The place in the first trail; of `twice`, the first place"]
    b: Annotated[FilePosition | None, "The place in the second trail; of `twice`, that of the copy"]
    csn: Annotated[str | None, "LOGCSN of the transaction"] = None
    xid: Annotated[str | None, "TRANID of the transaction"] = None
    table: Annotated[str | None, "The table of a record; null for a whole transaction"] = None
    op: Annotated[str | None, "The operation of the record; null for a whole transaction"] = None
    records: Annotated[int, "How many records it is about; of `damage`, bytes"] = 1
    parts: Annotated[tuple[PartDifference, ...], "The parts that differ in a changed record"] = ()
    later: Annotated[int | None, "Of `moved`: after how many others it comes in the second; negative: before"] = None
    side: Annotated[str | None, "Of `twice` and `damage`: `a` or `b`"] = None


class PairedTransaction(NamedTuple):
    """A pair of transactions that differ, shown before its rows: their positions, LOGCSN and TRANID."""

    a: FilePosition
    b: FilePosition
    csn: str | None
    xid: str | None


class SameRow(NamedTuple):
    """Two records that are equal, near one that differs."""

    a: FilePosition
    b: FilePosition
    table: str
    op: str


class PassedOver(NamedTuple):
    """Number of equal transactions, or of equal records of a transaction that differs, that are not shown as rows."""

    transactions: int = 0
    records: int = 0


AlignedRow = PairedTransaction | SameRow | PassedOver | DifferenceShown
"""A row of two trails side by side."""


class SideShown(NamedTuple):
    """Summary of one of the two trails."""

    title: Annotated[str, "Its name, as it was entered"]
    files: Annotated[int, "Its files"]
    versions: Annotated[tuple[int, ...], "Compatibility of the files, each once"]
    transactions: Annotated[int, "Its transactions that were compared"]
    restarts: Annotated[int, "Its restart records, which are not compared"]
    gaps: Annotated[tuple[FileGap, ...], "Files of it that are missing"] = ()


class DiffShown(NamedTuple):
    """DIFF: the summary.

    Attributes:
        transactions, records: differences of whole transactions and of records in others, by kind.
        is_partial: True if stopped before the end.
    """

    level: Annotated[DiffLevel, "`bytes`, `records` or `values`"]
    a: Annotated[SideShown, "The first trail"]
    b: Annotated[SideShown, "The second trail"]
    equal: Annotated[int, "Transactions that are equal and in their places"]
    changed: Annotated[int, "Transactions with a record that differs"]
    transactions: Mapping[DifferenceKind, int]
    records: Mapping[DifferenceKind, int]
    by_records: Annotated[int, "Under `values`: rows compared by their records for want of a definition"]
    is_unaligned: Annotated[bool, "Whether the two were too different in places to be aligned"]
    is_unsure: Annotated[bool, "Whether some duplicates may be listed as `missing` or `extra`"]
    listed: Annotated[int, "How many differences were listed"]
    is_partial: bool

    @property
    def differences(self) -> int:
        """Number of all differences."""
        return sum(self.transactions.values()) + sum(self.records.values())

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA takes precedence over FINDINGS: after damage no difference is certain."""
        if self.transactions.get(DifferenceKind.DAMAGE):
            return ExitStatus.BAD_DATA
        return ExitStatus.FINDINGS if self.differences else ExitStatus.OK


class AlignedTrails(Protocol):
    """Receiver of two aligned trails, row by row, while they are compared."""

    def add(self, row: AlignedRow) -> None:
        """Add the next row."""

    def end(self, shown: DiffShown) -> None:
        """Finish with the summary of both trails, after the last row."""


BeginAligned = Callable[[DiffLevel, str, str], AlignedTrails]
"""Makes the receiver of two aligned trails, from the level of the comparison and their names."""
