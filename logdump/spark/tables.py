"""The rows of one table of a trail, and its heartbeats, as DataFrames."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from logdump.spark.jobs.local_session import register
from logdump.tables.errors import BadOption
from logdump.tables.options import names_option, path_options

SHAPES = ("flat", "debezium", "ogg")
"""The shapes of changes."""

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
        shape: ``flat``; or ``debezium`` or ``ogg``: a message for each change of all these tables, as EXPORT JSONL
            writes it, in the columns ``key`` and ``value``, and ``_table``, ``_sequence``, ``_file``, ``_rba``. After
            a delete of ``debezium`` follows a tombstone: its key without a value.
        options: options of the data source: ``startCsn``, ``mode``, ``sourceDefs``, ….

    Raises:
        pyspark.errors.AnalysisException: the file or a table does not exist, a table is not defined, or an option is
            wrong.
    """
    if shape not in SHAPES:
        raise BadOption(f"shape takes {', '.join(SHAPES[:-1])} or {SHAPES[-1]}, not {shape[:80]!r}")
    names = tables if isinstance(tables, str) else names_option(tables)
    given = {**options, "changesOf": names, "keyUpdate": key_update}
    if shape != "flat":
        given["messages"] = shape
    return _load(spark, path, given, stream=stream)


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
    return spark.readStream.format("trail").options(**options, **path_options(paths)).load()
