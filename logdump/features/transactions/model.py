"""The events of TRANSACTIONS."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.extent import Extent


class TransactionListed(NamedTuple):
    """A transaction as one line.

    Attributes:
        extent: its position, end and counts.
        is_effective: True if a Replicat applies it.
        copy_of: begin of the transaction of which it is a copy; None if it is not a copy.
        is_after_damage: True if it begins after damage, where a Replicat abends.
        has_file: True if the line names its file.
    """

    extent: Extent
    is_effective: bool
    copy_of: FilePosition | None
    is_after_damage: bool
    has_file: bool

    @property
    def records(self) -> int:
        """Number of its records that pass the filter."""
        return self.extent.chosen

    @property
    def tables(self) -> dict[str, int]:
        """Numbers of these records by table, the largest first."""
        counted = {name: sum(types.values()) for name, types in self.extent.tables.items()}
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


class TransactionsListed(NamedTuple):
    """Numbers of transactions: all, those that a Replicat applies (``effective``), those listed."""

    title: str
    transactions: int
    effective: int
    listed: int
    filtered: bool
    is_partial: bool
