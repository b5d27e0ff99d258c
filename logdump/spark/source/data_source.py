"""``format("trail")``: the interface that Spark calls; other modules do the work.

This module imports PySpark only; pyarrow and numpy are loaded when rows are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from logdump.arrow.records.schema import Selected
from logdump.features.sql.view_table import ANALYSES
from logdump.spark.source.worker import hide_traceback, prepare_worker, read_in_worker, show_tracebacks
from logdump.tables.checked_options import checked
from logdump.tables.errors import SourceError
from logdump.tables.options import Options, Use, parse_options
from logdump.tables.schema import ddl_of, default_ddl, select
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.spark.source import change_schema
    from logdump.spark.stream import stream_reader
    from logdump.tables import change_columns, defined_tables, planner, table_columns

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceStreamReader, DataSourceWriter
    from pyspark.sql.types import StructType

    from logdump.arrow.tables.layout import TableLayout
    from logdump.tables.before import KnownFiles
    from logdump.tables.slice import Slice


Given = ParamSpec("Given")
Result = TypeVar("Result")


def briefly(method: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return a method whose errors of the data source reach Spark, which prints their traceback, without its depths.

    In a process that only plans there is no traceback at all: the error is a line, whatever the session is set to.
    """

    @wraps(method)
    def called(*args: Given.args, **named: Given.kwargs) -> Result:
        show_tracebacks()
        try:
            return method(*args, **named)
        except SourceError as error:
            hide_traceback()
            raise error.with_traceback(None) from None

    return called


class TrailSource(DataSource):
    """Oracle GoldenGate trail files: one row per record. Options and columns are in docs/spark.md."""

    _foreseen: tuple[TableLayout, ...] = ()
    """Under ``rowsOf`` and ``changesOf`` the definitions used for the schema; Spark keeps this object with it."""
    _known: KnownFiles | None = None
    """Results, for the plan, of the pass that has found the definitions."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "trail"

    @briefly
    def schema(self) -> str | StructType:
        """Return the columns of a read that gives no schema."""
        prepare_worker()
        options = parse_options(self.options, Use.READ | Use.STREAM | Use.WRITE, ANALYSES)
        if options.changes_of:
            return self._schema_of_changes(options)
        if options.rows_of is None:
            return default_ddl(options)
        self._known = {}
        _, layouts = defined_tables.table_meant(options, self._known)
        self._foreseen = tuple(layouts)
        return ddl_of(table_columns.table_columns(layouts, options), options)

    def _schema_of_changes(self, options: Options) -> StructType:
        self._known = {}
        self._foreseen = defined_tables.changed_layouts(options, self._known)
        return change_schema.change_schema(change_columns.changed_tables(self._foreseen, options), options)

    @briefly
    def reader(self, schema: StructType) -> DataSourceReader:
        """The reader of a batch query."""
        options = self._checked(Use.READ)
        return TrailReader(options, self._selected(schema, options), self._foreseen, self._known)

    @briefly
    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        """The reader of a stream."""
        options = self._checked(Use.STREAM)
        return stream_reader.TrailStreamReader(options, self._selected(schema, options), self._foreseen)

    def _checked(self, use: Use) -> Options:
        """Return the options of a read, with the table of ``rowsOf`` spelled as in the trail."""
        options = checked(parse_options(self.options, use, ANALYSES))
        is_of_table = self._foreseen and options.rows_of is not None
        return replace(options, rows_of=self._foreseen[-1].name) if is_of_table else options

    def _selected(self, schema: StructType, options: Options) -> tuple[Selected, ...]:
        if options.changes_of:
            return change_schema.select_of_changes(schema, self._foreseen, options)
        if options.rows_of is None:
            return select(schema, options)
        return table_columns.select_of_table(schema, options)

    @briefly
    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:  # noqa: FBT001 - Spark's signature
        """The writer of a batch query."""
        from logdump.spark.write.writer import TrailFrameWriter  # noqa: PLC0415 - writes only

        return TrailFrameWriter(parse_options(self.options, Use.WRITE), schema, overwrite=overwrite)


class TrailReader(DataSourceReader):
    """A batch query over trail files."""

    def __init__(
        self,
        options: Options,
        selected: tuple[Selected, ...],
        foreseen: tuple[TableLayout, ...] = (),
        known: KnownFiles | None = None,
    ) -> None:
        self._options = options
        self._selected = selected
        self._foreseen = foreseen
        self._known = known

    @briefly
    def partitions(self) -> list[InputPartition]:
        """Return a partition for each group of slices; an empty one if there is none, since Spark needs a partition."""
        prepare_worker()
        wanted = {chosen.column.name for chosen in self._selected if chosen.is_wanted}
        known, self._known = self._known, None  # tasks get a copy of this object and do not need it
        return [InputPartition(slices) for slices in planner.plan(self._options, wanted, known or {})] or [
            InputPartition(())
        ]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the record batches of a partition."""
        from logdump.tables.slices import Request  # noqa: PLC0415 - it loads pyarrow and numpy

        slices: tuple[Slice, ...] = partition.value or ()
        return read_in_worker(slices, Request(self._selected, self._options, self._foreseen))
