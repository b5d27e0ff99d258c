"""EXPORT of text: rows of tables, and records with all their members, from columns, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from logdump.arrow.tables.batches import TableBatches, blocks
from logdump.arrow.tables.layout import ALL
from logdump.arrow.tables.lines import PieceLines, lines_of
from logdump.arrow.tables.piece import Array, Piece
from logdump.features.export.open_files import OpenFiles
from logdump.features.export.options import ExportOptions
from logdump.features.export.record_lines import RecordLines, Rooms, parts_of, record_lines
from logdump.features.export.record_pieces import RecordPieces
from logdump.features.export.tally import ExportTally
from logdump.features.export.text_export import Spelling, TextExport
from logdump.features.export.text_file import TextFile
from logdump.session.session import Session
from trailformat.arrays.line_parts import LinePart, count, merged


class TextOfTables(TextExport[PieceLines]):
    """Export of the rows of tables as text."""

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
        """The lines that are not written by columns, each with the number of its row."""
        rows, owners, session = lines.piece.rows, lines.piece.owners, self._session
        for row in np.flatnonzero(lines.odd).tolist():
            number, record = int(rows.rows[row]), rows.record(row, session.trail.path)
            session.cursor.transactions.learn(record, owners.of_row(number))
            yield number, self._record(record)
