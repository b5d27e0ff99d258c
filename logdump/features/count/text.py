"""The results of COUNT: labels left, numbers right-aligned to column 34.

Total Data Bytes              3834
Avg Bytes/Record             103
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers, partition_text
from logdump.features.count.model import CountShown, EmptyIntervals, IntervalShown, TransactionsShown
from logdump.notation.text import escape
from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from trailformat import io_type_name
from trailformat.records.record_header import DDL_OP
from trailformat.totals.counting import OTHERS, TypeTotals

_WIDTH = 34
_NAME_WIDTH = 58
_NAMES = {DDL_OP: "DDL", OTHERS: "Others"}
"""Types whose name in COUNT differs from that in the record line (11.1 session)."""


def count_lines(shown: CountShown, settings: Settings) -> Iterator[str]:
    """Yield the summary, and with DETAIL a block per table."""
    count = shown.counted
    yield f"{escape(shown.title)} has {count.total.records} records"
    yield from tally_lines(count.total)
    yield ""
    yield f"Average of {count.transactions} Transactions"
    averages = (count.bytes_per_transaction, count.records_per_transaction, count.tables_per_transaction)
    yield from transaction_lines(*averages, indent=4)
    is_hex = settings.release.has_hex_partition
    for (name, partition), tally in sorted(count.tables.items()) if shown.detail else ():
        yield ""
        yield f"{escape(name):<{_NAME_WIDTH - 1}} {partition_text(partition, is_hex=is_hex)}"
        yield from tally_lines(tally)


def tally_lines(tally: TypeTotals) -> Iterator[str]:
    """Yield the bytes, the types in the order of their numbers, and the images."""
    yield _line("Total Data Bytes", tally.data_bytes)
    yield _line("  Avg Bytes/Record", tally.average_bytes)
    for io_type, number in sorted(tally.types.items()):
        yield _line(type_name(io_type), number)
    if tally.before_images:
        yield _line("Before Images", tally.before_images)
    if tally.after_images:
        yield _line("After Images", tally.after_images)


def type_name(io_type: int) -> str:
    """Return the name under which records of a type are counted."""
    return _NAMES.get(io_type) or io_type_name(io_type)


def transaction_lines(data_bytes: int, records: int, tables: int, indent: int) -> Iterator[str]:
    """Yield the three lines about a transaction, or about the average of many."""
    blanks = " " * indent
    yield f"{blanks}Bytes/Trans ..... {data_bytes:>10}"
    yield f"{blanks}Records/Trans ... {records:>10}"
    yield f"{blanks}Files/Trans ..... {tables:>10}"


def interval_lines(shown: IntervalShown, settings: Settings) -> Iterator[str]:
    """Yield the bounds of an interval with milliseconds (manual), then its tally."""
    start, end = (format_timestamp(time, settings.time_offset)[:-4] for time in (shown.start, shown.end))
    yield f"Interval from {start} to {end}, "
    yield _line("Recs", shown.tally.records)
    yield from tally_lines(shown.tally)
    yield ""


def empty_lines(shown: EmptyIntervals, settings: Settings) -> Iterator[str]:
    """Yield the bounds and the number of empty intervals."""
    start, end = (format_timestamp(time, settings.time_offset)[:-4] for time in (shown.start, shown.end))
    yield f"No records from {start} to {end}, {shown.number} intervals"
    yield ""


def history_lines(shown: TransactionsShown, settings: Settings) -> Iterator[str]:
    """Yield the large transactions, with the time since the first one listed (manual, Evaluating Transaction Size)."""
    yield ""
    yield f"Transactions with at least {shown.record_limit} records or {shown.byte_limit} bytes"
    for transaction in shown.transactions:
        time = format_timestamp(transaction.time, settings.time_offset)
        since_first = elapsed(transaction.time - shown.transactions[0].time)
        yield f"{time}    {since_first}, Seq {transaction.seqno}, RBA {transaction.rba}"
        yield from transaction_lines(transaction.data_bytes, transaction.records, transaction.tables, indent=3)


def elapsed(microseconds: int) -> str:
    """Return a duration as ``hh:mm:ss.mmm``, with a minus sign if negative."""
    milliseconds = abs(microseconds) // 1000
    seconds, milliseconds = divmod(milliseconds, 1000)
    sign = "-" if microseconds < 0 else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{milliseconds:03d}"


def _line(label: str, number: int) -> str:
    return f"{label}{number:>{max(_WIDTH - len(label), len(str(number)) + 1)}}"


LINES: Renderers = {
    CountShown: count_lines,
    IntervalShown: interval_lines,
    EmptyIntervals: empty_lines,
    TransactionsShown: history_lines,
}
