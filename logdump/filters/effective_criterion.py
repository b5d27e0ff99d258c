"""Criteria that commands make, and not FILTER: the rows that a Replicat applies, and records at known places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.criterion import Criterion
from trailformat.transactions.not_applied import Ranges

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask


@dataclass(frozen=True, eq=False)
class Effective(Criterion):
    """All records of a file except the rows of transactions that are not applied, whose ranges are ``not_applied``."""

    not_applied: Ranges
    keyword: ClassVar[str] = "EFFECTIVE"
    label: ClassVar[str] = "Effective"

    def mask(self, rows: FilterRows) -> Mask:
        """See Criterion."""
        return ~rows.not_applied(self.not_applied)

    def describe(self) -> list[tuple[str, ...]]:
        """See Criterion."""
        return [("transactions that a Replicat applies",)]


@dataclass(frozen=True)
class AtPlaces(Criterion):
    """The records at these RBAs."""

    rbas: frozenset[int]
    keyword: ClassVar[str] = "PLACES"
    label: ClassVar[str] = "Places"

    def mask(self, rows: FilterRows) -> Mask:
        """See Criterion."""
        return rows.any_of("rba", self.rbas)

    def describe(self) -> list[tuple[str, ...]]:
        """See Criterion."""
        return [(f"{len(self.rbas)} places",)]
