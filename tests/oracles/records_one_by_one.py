"""EXPORT CSV and JSONL record by record: what lines by columns are held against."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.arrow.tables.layout import ALL
from logdump.features.export.files import OpenFiles, TextFile
from logdump.features.export.record_lines import RecordLines
from logdump.features.export.text_export import TextExport
from logdump.session.events import Event
from tests.oracles.record_walk import walk
from trailformat import Record


class RecordByRecord(TextExport[RecordLines]):
    """One export of records, each written by itself."""

    def _fill(self, files: OpenFiles[TextFile]) -> Iterator[Event]:
        for item in walk(self._session, self._tally, self._options.records, self._options.stop):
            if isinstance(item, Record):
                if line := self._record(item):
                    files.of(ALL).write(line)
                self._make_room(files)
            else:
                yield item
