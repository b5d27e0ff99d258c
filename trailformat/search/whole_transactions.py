"""The transactions of a whole trail record by record, with restart records and damage among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trailformat.search.transaction_walk import Damage, Extent, Restart, TransactionWalk
from trailformat.search.whole_trail import WholeTrail
from trailformat.trail.sequence import Spot


def transactions_of(whole: WholeTrail) -> Iterator[Extent | Damage | Restart]:
    """All of them, in their order; files that are no trail are stepped over.

    Raises:
        NotATrail: a file cannot be read any more.
    """
    reached = 0

    def following(path: Path) -> tuple[Path | None, Path | None]:
        nonlocal reached
        found, missing = whole.following(path)
        reached = whole.ordinals[found] if found is not None else reached
        return found, missing

    while reached < len(whole):
        trail = whole.open(reached)
        if trail is not None:
            with trail:
                yield from TransactionWalk(trail, Spot(trail.path, 0), following=following)
        reached += 1
