"""The rows that a Replicat applies; made by the option EFFECTIVE of commands, not by FILTER."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from logdump.filters.criterion import Criterion
from logdump.filters.subject import Subject
from trailformat.changes.transactions import is_transactional
from trailformat.transactions.not_applied import Ranges


@dataclass(frozen=True, eq=False)
class Effective(Criterion):
    """All records of one file but the rows of transactions that are not applied, whose places are ``left_out``."""

    left_out: Ranges
    keyword: ClassVar[str] = "EFFECTIVE"
    label: ClassVar[str] = "Effective"

    def test(self, subject: Subject) -> bool:
        """See Criterion."""
        return not (is_transactional(subject.record) and self.left_out.hold(subject.record.rba))

    def describe(self) -> list[tuple[str, ...]]:
        """See Criterion."""
        return [("transactions that a Replicat applies",)]
