"""The differences of two trails as a DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - its usual name

from logdump.arrow.records.schema import BIGINT, BOOLEAN, INT, STRING, ColumnType, RowColumn, array
from logdump.display.json_shape import PLACE, columns_of, struct_of
from logdump.features.diff.json import DIFFERENCE, DIFFERENT_PART
from logdump.features.diff.model import DiffLevel
from logdump.features.diff.rows import RowOptions, every_record
from logdump.features.diff.side import IGNORABLE, OfTables, csn_bounds, row_options
from logdump.spark.comparison import moved
from logdump.spark.comparison.compared_trail import (
    Compared,
    ComparedTrail,
    TransactionRow,
    compared_trail,
    difference_rows,
    transaction_rows,
)
from logdump.spark.tasks import worked
from logdump.tables.errors import BadOption
from logdump.tables.options import path_options
from trailformat.changes.csn import CsnKey, csn_key

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from logdump.tables.options import Paths
    from trailformat.transactions.batches import TransactionRecord


def _columns(**types: ColumnType) -> tuple[RowColumn, ...]:
    return tuple(RowColumn(name, kind, "") for name, kind in types.items())


DIFFERENCES = columns_of(
    DIFFERENCE,
    {"place": struct_of(PLACE, {"seqno": INT}), "list of different_part": array(struct_of(DIFFERENT_PART, {}))},
)
"""Columns of the differences: the members of the JSON object ``difference``."""
TRANSACTIONS = _columns(
    at=BIGINT,
    stretch=INT,
    size=BIGINT,
    key=STRING,
    csn=STRING,
    xid=STRING,
    has_begin=BOOLEAN,
    ended=STRING,
    records=BIGINT,
    after=BIGINT,
    is_named=BOOLEAN,
)
"""Columns of a ``TransactionRow``."""
TANGLED = _columns(a=BIGINT, b=BIGINT, begins=BOOLEAN)
MOVES = _columns(moved=BIGINT, later=INT)


def diff(
    spark: SparkSession,
    a: Paths,
    b: Paths,
    level: str = "records",
    *,
    ignore: str | Iterable[str] = (),
    only: str | None = None,
    from_csn: str | int | None = None,
    to_csn: str | int | None = None,
    any_order: bool = False,
    **options: str | int | bool,
) -> DataFrame:
    """Return the differences of two trails that DIFF finds, one row each, in no order.

    The transactions of both trails are found and joined at once; their contents are compared when rows are computed.

    Args:
        spark: session whose workers can open the files.
        a: file, directory or glob of the first trail, or several, as for ``load``.
        b: the same for the second trail.
        level: ``bytes``, ``records`` or ``values``.
        ignore: words of IGNORE, such as ``time`` and ``position``.
        only: wildcard for the tables whose records are compared.
        from_csn: CSN of the first transactions that are compared.
        to_csn: CSN of the last transactions that are compared.
        any_order: whether the order of the records in a transaction does not matter.
        options: options of the data source for files and definitions, for both trails: ``maxPartitionBytes``, ….

    Raises:
        SourceError: an option is refused, or there is no such trail.
    """
    how, ignored = _level(level), _ignored([ignore] if isinstance(ignore, str) else ignore)
    bounds = csn_bounds(how, ignored, _csn("from_csn", from_csn), _csn("to_csn", to_csn))
    compared = Compared(_rows(how, ignored, only, is_any_order=any_order), bounds, any_order)
    texts = {name: str(value) for name, value in options.items()}
    trails = compared_trail("a", {**texts, **path_options(a)}), compared_trail("b", {**texts, **path_options(b)})
    sides = [_transactions(spark, trail, compared) for trail in trails]
    joined = sides[0].join(sides[1], ["key", "nth"], "full").select("a", "b").localCheckpoint()
    return _compared(joined, _moves(joined), trails, compared)


def _level(text: str) -> DiffLevel:
    try:
        return DiffLevel(text.lower())
    except ValueError:
        known = ", ".join(level.value for level in DiffLevel)
        raise BadOption(f"level takes one of {known}, not {text[:80]!r}") from None


def _ignored(words: Iterable[str]) -> frozenset[str]:
    ignored = frozenset(word.upper() for word in words)
    if unknown := sorted(ignored - set(IGNORABLE)):
        raise BadOption(f"ignore takes {', '.join(IGNORABLE)}, not {unknown[0][:80]}")
    return ignored


def _rows(level: DiffLevel, ignored: frozenset[str], only: str | None, *, is_any_order: bool) -> RowOptions:
    takes: Callable[[TransactionRecord], bool] = every_record
    if only is not None:
        takes = OfTables(only)
    return row_options(level, ignored, takes, is_any_order=is_any_order)


def _csn(name: str, given: str | int | None) -> CsnKey | None:
    key = None if given is None else csn_key(str(given))
    if given is not None and key is None:
        raise BadOption(f"{name}: {str(given)[:80]!r} is not a CSN")
    return key


def _transactions(spark: SparkSession, trail: ComparedTrail, compared: Compared) -> DataFrame:
    """Return the transactions of one trail, in a column named by its letter, with key and rank among those of this key.

    Copies are found here, where all transactions of a key are together: they follow the first one.
    """
    numbers = spark.range(0, len(trail.starts), 1, len(trail.starts))
    transactions = worked(numbers, partial(transaction_rows, trail, compared), TRANSACTIONS)
    of_key = Window.partitionBy("key")
    first = F.min(F.when(F.col("is_named"), F.col("at"))).over(of_key)
    transactions = transactions.withColumn("copy_of", F.when(F.col("is_named") & (F.col("at") > first), first))
    if compared.bounds.is_effective:
        transactions = transactions.where("copy_of IS NULL")
    transactions = transactions.withColumn("nth", F.row_number().over(of_key.orderBy("at")))
    return transactions.select("key", "nth", F.struct(*TransactionRow._fields, "copy_of").alias(trail.letter))


def _moves(joined: DataFrame) -> DataFrame | None:
    """Return the moved pairs: the place in ``a``, and the number of others passed; None if all places are the same."""
    pairs = joined.where("a IS NOT NULL AND b IS NOT NULL")
    pairs = pairs.select(F.col("a.stretch").alias("stretch"), F.col("a.at").alias("a"), F.col("b.at").alias("b"))
    extents = pairs.groupBy("stretch").agg(F.min("b"), F.max("b"), F.bool_and(F.col("a") == F.col("b"))).collect()
    if all(stays for *_, stays in extents):
        return None
    bounds = moved.bounds_of((row[0], row[1], row[2]) for row in extents)
    by_stretch = pairs.repartition(max(len(bounds), 1), "stretch").sortWithinPartitions("stretch", "a")
    tangled = worked(by_stretch, partial(moved.out_of_order, bounds), TANGLED)
    return worked(tangled.repartition(1).sortWithinPartitions("a"), moved.moves, MOVES)


def _compared(
    joined: DataFrame,
    moves: DataFrame | None,
    trails: tuple[ComparedTrail, ComparedTrail],
    compared: Compared,
) -> DataFrame:
    """Return the differences, which each task finds for the transactions of some stretches, in their order."""
    numbers = [len(trail.starts) for trail in trails]
    if moves is None:
        pairs = joined.withColumn("later", F.lit(None).cast("int"))
    else:
        pairs = joined.join(moves, F.col("a.at") == F.col("moved"), "left")
    stretch = F.coalesce(F.col("a.stretch"), F.col("b.stretch") + numbers[0])
    lots = pairs.select("a", "b", "later", stretch.alias("stretch")).repartition(sum(numbers), "stretch")
    ordered = lots.sortWithinPartitions("stretch", F.coalesce(F.col("a.at"), F.col("b.at")))
    return worked(ordered, partial(difference_rows, trails, compared), DIFFERENCES)
