"""EXPORT PARQUET and ARROW: batches of columns, straight from the scan, made and written side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import cache, partial

import pyarrow as pa

from logdump.arrow.records.columns import batch_of_rows
from logdump.arrow.records.errors import ValueTooLarge
from logdump.arrow.records.rows import Rows, Source
from logdump.arrow.records.schema import COLUMNS, CORRUPT, Selected, arrow_schema
from logdump.arrow.tables.arrow_rows import BuiltBatches, build
from logdump.arrow.tables.batches import TableBatches, blocks
from logdump.arrow.tables.layout import ALL, TableLayout
from logdump.arrow.tables.piece import Piece
from logdump.arrow.tables.schema import batch_schema_of, schema_of
from logdump.features.export.appended_file import Place
from logdump.features.export.arrow_files import FORMATS, ArrowFile, Schemas
from logdump.features.export.batch_walk import BatchWalk
from logdump.features.export.open_files import OpenFiles, exported_files
from logdump.features.export.options import ExportOptions
from logdump.features.export.side_by_side import new_pool, results
from logdump.features.export.tally import ExportTally
from logdump.features.export.text_file import Waiting
from logdump.session.events import Event
from logdump.session.session import Session
from trailformat import CannotWrite, TrailFile, TrailName
from trailformat.trail.row_definitions import RowDefinitions

_OF_SEVERAL_FILES = "file_order"
_COLUMNS = tuple(column for column in COLUMNS if column.name not in (CORRUPT, _OF_SEVERAL_FILES))


@cache
def record_schema() -> pa.Schema:
    """The schema of the batches; only damage would fill the column that is left out."""
    schema: pa.Schema = arrow_schema(Selected(column.name, column) for column in _COLUMNS)
    return schema


class _Trail(Source):
    """The trail of a session; what does not decode is null, and column ``problems`` says why."""

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
    """Makes the batches of one trail; pieces are given in the order of the file.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions) -> None:
        self._source = _Trail(trail, definitions)

    def build(self, piece: Piece) -> BuiltBatches:
        """The rows of a piece.

        Raises:
            CannotWrite: a record is larger than a batch can be.
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
"""Bytes of all batches that wait for their row groups to be full."""


class ArrowExport:
    """One export of Arrow batches."""

    def __init__(self, session: Session, options: ExportOptions, tally: ExportTally) -> None:
        self._session = session
        self._options = options
        self._tally = tally
        self._later = set[TrailFile]()
        self._waiting = Waiting()

    def run(self, path: Place) -> Iterator[Event]:
        """Write the files; yields Progress. Raises like the walk, and OSError."""
        pool = new_pool()
        files = OpenFiles(path, self._options, partial(self._new_file, pool))
        try:
            if not self._options.by_table:
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
        """Yield the result in words."""
        return self._tally.report(self._options.target_name, by_table=self._options.by_table)

    def _jobs(self) -> Iterator[partial[BuiltBatches] | BuiltBatches | Event | TrailFile]:
        """The work on the pieces of each file, then the file, which is closed when that is done."""
        options, own = self._options, self._session.trail
        for trail in exported_files(self._session, options, self._tally, lambda _: None):
            make = self._by_table() if options.by_table else self._of_records()
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

    def _write(self, files: OpenFiles[ArrowFile], built: BuiltBatches) -> None:
        for problem in built.problems:
            self._tally.add_problem(*problem)
        for layout, rows in built.batches:
            files.of(layout).write(rows)
        if self._waiting.bytes > _MOST_WAITING:
            self._flush(files)

    def _flush(self, files: OpenFiles[ArrowFile]) -> None:
        """Have what waits for any file written: of all files side by side."""
        for file in files.sinks:
            file.flush()

    def _new_file(self, pool: Executor, path: Place, layout: TableLayout) -> ArrowFile:
        format_ = FORMATS[self._options.format]
        schemas = Schemas(schema_of(layout), batch_schema_of(layout))
        if layout == ALL:
            schemas = Schemas(record_schema(), record_schema())
        return ArrowFile(path, schemas, format_, self._options.compression, pool, self._waiting)
