"""EXPORT PARQUET and ARROW: columns built from the scan, collected into row groups of files."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from logdump.arrow.records.columns import batch_of_rows
from logdump.arrow.records.errors import ValueTooLarge
from logdump.arrow.records.rows import Rows, Source
from logdump.arrow.records.schema import COLUMNS, CORRUPT, Selected, arrow_schema
from logdump.arrow.tables.arrow_rows import BuiltBatches, batch_schema_of, build, key_of, schema_of
from logdump.arrow.tables.group import Piece, TableBatches, blocks
from logdump.arrow.tables.layout import ALL, SIDES, TableLayout
from logdump.features.export.batch_walk import BatchWalk, new_pool, results
from logdump.features.export.files import OpenFiles, Place, Waiting, check_rows, exported_files, opened
from logdump.features.export.target import ExportOptions, ExportTally, FileTally
from logdump.session.events import Event
from logdump.session.session import Session
from trailformat import CannotWrite, TrailFile, TrailName
from trailformat.trail.row_definitions import RowDefinitions

_ROWS, _BYTES = 1 << 17, 32 << 20
"""Number of rows, or of bytes in memory, at which a row group is written."""
_VALUES = 1 << 14
"""Values that are encoded at a time; with 1,024, pyarrow's default, encoding takes a tenth longer."""


class Schemas(NamedTuple):
    """The schema of a file for its readers, and the schema of its batches, with dictionaries instead of text."""

    file: pa.Schema
    batches: pa.Schema


class ArrowFormat(NamedTuple):
    """A file format: the constructor of its writer, and a function that counts the rows of a finished file.

    The constructor takes the open file, the schemas of readers and batches, and the compression.
    """

    writer: Callable[[Any, Schemas, str], Any]
    count_rows: Callable[[Path], int]


class ArrowFile:
    """One file of record batches; row groups are written by ``pool`` while the next one is made.

    The writer exists from the first row group to the footer: of thousands of small files few have one at a time.

    Args:
        path: path of the file, or standard output.
        schemas: schemas of the file and of the batches.
        format_: the file format.
        compression: a compression of the format.
        pool: threads that write, one row group of a file at a time.
        waiting: total of the buffered bytes of all files, which this file adds to.
    """

    def __init__(
        self,
        path: Place,
        schemas: Schemas,
        format_: ArrowFormat,
        compression: str,
        pool: Executor,
        waiting: Waiting | None = None,
    ) -> None:
        self._path = path
        self._format = format_
        self._pool = pool
        self._file = opened(path)
        self._new_writer = partial(format_.writer, self._file, schemas, compression)
        self._writer: Any = None
        self._all_waiting = waiting or Waiting()
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = self._waiting_bytes = self._rows = 0
        self._is_finished = False
        self._job: Future[None] | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Add a batch. Raises the error of an earlier write."""
        size = batch.get_total_buffer_size()
        self._waiting.append(batch)
        self._waiting_rows += len(batch)
        self._waiting_bytes += size
        self._all_waiting.bytes += size
        if self._waiting_rows >= _ROWS or self._waiting_bytes >= _BYTES:
            self.flush()

    def flush(self) -> None:
        """Have the pool write the buffered batches as one row group."""
        if self._waiting:
            self._later(partial(self._write, self._emptied()))

    def finish(self) -> None:
        """Have the pool write the rest and the footer."""
        if not self._is_finished:
            self._is_finished = True
            self._later(partial(self._end, self._emptied()))

    def close(self) -> int:
        """Wait until everything is written; returns the number of rows in the file. Raises CannotWrite, OSError."""
        self.finish()
        self._settle()
        if not isinstance(self._path, Path):
            return self._rows
        rows = self._format.count_rows(self._path)
        check_rows(self._path, self._rows, rows)
        return rows

    def abandon(self) -> None:
        """Discard the file; the pool must be idle."""
        self._waiting = []
        self._file.abandon()

    def _emptied(self) -> list[pa.RecordBatch]:
        """Remove the buffered batches from the buffer and return them."""
        batches = self._waiting
        self._rows += self._waiting_rows
        self._all_waiting.bytes -= self._waiting_bytes
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0
        return batches

    def _later(self, job: Callable[[], None]) -> None:
        self._settle()
        self._job = self._pool.submit(job)

    def _settle(self) -> None:
        if self._job is not None:
            self._job.result()

    def _write(self, batches: list[pa.RecordBatch]) -> None:
        if self._writer is None:
            self._writer = self._new_writer()
        if batches:
            # Parquet keeps no dictionary of a column that has several
            self._writer.write_table(pa.Table.from_batches(batches).unify_dictionaries())
            self._file.flush()

    def _end(self, batches: list[pa.RecordBatch]) -> None:
        self._write(batches)
        self._writer.close()
        self._writer = None
        self._file.close()


def _parquet(file: Any, schemas: Schemas, compression: str) -> Any:
    """Return a Parquet writer, without dictionaries of RBAs, which are distinct, and statistics that no filter uses.

    The schema for readers with Arrow is stored here, because the batches have another one.
    """
    schema = schemas.file
    writer = pq.ParquetWriter(
        file,
        schemas.batches,
        compression=compression,
        use_dictionary=[path for field in schema for path in leaf_paths(field) if path != "rba"],
        write_statistics=[field.name for field in schema if _is_compared(field, schema)],
        write_batch_size=_VALUES,
        store_schema=False,
    )
    shown = base64.b64encode(schema.serialize().to_pybytes())
    writer.add_key_value_metadata({**(schema.metadata or {}), b"ARROW:schema": shown})
    return writer


def leaf_paths(field: pa.Field, path: str = "") -> Iterator[str]:
    """Yield the paths of a field's columns in Parquet."""
    path = f"{path}.{field.name}" if path else field.name
    if pa.types.is_list(field.type):
        yield from leaf_paths(field.type.value_field.with_name("element"), f"{path}.list")
    elif pa.types.is_struct(field.type):
        for child in field.type:
            yield from leaf_paths(child, path)
    elif pa.types.is_map(field.type):
        for child in (field.type.key_field.with_name("key"), field.type.item_field.with_name("value")):
            yield from leaf_paths(child, f"{path}.key_value")
    else:
        yield path


