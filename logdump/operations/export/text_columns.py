"""EXPORT of text BY TABLE for many records: the same bytes as record by record, from columns, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from logdump.arrow.tables.batches import TableBatches
from logdump.arrow.tables.lines import PieceLines, blocks, lines_of
from logdump.arrow.tables.piece import Piece
from logdump.operations.export.batch_walk import BatchWalk
from logdump.operations.export.open_files import OpenFiles
from logdump.operations.export.side_by_side import new_pool, results
from logdump.operations.export.text_export import TextExport
from logdump.operations.export.text_file import TextFile
from logdump.session.events import Event


class TextOfColumns(TextExport):
    """One export of the rows of tables as text, by columns."""

    def _fill(self, files: OpenFiles[TextFile]) -> Iterator[Event]:
        pool = new_pool()
        try:
            for item in results(pool, self._jobs()):
                if isinstance(item, PieceLines):
                    self._write(files, item)
                else:
                    yield item
        finally:
            pool.shutdown(cancel_futures=True)

    def _jobs(self) -> Iterator[Callable[[], PieceLines] | Event]:
        session, options = self._session, self._options
        batches = TableBatches(session.trail, session.row_definitions, self._tally.leave_out)
        for item in BatchWalk(session, self._tally, options.records, options.stop).items():
            if isinstance(item, Piece):
                yield from (partial(lines_of, block, self._spelling) for block in blocks(batches.groups(item)))
            else:
                yield item

    def _write(self, files: OpenFiles[TextFile], lines: PieceLines) -> None:
        for problem in lines.problems:
            self._tally.add_problem(*problem)
        for table in lines.tables:
            files.of(table.layout).append(table.data, table.rows)
            self._make_room(files)
