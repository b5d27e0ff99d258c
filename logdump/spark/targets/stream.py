"""``logdump.spark.apply`` and ``latest``: apply a trail that grows to tables; find the rows that changes result in."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.features.ddl.statement import subject_of_record
from logdump.spark.errors import BadTrail, SchemaChanged, SourceError, carried_by
from logdump.spark.source.change_columns import ARROW, flat_schema
from logdump.spark.source.defined_tables import tables_like
from logdump.spark.source.options import Options, Use, parse_options
from logdump.spark.source.paths import TrailInput, find_files
from logdump.spark.tables import changes
from logdump.spark.targets.applier import Applier, ApplyProgress, Rows, by_table
from logdump.spark.targets.database import DatabaseTarget
from logdump.spark.targets.dialects import dialect_for
from logdump.spark.targets.lakes import DeltaTarget, IcebergTarget
from logdump.spark.targets.net_effect import Changes
from logdump.spark.targets.target import ApplyTarget, BadTarget, SourceTable, TargetLost, place_of
from trailformat import TrailFile
from trailformat.records.record_header import DDL_OP
from trailformat.scan import scan
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import FIRST_PLACE, WholeTrail

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

DdlHandler = Callable[[str, str], object]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
_PARTITION = "4m"
"""Bytes of trail that one task reads: while its rows are applied, other tasks read on."""
_RAISED = "An exception was thrown from the Python worker"
_LOST = re.compile(
    r"Python worker (?:exited unexpectedly|failed to connect)|port number (?:from|in) \S+'s stdout"
    r"|java\.io\.(?:EOF|IO)Exception|java\.net\.(?:Socket|Connect)Exception|java\.nio\.channels\.\w*Clos\w+"
    r"|terminated with exception: (?:Stream closed|Broken pipe|Connection reset|null)"
)
"""Messages of Spark when a worker, or the daemon that starts workers, has died."""
_POLL = 0.2
"""Seconds between checks of ``stop``."""


class DdlFound(SourceError):
    """A DDL statement on a table that changes are applied to."""


class TableStatement(NamedTuple):
    """A DDL statement: its place in the trail, the place in words, the table as the trail spells it, and the text."""

    place: str
    where: str
    table: str
    text: str


def statements_between(
    files: Sequence[TrailInput], start: str, end: str, tables: Collection[str]
) -> Iterator[TableStatement]:
    """Yield the DDL statements between two places of a trail that name one of these tables, in order."""
    by_name = {name.lower(): name for name in tables}
    for file in files:
        seqno = file.seqno or 0
        if not start[:10] <= f"{seqno:010d}" <= end[:10]:
            continue
        first = int(start[11:27]) if start[:10] == f"{seqno:010d}" else 0
        stop = int(end[11:27]) if end[:10] == f"{seqno:010d}" else None
        with TrailFile(file.path) as trail:
            for rba in _rbas(trail, first, stop):
                record = trail.record_at(rba)
                subject = subject_of_record(trail, record) if record is not None else None
                if subject is None:
                    continue
                named = (str(name).lower() for name in (subject.base, subject.derived) if name is not None)
                table = next((by_name[name] for name in named if name in by_name), None)
                if table is not None:
                    yield TableStatement(place_of(seqno, rba), f"{file.path}, RBA {rba}", table, subject.text)


def _rbas(trail: TrailFile, first: int, stop: int | None) -> Iterator[int]:
    for batch in scan(trail, first, stop):
        yield from np.asarray(batch.rba)[np.asarray(batch.io_type) == DDL_OP].tolist()


def apply(
    spark: SparkSession,
    path: Paths,
    target: Any,
    tables: str | Sequence[str] | Mapping[str, str] = "*",
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    from_csn: str | int | None = None,
    once: bool = False,
    keys: Mapping[str, Sequence[str]] | None = None,
    create: bool = False,
    collisions: str = "stop",
    ddl: str | DdlHandler = "stop",
    batch: str = "32m",
    interval: float = 1.0,
    patience: float = 60.0,
    progress: Callable[[ApplyProgress], object] | None = None,
    stop: threading.Event | None = None,
    **options: str | int | bool,
) -> ApplyProgress:
    """Apply the changes of a trail to tables of a target, each exactly once, until ``stop`` is set.

    Args:
        spark: session whose workers can open the files.
        path: file, directory or glob of one trail; or several.
        target: URL of a database, ``delta:`` with a folder, ``iceberg:`` with a catalog's name; or a pyiceberg catalog.
        tables: names in the trail, or wildcards, which match no heartbeat tables; or a mapping to names in the target.
        checkpoint: folder for Spark's checkpoint, by default a temporary one; the position is in the target.
        from_csn: first CSN for tables that have no position yet; by default they begin with the trail.
        once: whether to end when the existing changes have been applied.
        keys: key columns of tables that have no key in the trail.
        create: whether to create missing tables.
        collisions: ``stop`` if a new row exists or a changed one is missing; ``overwrite``, after a load that overlaps.
        ddl: ``stop`` at a DDL statement on one of the tables, ``ignore`` it, or a function of its text and table, which
            is called when all changes before it are applied.
        batch: bytes of trail in one transaction of the target; transactions of the source are never split.
        interval: seconds between checks of the trail for changes.
        patience: seconds to wait for a target whose connection is lost.
        progress: called after each commit.
        stop: ends the call after the current transaction.
        options: options of the data source.

    Raises:
        SourceError: ``BadTarget``: nothing has been written; ``Refused``: the target refuses a change, and the
            transactions before it are applied; ``TargetLost``: the connection is lost for longer than ``patience``.
    """
    given = [tables] if isinstance(tables, str) else tables
    names = given if isinstance(given, Mapping) else dict.fromkeys(given, "")
    given_options = {"effective": True, "maxBytesPerTrigger": batch, "maxPartitionBytes": _PARTITION, **options}
    request = ApplyRequest(path, dict(names), keys or {}, from_csn, ddl, given_options)
    is_overwriting = collisions == "overwrite"
    run = _Run(
        spark, target_for(target), request.chosen(), stop or threading.Event(), progress, overwrite=is_overwriting
    )
    trigger: Mapping[str, Any] = {"availableNow": True} if once else {"processingTime": f"{interval} seconds"}
    return run.keep_on(checkpoint, patience, create=create, trigger=trigger)


def target_for(given: Any) -> ApplyTarget:
    """Return the target of a URL or of a catalog of ``pyiceberg``. Raises BadTarget if a URL is not of a target."""
    if isinstance(given, ApplyTarget):
        return given
    if not isinstance(given, str):
        return IcebergTarget(given)
    if given.startswith(("delta:", "iceberg:")):
        kind, _, place = given.partition(":")
        place = place.removeprefix("//")
        return DeltaTarget(place) if kind == "delta" else IcebergTarget(place)
    if (dialect := dialect_for(given)) is not None:
        return DatabaseTarget(dialect)
    schemes = "postgresql://, mysql://, mariadb://, oracle://, sqlite:///file, delta:folder, iceberg:catalog"
    raise BadTarget(f"{given} is no target: {schemes}")


def latest(changes: DataFrame, table: str | None = None) -> DataFrame:
    """Return the last state of each row of a table, from its changes in trail order.

    Deletes, updates of the key and truncates are applied; a column for which no change of a row has a value is null and
    listed in ``_absent``. The rows are held in the driver.

    Args:
        changes: frame of ``logdump.spark.changes``, with ``key_update="split"``.
        table: name of the table, if the changes are of several.
    """
    tables = {source.name: source for source in source_tables(changes.schema, {}, {})}
    if table is None and len(tables) > 1:
        raise BadTarget(f"table names one of {', '.join(tables)}")
    known = next((source for name, source in tables.items() if table is None or name.lower() == table.lower()), None)
    if known is None:
        raise BadTarget(f"there is no table {table}; there are {', '.join(tables)}")
    collected = Changes([*known.columns], known.keys)
    for rows in arrow_tables(changes):
        if (own := by_table(rows, [*tables]).get(known.name)) is not None:
            collected.add(own.take(pc.sort_indices(own["_sequence"])))
    net = collected.net(overwrite=True)
    if net.conflicts:
        number, problem, _ = net.conflicts[0]
        [change] = collected.all().slice(number, 1).select(["_file", "_rba", "_op"]).to_pylist()
        raise BadTrail(f"{change['_file']}, RBA {change['_rba']}: {change['_op']}: {problem}")
    return changes.sparkSession.createDataFrame(collected.rows(net))


class ApplyRequest(NamedTuple):
    """The trail to apply and the options, with the names of its tables in the target, empty if they are the same."""

    path: Paths
    tables: Mapping[str, str]
    keys: Mapping[str, Sequence[str]]
    from_csn: str | int | None
    ddl: str | DdlHandler
    options: Mapping[str, Any]

    def chosen(self) -> Self:
        """Return the request with wildcards replaced by the tables they match. Raises BadOption."""
        names = tables_like([*self.tables], self._source_options())
        return self._replace(tables={name: self.tables.get(name, "") for name in names})

    def files(self) -> list[TrailInput]:
        """Return the files that the trail has now."""
        return [*find_files(self._source_options())]

    def _source_options(self) -> Options:
        paths = [self.path] if isinstance(self.path, (str, os.PathLike)) else self.path
        given = {**self.options, "effective": False}.items()
        texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given}
        return parse_options({**texts, "path": ",".join(os.fspath(path) for path in paths)}, Use.STREAM)


class _Again(Exception):
    """A statement was handled: the schemas must be read again."""


def _is_of_lost_worker(error: Exception) -> bool:
    """Return whether a Spark error means that a worker, or the daemon that starts workers, has died."""
    text = str(error)
    return not isinstance(error, SourceError) and _RAISED not in text and _LOST.search(text) is not None


class _Run:
    """One call of ``apply``."""

    def __init__(
        self,
        spark: SparkSession,
        target: ApplyTarget,
        request: ApplyRequest,
        stop: threading.Event,
        report: Callable[[ApplyProgress], object] | None,
        *,
        overwrite: bool,
    ) -> None:
        self._spark, self._target, self._asked, self._stop = spark, target, request, stop
        self._report, self._overwrite = report, overwrite
        self._applier: Applier | None = None
        self._error: BaseException | None = None
        self._notes = Path()
        self._reached = ""
        self._handled: set[str] = set()
        self.progress = ApplyProgress()

    def keep_on(self, checkpoint: Any, patience: float, *, create: bool, trigger: Mapping[str, Any]) -> ApplyProgress:
        """Follow the trail, and begin again when the connection to the target, or a worker of Spark, was lost.

        Raises:
            TargetLost: the connection stays lost for ``patience`` seconds.
            Exception: workers of Spark keep dying for that time.
        """
        lost_at: float | None = None
        while True:
            before = self.progress.rows
            try:
                return self.follow(checkpoint, create=create, trigger=trigger)
            except _Again:
                continue
            except SchemaChanged:
                if self._asked.ddl == "stop" or self.progress.rows == before:
                    raise
            except Exception as error:
                if not isinstance(error, TargetLost) and not _is_of_lost_worker(error):
                    raise
                now = time.monotonic()
                lost_at = now if lost_at is None or self.progress.rows > before else lost_at
                if now - lost_at >= patience:
                    raise
                time.sleep(min(1.0, patience / 10))

    def follow(self, checkpoint: Any, *, create: bool, trigger: Mapping[str, Any]) -> ApplyProgress:
        """Follow the trail from the positions in the target until it ends or is stopped. Raises TargetLost."""
        request, target, self._error = self._asked, self._target, None
        notes = _notes_folder(checkpoint)
        try:
            target.open([*request.tables])
            positions = {name: position for name, position in target.positions().items() if name in request.tables}
            self._reached = min((position.start for position in positions.values()), default="")
            start = _start([position.start for position in positions.values()], request)
            if not start:
                check_beginning(request)
            options = {**request.options, **start, "arrowBatches": True}
            frame = changes(self._spark, request.path, [*request.tables], stream=True, **options)
            sources = [*source_tables(flat_schema(frame.schema), request.tables, request.keys)]
            target.prepare(sources, create=create)
            self._applier = Applier(target, sources, positions, overwrite=self._overwrite, done=self.progress)
            self._notes = notes
            self._stream(frame, trigger)
        finally:
            target.close()
            shutil.rmtree(notes, ignore_errors=True)
        return self.progress

    def _stream(self, frame: DataFrame, trigger: Mapping[str, Any]) -> None:
        writer = frame.writeStream.foreachBatch(self._batch).option("checkpointLocation", str(self._notes))
        query = writer.trigger(**trigger).start()
        try:
            while not query.awaitTermination(_POLL):  # type: ignore[arg-type]  # the stub says int
                if self._stop.is_set():
                    return
        except Exception as error:
            if isinstance(self._error, (SourceError, _Again)):
                raise self._error from None
            raise carried_by(str(self._error or error)) or self._error or error from None
        finally:
            query.stop()

    def _batch(self, frame: DataFrame, number: int) -> None:
        applier = self._applier
        if applier is None or self._stop.is_set():
            return
        end = _end_of(self._notes, number)
        try:
            if self._asked.ddl != "ignore":
                self._meet_statements(applier, lambda: arrow_tables(frame), end)
            if applier.apply(lambda: arrow_tables(frame), end) and self._report is not None:
                self._report(applier.progress)
            self._reached = end
        except BaseException as error:
            self._error = error
            raise
        finally:
            self.progress = applier.progress

    def _meet_statements(self, applier: Applier, rows: Rows, end: str) -> None:
        """Apply the changes before the next DDL statement of a batch; then stop, or call the function ``ddl``.

        Raises:
            DdlFound: there is a statement, and ``ddl`` is not a function.
        """
        begun = max(self._reached, applier.place)
        statements = statements_between(self._asked.files(), begun or place_of(0, 0), end, self._asked.tables)
        statement = next(
            (
                candidate
                for candidate in statements
                if candidate.place >= begun and candidate.place not in self._handled
            ),
            None,
        )
        if statement is None:
            return
        before = "all before it is applied"
        try:
            applier.apply_before(rows, statement.place)
        except Exception as error:
            if not isinstance(carried_by(str(error)), SchemaChanged):
                raise
            before = "it is in a batch of which nothing is applied"
        if not callable(self._asked.ddl):
            raise DdlFound(f"{statement.where}: {before}: {statement.text}")
        self._handled.add(statement.place)
        self._asked.ddl(statement.text, statement.table)
        raise _Again


def check_beginning(request: ApplyRequest) -> None:
    """Check that the first transaction of a trail does not begin in a missing file.

    Raises:
        BadTrail: it does.
    """
    whole = WholeTrail.around(Path(request.files()[0].path))
    first = next((batch for batch in transaction_batches(whole, FIRST_PLACE) if batch.rows), None)
    if first is not None and not first.columns.has_begin[0]:
        where = f"{whole.paths[first.first(0).ordinal]}, RBA {first.first(0).rba}"
        about = "the trail begins inside a transaction, and what is before it is not there"
        raise BadTrail(f"nothing was written: {where}: {about}; from_csn names the first CSN to apply")


def _end_of(notes: Path, number: int) -> str:
    """Return the place at which a micro-batch ends, which Spark writes to its checkpoint before the batch."""
    text = (notes / "offsets" / str(number)).read_text()
    matches = [re.search(rf'"{name}" ?: ?(\d+)', text) for name in ("seqno", "rba")]
    return place_of(*(int(match[1]) for match in matches if match))


def _start(places: Sequence[str], request: ApplyRequest) -> dict[str, Any]:
    """Return the options for a stream that begins at the earliest position of the tables."""
    if len(places) < len(request.tables) or not min(places):
        return {} if request.from_csn is None else {"startCsn": str(request.from_csn)}
    seqno, rba, *_ = min(places).split(".")
    return {"startSeqno": int(seqno), "startRba": int(rba)}


def source_tables(
    schema: StructType, names: Mapping[str, str], keys: Mapping[str, Sequence[str]]
) -> Iterator[SourceTable]:
    """Yield the tables in the schema of their changes. Raises BadTarget for a table without a key."""
    fields = [field for field in schema.fields if not field.name.startswith("_")]
    table = fields[0].metadata.get("logdump.table") if fields else None
    tables = {table: fields} if table is not None else {field.name: [*field.dataType.fields] for field in fields}  # type: ignore[attr-defined]
    wanted = {name.lower(): target for name, target in names.items()}
    given = {name.lower(): key for name, key in keys.items()}
    if unknown := given.keys() - {str(name).lower() for name in tables}:
        raise BadTarget(f"nothing was written: keys: not among the tables: {', '.join(sorted(unknown))}")
    for name, own in tables.items():
        spelled = {field.name.lower(): field.name for field in own}
        wanted_key = given.get(name.lower()) or [field.name for field in own if field.metadata.get("logdump.key")]
        if not wanted_key:
            raise BadTarget(f"nothing was written: {name} has no key; keys={{'{name}': [...]}} names its columns")
        if missing := [column for column in wanted_key if column.lower() not in spelled]:
            raise BadTarget(f"nothing was written: keys: {name} has no column {', '.join(missing)}")
        key = tuple(spelled[column.lower()] for column in wanted_key)
        columns = {field.name: arrow_of(field.dataType) for field in own}
        yield SourceTable(name, wanted.get(name.lower()) or None, columns, key)


def arrow_of(kind: DataType) -> pa.DataType:
    """Return the Arrow type of a Spark type; timestamps are in UTC."""
    from pyspark.sql import types  # noqa: PLC0415 - the session has loaded it
    from pyspark.sql.pandas.types import to_arrow_type  # noqa: PLC0415 - as above

    if isinstance(kind, types.TimestampType):
        return pa.timestamp("us", tz="UTC")
    if isinstance(kind, types.StructType):
        return pa.struct([(field.name, arrow_of(field.dataType)) for field in kind.fields])
    if isinstance(kind, types.ArrayType):
        return pa.list_(pa.field("element", arrow_of(kind.elementType)))
    return to_arrow_type(kind)


def arrow_tables(frame: DataFrame) -> Iterator[pa.Table]:
    """Yield the rows of a frame, or of its Arrow streams, partition by partition, each while the next is computed.

    ``DataFrame.toArrow`` would hold all rows at once, and a transaction of the source may be larger than memory.
    """
    from pyspark import RDD  # noqa: PLC0415 - the session has loaded it
    from pyspark.serializers import NoOpSerializer  # noqa: PLC0415 - as above

    in_java: Any = frame
    batches = in_java._jdf.toArrowBatchRdd().toJavaRDD()  # noqa: SLF001 - there is no other way to it
    schema = pa.schema([(field.name, arrow_of(field.dataType)) for field in frame.schema.fields])
    rows: Any = RDD(batches, frame.sparkSession.sparkContext, NoOpSerializer())
    for data in rows.toLocalIterator(prefetchPartitions=True):
        batch = pa.ipc.read_record_batch(pa.py_buffer(data), schema)
        if schema.names != [ARROW]:
            yield pa.Table.from_batches([batch])
            continue
        for stream in batch[ARROW]:
            yield pa.ipc.open_stream(stream.as_buffer()).read_all()


def _notes_folder(checkpoint: str | os.PathLike[str] | None) -> Path:
    """Create a folder for Spark's checkpoint of one query, new each time since the target has the position."""
    if checkpoint is not None:
        Path(checkpoint).mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="logdump-apply-", dir=checkpoint))