def _is_compared(field: pa.Field, schema: pa.Schema) -> bool:
    """Return True if filters may use a column: not lists, bytes, or text of a table outside its key."""
    if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
        return False
    side, _, name = field.name.partition("_")
    return not pa.types.is_string(field.type) or side not in SIDES or name in key_of(schema)


class _IpcWriter:
    """Writes columns in the types that readers see: text instead of dictionaries."""

    def __init__(self, file: Any, schemas: Schemas, compression: str) -> None:
        options = pa.ipc.IpcWriteOptions(compression=None if compression == "NONE" else compression)
        self._schema = schemas.file
        self._writer = pa.ipc.new_file(file, schemas.file, options=options)

    def write_table(self, table: pa.Table) -> None:
        """Write a table, converted to the schema of the file."""
        self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


def _rows_of_ipc(path: Path) -> int:
    with pa.OSFile(str(path)) as source, pa.ipc.open_file(source) as reader:
        return sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))


FORMATS = {
    "PARQUET": ArrowFormat(_parquet, lambda path: int(pq.read_metadata(path).num_rows)),
    "ARROW": ArrowFormat(_IpcWriter, _rows_of_ipc),
}


_OF_SEVERAL_FILES = "file_order"
_COLUMNS = tuple(column for column in COLUMNS if column.name not in (CORRUPT, _OF_SEVERAL_FILES))


@cache
def record_schema() -> pa.Schema:
    """Return the schema of the batches, without the columns for damage and for the order of files."""
    schema: pa.Schema = arrow_schema(Selected(column.name, column) for column in _COLUMNS)
    return schema


class _Trail(Source):
    """The trail of a session; an undecodable part becomes null, with its reason in column ``problems``."""

    def __init__(self, trail: TrailFile, definitions: RowDefinitions) -> None:
        super().__init__(trail)
        name = TrailName.parse(trail.path)
        self.seqno = name.seqno if name else None
        self._definitions = definitions

    @property
    def definitions(self) -> RowDefinitions:
        """The definitions of the rows of the trail."""
        return self._definitions


class RecordBatches:
    """Builds the batches of one trail; pieces must come in the order of the file.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions) -> None:
        self._source = _Trail(trail, definitions)

    def build(self, piece: Piece) -> BuiltBatches:
        """Return the rows of a piece as one batch, and its problems.

        Raises:
            CannotWrite: a value does not fit into a batch.
        """
        rows = Rows(self._source, piece.rows.batch, piece.rows.rows, piece.rows.read)
        try:
            batch = batch_of_rows(rows, [column.name for column in _COLUMNS], record_schema())
        except ValueTooLarge as error:
            raise CannotWrite(str(error), path=self._source.trail.path) from error
        problems = zip(batch["rba"].to_pylist(), batch["problems"].to_pylist(), strict=True)
        return BuiltBatches(
            [(ALL, batch)], [(rba, "", reason) for rba, reasons in problems for reason in reasons or ()]
        )


_MOST_WAITING = 64 << 20
"""Maximum size in bytes of the batches that wait for full row groups, in all files."""


class BatchSink(Protocol):
    """A file, or a part of one, that takes record batches."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Add a batch."""

    def flush(self) -> None:
        """Begin to write what is buffered."""

    def finish(self) -> None:
        """Begin to write the rest."""


