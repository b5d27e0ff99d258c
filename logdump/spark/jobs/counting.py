"""COUNT from the rows of a summary, equal to that of the local engine.

rows = spark.read.format("trail").options(summary=True, columns="all").load("dirdat/lt*").collect()
count = count_of(row.asDict(recursive=True) for row in rows)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trailformat.totals.counting import (
    FILE_HEADER_NAME,
    OTHERS,
    LargeTransaction,
    OpenTransaction,
    Totals,
    TransactionHistory,
)

Row = Mapping[str, Any]


def count_of(rows: Iterable[Row], history: TransactionHistory | None = None) -> Totals:
    """Return the count of all records that the rows describe; ``history`` keeps the transactions of ``transHist``.

    Rows must be in the order in which Spark collects them, which is that of the trail.
    """
    count = Totals(history)
    add_rows(count, rows)
    return count


def add_rows(count: Totals, rows: Iterable[Row]) -> None:
    """Add rows to a count; those of a file must follow those of the file before it."""
    for row in rows:
        if row["records"]:
            _tally(count, row)
        if row["piece"] is not None:
            _join(count, row["piece"])


def _tally(count: Totals, row: Row) -> None:
    if row["op_code"] is None:
        count.tally((FILE_HEADER_NAME, 0), row["bytes"], OTHERS, None, row["records"])
    else:
        place = (row["table"] or "", row["partition"])
        count.tally(place, row["bytes"], row["op_code"], ord(row["before_after"]), row["records"])


def _join(count: Totals, piece: Row) -> None:
    """Extend the open transaction by the first one of the piece, then add the others."""
    first = piece["first"]
    if first is not None:
        if count.open_transaction is None:
            count.open_transaction = _opened(first)
        else:
            _extend(count.open_transaction, first)
    if piece["ended"]:
        count.end_transaction()
    count.transactions += piece["transactions"]
    count.table_visits += piece["table_visits"]
    for large in piece["largest"]:
        place = (large["time"], large["seqno"], large["rba"])
        count.history.add(LargeTransaction(large["bytes"], large["records"], large["tables"], *place))
    if piece["open"] is not None:
        count.open_transaction = _opened(piece["open"])


def _opened(part: Row) -> OpenTransaction:
    transaction = OpenTransaction(part["time"], part["seqno"], part["rba"])
    _extend(transaction, part)
    return transaction


def _extend(transaction: OpenTransaction, part: Row) -> None:
    transaction.data_bytes += part["bytes"]
    transaction.records += part["records"]
    transaction.tables.update(part["tables"])
