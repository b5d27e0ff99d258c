"""Parquet and Arrow files: batches are gathered into row groups, and the rows counted by what the footer says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from logdump.export.text_file import check_rows

_ROWS, _BYTES = 1 << 17, 16 << 20
"""A row group is written when it has so many rows, or so many bytes in memory."""


class ArrowFile:
    """One file of record batches.

    Args:
        path: where it is written.
        schema: of the batches.
        open_writer: makes the writer of the format.
        count_rows: what a finished file says of its rows.
    """

    def __init__(
        self,
        path: Path,
        schema: pa.Schema,
        open_writer: Callable[[Any, pa.Schema], Any],
        count_rows: Callable[[Path], int],
    ) -> None:
        self._path = path
        self._schema = schema
        self._count_rows = count_rows
        self._file = path.open("wb")
        self._writer = open_writer(self._file, schema)
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = self._rows = 0
        self.waiting_bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Take a batch."""
        self._waiting.append(batch)
        self._waiting_rows += len(batch)
        self.waiting_bytes += batch.nbytes
        if self._waiting_rows >= _ROWS or self.waiting_bytes >= _BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the batches that wait, as one row group."""
        if self._waiting:
            table = pa.Table.from_batches(self._waiting, self._schema).combine_chunks()
            self._writer.write_table(table)
            self._rows += self._waiting_rows
        self._waiting, self._waiting_rows, self.waiting_bytes = [], 0, 0

    def close(self) -> int:
        """Have everything on disk; returns how many rows were found there. Raises CannotWrite, OSError."""
        self.flush()
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        found = self._count_rows(self._path)
        check_rows(self._path, self._rows, found)
        return found

    def abandon(self) -> None:
        """Let go of the file, whatever is in it."""
        self._waiting = []
        self._file.close()


def parquet_file(path: Path, schema: pa.Schema, compression: str) -> ArrowFile:
    """A Parquet file that is being written."""

    def open_writer(file: Any, schema: pa.Schema) -> Any:
        return pq.ParquetWriter(file, schema, compression=compression)

    return ArrowFile(path, schema, open_writer, lambda path: pq.read_metadata(path).num_rows)


def ipc_file(path: Path, schema: pa.Schema, compression: str) -> ArrowFile:
    """A file of Arrow's own format (IPC) that is being written."""
    options = pa.ipc.IpcWriteOptions(compression=None if compression == "NONE" else compression.lower())

    def open_writer(file: Any, schema: pa.Schema) -> Any:
        return pa.ipc.new_file(file, schema, options=options)

    return ArrowFile(path, schema, open_writer, _rows_of_ipc)


def _rows_of_ipc(path: Path) -> int:
    with pa.OSFile(str(path)) as source, pa.ipc.open_file(source) as reader:
        return sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))


MAKERS: dict[str, Callable[[Path, pa.Schema, str], ArrowFile]] = {"PARQUET": parquet_file, "ARROW": ipc_file}
"""By format."""