B = TypeVar("B", bound=BatchSink)


class TableFiles(Protocol[B]):
    """The files or sheets for the rows of each table, or for all records under the layout ALL."""

    @property
    def sinks(self) -> list[B]:
        """All that are open."""

    def of(self, layout: TableLayout) -> B:
        """Return the one for a layout. Raises CommandError if there can be no further one."""

    def close(self) -> list[FileTally]:
        """Write the rest of all; returns their tallies."""

    def abandon(self) -> None:
        """Discard all."""


class BatchExport(Generic[B]):
    """One export of Arrow batches."""

    def __init__(self, session: Session, options: ExportOptions, tally: ExportTally) -> None:
        self._session = session
        self._options = options
        self._tally = tally
        self._later = set[TrailFile]()
        self._waiting = Waiting()

    def run(self, path: Place) -> Iterator[Event]:
        """Write the files; yields Progress. Raises as the walk does, and OSError."""
        pool = new_pool()
        files = self._opened(path, pool)
        try:
            if not self._options.is_of_rows:
                files.of(ALL)
            for built in results(pool, self._jobs()):
                if isinstance(built, BuiltBatches):
                    self._write(files, built)
                elif isinstance(built, TrailFile):
                    self._leave(built)
                else:
                    yield built
            for file in files.sinks:
                file.finish()
            self._tally.files = files.close()
        except BaseException as error:
            pool.shutdown(cancel_futures=True)
            files.abandon()
            if isinstance(error, pa.ArrowException) and not isinstance(error, OSError):
                raise CannotWrite(str(error), path=self._options.target) from error
            raise
        finally:
            pool.shutdown()
            for trail in self._later:
                trail.close()

    def report(self) -> Iterator[Event]:
        """Yield the number of rows written, and the problems."""
        return self._tally.report(self._options.target_name, by_table=self._options.by_table)

    def _jobs(self) -> Iterator[partial[BuiltBatches] | BuiltBatches | Event | TrailFile]:
        """Yield the jobs for the pieces of each file, then the file, which is closed when these are done."""
        options, own = self._options, self._session.trail
        for trail in exported_files(self._session, options, self._tally, lambda _: None):
            make = self._by_table() if options.is_of_rows else self._of_records()
            if trail is not own:
                self._later.add(trail)
            for item in BatchWalk(self._session, self._tally, options.records, options.stop).items():
                if isinstance(item, Piece):
                    yield from make(item)
                else:
                    yield item
            yield trail

    def _leave(self, trail: TrailFile) -> None:
        if trail in self._later:
            self._later.remove(trail)
            trail.close()

    def _of_records(self) -> Callable[[Piece], Iterator[BuiltBatches]]:
        batches = RecordBatches(self._session.trail, self._session.row_definitions)
        return lambda piece: iter((batches.build(piece),))

    def _by_table(self) -> Callable[[Piece], Iterator[partial[BuiltBatches]]]:
        batches = TableBatches(self._session.trail, self._session.row_definitions, self._tally.leave_out)
        return lambda piece: (partial(build, block) for block in blocks(batches.groups(piece)))

    def _write(self, files: TableFiles[B], built: BuiltBatches) -> None:
        for problem in built.problems:
            self._tally.add_problem(*problem)
        for layout, rows in built.batches:
            files.of(layout).write(rows)
        if self._waiting.bytes > _MOST_WAITING:
            self._flush(files)

    def _flush(self, files: TableFiles[B]) -> None:
        """Have the pool write the buffered batches of all files, in parallel."""
        for file in files.sinks:
            file.flush()

    def _opened(self, path: Place, pool: Executor) -> TableFiles[B]:
        """Return what takes the rows."""
        raise NotImplementedError


class ArrowExport(BatchExport[ArrowFile]):
    """One export to files of Parquet or Arrow."""

    def _opened(self, path: Place, pool: Executor) -> TableFiles[ArrowFile]:
        return OpenFiles(path, self._options, partial(self._new_file, pool))

    def _new_file(self, pool: Executor, path: Place, layout: TableLayout) -> ArrowFile:
        format_ = FORMATS[self._options.format]
        schemas = Schemas(schema_of(layout), batch_schema_of(layout))
        if layout == ALL:
            schemas = Schemas(record_schema(), record_schema())
        return ArrowFile(path, schemas, format_, self._options.compression, pool, self._waiting)
