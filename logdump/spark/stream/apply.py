"""``logdump.spark.apply``, ``publish`` and ``latest``.

They apply a trail that grows to tables, publish it to topics, and find the rows that changes result in.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa
from pyspark import RDD
from pyspark.serializers import NoOpSerializer
from pyspark.sql import types
from pyspark.sql.pandas.types import to_arrow_type

from logdump.spark.source.change_schema import column_name, fields_by_table, flat_schema, is_number_as_text
from logdump.spark.tables import changes
from logdump.tables.errors import SourceError, carried_by
from logdump.tables.options import Paths
from logdump.targets import target as targets
from logdump.targets.in_process import tables_in
from logdump.targets.kafka.publisher import publish_run_of
from logdump.targets.kafka.request import PublishArguments, PublishRunOptions
from logdump.targets.request import ApplyRequest
from logdump.targets.run import ApplyDriver, Take, run_of
from logdump.targets.run_options import ApplyArguments, RunOptions, Tables
from logdump.targets.target import ApplyProgress, SourceColumn, SourceTable, place_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructField, StructType

_RAISED = "An exception was thrown from the Python worker"
_LOST = re.compile(
    r"Python worker (?:exited unexpectedly|failed to connect)|port number (?:from|in) \S+'s stdout"
    r"|java\.io\.(?:EOF|IO)Exception|java\.net\.(?:Socket|Connect)Exception|java\.nio\.channels\.\w*Clos\w+"
    r"|terminated with exception: (?:Stream closed|Broken pipe|Connection reset|null)"
)
"""Messages of Spark when a worker, or the daemon that starts workers, has died."""
_POLL = 0.2
"""Seconds between checks of ``stop``."""


def apply(
    spark: SparkSession,
    path: Paths,
    target: Any,
    tables: Tables = "*",
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    **given: Unpack[ApplyArguments],
) -> ApplyProgress:
    """Apply the changes of a trail to tables of a target, each exactly once: :func:`logdump.apply` read by Spark.

    Args:
        spark: session whose workers can open the files.
        path: file, directory or glob of one trail; or several.
        target: URL of a database, ``delta:`` with a folder, ``iceberg:`` with a catalog's name; or a pyiceberg catalog.
        tables: names in the trail, or wildcards, which match no heartbeat tables; or a mapping to names in the target.
        checkpoint: folder for Spark's checkpoint, by default a temporary one; the position is in the target.
        given: :class:`ApplyArguments`, and options of the data source that leave out no change.

    Raises:
        SourceError: as :func:`logdump.apply`.
    """
    options = RunOptions.of(tables, given)
    driver = SparkDriver(spark, checkpoint, once=options.once, interval=options.interval)
    return run_of(driver, path, target, options).to_the_end()


def publish(
    spark: SparkSession,
    path: Paths,
    servers: str,
    tables: str | Sequence[str] = "*",
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    **given: Unpack[PublishArguments],
) -> ApplyProgress:
    """Publish the changes of a trail to topics of Kafka: :func:`logdump.publish` read by Spark.

    Tasks make the messages; the driver sends them, in the order of the trail.

    Args:
        spark: session whose workers can open the files.
        path: file, directory or glob of one trail; or several.
        servers: ``kafka://user@host:9092,host2:9092?setting=value``, or hosts with ports.
        tables: names in the trail, or wildcards, which match no heartbeat tables.
        checkpoint: folder for Spark's checkpoint, by default a temporary one; the position is in the cluster.
        given: :class:`PublishArguments`, and options of the data source that leave out no change.

    Raises:
        SourceError: as :func:`logdump.publish`.
    """
    options = PublishRunOptions.of(tables, given)
    driver = SparkDriver(spark, checkpoint, once=options.once, interval=options.interval)
    return publish_run_of(driver, path, servers, options).to_the_end()


class SparkDriver(ApplyDriver):
    """Reads the trail by a stream of Spark.

    Args:
        spark: the session.
        checkpoint: folder for the checkpoints of its queries; None for a temporary one.
        once: whether the read ends with what is in the trail when it begins.
        interval: seconds between checks of the trail for changes.
    """

    def __init__(
        self, spark: SparkSession, checkpoint: str | os.PathLike[str] | None, *, once: bool, interval: float
    ) -> None:
        self._spark, self._checkpoint = spark, checkpoint
        self._trigger: dict[str, Any] = {"availableNow": True} if once else {"processingTime": f"{interval} seconds"}
        self._frame: Any = None
        self._ends = False

    def begin(self, request: ApplyRequest, options: Mapping[str, Any]) -> Mapping[str, Sequence[SourceColumn]]:
        self._ends = "endSeqno" in options
        with _short_errors():
            self._frame = changes(self._spark, request.path, [*request.tables], stream=True, **options)
        return source_columns(flat_schema(self._frame.schema))

    def run(self, take: Take, stop: threading.Event) -> Iterator[None]:
        notes = _notes_folder(self._checkpoint)
        errors: list[BaseException] = []

        def take_batch(frame: DataFrame, number: int) -> None:
            try:
                take(lambda: _rows(frame), _end_of(notes, number))
            except BaseException as error:
                errors[:] = [error]
                raise

        writer = self._frame.writeStream.foreachBatch(take_batch).option("checkpointLocation", str(notes))
        trigger = {"availableNow": True} if self._ends else self._trigger
        query = writer.trigger(**trigger).start()
        try:
            while not query.awaitTermination(_POLL):
                if stop.is_set():
                    return
        except Exception as error:
            raise (errors[0] if errors else carried_by(str(error))) or error from None
        finally:
            query.stop()
            shutil.rmtree(notes, ignore_errors=True)
        yield from ()

    def frame_tables(self, frame: Any) -> Iterator[pa.Table]:
        return _rows(frame) if hasattr(frame, "sparkSession") else super().frame_tables(frame)

    def has_died(self, error: Exception) -> bool:
        text = str(error)
        return not isinstance(error, SourceError) and _RAISED not in text and _LOST.search(text) is not None


def _end_of(notes: Path, number: int) -> str:
    """Return the place at which a micro-batch ends, which Spark writes to its checkpoint before the batch."""
    text = (notes / "offsets" / str(number)).read_text()
    matches = [re.search(rf'"{name}" ?: ?(\d+)', text) for name in ("seqno", "rba")]
    return place_of(*(int(match[1]) for match in matches if match))


@contextmanager
def _short_errors() -> Iterator[None]:
    """Context that raises the error of the data source for that in which Spark wraps it."""
    try:
        yield
    except Exception as error:
        raise carried_by(str(error)) or error from None


def source_tables(
    schema: StructType, names: Mapping[str, str], keys: Mapping[str, Sequence[str]]
) -> Iterator[SourceTable]:
    """Yield the tables in the schema of their changes. Raises BadTarget for a table without a key."""
    return targets.source_tables(source_columns(schema), names, keys)


def source_columns(schema: StructType) -> dict[str, list[SourceColumn]]:
    """Return the columns of each table in the schema of changes, by its name, with their types in Arrow."""
    return {name: [*map(_source_column, fields)] for name, fields in fields_by_table(schema).items()}


def _source_column(field: StructField) -> SourceColumn:
    kind, is_key = arrow_of(field.dataType), bool(field.metadata.get("logdump.key"))
    return SourceColumn(field.name, kind, column_name(field), is_key, is_number_as_text(field))


def arrow_of(kind: DataType) -> pa.DataType:
    """Return the Arrow type of a Spark type; timestamps are in UTC."""
    if isinstance(kind, types.TimestampType):
        return pa.timestamp("us", tz="UTC")
    if isinstance(kind, types.StructType):
        return pa.struct([(field.name, arrow_of(field.dataType)) for field in kind.fields])
    if isinstance(kind, types.ArrayType):
        return pa.list_(pa.field("element", arrow_of(kind.elementType)))
    return to_arrow_type(kind)


def _rows(frame: DataFrame) -> Iterator[pa.Table]:
    """Yield the same as arrow_tables; errors of the data source are raised as such."""
    with _short_errors():
        yield from arrow_tables(frame)


def arrow_tables(frame: DataFrame) -> Iterator[pa.Table]:
    """Yield the rows of a frame, or of its Arrow streams, partition by partition, each while the next is computed.

    ``DataFrame.toArrow`` would hold all rows at once, and a transaction of the source may be larger than memory.
    """
    in_java: Any = frame
    batches = in_java._jdf.toArrowBatchRdd().toJavaRDD()  # noqa: SLF001 - there is no other way to it
    schema = pa.schema([(field.name, arrow_of(field.dataType)) for field in frame.schema.fields])
    rows: Any = RDD(batches, frame.sparkSession.sparkContext, NoOpSerializer())
    for data in rows.toLocalIterator(prefetchPartitions=True):
        yield from tables_in(pa.ipc.read_record_batch(pa.py_buffer(data), schema))


def _notes_folder(checkpoint: str | os.PathLike[str] | None) -> Path:
    """Create a folder for Spark's checkpoint of one query, new each time since the target has the position."""
    if checkpoint is not None:
        Path(checkpoint).mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="logdump-apply-", dir=checkpoint))
