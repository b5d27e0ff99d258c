"""Work of a task on rows: by RDDs, and over Spark Connect, which has none, by batches of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from logdump.spark.jobs.local_session import is_remote

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame

    from logdump.arrow.records.schema import RowColumn

Work = Callable[[Iterable[Any]], Iterator[Sequence[Any]]]
"""Takes the rows of a partition, in order, which have their values by place and by name; gives rows by place."""
_ROWS = 10_000


def worked(frame: DataFrame, work: Work, columns: Sequence[RowColumn]) -> DataFrame:
    """What the tasks make of the rows of each partition."""
    ddl = ", ".join(f"{one.name} {one.type.ddl}" for one in columns)
    if is_remote(frame.sparkSession):
        return frame.mapInArrow(partial(_over_batches, work, columns), ddl)
    rows = frame.rdd.mapPartitions(work)
    return frame.sparkSession.createDataFrame(rows, ddl, verifySchema=False)


def _over_batches(work: Work, columns: Sequence[RowColumn], batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415 - in the tasks only

    schema = pa.schema([(one.name, one.type.arrow(pa)) for one in columns])
    rows = work(chain.from_iterable(map(_rows, batches)))
    while lot := [*islice(rows, _ROWS)]:
        values = zip(*lot, strict=True)
        arrays = [pa.array(value, field.type) for value, field in zip(values, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _rows(batch: RecordBatch) -> Iterator[Any]:
    from pyspark.sql import Row  # noqa: PLC0415 - in the tasks only

    row = Row(*batch.schema.names)
    return (row(*values.values()) for values in batch.to_pylist())
