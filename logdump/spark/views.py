"""The views of SQL over trails: ``records``, ``transactions`` and ``summary``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from logdump.arrow.records.schema import COLUMNS
from logdump.spark.needed_columns import needed_columns
from logdump.spark.source.summary_columns import SUMMARY_COLUMNS
from trailformat.changes.transactions import BEGINS, ENDS
from trailformat.records.io_types import NOT_TRANSACTIONAL

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

NAMES = ("records", "transactions", "summary")
_COLUMNS = {
    "records": tuple(column.name for column in COLUMNS),
    "summary": tuple(column.name for column in SUMMARY_COLUMNS),
}
_OFFERED = {name: frozenset(columns) for name, columns in _COLUMNS.items()}
_OF_TRANSACTIONS = "file,file_order,rba,op_code,table,time,trans_ind,csn,xid,record_length"
_FORMAT_AS_TABLE = re.compile(r"\btrail\s+WITH\b", re.IGNORECASE)


def _numbers(values: object) -> str:
    return ", ".join(str(value) for value in sorted(values))  # type: ignore[call-overload]


_TRANSACTIONS = f"""
WITH marked AS (
    SELECT *,
        trans_ind IN ({_numbers(BEGINS)}) AS begins,
        trans_ind IN ({_numbers(ENDS)}) AS ends,
        regexp_replace(file, '[0-9]+$', '') AS trail
    FROM {{records}}
    WHERE op_code NOT IN ({_numbers(NOT_TRANSACTIONAL)})
), separated AS (
    SELECT *, begins OR coalesce(lag(ends) OVER in_order, true) AS is_first
    FROM marked
    WINDOW in_order AS (PARTITION BY trail, csn, xid ORDER BY file_order, rba)
), numbered AS (
    SELECT *, count_if(is_first) OVER in_order AS number
    FROM separated
    WINDOW in_order AS (PARTITION BY trail, csn, xid ORDER BY file_order, rba)
)
SELECT
    csn,
    xid,
    min(struct(file_order, rba, file)).file AS begin_file,
    min(struct(file_order, rba, file)).rba AS begin_rba,
    max(struct(file_order, rba, file)).file AS end_file,
    max(struct(file_order, rba, file)).rba AS end_rba,
    count(*) AS records,
    sum(record_length) AS bytes,
    sort_array(collect_set(table)) AS tables,
    min(time) AS first_time,
    max(time) AS last_time,
    bool_or(begins) AND bool_or(ends) AS is_whole
FROM numbered
GROUP BY trail, csn, xid, number
"""  # noqa: S608 - the numbers are those of the format
"""A transaction begins with the first row, with a row that says so, and after one that ends another; those without CSN
and XID are distinguished by that alone."""


class Views:
    """The views over one path.

    Args:
        spark: where they are made.
        path: as ``load`` takes it.
        options: of the data source, ``where`` among them.
    """

    def __init__(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> None:
        self._spark = spark
        self._path = path
        self._options = dict(options)

    def query(self, statement: str) -> DataFrame:
        """Run a statement; of a query the frame that reads no more columns than it needs.

        Views that the statement does not name are made new where they are there already: others may rest on them.
        """
        frames = {name: self._frame(name) for name in NAMES if self._is_used(name, statement)}
        _register(frames)
        frame = sql(self._spark, statement)
        needed = {name: needed_columns(frame, _OFFERED[name]) for name in frames.keys() & _OFFERED.keys()}
        is_whole = all(columns == _OFFERED[name] for name, columns in needed.items())
        if not _is_query(frame) or (is_whole and "records" not in needed):
            return frame
        try:
            return self._pruned(statement, needed, {})
        except AnalysisException:
            return self._pruned(statement, needed, {name: frames[name].schema for name in needed})
        finally:
            _register(frames)

    def _pruned(
        self, statement: str, needed: Mapping[str, frozenset[str]], schemas: Mapping[str, StructType]
    ) -> DataFrame:
        """The query over the columns it needs; with schemas, on which other views insist, what it needs not is null."""
        for name, columns in needed.items():
            wanted = ",".join(column for column in _COLUMNS[name] if column in columns) or "file"
            frame = self._read(name, wanted, schemas.get(name))
            frame.createOrReplaceTempView(name)
        return sql(self._spark, statement)

    def _is_used(self, name: str, statement: str) -> bool:
        return name in statement.lower() or self._spark.catalog.tableExists(name)

    def _frame(self, name: str) -> DataFrame:
        if name == "transactions":
            return self._spark.sql(_TRANSACTIONS, records=self._read("records", _OF_TRANSACTIONS))
        return self._read(name)

    def _read(self, name: str, columns: str | None = None, schema: StructType | None = None) -> DataFrame:
        reader = self._spark.read.format("trail").options(**self._options)
        if name == "summary":
            reader = reader.option("summary", "true")
        if columns is not None:
            reader = reader.option("columns", columns)
            if "problems" in columns.split(","):
                reader = reader.option("undecodable", "null")
        if schema is not None:
            reader = reader.schema(schema)
        return reader.load([self._path])


def sql(spark: SparkSession, statement: str) -> DataFrame:
    """Run a statement, ``FROM trail WITH (…)`` being ready for it."""
    if _FORMAT_AS_TABLE.search(statement) and not spark.catalog.tableExists("trail"):
        spark.sql("CREATE TABLE trail USING trail")
    return spark.sql(statement)


def _is_query(frame: DataFrame) -> bool:
    """Whether nothing has been run yet: a command has done its work when its frame is there."""
    plan = frame._jdf.queryExecution().commandExecuted()  # noqa: SLF001 - PySpark has no other way to the plan
    return str(plan.getClass().getSimpleName()) != "CommandResult"


def _register(frames: Mapping[str, DataFrame]) -> None:
    for name, frame in frames.items():
        frame.createOrReplaceTempView(name)
