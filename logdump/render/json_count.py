"""The results of COUNT as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.notation.times import iso_time
from logdump.render.json_shape import Field, Shape
from logdump.session.events import CountShown, EmptyIntervals, IntervalShown
from trailformat import io_type_name
from trailformat.totals.counting import OTHERS, TypeTotals

TYPE_COUNT = Shape(
    "type_count",
    "The records of one type.",
    (
        Field(
            "io_type",
            "number or null",
            "IOType; null for the file header",
            lambda pair: None if pair[0] == OTHERS else pair[0],
        ),
        Field(
            "io_type_name",
            "string",
            "Its name",
            lambda pair: "FileHeader" if pair[0] == OTHERS else io_type_name(pair[0]),
        ),
        Field("records", "number", "How many", lambda pair: pair[1]),
    ),
)


def _tally_fields(tally: Callable[[Any], TypeTotals]) -> tuple[Field, ...]:
    return (
        Field("records", "number", "Records", lambda source: tally(source).records),
        Field("data_bytes", "number", "Total Data Bytes", lambda source: tally(source).data_bytes),
        Field("average_bytes", "number", "Avg Bytes/Record, truncated", lambda source: tally(source).average_bytes),
        Field(
            "types",
            "list of type_count",
            "Record types that occur, by number",
            lambda source: [TYPE_COUNT.build(pair) for pair in sorted(tally(source).types.items())],
        ),
        Field("before_images", "number", "Before Images", lambda source: tally(source).before_images),
        Field("after_images", "number", "After Images", lambda source: tally(source).after_images),
    )


TABLE_COUNT = Shape(
    "table_count",
    "The records of one table and partition.",
    (
        Field(
            "table",
            "string",
            "Table name; empty for records without one, `*FileHeader*` for the header",
            lambda item: item[0][0],
        ),
        Field("partition", "number", "Partition", lambda item: item[0][1]),
        *_tally_fields(lambda item: item[1]),
    ),
)


def _tables(shown: CountShown) -> Any:
    return [TABLE_COUNT.build(item) for item in sorted(shown.counted.tables.items())] if shown.detail else None


COUNT = Shape(
    "count",
    "The result of COUNT.",
    (
        Field("title", "string", "What was counted, as in the text: `LogTrail <path>`", lambda shown: shown.title),
        *_tally_fields(lambda shown: shown.counted.total),
        Field("transactions", "number", "Transactions that ended", lambda shown: shown.counted.transactions),
        Field("bytes_per_transaction", "number", "Bytes/Trans", lambda shown: shown.counted.bytes_per_transaction),
        Field(
            "records_per_transaction", "number", "Records/Trans", lambda shown: shown.counted.records_per_transaction
        ),
        Field("tables_per_transaction", "number", "Files/Trans", lambda shown: shown.counted.tables_per_transaction),
        Field("tables", "list of table_count, or null", "With DETAIL, every table", _tables),
    ),
)


def _bound(name: str) -> Callable[[IntervalShown | EmptyIntervals], Any]:
    return lambda shown: iso_time(getattr(shown, name))


INTERVAL = Shape(
    "interval",
    "COUNT INTERVAL: what fell into one interval.",
    (
        Field("start", "string or null", "First moment, ISO 8601, UTC", _bound("start")),
        Field("end", "string or null", "First moment after it", _bound("end")),
        *_tally_fields(lambda shown: shown.tally),
    ),
)

EMPTY_INTERVALS = Shape(
    "empty_intervals",
    "COUNT INTERVAL: many intervals in a row without records; a few are `interval` objects.",
    (
        Field("start", "string or null", "First moment of the first, ISO 8601, UTC", _bound("start")),
        Field("end", "string or null", "First moment after the last", _bound("end")),
        Field("intervals", "number", "How many", lambda shown: shown.number),
    ),
)

LARGE_TRANSACTION = Shape(
    "large_transaction",
    "One transaction of TRANSHIST.",
    (
        Field("time", "string or null", "IO Time of its first record, ISO 8601, UTC", lambda one: iso_time(one.time)),
        Field("seqno", "number", "Sequence number of its file", lambda one: one.seqno),
        Field("rba", "number", "RBA of its first record", lambda one: one.rba),
        Field("data_bytes", "number", "Bytes/Trans", lambda one: one.data_bytes),
        Field("records", "number", "Records/Trans", lambda one: one.records),
        Field("tables", "number", "Files/Trans", lambda one: one.tables),
    ),
)

TRANSACTIONS = Shape(
    "transactions",
    "The largest transactions that COUNT met (TRANSHIST), the largest first.",
    (
        Field("record_limit", "number", "TRANSRECLIMIT", lambda shown: shown.record_limit),
        Field("byte_limit", "number", "TRANSBYTELIMIT", lambda shown: shown.byte_limit),
        Field(
            "transactions",
            "list of large_transaction",
            "The transactions",
            lambda shown: [LARGE_TRANSACTION.build(one) for one in shown.transactions],
        ),
    ),
)

PROGRESS = Shape(
    "progress",
    "How far a scan has come (NOTIFY).",
    (
        Field("records", "number", "Records scanned", lambda shown: shown.records),
        Field("rba", "number", "RBA of the last", lambda shown: shown.rba),
        Field(
            "time", "string or null", "IO Time of the last", lambda shown: iso_time(shown.time) if shown.time else None
        ),
    ),
)
