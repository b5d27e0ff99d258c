"""A view of a statement as DuckDB reads it: the batches of a table of the trail, made while the statement runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from logdump.features.sql.trail_table import Narrowed, TrailTable
from trailformat.records import reached


class ReadPlace:
    """How far the scans of a statement are: told by the threads that read, asked by the one that shows it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: list[Path] = []
        self._rbas: dict[Path, int] = {}

    def announce(self, paths: Any) -> None:
        """Note files that are to be read."""
        with self._lock:
            self._files += paths

    def report(self, path: Path, rba: int) -> None:
        """Note the RBA up to which a file is read."""
        with self._lock:
            self._rbas[path] = rba

    def tell(self) -> None:
        """Tell the observer of this thread."""
        with self._lock:
            files, self._files = self._files, []
            rbas, self._rbas = self._rbas, {}
        if files:
            reached.announce(files)
        for path, rba in rbas.items():
            reached.report(path, rba)


class ViewScan:
    """A table under names that no other view of the statement has, so that a plan says which columns of which it reads.

    Attributes:
        prefix: what its columns begin with.
        narrowed: what the statement needs of it; set before the statement runs.
        error: what ended a read; DuckDB keeps the text of an error alone.
    """

    def __init__(self, number: int, table: TrailTable, place: ReadPlace) -> None:
        self.prefix = f"{number}."
        self.narrowed = Narrowed()
        self.error: BaseException | None = None
        self._table = table
        self._place = place
        self._schema = pa.schema([field.with_name(self.prefix + field.name) for field in table.numbered_schema])

    @property
    def columns(self) -> list[str]:
        """The names of the columns in the view."""
        return list(self._table.schema.names)

    def prove(self) -> None:
        """See to it that the columns are those of all definitions. Raises DefinedOtherwiseError where they are not."""
        self._table.prove()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self._table.narrowed(self.narrowed, self._place):
                yield pa.RecordBatch.from_arrays(batch.columns, schema=self._schema)
        except BaseException as error:
            self.error = error
            raise

    def __arrow_c_schema__(self) -> Any:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        reader = pa.RecordBatchReader.from_batches(self._schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)
