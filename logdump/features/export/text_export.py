"""EXPORT of text: jobs turn the pieces of a trail into lines in parallel, which are written to files in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Generic, Protocol, TypeVar, cast

import numpy as np

from logdump.arrow.tables.group import Array, Piece, TableBatches, blocks
from logdump.arrow.tables.layout import ALL, RowProblem, TableLayout, columns_of
from logdump.arrow.tables.lines import PieceLines, RowForm, lines_of
from logdump.features.export.batch_walk import BatchWalk, written
from logdump.features.export.files import OpenFiles, Place, TextFile, Waiting, exported_files
from logdump.features.export.record_lines import RecordLines, RecordPieces, Rooms, parts_of, record_lines
from logdump.features.export.target import ExportOptions, ExportTally
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from trailformat import Record
from trailformat.arrays.lines import LinePart, count, merged

if TYPE_CHECKING:
    from logdump.features.export.members import MemberForms


L = TypeVar("L")
_MOST_WAITING = 64 << 20
"""Maximum number of bytes buffered in all files."""


class Spelling(Protocol):
    """A text format: the spelling of records, of rows and of the head of a file."""

    takes_file_header: bool

    def head(self, layout: TableLayout) -> str:
        """Return the head of a file of rows, or for the layout ALL of a file of records."""

    def record(self, known: KnownRecord) -> str:
        """Return the line of a record."""

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """Return the form of the lines of a table in a trail file; it needs numpy."""

    def problems(self, problems: list[RowProblem]) -> str:
        """Return the problems of a row as a field."""

    def members(self) -> MemberForms:
        """Return the forms of the members of records; they need numpy."""

    def count_rows(self, file: IO[bytes]) -> int:
        """Return the number of rows in a file."""


class TextExport(Generic[L]):
    """One export of text: jobs make the lines in parallel, and a thread writes them in order."""

    _made: type
    """The class of the results of the jobs."""

    def __init__(self, session: Session, options: ExportOptions, tally: ExportTally, spelling: Spelling) -> None:
        self._session = session
        self._options = options
        self._tally = tally
        self._spelling = spelling
        self._waiting = Waiting()

    def run(self, path: Place) -> Iterator[Event]:
        """Write the file, or the files in the folder; yields Progress. Raises as the walk does, and OSError."""
        files = OpenFiles(path, self._options, self._new_file)
        try:
            if not self._options.is_of_rows:
                files.of(ALL)
            for _ in exported_files(self._session, self._options, self._tally):
                yield from self._fill(files)
            self._tally.files = files.close()
        except BaseException:
            files.abandon()
            raise

    def _fill(self, files: OpenFiles[TextFile]) -> Iterator[Event]:
        """Write all records of the file that the session reads."""

        def writing(item: L | Event) -> Callable[[], None] | None:
            return self._writing(files, cast("L", item)) if isinstance(item, self._made) else None

        return written(self._jobs(), writing)

    def _jobs(self) -> Iterator[Callable[[], L] | Event]:
        options, jobs_of = self._options, self._jobs_of_pieces()
        for item in BatchWalk(self._session, self._tally, options.records, options.stop).items():
            if isinstance(item, Piece):
                yield from jobs_of(item)
            else:
                yield item

    def _jobs_of_pieces(self) -> Callable[[Piece], Iterator[Callable[[], L]]]:
        """Return a function that yields the jobs for a piece of the file that the session reads."""
        raise NotImplementedError

    def _writing(self, files: OpenFiles[TextFile], lines: L) -> Callable[[], None]:
        """Return the function that writes the result of a job, while the next result is awaited."""
        raise NotImplementedError

    def report(self) -> Iterator[Event]:
        """Yield the number of rows written, and the problems."""
        options = self._options
        kind = "row" if options.one_table else "record"
        return self._tally.report(options.target_name, by_table=options.by_table, kind=kind)

    def _new_file(self, path: Place, layout: TableLayout) -> TextFile:
        file = TextFile(
            path, compression=self._options.compression, count_rows=self._spelling.count_rows, waiting=self._waiting
        )
        file.write("\ufeff" * self._options.has_bom + self._spelling.head(layout), 0)
        return file

    def _make_room(self, files: OpenFiles[TextFile]) -> None:
        if self._waiting.bytes > _MOST_WAITING:
            for file in files.sinks:
                file.flush()

    def _record(self, record: Record) -> str:
        """Count the problems of a record and return its line; empty for a record that is left out."""
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
        """Add undecodable values to the tally."""
        if known.record.is_file_header or known.row_definition.table is None:
            return
        columns, _ = columns_of(known.whole or known.record, known.row_definition)
        for column in columns:
            for value in (column.before, column.after):
                if value is not None and value.problem is not None:
                    self._tally.add_problem(known.record.rba, column.name or f"#{column.index}", value.problem)


class TextOfTables(TextExport[PieceLines]):
    """Export of the rows of tables as text."""

    _made = PieceLines

    def _jobs_of_pieces(self) -> Callable[[Piece], Iterator[Callable[[], PieceLines]]]:
        batches = TableBatches(self._session.trail, self._session.row_definitions, self._tally.leave_out)
        return lambda piece: (partial(lines_of, block, self._spelling) for block in blocks(batches.groups(piece)))

    def _writing(self, files: OpenFiles[TextFile], lines: PieceLines) -> Callable[[], None]:
        for problem in lines.problems:
            self._tally.add_problem(*problem)
        return partial(self._write, files, lines)

    def _write(self, files: OpenFiles[TextFile], lines: PieceLines) -> None:
        for table in lines.tables:
            files.of(table.layout).append(table.data, table.rows)
            self._make_room(files)


class TextOfRecords(TextExport[RecordLines]):
    """Export of records with all members as text."""

    _made = RecordLines

    def __init__(self, session: Session, options: ExportOptions, tally: ExportTally, spelling: Spelling) -> None:
        super().__init__(session, options, tally, spelling)
        self._rooms = Rooms()

    def _jobs_of_pieces(self) -> Callable[[Piece], Iterator[Callable[[], RecordLines]]]:
        trail, forms, pieces = self._session.trail, self._spelling.members(), RecordPieces(self._session)
        return lambda piece: (partial(record_lines, part, trail, forms, self._rooms) for part in pieces.of(piece))

    def _writing(self, files: OpenFiles[TextFile], lines: RecordLines) -> Callable[[], None]:
        parts = parts_of(lines, self._one_by_one(lines))
        return partial(self._write, files, parts, lines.room)

    def _write(self, files: OpenFiles[TextFile], parts: list[LinePart], room: Array) -> None:
        files.of(ALL).append(merged(parts), count(parts))
        self._rooms.give_back(room)

    def _one_by_one(self, lines: RecordLines) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not written by columns, each with the number of its row in the batch."""
        rows, owners, session = lines.piece.rows, lines.piece.owners, self._session
        for row in np.flatnonzero(lines.irregular).tolist():
            number, record = int(rows.rows[row]), rows.record(row, session.trail.path)
            session.cursor.transactions.learn(record, owners.of_row(number))
            yield number, self._record(record)
