"""The results of DIFF: the differences of two trails, the rows around them, and the summary."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

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

    part: str
    column: str | None
    a: str | None
    b: str | None


class DifferenceShown(NamedTuple):
    """One difference.

    Attributes:
        kind: its kind.
        a, b: the positions in both trails; None if missing there. For a transaction that is twice on one side, the
            positions of its first occurrence and of the copy.
        csn, xid: LOGCSN and TRANID of the transaction.
        table, op: table and operation of the record; None for a transaction.
        records: number of records concerned; for damage, bytes.
        parts: the parts of a changed record that differ.
        later: for a moved transaction its displacement in the second trail, in transactions; negative: earlier.
        side: ``a`` or ``b``, for damage and for a transaction that is twice.
    """

    kind: DifferenceKind
    a: FilePosition | None
    b: FilePosition | None
    csn: str | None = None
    xid: str | None = None
    table: str | None = None
    op: str | None = None
    records: int = 1
    parts: tuple[PartDifference, ...] = ()
    later: int | None = None
    side: str | None = None


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
    """Summary of one of the two trails.

    Attributes:
        title: its name.
        files: number of files; ``gaps``: missing files.
        versions: Compatibility of the files, each once.
        transactions: number of transactions compared.
        restarts: number of restart records, which are not compared.
    """

    title: str
    files: int
    versions: tuple[int, ...]
    transactions: int
    restarts: int
    gaps: tuple[FileGap, ...] = ()


class DiffShown(NamedTuple):
    """DIFF: the summary.

    Attributes:
        level: how records were compared.
        a, b: the two trails.
        equal: number of equal transactions, moved ones excluded.
        changed: number of transactions with a record that differs.
        transactions, records: differences of whole transactions and of records in others, by kind.
        by_records: number of rows compared at RECORDS because their values are not known.
        is_unaligned: True if records or transactions were too different for an alignment.
        is_unsure: True if copies may be listed as other differences, because too many transactions are out of order.
        listed: number of differences listed.
        is_partial: True if stopped before the end.
    """

    level: DiffLevel
    a: SideShown
    b: SideShown
    equal: int
    changed: int
    transactions: Mapping[DifferenceKind, int]
    records: Mapping[DifferenceKind, int]
    by_records: int
    is_unaligned: bool
    is_unsure: bool
    listed: int
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
