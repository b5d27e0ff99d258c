"""The events of TRANSACTIONS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

if TYPE_CHECKING:
    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.extent import Extent


class TransactionListed(NamedTuple):
    """A transaction as one line.

    Attributes:
        extent: its position, end and counts.
        has_file: True if the line names its file.
    """

    extent: Extent
    is_effective: Annotated[bool, "Whether a Replicat applies it"]
    copy_of: Annotated[FilePosition | None, "Where the one begins that it is a copy of"]
    is_after_damage: Annotated[bool, "Whether it begins after damage, where a Replicat abends"]
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

    title: Annotated[str, "What was read"]
    transactions: Annotated[int, "How many there are; under FILTERED, those with a record that passes"]
    effective: Annotated[int, "How many of them a Replicat applies"]
    listed: Annotated[int, "How many are listed"]
    filtered: Annotated[bool, "Whether the filter applied"]
    is_partial: bool
