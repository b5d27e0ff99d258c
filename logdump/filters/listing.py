"""SHOW FILTER: what is in effect.

    Data filters are ENABLED
    Include  Match ALL
    Filename-0 : $QA01.QAESRC.ACCT*
    HEX-0      : ( 4), Col 0:3
    0000 4BF6
    Exclude  Match ANY

That is the manual's example. Ours: numbers run through both sets, so that an id names one criterion; a list prints as
one criterion, its names in one line, a further text or hex value under the first, without a label.
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.filters.criterion import Criterion
from logdump.filters.filter_set import CriterionSet, FilterSet
from logdump.notation.escape import escape

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
