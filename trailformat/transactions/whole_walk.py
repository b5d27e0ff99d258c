"""The transactions of a whole trail, in batches.

    for batch in transaction_batches(WholeTrail.around("dirdat/lt000000000")):
        for row in range(batch.rows):
            print(batch.begin(row), batch.ended(row), batch.csns[row])

The rule is that of :mod:`trailformat.transactions.extents`, which does the work in plain Python; with numpy it is
done by columns, and the tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterator

from trailformat.records import reached
from trailformat.scan import Engine, Workers
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.walk_by_row import RowWalk
from trailformat.transactions.whole_trail import FIRST_PLACE, TrailPosition, WholeTrail


def transaction_batches(
    whole: WholeTrail, start: TrailPosition = FIRST_PLACE, workers: Workers | None = None
) -> Iterator[TransactionBatch]:
    """The transactions from a place on, where a record begins and none is open.

    Raises:
        NotATrail: a file cannot be read any more.
    """
    if whole.engine is Engine.NUMBA:
        from trailformat.transactions.walk import transactions_in  # noqa: PLC0415 - it needs numpy

        return transactions_in(whole.batches(start, workers))
    reached.announce(whole.paths[start.ordinal :])
    return RowWalk(whole, start).batches()
