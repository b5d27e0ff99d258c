"""The transactions of a whole trail record by record, with restart records and damage among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trailformat.records import reached
from trailformat.trail.sequence import Spot
from trailformat.transactions.extents import Damage, Extent, Restart, TransactionWalk
from trailformat.transactions.whole_trail import WholeTrail


def transactions_of(whole: WholeTrail) -> Iterator[Extent | Damage | Restart]:
    """All of them, in their order; files that are no trail are stepped over.

    Raises:
        NotATrail: a file cannot be read any more.
    """
    ordinal = 0
    reached.announce(whole.paths)

    def following(path: Path) -> tuple[Path | None, Path | None]:
        nonlocal ordinal
        found, missing = whole.following(path)
        ordinal = whole.ordinals[found] if found is not None else ordinal
        return found, missing

    while ordinal < len(whole):
        trail = whole.open(ordinal)
        if trail is not None:
            with trail:
                yield from TransactionWalk(trail, Spot(trail.path, 0), following=following)
        ordinal += 1
