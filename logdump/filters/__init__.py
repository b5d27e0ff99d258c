"""FILTER: criteria as plain data, and the masks of rows that satisfy them.

filters = FilterSet()
apply(filters, "INCLUDE FILENAME hr.*", offset)
filters.mask(FilterRows(FilterSource(trail, definitions), batch))
"""

from __future__ import annotations

from logdump.filters.comparison import Comparison
from logdump.filters.criteria import OPTIONS, option_named
from logdump.filters.criterion import Criterion, Holds, Needs, Option
from logdump.filters.filter_set import CriterionSet, FilterSet, Match, show
from logdump.filters.statement import (
    Statement,
    apply,
    begins_statement,
    clears_all,
    condition,
    inclusion,
    misuse_hint,
    parse_criterion,
    parse_statement,
    words_after,
)
from logdump.filters.words import FilterError

__all__ = [
    "OPTIONS",
    "Comparison",
    "Criterion",
    "CriterionSet",
    "FilterError",
    "FilterSet",
    "Holds",
    "Match",
    "Needs",
    "Option",
    "Statement",
    "apply",
    "begins_statement",
    "clears_all",
    "condition",
    "inclusion",
    "misuse_hint",
    "option_named",
    "parse_criterion",
    "parse_statement",
    "show",
    "words_after",
]
