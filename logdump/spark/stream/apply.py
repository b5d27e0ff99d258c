"""``logdump.spark.apply`` and ``latest``: apply a trail that grows to tables; find the rows that changes result in."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import RDD
from pyspark.serializers import NoOpSerializer
from pyspark.sql import types
from pyspark.sql.pandas.types import to_arrow_type

from logdump.features.ddl.statement import subject_of_record
from logdump.spark.tables import changes
from logdump.tables.change_columns import ARROW, column_name, fields_by_table, flat_schema, is_number_as_text
from logdump.tables.defined_tables import PlacedLayout
from logdump.tables.errors import BadTrail, FileChanged, SchemaChanged, SourceError, carried_by
from logdump.tables.paths import TrailInput
from logdump.targets.applier import Applier, ApplyProgress, ApplyRules, Rows, by_table, is_from
from logdump.targets.database import DatabaseTarget
from logdump.targets.dialects import dialect_for
from logdump.targets.lakes import DeltaTarget, IcebergTarget
from logdump.targets.net_effect import Changes
from logdump.targets.positions import OtherTrail, check_position, witness_of
from logdump.targets.request import COLLISIONS, DDL, ApplyRequest, DdlHandler, Paths, check_beginning, csn, word
from logdump.targets.target import AppliedPosition, ApplyTarget, BadTarget, SourceTable, TargetLost, place_of
from trailformat import TrailFile
from trailformat.records.record_header import DDL_OP, METADATA
from trailformat.scan import RECORD, scan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

_PARTITION = "4m"
"""Bytes of trail that one task reads: while its rows are applied, other tasks read on."""
_RAISED = "An exception was thrown from the Python worker"
_LOST = re.compile(
    r"Python worker (?:exited unexpectedly|failed to connect)|port number (?:from|in) \S+'s stdout"
    r"|java\.io\.(?:EOF|IO)Exception|java\.net\.(?:Socket|Connect)Exception|java\.nio\.channels\.\w*Clos\w+"
    r"|terminated with exception: (?:Stream closed|Broken pipe|Connection reset|null)"
)
"""Messages of Spark when a worker, or the daemon that starts workers, has died."""
_END = place_of(10**9, 0)
"""A place after all places of a trail."""
_POLL = 0.2
"""Seconds between checks of ``stop``."""


class DdlFound(SourceError):
    """A DDL statement on a table that changes are applied to."""


class TableStatement(NamedTuple):
    """A DDL statement: its place in the trail, the place in words, the table as the trail spells it, text and CSN."""

    place: str
    where: str
    table: str
    text: str
    csn: str | None = None


def statements_between(
    files: Sequence[TrailInput], start: str, end: str, tables: Collection[str]
) -> Iterator[TableStatement]:
    """Yield the DDL statements between two places of a trail that name one of these tables, in order."""
    by_name = {name.lower(): name for name in tables}
    for file, first, stop in _stretches(files, start, end):
        with TrailFile(file.path) as trail:
            for rba in _rbas(trail, first, stop):
                record = trail.record_at(rba)
                subject = subject_of_record(trail, record) if record is not None else None
                if record is None or subject is None:
                    continue
                named = (str(name).lower() for name in (subject.base, subject.derived) if name is not None)
                table = next((by_name[name] for name in named if name in by_name), None)
                if table is not None:
                    where = f"{file.path}, RBA {rba}"
                    yield TableStatement(place_of(file.seqno or 0, rba), where, table, subject.text, record.csn)


def _stretches(files: Sequence[TrailInput], start: str, end: str) -> Iterator[tuple[TrailInput, int, int | None]]:
    """Yield the files between two places of a trail, each with its first RBA between them and the end of these."""
    for file in files:
        seqno = f"{file.seqno or 0:010d}"
        if start[:10] <= seqno <= end[:10]:
            first = int(start[11:27]) if start[:10] == seqno else 0
            yield file, first, int(end[11:27]) if end[:10] == seqno else None


def has_rows_between(files: Sequence[TrailInput], start: str, end: str, table: str) -> bool:
    """Return whether a trail has records of a table, other than statements, between two places."""
    for file, first, stop in _stretches(files, start, end):
        with TrailFile(file.path) as trail:
            for batch in scan(trail, first, stop):
                tables = np.asarray(batch.table)
                keys = [key for key in np.unique(tables).tolist() if batch.names[key] == table]
                is_row = (np.asarray(batch.kind) == RECORD) & ~np.isin(np.asarray(batch.io_type), (DDL_OP, METADATA))
                is_row &= np.asarray(batch.rba) >= first + (first > 0 and start.endswith("9"))
                if (is_row & np.isin(tables, keys)).any():
                    return True
    return False


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
    adopt: str | int | None = None,
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
        adopt: first CSN for tables whose position in the target is not one of this trail; without it they are refused.
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
        options: options of the data source that leave out no change. With ``undecodable="null"`` a value that does not
            decode leaves its column in the target as it is; otherwise it stops.

    Raises:
        SourceError: ``BadTarget``: nothing has been written; ``Refused``: the target refuses a change, and the
            transactions before it are applied; ``TargetLost``: the connection is lost for longer than ``patience``.
    """
    given = [tables] if isinstance(tables, str) else tables
    names = given if isinstance(given, Mapping) else dict.fromkeys(given, "")
    given_options = {"effective": True, "maxBytesPerTrigger": batch, "maxPartitionBytes": _PARTITION, **options}
    handling = ddl if callable(ddl) else word("ddl", DDL, ddl)
    first, adopted = csn("from_csn", from_csn), csn("adopt", adopt)
    overwrite = word("collisions", COLLISIONS, collisions) == "overwrite"
    request = ApplyRequest(path, dict(names), keys or {}, first, handling, given_options, adopted)
    chosen = request.chosen(overwrite=overwrite)
    run = _Run(spark, target_for(target), chosen, stop or threading.Event(), progress, overwrite=overwrite)
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
        self._begun = Beginning({}, {}, {})
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
            target.open(request.tables)
            files = request.files()
            begun = Beginning.of(request, target.positions(), files)
            self._reached = begun.start
            options = {**request.read_options, **begun.options, "arrowBatches": True}
            if not begun.options and not begun.firsts:
                check_beginning(request)
            with _short_errors():
                frame = changes(self._spark, request.path, [*request.tables], stream=True, **options)
            sources = source_tables(flat_schema(frame.schema), request.tables, request.keys)
            own = [*self._of_the_beginning([*sources], begun, files)]
            target.prepare(own, create=create)
            self._applier = Applier(
                target,
                own,
                begun.positions,
                rules=ApplyRules(self._overwrite, begun.firsts, request.keeps_undecoded),
                done=self.progress,
                witness_at=lambda place: witness_of(request.files(), place),
            )
            self._begun, self._notes = begun, notes
            self._stream(frame, trigger)
        finally:
            target.close()
            shutil.rmtree(notes, ignore_errors=True)
        return self.progress

    def _of_the_beginning(
        self, sources: Sequence[SourceTable], begun: Beginning, files: Sequence[TrailInput]
    ) -> Iterator[SourceTable]:
        """Yield the tables as they are from their positions up to the next DDL statement, at which they change.

        Where statements are ignored, tables have the columns of all definitions.
        """
        if self._asked.ddl == "ignore":
            yield from sources
            return
        layouts = self._asked.layouts()
        changed = [source.name for source in sources if len({placed.layout for placed in layouts[source.name]}) > 1]
        ends = dict.fromkeys(changed, "")
        for name in changed:
            layouts[name] = [*_in_use(files, begun.place_of(name), layouts[name])]
        for statement in statements_between(files, self._reached or place_of(0, 0), _END, changed) if changed else ():
            if self._is_met(statement, begun.place_of(statement.table)):
                ends[statement.table] = ends[statement.table] or statement.place
        for source in sources:
            yield columns_until(source, layouts[source.name], ends.get(source.name, ""))

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
        begun = max(self._reached, applier.place) or place_of(0, 0)
        statements = statements_between(self._asked.files(), begun, end, self._asked.tables)
        statement = next((met for met in statements if self._is_met(met, applier.place_of(met.table))), None)
        if statement is None:
            return
        before = "all before it is applied"
        try:
            applier.apply_before(rows, statement.place, statement.table)
        except Exception as error:
            if not isinstance(carried_by(str(error)), SchemaChanged):
                raise
            before = "it is in a batch of which nothing is applied"
        if not callable(self._asked.ddl):
            raise DdlFound(f"{statement.where}: {before}: {statement.text}")
        self._handled.add(statement.place)
        self._asked.ddl(statement.text, statement.table)
        raise _Again

    def _is_met(self, statement: TableStatement, place: str) -> bool:
        """Return whether a statement is still to be met by its table, which has all changes before ``place``."""
        first = self._begun.firsts.get(statement.table)
        is_before_first = first is not None and statement.csn is not None and not is_from(statement.csn, first)
        return statement.place >= place and statement.place not in self._handled and not is_before_first


