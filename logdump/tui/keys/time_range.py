"""A range of times as a part of the filter: the lines that add it and take it back, whatever else the filter has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from logdump.filters.filter_set import FilterSet, Match
from logdump.filters.time_criteria import EndTime, StartTime, TimeCriterion
from logdump.notation.times import iso_time

_REMOVED = "FILTER CLEAR STARTTIME; FILTER CLEAR ENDTIME; "


class TimeRange(NamedTuple):
    """A range of times in a filter.

    Attributes:
        before: the filter without it.
        after: the filter with it.
        line: the line that adds the range.
        back: the line that takes the range back, and leaves the criteria and MATCH as they were.
    """

    before: FilterSet
    after: FilterSet
    line: str
    back: str

    def is_in(self, filters: FilterSet | None) -> bool:
        """Return whether a filter is that with the range, in whatever order its criteria are."""
        return filters is not None and _facts(filters) == _facts(self.after)

    @classmethod
    def added(cls, filters: FilterSet | None, start: int, end: int) -> TimeRange | str:
        """Return the range from ``start`` to before ``end`` (Julian), or the reason why a filter cannot have it.

        The range is in the include set if all criteria of that must be satisfied; otherwise the exclude set has what is
        outside the range.
        """
        before = filters if filters is not None else FilterSet()
        if not before.enabled and not before.is_empty:
            return "The filter is off: FILTER ON, and then the range."
        for which, match, ends in (
            ("INCLUDE", Match.ALL, (StartTime(start), EndTime(end - 1))),
            ("EXCLUDE", Match.ANY, (EndTime(start - 1), StartTime(end))),
        ):
            after = before.copy()
            target = after.include if which == "INCLUDE" else after.exclude
            if len(target.criteria) < 2 or target.match is match:
                line = _added(which, match, ends)
                back = f"{_REMOVED}{_own_times(before)}FILTER {which} MATCH {target.match.value}"
                target.match = match
                target.criteria += ends
                return cls(before, after, line, back)
        return "A range cannot be added to a filter with MATCH ANY and EXCLUDE MATCH ALL."


def _facts(filters: FilterSet) -> list[object]:
    return [filters.enabled, *((part.match, Counter(part.criteria)) for part in (filters.include, filters.exclude))]


def _added(which: str, match: Match, ends: Sequence[TimeCriterion]) -> str:
    times = "; ".join(f"FILTER {which} {end.keyword} {iso_time(end.moment)}" for end in ends)
    return f"FILTER {which} MATCH {match.value}; {times}"


def _own_times(filters: FilterSet) -> str:
    """Return statements for the bounds of time that a filter has already, empty if there are none."""
    return "".join(
        f"FILTER {which} {criterion.keyword} {iso_time(criterion.moment)}; "
        for which, criteria in (("INCLUDE", filters.include), ("EXCLUDE", filters.exclude))
        for criterion in criteria.criteria
        if isinstance(criterion, StartTime | EndTime)
    )
