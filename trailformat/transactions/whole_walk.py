"""The transactions of a whole trail, in batches.

for batch in transaction_batches(WholeTrail.around("dirdat/lt000000000")):
for row in range(batch.rows):
print(batch.begin(row), batch.ended(row), batch.csns[row])
"""

from __future__ import annotations

from collections.abc import Iterator

from trailformat.scan import Workers
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.whole_trail import FIRST_PLACE, TrailPosition, WholeTrail


def transaction_batches(
    whole: WholeTrail, start: TrailPosition = FIRST_PLACE, workers: Workers | None = None
) -> Iterator[TransactionBatch]:
    """The transactions from a place on, where a record begins and none is open.

    Raises:
        NotATrail: a file cannot be read any more.
    """
    from trailformat.transactions.walk import transactions_in  # noqa: PLC0415 - it needs numpy

    return transactions_in(whole.batches(start, workers))
