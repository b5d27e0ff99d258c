"""Comparison of the commit sequence numbers of records; their forms: :mod:`trailformat.changes.csn`."""

from __future__ import annotations

from logdump.filters.comparison import Comparison
from trailformat.changes.csn import csn_key


def csn_holds(comparison: Comparison, csn: str | None, wanted: str) -> bool:
    """Return True if the CSN of a record compares so; False without one. Of different kinds only ``<>`` holds."""
    if csn is None:
        return False
    left, right = csn_key(csn), csn_key(wanted)
    if left is None or right is None or left.kind != right.kind:
        return comparison is Comparison.NOT_EQUAL
    return comparison.holds(left.parts, right.parts)
