"""Functions that tasks apply to the rows of partitions: by RDDs or, over Spark Connect, by Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row

from logdump.spark.jobs.local_session import is_remote
from trailformat.codec.on_demand import on_demand

with on_demand:
    import pyarrow as pa

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame

    from logdump.arrow.records.schema import RowColumn

Work = Callable[[Iterable[Any]], Iterator[Sequence[Any]]]
"""A function from the rows of a partition, in order, with values by position and name, to rows by position."""
_ROWS = 10_000


def worked(frame: DataFrame, work: Work, columns: Sequence[RowColumn]) -> DataFrame:
    """Return a frame of the rows that ``work`` makes of the rows of each partition."""
    ddl = ", ".join(f"{column.name} {column.type.ddl}" for column in columns)
    if is_remote(frame.sparkSession):
        return frame.mapInArrow(partial(_over_batches, work, columns), ddl)
    rows = frame.rdd.mapPartitions(work)
    return frame.sparkSession.createDataFrame(rows, ddl, verifySchema=False)


def _over_batches(work: Work, columns: Sequence[RowColumn], batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
    schema = pa.schema([(column.name, column.type.arrow(pa)) for column in columns])
    rows = work(chain.from_iterable(map(_rows, batches)))
    while lot := [*islice(rows, _ROWS)]:
        values = zip(*lot, strict=True)
        arrays = [pa.array(value, field.type) for value, field in zip(values, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _rows(batch: RecordBatch) -> Iterator[Any]:
    row = Row(*batch.schema.names)
    return (row(*values.values()) for values in batch.to_pylist())
