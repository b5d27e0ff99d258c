"""Files with one row per event of one kind: its members as JSON, as CSV fields or as columns."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

import pyarrow as pa

from logdump.arrow.records.objects import column_of
from logdump.arrow.records.schema import RowColumn, Selected, arrow_schema
from logdump.display.json_shape import Shape
from logdump.features.export.appended_file import Place
from logdump.features.export.arrow_files import FORMATS, ArrowFile, Schemas
from logdump.features.export.options import ExportOptions
from logdump.session.events import Event

_ROWS = 1 << 13


class ObjectColumns:
    """A file of record batches; takes events, of which each is a row.

    Args:
        path: where it is written.
        options: of the export.
        shape: of the objects.
        columns: those of its members.
        pool: threads that write.
    """

    def __init__(
        self, path: Place, options: ExportOptions, shape: Shape, columns: Sequence[RowColumn], pool: Executor
    ) -> None:
        self._shape = shape
        self._columns = columns
        self._schema = arrow_schema(Selected(column.name, column) for column in columns)
        schemas = Schemas(self._schema, self._schema)
        self._file = ArrowFile(path, schemas, FORMATS[options.format], options.compression, pool)
        self._waiting: list[dict[str, object]] = []

    def put(self, event: Event) -> None:
        """Add a row. Raises the error of an earlier write."""
        self._waiting.append(self._shape.build(event))
        if len(self._waiting) >= _ROWS:
            self._flush()

    def close(self) -> int:
        """Write what waits, for the last time; returns how many rows were found there."""
        self._flush()
        return self._file.close()

    def abandon(self) -> None:
        """Let go of the file, whatever is in it."""
        self._file.abandon()

    def _flush(self) -> None:
        arrays = [column_of(self._waiting, column) for column in self._columns]
        self._file.write(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._waiting = []
