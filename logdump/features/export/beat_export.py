"""EXPORT … HEARTBEATS: a row for each beat that HEARTBEAT HISTORY shows, in the files of any format."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Protocol

from logdump.arrow.tables.layout import ALL
from logdump.features.export.appended_file import Place
from logdump.features.export.csv_text import CsvText
from logdump.features.export.jsonl import JsonLines
from logdump.features.export.open_files import Sink
from logdump.features.export.options import ExportOptions
from logdump.features.export.tally import ExportTally, FileTally
from logdump.features.export.text_file import TextFile
from logdump.features.heartbeat.events import BeatShown
from logdump.features.heartbeat.json import HEARTBEAT
from logdump.features.heartbeat.run import run_heartbeat
from logdump.features.heartbeat.survey import HeartbeatOptions
from logdump.notation.plural import amount
from logdump.session.events import Event, say
from logdump.session.session import Session


class _File(Sink, Protocol):
    def put(self, event: Event) -> None:
        """Take the row that an event is."""


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
        from logdump.features.export.object_files import ObjectColumns  # noqa: PLC0415 - it needs pyarrow
        from logdump.features.heartbeat.columns import BEATS  # noqa: PLC0415 - few need it

        return ObjectColumns(path, self._options, HEARTBEAT, BEATS, pool)


_SPELLINGS: dict[str, type[CsvText | JsonLines]] = {"CSV": CsvText, "JSONL": JsonLines}


class _TextOfBeats:
    """A file of one line per beat."""

    def __init__(self, path: Place, options: ExportOptions) -> None:
        self._spelling = _SPELLINGS[options.format]()
        is_gzip = options.compression == "GZIP"
        self._file = TextFile(path, is_gzip=is_gzip, count_rows=self._spelling.count_rows)
        self._file.write(self._spelling.head_of(HEARTBEAT), 0)

    def put(self, event: Event) -> None:
        """Write the row of an event."""
        self._file.write(self._spelling.line_of(HEARTBEAT, event))

    def close(self) -> int:
        """Write what waits, for the last time; returns how many rows were found there."""
        return self._file.close()

    def abandon(self) -> None:
        """Let go of the file, whatever is in it."""
        self._file.abandon()
