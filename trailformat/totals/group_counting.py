"""COUNT from the sums of the counting kernel; it gives what :meth:`Totals.add` makes of the records."""

from __future__ import annotations

from trailformat.scan import KernelTotals, Names, Taken, TransactionPart
from trailformat.totals.counting import FILE_HEADER_NAME, HEADER_BYTES, OTHERS, OpenTransaction, Totals


def is_in_groups(count: Totals) -> bool:
    """Whether sums are enough for the count: intervals and the history of transactions need the records."""
    return not count.interval and not count.history.size


def add_counted(count: Totals, taken: Taken, seqno: int, counted: KernelTotals) -> None:
    """Add the sums of a stretch of records to the count; the stretches of a file come in their order."""
    names = counted.names
    if counted.file_headers and not taken.has_bounds and taken.takes_table(""):
        place = (FILE_HEADER_NAME, 0)
        count.tally(place, counted.file_header_bytes, OTHERS, None, counted.file_headers)
    for group, (records, data_bytes) in counted.groups.items():
        place = (names[group.table], group.partition)
        count.tally(place, data_bytes, group.io_type, group.before_after, records)
    _join(count, seqno, counted.first, names)
    if counted.first_ended:
        count.end_transaction()
        count.transactions += counted.transactions
        count.table_visits += counted.table_visits
        _join(count, seqno, counted.last, names)


def _join(count: Totals, seqno: int, part: TransactionPart | None, names: Names) -> None:
    if part is None:
        return
    if count.open_transaction is None:
        count.open_transaction = OpenTransaction(part.time, seqno, part.rba)
    one = count.open_transaction
    one.tables.update(names[key] for key in part.tables)
    one.data_bytes += part.data_bytes + HEADER_BYTES * part.records
    one.records += part.records
