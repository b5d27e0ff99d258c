"""EXPORT … HEARTBEATS: a row for each beat that HEARTBEAT HISTORY shows, in the files of any format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Protocol

import pyarrow as pa

from logdump.arrow.records.objects import column_of
from logdump.arrow.records.schema import RowColumn, Selected, arrow_schema
from logdump.arrow.tables.layout import ALL
from logdump.display.json_shape import Shape
from logdump.features.export.arrow_export import FORMATS, ArrowFile, Schemas
from logdump.features.export.files import Place, Sink, TextFile
from logdump.features.export.target import ExportOptions, ExportTally, FileTally
from logdump.features.export.text_formats import CsvText, JsonLines
from logdump.features.heartbeat.json import HEARTBEAT
from logdump.features.heartbeat.model import BeatShown, HeartbeatOptions
from logdump.features.heartbeat.survey import run_heartbeat
from logdump.notation.text import amount
from logdump.session.events import Event, say
from logdump.session.session import Session

_ROWS = 1 << 13


class ObjectColumns:
    """A file of record batches with one row per event.

    Args:
        path: path of the file, or standard output.
        options: options of the export.
        shape: shape of the objects.
        columns: columns of its members.
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
        """Write the rest; returns the number of rows in the file."""
        self._flush()
        return self._file.close()

    def abandon(self) -> None:
        """Discard the file."""
        self._file.abandon()

    def _flush(self) -> None:
        arrays = [column_of(self._waiting, column) for column in self._columns]
        self._file.write(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._waiting = []


class _File(Sink, Protocol):
    def put(self, event: Event) -> None:
        """Add the row of an event."""


class BeatExport:
    """One export of heartbeats: those of all files that HEARTBEAT reads, independent of the position."""

    def __init__(
        self, session: Session, options: ExportOptions, tally: ExportTally, heartbeats: HeartbeatOptions
    ) -> None:
        self._session = session
        self._options = options
        self._tally = tally
        self._heartbeats = heartbeats

    def run(self, path: Place) -> Iterator[Event]:
        """Write the file; yields the summary of HEARTBEAT, and Progress. Raises OSError."""
        with ThreadPoolExecutor(1) as pool:
            file = self._opened(path, pool)
            try:
                for event in run_heartbeat(self._session, self._heartbeats):
                    if isinstance(event, BeatShown):
                        file.put(event)
                        self._tally.selected += 1
                    else:
                        yield event
                self._tally.files = [FileTally(self._options.target.name, ALL, file.close())]
            except BaseException:
                pool.shutdown()
                file.abandon()
                raise

    def report(self) -> Iterator[Event]:
        """Yield the number of rows written."""
        yield say(f"Exported {amount(self._tally.selected, 'beat')} to {self._options.target_name}")

    def _opened(self, path: Place, pool: Executor) -> _File:
        if self._options.format in _SPELLINGS:
            return _TextOfBeats(path, self._options)
        from logdump.features.heartbeat.columns import BEATS  # noqa: PLC0415 - few need it

        return ObjectColumns(path, self._options, HEARTBEAT, BEATS, pool)


_SPELLINGS: dict[str, type[CsvText | JsonLines]] = {"CSV": CsvText, "JSONL": JsonLines}


class _TextOfBeats:
    """A file of one line per beat."""

    def __init__(self, path: Place, options: ExportOptions) -> None:
        self._spelling = _SPELLINGS[options.format]()
        self._file = TextFile(path, compression=options.compression, count_rows=self._spelling.count_rows)
        self._file.write(self._spelling.head_of(HEARTBEAT), 0)

    def put(self, event: Event) -> None:
        """Write the row of an event."""
        self._file.write(self._spelling.line_of(HEARTBEAT, event))

    def close(self) -> int:
        """Write the rest; returns the number of rows in the file."""
        return self._file.close()

    def abandon(self) -> None:
        """Discard the file."""
        self._file.abandon()
