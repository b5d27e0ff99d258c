"""The largest transactions that the index has met, and the one that has not ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from trailformat import TrailFile
from trailformat.changes.transaction_context import transaction_at
from trailformat.index import TrailIndex, TransactionSpan

MOST_SHOWN = 200
"""As many as TRANSHIST keeps at most."""


class ListedTransaction(NamedTuple):
    """A transaction with its CSN and XID, empty where no record has them, and its bytes in the file, 0 while open."""

    span: TransactionSpan
    csn: str
    xid: str
    file_bytes: int = 0


ORDERS: dict[str, Callable[[ListedTransaction], int]] = {
    "bytes": lambda one: one.span.data_bytes,
    "records": lambda one: one.span.records,
    "duration": lambda one: one.span.last_time - one.span.first_time,
}
"""The sort keys of the pane, the largest first."""


def read_transactions(
    trail: TrailFile, index: TrailIndex, known: Iterable[ListedTransaction] = ()
) -> list[ListedTransaction]:
    """The open transaction, if there is one, then the largest by bytes.

    Those that are ``known`` in full are not read again: the index reports four times a second while a trail grows.
    """
    transactions = index.sums.transactions
    spans = ([transactions.open] if transactions.open is not None else []) + transactions.largest
    found = []
    read = {one.span: one for one in known if one.csn and one.file_bytes}
    for span in spans[:MOST_SHOWN]:
        if span in read:
            found.append(read[span])
            continue
        owner = transaction_at(trail, span.begin)
        last = trail.record_at(span.end) if span.end is not None else None
        size = last.rba + last.length - span.begin if last is not None else 0
        found.append(ListedTransaction(span, owner.csn or "", owner.xid or "", size))
    return found
