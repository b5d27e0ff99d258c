"""Parquet and Arrow files: batches are gathered into row groups, and the rows counted by what the footer says."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from logdump.export.appended_file import AppendedFile
from logdump.export.text_file import check_rows
from logdump.tables.layout import SIDES
from logdump.tables.schema import key_of

_ROWS, _BYTES = 1 << 17, 16 << 20
"""A row group is written when it has so many rows, or so many bytes in memory."""


class ArrowFormat(NamedTuple):
    """What makes a writer for an open file, what a finished file says of its rows, what drops a writer unfinished."""

    writer: Callable[[Any, pa.Schema, str], Any]
    count_rows: Callable[[Path], int]
    drop: Callable[[Any], None]


class ArrowFile:
    """One file of record batches; row groups are written by ``pool`` while the next one is made.

    Args:
        path: where it is written.
        schema: of the batches.
        format_: how it is written.
        compression: one of those that the format has.
        pool: threads that write, one row group of a file at a time.
    """

    def __init__(self, path: Path, schema: pa.Schema, format_: ArrowFormat, compression: str, pool: Executor) -> None:
        self.waiting_bytes = 0
        self._path = path
        self._schema = schema
        self._format = format_
        self._pool = pool
        self._file = AppendedFile(path)
        self._writer = format_.writer(self._file, schema, compression)
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = self._rows = 0
        self._job: Future[None] | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Take a batch. Raises what writing an earlier one has raised."""
        self._waiting.append(batch)
        self._waiting_rows += len(batch)
        self.waiting_bytes += batch.nbytes
        if self._waiting_rows >= _ROWS or self.waiting_bytes >= _BYTES:
            self.flush()

    def flush(self) -> None:
        """Have the batches that wait written, as one row group."""
        if self._waiting:
            table = pa.Table.from_batches(self._waiting, self._schema)
            self._later(lambda: self._write(table))
            self._rows += self._waiting_rows
        self._waiting, self._waiting_rows, self.waiting_bytes = [], 0, 0

    def finish(self) -> None:
        """Have the rest written, and everything on disk."""
        self.flush()
        self._later(self._sync)

    def close(self) -> int:
        """Wait until everything is on disk; returns how many rows were found there. Raises CannotWrite, OSError."""
        self.finish()
        self._settle()
        found = self._format.count_rows(self._path)
        check_rows(self._path, self._rows, found)
        return found

    def abandon(self) -> None:
        """Let go of the file, whatever is in it; the pool is at rest."""
        self._waiting = []
        self._format.drop(self._writer)
        self._file.abandon()

    def _later(self, job: Callable[[], None]) -> None:
        self._settle()
        self._job = self._pool.submit(job)

    def _settle(self) -> None:
        if self._job is not None:
            self._job.result()

    def _write(self, table: pa.Table) -> None:
        self._writer.write_table(table)
        self._file.flush()

    def _sync(self) -> None:
        if not self._file.closed:
            self._writer.close()
            self._file.close()


def _parquet(file: Any, schema: pa.Schema, compression: str) -> Any:
    """Without a dictionary where no two values are equal, and without statistics where no filter would gain by them."""
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    leaves = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    paths = [leaves.column(number).path for number in range(len(leaves))]
    return pq.ParquetWriter(
        file,
        schema,
        compression=compression,
        use_dictionary=[path for path in paths if path != "rba"],
        write_statistics=[field.name for field in schema if _is_compared(field, schema)],
    )


def _is_compared(field: pa.Field, schema: pa.Schema) -> bool:
    """Whether filters ask for values of a column: not for lists, bytes, or text of a table that is no key."""
    if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
        return False
    side, _, name = field.name.partition("_")
    return not pa.types.is_string(field.type) or side not in SIDES or name in key_of(schema)


def _ipc(file: Any, schema: pa.Schema, compression: str) -> Any:
    options = pa.ipc.IpcWriteOptions(compression=None if compression == "NONE" else compression.lower())
    return pa.ipc.new_file(file, schema, options=options)


def _drop_parquet(writer: Any) -> None:
    """Say that it is closed: when it goes it would write a footer, and complain that it cannot."""
    writer.is_open = False


def _drop_ipc(_writer: Any) -> None:
    """It writes nothing when it goes."""


def _rows_of_ipc(path: Path) -> int:
    with pa.OSFile(str(path)) as source, pa.ipc.open_file(source) as reader:
        return sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))


FORMATS = {
    "PARQUET": ArrowFormat(_parquet, lambda path: int(pq.read_metadata(path).num_rows), _drop_parquet),
    "ARROW": ArrowFormat(_ipc, _rows_of_ipc, _drop_ipc),
}
