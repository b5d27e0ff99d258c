"""The events of TRANSACTIONS."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trailformat.trail.sequence import Spot
    from trailformat.transactions.extent import Extent


class TransactionListed(NamedTuple):
    """A transaction as one line.

    Attributes:
        extent: what is known of it.
        is_effective: whether a Replicat applies it.
        copy_of: where the transaction that it is a copy of begins, where it is one.
        has_file: whether the line names its file.
    """

    extent: Extent
    is_effective: bool
    copy_of: Spot | None
    has_file: bool

    @property
    def records(self) -> int:
        """Its records, of those that pass the filter."""
        return self.extent.chosen

    @property
    def tables(self) -> dict[str, int]:
        """These records by table, those with the most first."""
        counted = {name: sum(types.values()) for name, types in self.extent.tables.items()}
        return dict(sorted(counted.items(), key=lambda one: (-one[1], one[0])))


class TransactionsListed(NamedTuple):
    """The transactions in numbers: all, those that a Replicat applies (``effective``), those listed."""

    title: str
    transactions: int
    effective: int
    listed: int
    filtered: bool
    is_partial: bool
