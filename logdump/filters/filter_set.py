"""The filter of a session: include and exclude criteria, and whether it is switched on.

A record passes if it satisfies the include criteria (or there are none) and does not satisfy the exclude criteria. Each
set has its own MATCH, initially ANY; SHOW FILTER prints one for each ([manual]).

A file header and metadata are treated like other records: they need to satisfy the include criteria (a table definition
has its table's name) and must not satisfy the exclude criteria. Logdump's treatment of them is unknown.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from logdump.filters.criteria import OPTIONS
from logdump.filters.criterion import Criterion, Needs, combined_mask
from logdump.notation.text import escape

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask


class Match(enum.Enum):
    """The number of criteria of a set that must be satisfied: any one, or all."""

    ANY = "ANY"
    ALL = "ALL"


@dataclass
class CriterionSet:
    """Criteria, and their combination by MATCH."""

    criteria: list[Criterion] = field(default_factory=list)
    match: Match = Match.ANY

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows that satisfy the set, which must have a criterion."""
        return combined_mask(self.criteria, rows, is_all=self.match is Match.ALL)

    @property
    def needs(self) -> Needs:
        """The parts of records that its criteria read."""
        needs = Needs.NOTHING
        for criterion in self.criteria:
            needs |= criterion.needs
        return needs

    def copy(self) -> CriterionSet:
        """Return an independent set with the same criteria."""
        return CriterionSet(list(self.criteria), self.match)


@dataclass
class FilterSet:
    """The state that FILTER commands build. Initially it is enabled and lets every record pass.

    With ``is_hopeful`` a record about which it cannot decide passes.
    """

    enabled: bool = True
    include: CriterionSet = field(default_factory=CriterionSet)
    exclude: CriterionSet = field(default_factory=CriterionSet)
    is_hopeful: bool = False

    @property
    def is_empty(self) -> bool:
        """True if there is no criterion."""
        return not self.include.criteria and not self.exclude.criteria

    @property
    def active(self) -> bool:
        """True if any record could be dropped: enabled, with a criterion."""
        return self.enabled and not self.is_empty

    @property
    def needs(self) -> Needs:
        """The parts of records that :meth:`mask` reads; none while it is not active."""
        return self.include.needs | self.exclude.needs if self.active else Needs.NOTHING

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows that pass; rows that are not records do not."""
        rows = rows.hopeful() if self.is_hopeful else rows
        passing = rows.among
        if self.enabled and self.include.criteria:
            passing = passing & self.include.mask(rows)
        if self.enabled and self.exclude.criteria:
            passing = passing & ~self.exclude.mask(rows.only(passing))
        return passing

    def copy(self) -> FilterSet:
        """Return an independent filter with the same criteria."""
        return FilterSet(self.enabled, self.include.copy(), self.exclude.copy(), self.is_hopeful)

    def statements(self) -> list[str]:
        """Return FILTER statements, with times in GMT, that make an empty filter equal to this one if enabled."""
        return [*_statements("INCLUDE", self.include), *_statements("EXCLUDE", self.exclude)]

    def entries(self) -> Iterator[FilterEntry]:
        """Yield every criterion with its id in the order of SHOW FILTER, include before exclude."""
        counts: dict[str, int] = {}
        for criterion_set in (self.include, self.exclude):
            for option in OPTIONS:
                for criterion in criterion_set.criteria:
                    if criterion.keyword == option.keyword:
                        number = counts.setdefault(criterion.label, 0)
                        counts[criterion.label] += 1
                        yield FilterEntry(_entry_id(criterion, number), criterion_set, criterion)


class FilterEntry(NamedTuple):
    """A criterion, the set it is in, and the id under which SHOW FILTER prints it."""

    id: str
    owner: CriterionSet
    criterion: Criterion


def _statements(which: str, criterion_set: CriterionSet) -> Iterator[str]:
    yield f"{which} MATCH {criterion_set.match.value}"
    for criterion in criterion_set.criteria:
        yield f"{which} {criterion.statement}"


def _entry_id(criterion: Criterion, number: int) -> str:
    return f"{criterion.label}-{number}" if criterion.is_numbered or number else criterion.label


_LABEL_WIDTH = 11


def show(filters: FilterSet) -> list[str]:
    """Return the lines of SHOW FILTER."""
    lines = [f"Data filters are {'ENABLED' if filters.enabled else 'DISABLED'}"]
    lines += [f"Include  Match {filters.include.match.value}", *_set_lines(filters, filters.include)]
    lines += [f"Exclude  Match {filters.exclude.match.value}", *_set_lines(filters, filters.exclude)]
    return [escape(line) for line in lines]


def _set_lines(filters: FilterSet, criterion_set: CriterionSet) -> Iterator[str]:
    for entry in filters.entries():
        if entry.owner is criterion_set:
            yield from _criterion_lines(entry.id, entry.criterion)


def _criterion_lines(label: str, criterion: Criterion) -> Iterator[str]:
    for value, *own_lines in criterion.describe():
        yield f"{label:<{_LABEL_WIDTH}}: {value}"
        yield from own_lines
        label = ""
