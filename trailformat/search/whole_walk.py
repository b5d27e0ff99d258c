"""The transactions of a whole trail, in lots.

    for lot in lots_of(WholeTrail.around("dirdat/lt000000000")):
        for row in range(lot.rows):
            print(lot.begin(row), lot.ended(row), lot.csns[row])

The rule is that of :mod:`trailformat.search.transaction_walk`, which does the work in plain Python; with numpy it is
done by columns, and the tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterator

from trailformat.records import reached
from trailformat.scan import Engine, Workers
from trailformat.search.lots import Lot
from trailformat.search.lots_by_row import RowWalk
from trailformat.search.whole_trail import FIRST_PLACE, TrailPlace, WholeTrail


def lots_of(whole: WholeTrail, start: TrailPlace = FIRST_PLACE, workers: Workers | None = None) -> Iterator[Lot]:
    """The transactions from a place on, where a record begins and none is open.

    Raises:
        NotATrail: a file cannot be read any more.
    """
    if whole.engine is Engine.NUMBA:
        from trailformat.search.lots_by_columns import lots_by_columns  # noqa: PLC0415 - it needs numpy

        return lots_by_columns(whole.batches(start, workers))
    reached.announce(whole.paths[start.ordinal :])
    return RowWalk(whole, start).lots()
