"""COUNT from the sums of the counting kernel."""

from __future__ import annotations

from trailformat.scan import HEADER_BYTES, Breakdown, CountBounds, KernelTotals, Names, TransactionPart
from trailformat.totals.counting import FILE_HEADER_NAME, MINUTE, OTHERS, LargeTransaction, OpenTransaction, Totals


def breakdown_of(count: Totals) -> Breakdown:
    """Return the breakdown that the kernel computes for a count.

    Intervals whose first minute is still unknown are summed from whole minutes.
    """
    history, start = count.history, count.start
    interval = 0 if not count.interval else MINUTE if start is None else count.interval
    limits = (history.record_limit, history.byte_limit) if history.size else (None, None)
    return Breakdown(interval, start or 0, *limits)


def add_counted(count: Totals, taken: CountBounds, seqno: int, counted: KernelTotals) -> None:
    """Add the sums of a stretch of records to the count; the stretches of a file come in their order."""
    names = counted.names
    if counted.file_headers and not taken.has_bounds and taken.takes_table(""):
        place = (FILE_HEADER_NAME, 0)
        count.tally(place, counted.file_header_bytes, OTHERS, None, counted.file_headers)
    if counted.first_time is not None:
        count.interval_origin(counted.first_time)
    for group, (records, data_bytes) in counted.groups.items():
        place = (names[group.table], group.partition)
        count.tally(place, data_bytes, group.io_type, group.before_after, records)
        if count.interval:
            count.interval_of(group.time).add(data_bytes, group.io_type, group.before_after, records)
    count.open_transaction = joined(count.open_transaction, seqno, counted.first, names)
    if counted.first_ended:
        count.end_transaction()
        add_later(count, seqno, counted)


def add_later(count: Totals, seqno: int, counted: KernelTotals) -> None:
    """Add the transactions that begin after the first one of a stretch, which has ended."""
    count.transactions += counted.transactions
    count.table_visits += counted.table_visits
    for time, rba, data_bytes, records, tables in counted.listed:
        count.history.add(LargeTransaction(data_bytes, records, tables, time, seqno, rba))
    count.open_transaction = joined(None, seqno, counted.last, counted.names)


def joined(
    transaction: OpenTransaction | None, seqno: int, part: TransactionPart | None, names: Names
) -> OpenTransaction | None:
    """Return a transaction with a further part, if there is one."""
    if part is None:
        return transaction
    if transaction is None:
        transaction = OpenTransaction(part.time, seqno, part.rba)
    transaction.tables.update(names[key] for key in part.tables)
    transaction.data_bytes += part.data_bytes + HEADER_BYTES * part.records
    transaction.records += part.records
    return transaction
