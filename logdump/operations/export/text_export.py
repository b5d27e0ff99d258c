"""EXPORT of text: records one by one, as they are or as rows of tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from logdump.arrow.tables.layout import ALL, ROW_OPERATIONS, Layouts, TableLayout
from logdump.arrow.tables.rows import TableRow, columns_of, table_row
from logdump.operations.export.appended_file import Place
from logdump.operations.export.exported_files import exported_files
from logdump.operations.export.open_files import OpenFiles
from logdump.operations.export.options import ExportOptions
from logdump.operations.export.record_walk import walk
from logdump.operations.export.tally import ExportTally
from logdump.operations.export.text_file import TextFile, Waiting
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from trailformat import Record
from trailformat.changes.segments import joined

if TYPE_CHECKING:
    from logdump.arrow.tables.lines import RowForm
    from logdump.operations.export.member_forms import MemberForms

_MOST_WAITING = 64 << 20
"""Bytes of text that wait in all files."""


class Spelling(Protocol):
    """A text format: the spelling of records, of rows and of the head of a file."""

    takes_file_header: bool

    def head(self, layout: TableLayout) -> str:
        """The head of a file; ALL: it holds records."""

    def record(self, known: KnownRecord) -> str:
        """The line of a record."""

    def row(self, row: TableRow, layout: TableLayout) -> str:
        """The line of a row."""

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """The form of the lines of a table in a trail, in which each row decodes; it needs pyarrow."""

    def members(self) -> MemberForms:
        """The forms of the members of records; they need pyarrow."""

    def count_rows(self, file: IO[bytes]) -> int:
        """The number of rows in a file."""


class TextExport:
    """One export of text."""

    def __init__(self, session: Session, options: ExportOptions, tally: ExportTally, spelling: Spelling) -> None:
        self._session = session
        self._options = options
        self._tally = tally
        self._spelling = spelling
        self._layouts = Layouts()
        self._waiting = Waiting()

    def run(self, path: Place) -> Iterator[Event]:
        """Write the file, or the files in the folder; yields Progress. Raises like the walk, and OSError."""
        files = OpenFiles(path, self._options, self._new_file)
        try:
            if not self._options.by_table:
                files.of(ALL)
            for _ in exported_files(self._session, self._options, self._tally):
                self._layouts = Layouts()
                yield from self._fill(files)
            self._tally.files = files.close()
        except BaseException:
            files.abandon()
            raise

    def _fill(self, files: OpenFiles[TextFile]) -> Iterator[Event]:
        """Write all records of the file that the session reads."""
        put = self._put_row if self._options.by_table else self._put_record
        for item in walk(self._session, self._tally, self._options.records, self._options.stop):
            if isinstance(item, Record):
                put(files, item)
                self._make_room(files)
            else:
                yield item

    def report(self) -> Iterator[Event]:
        """The number of rows written, and the problems met."""
        return self._tally.report(self._options.target_name, by_table=self._options.by_table)

    def _new_file(self, path: Place, layout: TableLayout) -> TextFile:
        is_gzip = self._options.compression == "GZIP"
        file = TextFile(path, is_gzip=is_gzip, count_rows=self._spelling.count_rows, waiting=self._waiting)
        file.write(self._spelling.head(layout), 0)
        return file

    def _make_room(self, files: OpenFiles[TextFile]) -> None:
        if self._waiting.bytes > _MOST_WAITING:
            for file in files.sinks:
                file.flush()

    def _put_record(self, files: OpenFiles[TextFile], record: Record) -> None:
        if line := self._record(record):
            files.of(ALL).write(line)

    def _record(self, record: Record) -> str:
        """The line of a record, its problems counted; empty for a record that is left out."""
        if record.is_file_header and not self._spelling.takes_file_header:
            self._tally.leave_out(None)
            return ""
        known = KnownRecord(record, self._session)
        problems = known.problems
        line = self._spelling.record(known)
        self._note_values(known)
        for problem in problems:
            self._tally.add_problem(record.rba, "", problem)
        return line

    def _note_values(self, known: KnownRecord) -> None:
        """Take the values that do not decode into the tally."""
        if known.record.is_file_header or known.row_definition.table is None:
            return
        columns, _ = columns_of(known.whole or known.record, known.row_definition)
        for column in columns:
            for value in (column.before, column.after):
                if value is not None and value.problem is not None:
                    self._tally.add_problem(known.record.rba, column.name or f"#{column.index}", value.problem)

    def _put_row(self, files: OpenFiles[TextFile], record: Record) -> None:
        io_type = None if record.is_file_header else record.header.io_type
        if io_type not in ROW_OPERATIONS:
            self._tally.leave_out(io_type)
            return
        known = self._session.row_definitions.of(record)
        layout = self._layouts.of(record, known)
        row = table_row(
            joined(self._session.trail, record), known, layout, self._session.cursor.transactions.of(record)
        )
        for problem in row.problems:
            self._tally.add_problem(record.rba, problem.column or "", problem.reason)
        files.of(layout).write(self._spelling.row(row, layout))
