"""The results of DIFF: the differences of two trails, the rows around them, and both in numbers."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from logdump.session.exit_status import ExitStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trailformat.trail.sequence import Spot
    from trailformat.transactions.whole_trail import FileGap


class DiffLevel(enum.Enum):
    """What two records have to have in common to be equal."""

    BYTES = "bytes"
    RECORDS = "records"
    VALUES = "values"


class DifferenceKind(enum.Enum):
    """The kind of a difference; ABSENT is a change that is columns that one image lacks, and nothing else."""

    MISSING = "missing"
    EXTRA = "extra"
    CHANGED = "changed"
    ABSENT = "absent"
    MOVED = "moved"
    TWICE = "twice"
    DAMAGE = "damage"


class PartDifference(NamedTuple):
    """A part of a record, or a column in an image, that differs; a side is None where it lacks the part."""

    part: str
    column: str | None
    a: str | None
    b: str | None


class DifferenceShown(NamedTuple):
    """One difference.

    Attributes:
        kind: its kind.
        a, b: the places in both trails; None where one lacks it. Of a transaction that stands twice on one side, its
            first place and that of the copy.
        csn, xid: LOGCSN and TRANID of the transaction.
        table, op: of the record; None of a transaction.
        records: how many records it is about; of damage, bytes.
        parts: those that differ in a changed record.
        later: for a moved transaction the number of others after which it comes in the second trail; negative: before.
        side: ``a`` or ``b``, of damage and of a transaction that stands twice.
    """

    kind: DifferenceKind
    a: Spot | None
    b: Spot | None
    csn: str | None = None
    xid: str | None = None
    table: str | None = None
    op: str | None = None
    records: int = 1
    parts: tuple[PartDifference, ...] = ()
    later: int | None = None
    side: str | None = None


class PairedTransaction(NamedTuple):
    """Two transactions that belong together and differ, in front of their rows: where they begin, LOGCSN and TRANID."""

    a: Spot
    b: Spot
    csn: str | None
    xid: str | None


class SameRow(NamedTuple):
    """Two records that are equal, near one that differs."""

    a: Spot
    b: Spot
    table: str
    op: str


class PassedOver(NamedTuple):
    """Equal transactions, or equal records of a transaction that differs, that are not among the rows."""

    transactions: int = 0
    records: int = 0


AlignedRow = PairedTransaction | SameRow | PassedOver | DifferenceShown
"""A row of two trails side by side."""


class SideShown(NamedTuple):
    """One of the two trails.

    Attributes:
        title: its name.
        files: how many it has; ``gaps`` are those that are missing.
        versions: Compatibility of the files, each once.
        transactions: those that were compared.
        restarts: restart records, which are not.
    """

    title: str
    files: int
    versions: tuple[int, ...]
    transactions: int
    restarts: int
    gaps: tuple[FileGap, ...] = ()


class DiffShown(NamedTuple):
    """DIFF: both trails in numbers.

    Attributes:
        level: how records were compared.
        a, b: the two trails.
        equal: transactions that are equal, wherever they stand.
        changed: transactions with a record that differs.
        transactions, records: differences of whole transactions and of records in others, by kind.
        by_records: records that were compared at RECORDS for want of a definition.
        is_unaligned: whether records or transactions were too different for an alignment.
        is_unsure: whether so many transactions are out of order that some that stand twice may be listed as others.
        listed: how many differences were listed.
        is_partial: whether it was stopped before the end.
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
        """All of them."""
        return sum(self.transactions.values()) + sum(self.records.values())

    @property
    def status(self) -> ExitStatus:
        """Damage goes before differences: behind it nothing is sure."""
        if self.transactions.get(DifferenceKind.DAMAGE):
            return ExitStatus.BAD_DATA
        return ExitStatus.FINDINGS if self.differences else ExitStatus.OK


class AlignedTrails(Protocol):
    """What takes two trails side by side, row by row, while they are compared."""

    def add(self, row: AlignedRow) -> None:
        """The next row."""

    def end(self, shown: DiffShown) -> None:
        """Both in numbers, behind the last row."""


BeginAligned = Callable[[DiffLevel, str, str], AlignedTrails]
"""Gives what takes two trails, by the level at which they are compared and their names."""
