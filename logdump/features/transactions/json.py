"""TRANSACTIONS as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import PARTIAL, Shape, member, time_at
from logdump.features.transactions.model import TransactionListed, TransactionsListed

TABLE_RECORDS = Shape(
    "table_records",
    "The records of one table in a transaction.",
    (member("table", "string", "Its name", "0"), member("records", "number", "How many", "1")),
)

TRANSACTION_LISTED = Shape(
    "listed_transaction",
    "TRANSACTIONS: a transaction as one line has it.",
    (
        member("csn", "string or null", "LOGCSN", "extent.transaction.csn"),
        member("xid", "string or null", "TRANID", "extent.transaction.xid"),
        member("begin_file", "string or null", "File of its first record that is there", "extent.first?.path"),
        member("begin_rba", "number or null", "RBA of that", "extent.first?.rba"),
        member("end_file", "string or null", "File of its last record that is there", "extent.last?.path"),
        member("end_rba", "number or null", "RBA of that", "extent.last?.rba"),
        member("records", "number", "Its records; under FILTERED those that pass"),
        member("bytes", "number", "The data bytes of these", "extent.data_size"),
        member(
            "tables",
            "list of table_records",
            "These by table, those with the most first",
            TABLE_RECORDS.each(lambda listed: listed.tables.items()),
        ),
        member("first_time", "string", "IO Time of its first record, UTC", time_at("extent.first_moment.time")),
        member("last_time", "string", "IO Time of its last record, UTC", time_at("extent.last_moment.time")),
        member("whole", "boolean", "Whether its first and its last record are there, nothing lost", "extent.is_whole"),
        member("ended", "string", "last, cut, overtaken, file_end or damage", "extent.ended.value"),
        *fields(TransactionListed, "is_effective copy_of is_after_damage"),
    ),
    TransactionListed,
)

TRANSACTIONS_LISTED = Shape(
    "listed_transactions",
    "TRANSACTIONS: all transactions in numbers.",
    (
        *fields(TransactionsListed, "title transactions effective listed filtered"),
        PARTIAL,
    ),
    TransactionsListed,
)
