"""The rows of one table of a trail, and its heartbeats, as DataFrames."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - its usual name
from pyspark.sql.types import StructField, StructType

from logdump.spark.jobs.local_session import register
from logdump.tables.errors import BadOption
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.arrow.tables import debezium
    from logdump.spark.source import change_schema

SHAPES = ("flat", "debezium")
"""The shapes of changes."""

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def table(
    spark: SparkSession,
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    name: str,
    **options: str | int | bool,
) -> DataFrame:
    """Return the changes of a table: its columns before and after each change, with their types.

    All files are first searched for definitions of the table. Columns: ``file``, ``rba``, ``op``, ``csn``,
    ``xid``, ``time``, ``trans_ind``, ``before_<COLUMN>``, ``after_<COLUMN>``, ``nulls``, ``problems``.

    Args:
        spark: session whose workers can open the files.
        path: file, directory or glob, or several, as for ``load``.
        name: name of the table in the trail, such as ``HR.EMPLOYEES``.
        options: options of the data source: ``where``, ``startCsn``, ``mode``, ``sourceDefs``, ….

    Raises:
        pyspark.errors.AnalysisException: the file or table does not exist, the table is not defined, or an option is
            wrong.
    """
    return _load(spark, path, {**options, "rowsOf": name})


def changes(
    spark: SparkSession,
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    tables: str | Sequence[str],
    *,
    stream: bool = False,
    key_update: str = "split",
    shape: str = "flat",
    **options: str | int | bool,
) -> DataFrame:
    """Return the changes of one or more tables, ready to be applied to copies of them, from a single pass.

    Columns: those of the table under their own names, with key, types and comments as metadata of the fields (with
    several tables a struct for each, null in the rows of the others), and ``_table``, ``_op``, ``_sequence``,
    ``_absent``, ``_csn``, ``_xid``, ``_time``, ``_file``, ``_rba``, ``_problems``.

    Args:
        spark: session whose workers can open the files.
        path: file, directory or glob, or several, as for ``load``.
        tables: names of the tables in the trail, such as ``HR.EMPLOYEES``.
        stream: whether the frame is a stream that follows one trail.
        key_update: with ``split``, an update of the key is a delete and an insert; with ``whole``, it is one
            ``key update`` with the key before it in ``_key_before``.
        shape: ``flat``; or ``debezium``, for one table: ``op``, ``before``, ``after``, ``source`` and ``ts_ms``.
        options: options of the data source: ``startCsn``, ``mode``, ``sourceDefs``, ….

    Raises:
        pyspark.errors.AnalysisException: the file or a table does not exist, a table is not defined, or an option is
            wrong.
    """
    if shape not in SHAPES:
        raise BadOption(f"shape takes {' or '.join(SHAPES)}, not {shape[:80]!r}")
    names = [tables] if isinstance(tables, str) else [*tables]
    given = {**options, "changesOf": ",".join(names), "keyUpdate": key_update}
    if shape == "debezium":
        return _as_debezium(_load(spark, path, {**given, "keyUpdate": "split", "beforeImages": True}, stream=stream))
    return _load(spark, path, given, stream=stream)


def _as_debezium(frame: DataFrame) -> DataFrame:
    """Return the changes of one table with the columns that consumers of Debezium's events expect."""
    [fields] = change_schema.fields_by_table(frame.schema).values()
    named = StructType([StructField(change_schema.column_name(field), field.dataType) for field in fields])

    def column_of(field: StructField) -> Column:
        return F.col("`{}`".format(field.name.replace("`", "``")))

    def known(field: StructField) -> Column:
        """Return a column of the row after a change, with the mark of Debezium where its value is not known."""
        column, mark = column_of(field), debezium.stand_in(field.dataType.simpleString())
        if mark is None:
            return column
        is_absent = F.coalesce(F.array_contains("_absent", field.name), F.lit(False))  # noqa: FBT003 - a literal of SQL
        return F.when(is_absent, F.lit(mark)).otherwise(column)

    own, after = (F.struct(*map(make, fields)).cast(named) for make in (column_of, known))
    milliseconds, name = F.unix_millis("_time"), F.col("_table")
    columns = {
        "connector": F.lit(debezium.CONNECTOR),
        "ts_ms": milliseconds,
        "schema": F.regexp_extract(name, r"^(?:(.*)\.)?[^.]*$", 1),
        "table": F.substring_index(name, ".", -1),
    }
    renamed = {
        field.name: change_schema.column_name(field)
        for field in fields
        if field.name != change_schema.column_name(field)
    }
    if renamed:
        names = F.create_map(*(F.lit(text) for pair in renamed.items() for text in pair))
        columns["absent"] = F.transform("_absent", lambda column: F.coalesce(names[column], column))
    about = (
        columns[name] if name in columns or column is None else F.col(column)
        for name, column in debezium.SOURCE.items()
    )

    def chosen(part: str, make: Callable[[str], Column]) -> Column:
        """Return a part of the operation of each change; null if the operation lacks it."""
        parts = {op: getattr(operation, part) for op, operation in debezium.OPERATIONS.items()}
        cases = (F.when(F.col("_op") == op, make(value)) for op, value in parts.items() if value is not None)
        return F.coalesce(*cases).alias(part)

    def image(column: str, row: Column) -> Column:
        return row if column == debezium.ROW else F.col(column).cast(named)

    return frame.select(
        chosen("letter", F.lit).alias("op"),
        chosen("before", lambda column: image(column, own)),
        chosen("after", lambda column: image(column, after)),
        F.struct(*(value.alias(member) for member, value in zip(debezium.SOURCE, about, strict=True))).alias("source"),
        milliseconds.alias("ts_ms"),
    )


def heartbeats(
    spark: SparkSession, path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], **options: str | int | bool
) -> DataFrame:
    """Return the heartbeats of a trail, one row each with the lag of each hop; durations are in seconds.

    Args:
        spark: session whose workers can open the files.
        path: file, directory or glob, or several, as for ``load``.
        options: options of the data source: ``heartbeatTable``, ``where``, ``startTimestamp``, ``mode``, ….

    Raises:
        pyspark.errors.AnalysisException: the file does not exist, or an option is wrong.
    """
    return _load(spark, path, {**options, "analysis": "heartbeats"})


def _load(
    spark: SparkSession,
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: Mapping[str, str | int | bool],
    *,
    stream: bool = False,
) -> DataFrame:
    register(spark)
    paths = os.fspath(path) if isinstance(path, (str, os.PathLike)) else [os.fspath(file) for file in path]
    if not stream:
        return spark.read.format("trail").options(**options).load(paths)
    joined_paths = paths if isinstance(paths, str) else ",".join(paths)
    return spark.readStream.format("trail").options(**options).load(joined_paths)
