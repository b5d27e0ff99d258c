"""EXPORT PARQUET and ARROW: batches of columns, straight from the scan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from logdump.events import Event
from logdump.export.arrow_files import MAKERS, ArrowFile
from logdump.export.batch_walk import BatchWalk, Piece
from logdump.export.open_files import OpenFiles
from logdump.export.options import ExportOptions
from logdump.export.table_batches import TableBatches, schema_of
from logdump.export.table_layout import TableLayout
from logdump.export.tally import Tally
from logdump.session import Session
from trailformat import CannotWrite

_MOST_WAITING = 96 << 20
"""Bytes of all batches that wait for their row groups to be full."""


class ArrowExport:
    """One export of Arrow batches."""

    def __init__(self, session: Session, options: ExportOptions, tally: Tally) -> None:
        self._session = session
        self._options = options
        self._tally = tally

    def run(self, path: Path) -> Iterator[Event]:
        """Write the files; yields Progress. Raises like the walk, and OSError."""
        session = self._session
        files = OpenFiles(path, self._options, self._new_file)
        batches = TableBatches(session.trail, session.row_definitions, self._tally)
        try:
            for item in BatchWalk(session, self._tally, self._options.records).items():
                if not isinstance(item, Piece):
                    yield item
                    continue
                for table in batches.of(item):
                    files.of(table.layout).write(table.rows)
                if sum(file.waiting_bytes for file in files.sinks) > _MOST_WAITING:
                    for file in files.sinks:
                        file.flush()
            self._tally.files = files.close()
        except pa.ArrowException as error:
            files.abandon()
            raise CannotWrite(str(error), path=self._options.target) from error
        except BaseException:
            files.abandon()
            raise

    def report(self) -> Iterator[Event]:
        """What was written."""
        return self._tally.report(str(self._options.target))

    def _new_file(self, path: Path, layout: TableLayout | None) -> ArrowFile:
        assert layout is not None
        return MAKERS[self._options.format](path, schema_of(layout), self._options.compression)
