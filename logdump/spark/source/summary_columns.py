"""The columns of option ``summary``; docs/spark.md is made from them."""

from __future__ import annotations

from typing import Any

from logdump.arrow.records.column_types import BIGINT, INT, STRING, TIMESTAMP, ColumnType
from logdump.arrow.records.schema import CORRUPT, Reads, RowColumn

_PART = "records:bigint,bytes:bigint,tables:array<string>,time:bigint,seqno:int,rba:bigint"
_LARGE = "records:bigint,bytes:bigint,tables:bigint,time:bigint,seqno:int,rba:bigint"
_PIECE = (
    f"struct<first:struct<{_PART}>,ended:boolean,suppressed:bigint,transactions:bigint,"
    f"table_visits:bigint,open:struct<{_PART}>,largest:array<struct<{_LARGE}>>>"
)


def _transaction(pa: Any, tables: Any) -> Any:
    place = [("time", pa.int64()), ("seqno", pa.int32()), ("rba", pa.int64())]
    return pa.struct([("records", pa.int64()), ("bytes", pa.int64()), ("tables", tables), *place])


def _piece(pa: Any) -> Any:
    part = _transaction(pa, pa.list_(pa.field("element", pa.string())))
    largest = pa.list_(pa.field("element", _transaction(pa, pa.int64())))
    names = ("suppressed", "transactions", "table_visits")
    numbers = [("ended", pa.bool_()), *((name, pa.int64()) for name in names)]
    return pa.struct([("first", part), *numbers, ("open", part), ("largest", largest)])


PIECE = ColumnType(_PIECE, _piece)
"""The transactions of a slice, so that those of all slices can be put together: the part of one that it begins with
and whether that ended in it; how many records ``where`` has dropped; how many transactions began and ended after that
first one, and the tables they touched; the part of one that is open at its end; the largest of them. Times are Julian
microseconds."""

SUMMARY_COLUMNS: tuple[RowColumn, ...] = (
    RowColumn("file", STRING, "Path of the trail file"),
    RowColumn("seqno", INT, "Its sequence number; null where its name has none"),
    RowColumn("start_rba", BIGINT, "Where the part of the file begins that one task read; sums go over all parts"),
    RowColumn("table", STRING, "Name of the table; null where there is none"),
    RowColumn("partition", INT, "Partition; null for a file header"),
    RowColumn("op", STRING, "Operation of the records; `FileHeader`"),
    RowColumn("op_code", INT, "IOType; null for a file header"),
    RowColumn("before_after", STRING, "`B` or `A`"),
    RowColumn("records", BIGINT, "How many there are"),
    RowColumn("bytes", BIGINT, "Their data, as COUNT adds it up"),
    RowColumn("length", BIGINT, "Their bytes in the file"),
    RowColumn("first_rba", BIGINT, "RBA of the first"),
    RowColumn("last_rba", BIGINT, "RBA of the last"),
    RowColumn("first_time", TIMESTAMP, "The earliest IO Time"),
    RowColumn("last_time", TIMESTAMP, "The latest"),
    RowColumn("first_csn", STRING, "LOGCSN of the first record's transaction", Reads.PARTS),
    RowColumn("last_csn", STRING, "LOGCSN of the last record's transaction", Reads.PARTS),
    RowColumn("transactions", BIGINT, "Transactions that end with one of them"),
    RowColumn(
        "piece", PIECE, "Transactions of the part of the file, on its first row: for `logdump.spark.jobs.counting`"
    ),
    RowColumn(CORRUPT, STRING, "Why the bytes from `first_rba` on are no sound record (PERMISSIVE); `records` is 0"),
)
LEAN_SUMMARY: tuple[RowColumn, ...] = tuple(
    column for column in SUMMARY_COLUMNS if column.name not in ("first_csn", "last_csn", "piece")
)
"""Those for which one pass of a kernel is enough."""
