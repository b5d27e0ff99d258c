"""The result of COUNT: labels left, numbers right-aligned to column 34.

Total Data Bytes              3834
Avg Bytes/Record             103
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.counting import OTHERS, Tally
from logdump.events import CountShown
from logdump.render.escape import escape
from logdump.render.record_text import partition_text
from logdump.settings import Settings
from trailformat import io_type_name
from trailformat.io_types import DDL_OP

_WIDTH = 34
_NAME_WIDTH = 58
_NAMES = {DDL_OP: "DDL", OTHERS: "Others"}
"""Where COUNT prints another name than the record line (11.1 session)."""


def count_lines(shown: CountShown, settings: Settings) -> Iterator[str]:
    """The summary, and under DETAIL a block per table."""
    count = shown.counted
    yield f"LogTrail {escape(shown.path)} has {count.total.records} records"
    yield from tally_lines(count.total)
    yield ""
    yield f"Average of {count.transactions} Transactions"
    yield from transaction_lines(
        count.bytes_per_transaction, count.records_per_transaction, count.tables_per_transaction, indent=4
    )
    for (name, partition), tally in sorted(count.tables.items()) if shown.detail else ():
        yield ""
        yield f"{escape(name):<{_NAME_WIDTH - 1}} {partition_text(partition, settings)}"
        yield from tally_lines(tally)


def tally_lines(tally: Tally) -> Iterator[str]:
    """Bytes, types in the order of their numbers, images."""
    yield _line("Total Data Bytes", tally.data_bytes)
    yield _line("  Avg Bytes/Record", tally.average_bytes)
    for io_type, number in sorted(tally.types.items()):
        yield _line(_NAMES.get(io_type) or io_type_name(io_type), number)
    if tally.before_images:
        yield _line("Before Images", tally.before_images)
    if tally.after_images:
        yield _line("After Images", tally.after_images)


def transaction_lines(data_bytes: int, records: int, tables: int, indent: int) -> Iterator[str]:
    """The three lines about a transaction, or the average of many."""
    blanks = " " * indent
    yield f"{blanks}Bytes/Trans ..... {data_bytes:>10}"
    yield f"{blanks}Records/Trans ... {records:>10}"
    yield f"{blanks}Files/Trans ..... {tables:>10}"


def _line(label: str, number: int) -> str:
    return f"{label}{number:>{max(_WIDTH - len(label), len(str(number)) + 1)}}"
