"""The results of COUNT as JSON."""

from __future__ import annotations

from typing import Any

from logdump.display.json_fields import fields
from logdump.display.json_shape import TYPE_COUNT, Member, Shape, at, member, time_at
from logdump.features.count.model import CountShown, EmptyIntervals, IntervalShown, TransactionsShown
from trailformat.totals.counting import TypeTotals


def _of_tally(tally: str) -> tuple[Member, ...]:
    """Return the members of the tally at a path."""
    get = at(tally)
    types = TYPE_COUNT.each(lambda source: sorted(get(source).types.items()))
    return (
        member("records", "number", "Records", f"{tally}.records"),
        member("data_bytes", "number", "Total Data Bytes", f"{tally}.data_bytes"),
        member("average_bytes", "number", "Avg Bytes/Record, truncated", f"{tally}.average_bytes"),
        member("types", "list of type_count", "Record types that occur, by number", types),
        member("before_images", "number", "Before Images", f"{tally}.before_images"),
        member("after_images", "number", "After Images", f"{tally}.after_images"),
    )


_NAME = "Table name; empty for records without one, `*FileHeader*` for the header"

TABLE_COUNT = Shape(
    "table_count",
    "The records of one table and partition.",
    (member("table", "string", _NAME, "0.0"), member("partition", "number", "Partition", "0.1"), *_of_tally("1")),
)


def _tables(shown: CountShown) -> list[tuple[Any, TypeTotals]] | None:
    return sorted(shown.counted.tables.items()) if shown.detail else None


COUNT = Shape(
    "count",
    "The result of COUNT.",
    (
        *fields(CountShown, "title"),
        *_of_tally("counted.total"),
        member("transactions", "number", "Transactions that ended", "counted.transactions"),
        member("bytes_per_transaction", "number", "Bytes/Trans", "counted.bytes_per_transaction"),
        member("records_per_transaction", "number", "Records/Trans", "counted.records_per_transaction"),
        member("tables_per_transaction", "number", "Files/Trans", "counted.tables_per_transaction"),
        member("tables", "list of table_count, or null", "With DETAIL, every table", TABLE_COUNT.each(_tables)),
    ),
    CountShown,
)

INTERVAL = Shape(
    "interval",
    "COUNT INTERVAL: the records of one interval.",
    (
        member("start", "string or null", "First moment, ISO 8601, UTC", time_at("start")),
        member("end", "string or null", "First moment after it", time_at("end")),
        *_of_tally("tally"),
    ),
    IntervalShown,
)

EMPTY_INTERVALS = Shape(
    "empty_intervals",
    "COUNT INTERVAL: many intervals in a row without records; a few are `interval` objects.",
    (
        member("start", "string or null", "First moment of the first, ISO 8601, UTC", time_at("start")),
        member("end", "string or null", "First moment after the last", time_at("end")),
        *fields(EmptyIntervals, "number"),
    ),
    EmptyIntervals,
)

LARGE_TRANSACTION = Shape(
    "large_transaction",
    "One transaction of TRANSHIST.",
    (
        member("time", "string or null", "IO Time of its first record, ISO 8601, UTC", time_at("time")),
        member("seqno", "number", "Sequence number of its file"),
        member("rba", "number", "RBA of its first record"),
        member("data_bytes", "number", "Bytes/Trans"),
        member("records", "number", "Records/Trans"),
        member("tables", "number", "Files/Trans"),
    ),
)

TRANSACTIONS = Shape(
    "transactions",
    "The largest transactions that COUNT met (TRANSHIST), the largest first.",
    fields(TransactionsShown, "record_limit byte_limit transactions", LargeTransaction=LARGE_TRANSACTION),
    TransactionsShown,
)
