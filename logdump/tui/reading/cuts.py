"""The transaction that a restart of Extract has cut: the one that is open where its record stands."""

from __future__ import annotations

from trailformat import TrailError, TrailFile
from trailformat.changes.transaction_search import TransactionSearch
from trailformat.changes.transactions import Transaction

_SEARCHED = 1 << 12
"""Records that are walked over."""


def cut_at(trail: TrailFile, rba: int) -> Transaction | None:
    """The transaction that the restart at ``rba`` cuts, which may stand in the file before; None where none is open."""
    try:
        found = TransactionSearch(trail, _SEARCHED).found_at(rba, trail.order)
    except TrailError:
        return None
    return found.transaction if found is not None else None
