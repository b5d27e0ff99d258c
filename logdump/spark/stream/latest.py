"""The last state of each row of a table, from the frame of its changes: by Spark's own windows and aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Window, functions, types

from logdump.spark.source.change_schema import fields_by_table
from logdump.spark.stream.apply import arrow_tables, source_tables
from logdump.tables.errors import BadTrail
from logdump.targets.net_effect import OPS, Changes
from logdump.targets.target import BadTarget, SourceTable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

_OF_CHANGES = ("_op", "_sequence", "_absent", "_file", "_rba")


class _Surveyed(NamedTuple):
    """What a first look at the changes finds.

    Attributes:
        truncated: ``_sequence`` of the last truncate, empty if there is none.
        moving: keys that rows have before and after an update of the key, each once.
    """

    truncated: str
    moving: list[Row]


def latest(changes: DataFrame, table: str | None = None) -> DataFrame:
    """Return the last state of each row of a table, from its changes in trail order.

    Deletes, updates of the key and truncates are applied; a column for which no change of a row has a value is null and
    listed in ``_absent``. The changes are read once at once and once for the result; the driver holds only the changes
    of rows whose key is updated.

    Args:
        changes: frame of ``logdump.spark.changes``, with ``key_update="split"``.
        table: name of the table, if the changes are of several.

    Raises:
        BadTarget: the table is not among them, or has no key.
        BadTrail: the effect of a change is not known.
    """
    known = _chosen(changes, table)
    own = _changes_of(changes, known)
    keys = [functions.col(_quoted(name)) for name in known.keys]
    surveyed = _survey(own, keys)
    own = own.where(functions.col("_sequence") > surveyed.truncated)
    fields = [field for field in own.schema.fields if field.name in known.columns]
    schema = types.StructType([*fields, types.StructField("_absent", types.ArrayType(types.StringType()))])
    if not surveyed.moving:
        return _last_by_key(own, keys, fields)
    names = [f"_moving{number}" for number in range(len(keys))]
    moving = changes.sparkSession.createDataFrame(surveyed.moving, own.select(*keys).schema).toDF(*names)
    are_same = reduce(
        lambda first, second: first & second,
        (key == functions.col(name) for key, name in zip(keys, names, strict=True)),
    )
    moving = functions.broadcast(moving)
    staying = _last_by_key(own.join(moving, are_same, "left_anti"), keys, fields)
    rows = [*arrow_tables(own.join(moving, are_same, "left_semi"))]
    return staying.union(_moved(changes.sparkSession, pa.concat_tables(rows), known, schema)) if rows else staying


def _chosen(changes: DataFrame, table: str | None) -> SourceTable:
    tables = {source.name: source for source in source_tables(changes.schema, {}, {})}
    if table is None and len(tables) > 1:
        raise BadTarget(f"table names one of {', '.join(tables)}")
    known = next((source for name, source in tables.items() if table is None or name.lower() == table.lower()), None)
    if known is None:
        raise BadTarget(f"there is no table {table}; there are {', '.join(tables)}")
    return known


def _changes_of(changes: DataFrame, table: SourceTable) -> DataFrame:
    """Return the changes of one table, its columns under their own names."""
    if len(fields_by_table(changes.schema)) == 1:
        return changes.select(*_OF_CHANGES, *(_quoted(name) for name in table.columns))
    inner = (f"{_quoted(table.name)}.{_quoted(name)}" for name in table.columns)
    return changes.where(functions.col("_table") == table.name).select(*_OF_CHANGES, *inner)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _survey(own: DataFrame, keys: Sequence[Column]) -> _Surveyed:
    """Find truncates and updates of keys. Raises BadTrail for a change whose effect is not known."""
    op, sequence = functions.col("_op"), functions.col("_sequence")
    is_second = sequence.endswith("1")
    place = sequence.substr(functions.lit(1), functions.length(sequence) - 1)
    found = (
        own.where(op.isin("truncate", "delete") | is_second | ~op.isin(*OPS))
        .groupBy(place)
        .agg(
            functions.max(is_second).alias("is_move"),
            functions.max(functions.when(op == "truncate", sequence)).alias("truncated"),
            functions.min(functions.when(~op.isin(*OPS), functions.struct(sequence, "_file", "_rba", op))).alias(
                "other"
            ),
            functions.collect_set(functions.struct(*keys)).alias("keys"),
        )
        .where("is_move or truncated is not null or other is not null")
        .collect()
    )
    if other := min((row["other"] for row in found if row["other"] is not None), default=None):
        raise BadTrail(f"{other['_file']}, RBA {other['_rba']}: {other['_op']}: its effect on the table is not known")
    moving = {key for row in found if row["is_move"] for key in row["keys"]}
    return _Surveyed(max((row["truncated"] or "" for row in found), default=""), [*moving])


def _last_by_key(own: DataFrame, keys: Sequence[Column], fields: Sequence[types.StructField]) -> DataFrame:
    """Return the last rows of keys that no update changes: what the changes since the last insert or delete tell."""
    op, sequence = functions.col("_op"), functions.col("_sequence")
    of_key = Window.partitionBy(*keys)
    begin = functions.max(functions.when(op.isin("insert", "delete"), sequence)).over(of_key)
    since = own.where(reduce(lambda first, second: first & second, (key.isNotNull() for key in keys)))
    since = since.withColumn("_begin", begin).where("_begin is null or _sequence >= _begin")
    told = {}
    for number, field in enumerate(fields):
        is_absent = functions.coalesce(functions.array_contains("_absent", field.name), functions.lit(False))  # noqa: FBT003
        value = functions.struct(functions.col(_quoted(field.name)).alias("value"))
        told[f"_told{number}"] = functions.max_by(value, functions.when(~is_absent & (op != "delete"), sequence))
    last = since.groupBy(*keys).agg(
        functions.max_by("_op", "_sequence").alias("_last_op"), *(value.alias(name) for name, value in told.items())
    )
    absent = functions.array_compact(
        functions.array(
            *(
                functions.when(functions.col(name).isNull(), functions.lit(field.name))
                for field, name in sorted(zip(fields, told, strict=True), key=lambda pair: pair[0].name)
            )
        )
    )
    return last.where("_last_op != 'delete'").select(
        *(functions.col(f"{name}.value").alias(field.name) for field, name in zip(fields, told, strict=True)),
        functions.when(functions.size(absent) > 0, absent).alias("_absent"),
    )


def _moved(spark: SparkSession, rows: pa.Table, table: SourceTable, schema: types.StructType) -> DataFrame:
    """Return the last rows of keys that updates change, each change after the other."""
    changes = Changes([*table.columns], table.keys)
    changes.add(rows.take(pc.sort_indices(rows["_sequence"])))
    return spark.createDataFrame(changes.rows(changes.net(overwrite=True)), schema)