def _end_of(notes: Path, number: int) -> str:
    """Return the place at which a micro-batch ends, which Spark writes to its checkpoint before the batch."""
    text = (notes / "offsets" / str(number)).read_text()
    matches = [re.search(rf'"{name}" ?: ?(\d+)', text) for name in ("seqno", "rba")]
    return place_of(*(int(match[1]) for match in matches if match))


class Beginning(NamedTuple):
    """Where a stream begins.

    Attributes:
        positions: the positions of the tables in the target; ``place`` is empty for one that is not of this trail.
        firsts: the first CSN of tables without a position, by name.
        options: options of the stream: the earliest place that a table needs, or a first CSN that all tables have.
    """

    positions: Mapping[str, AppliedPosition]
    firsts: Mapping[str, str]
    options: Mapping[str, str | int]

    @classmethod
    def of(cls, request: ApplyRequest, stored: Mapping[str, AppliedPosition], files: Sequence[TrailInput]) -> Self:
        """Return where the tables of a request begin. Raises like check_position unless ``adopt`` is given."""
        positions, firsts = {}, {}
        for name in request.tables:
            position, first = stored.get(name), request.from_csn
            if position is not None and position.place:
                try:
                    check_position(name, position, files)
                    first = None
                except (OtherTrail, FileChanged):
                    if request.adopt is None:
                        raise
                    position, first = position._replace(place="", start="", witness=None), request.adopt
            if position is not None:
                positions[name] = position
            if first is not None:
                firsts[name] = first
        return cls(positions, firsts, _start(request.tables, positions, firsts))

    @property
    def start(self) -> str:
        """The place at which the stream begins; empty unless all tables have a position."""
        if "startSeqno" not in self.options:
            return ""
        return place_of(int(self.options["startSeqno"]), int(self.options["startRba"]))

    def place_of(self, table: str) -> str:
        """Return the place before which a table has all changes; empty if it has none."""
        position = self.positions.get(table)
        return position.place if position is not None else ""


