"""What FIND looks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from logdump.filters import FilterSet


class Search(NamedTuple):
    """One search: as it was typed, and the filter that its records pass."""

    text: str
    filters: FilterSet