def _start(
    tables: Collection[str], positions: Mapping[str, AppliedPosition], firsts: Mapping[str, str]
) -> dict[str, str | int]:
    """Return the options for a stream that begins at the earliest place that a table needs."""
    starts = [positions[name].start if name in positions else "" for name in tables]
    if len(firsts) == len(tables) and len({*firsts.values()}) == 1:
        return {"startCsn": next(iter(firsts.values()))}
    if not all(starts):
        return {}
    seqno, rba, *_ = min(starts).split(".")
    return {"startSeqno": int(seqno), "startRba": int(rba)}


def _in_use(files: Sequence[TrailInput], place: str, layouts: Sequence[PlacedLayout]) -> Iterator[PlacedLayout]:
    """Yield the definitions of a table that its rows from a place of the trail on have."""
    begins = [place_of(placed.seqno, placed.rba) for placed in layouts]
    ends = [*begins[1:], _END]
    for placed, begin, end in zip(layouts, begins, ends, strict=True):
        is_after = begin >= place
        if is_after or (end > place and has_rows_between(files, place, end, placed.layout.name)):
            yield placed


def columns_until(source: SourceTable, layouts: Sequence[PlacedLayout], end: str) -> SourceTable:
    """Return a table with the columns of its definitions before a place of the trail, empty for the end."""
    chosen = [placed.layout for placed in layouts if not end or place_of(placed.seqno, placed.rba) < end]
    names = {name.lower() for layout in chosen for name in layout.column_names}
    if not names:
        return source
    columns = {name: kind for name, kind in source.columns.items() if source.column(name).lower() in names}
    return source._replace(columns=columns, numbers=source.numbers & columns.keys())


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
    tables = fields_by_table(schema)
    wanted = {name.lower(): target for name, target in names.items()}
    given = {name.lower(): key for name, key in keys.items()}
    if unknown := given.keys() - {name.lower() for name in tables}:
        raise BadTarget(f"nothing was written: keys: not among the tables: {', '.join(sorted(unknown))}")
    for name, own in tables.items():
        spelled = {column_name(field).lower(): field.name for field in own}
        wanted_key = given.get(name.lower()) or [
            column_name(field) for field in own if field.metadata.get("logdump.key")
        ]
        if not wanted_key:
            raise BadTarget(f"nothing was written: {name} has no key; keys={{'{name}': [...]}} names its columns")
        if missing := [column for column in wanted_key if column.lower() not in spelled]:
            raise BadTarget(f"nothing was written: keys: {name} has no column {', '.join(missing)}")
        key = tuple(spelled[column.lower()] for column in wanted_key)
        columns = {field.name: arrow_of(field.dataType) for field in own}
        renamed = {field.name: column_name(field) for field in own if field.name != column_name(field)}
        numbers = {field.name for field in own if is_number_as_text(field)}
        yield SourceTable(name, wanted.get(name.lower()) or None, columns, key, renamed, frozenset(numbers))


def arrow_of(kind: DataType) -> pa.DataType:
    """Return the Arrow type of a Spark type; timestamps are in UTC."""
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
