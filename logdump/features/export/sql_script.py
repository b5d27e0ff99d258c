"""EXPORT SQL: the script of REDO or UNDO in a file, after the opening lines of its dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from logdump.display.sql import DIALECTS, SqlScript, WalkProgress, dialect_of
from logdump.display.sql.block_lines import BlockStatements
from logdump.display.sql.script import Item
from logdump.display.sql.script_text import ScriptLines
from logdump.features.export.batch_walk import written
from logdump.features.export.files import Place, TextFile
from logdump.features.export.target import ExportOptions, ExportTally
from logdump.features.export.text_formats import count_lines
from logdump.features.redo.script import script_of
from logdump.notation.text import amount
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, Progress, say
from logdump.session.session import Session
from trailformat.arrays.lines import LinePart, merged
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Walked

_LINE_END = ord("\n")


class SqlExport:
    """One export of a script, from the transaction that is open at the position on."""

    def __init__(self, session: Session, options: ExportOptions, tally: ExportTally) -> None:
        self._session = session
        self._options = options
        self._tally = tally
        self._offset = session.settings.time_offset
        header = session.trail.file_header
        self._read = self._transactions = self._statements = self._remarks = self._skipped = 0
        self._dialect = DIALECTS.get(options.dialect) or dialect_of(header.vendor if header else "")

    def run(self, path: Place) -> Iterator[Event]:
        """Write the script; yields Progress.

        Raises:
            TrailError: damage in the trail; a transaction is not written in part.
        """
        session, options, tally = self._session, self._options, self._tally
        takes_back, includes_cut = options.takes_back, options.includes_cut
        # a position inside the file means the transaction there, whether it passes the filter or not
        is_at_begin = session.cursor.next <= session.trail.first_rba
        script = script_of(
            session, self._dialect, takes_back=takes_back, includes_cut=includes_cut, counts_passing=is_at_begin
        )
        file = TextFile(path, compression=options.compression, count_rows=partial(count_lines, is_quoted=False))
        try:
            for line in self._dialect.preamble:
                file.write(f"{line}\n")
            yield from self._fill(script, file)
            for item in script.remainder():
                file.append(*_counted(ScriptLines(script, self._offset).text(item)))
            file.close()
        except BaseException:
            file.abandon()
            raise
        tally.end = script.end or FilePosition(session.trail.path, session.cursor.next)
        self._statements, self._remarks, self._skipped = script.statements, script.remarks, script.skipped
        self._transactions = script.transactions
        if not (self._statements or self._remarks):
            tally.selected = 0  # no change of these transactions passed the filter

    def _fill(self, script: SqlScript, file: TextFile) -> Iterator[Event]:
        """Write the script: jobs make the statements in parallel, and a thread writes them in order."""
        lines = ScriptLines(script, self._offset)

        def writing(part: BlockStatements | Item | Walked | WalkProgress | Exception) -> Callable[[], None] | None:
            if isinstance(part, Exception):
                raise part
            if isinstance(part, BlockStatements):
                return partial(_write, file, lines.of(script.finished(part)))
            return (
                None if isinstance(part, Walked | WalkProgress) else partial(file.append, *_counted(lines.text(part)))
            )

        try:
            for part in written(script.parts(self._session.cursor.next, self._options.transactions), writing):
                yield from self._walked(part) if isinstance(part, Walked) else self._begun(part)
        finally:
            script.close()

    def report(self) -> Iterator[Event]:
        """Yield the number of statements, and notices about changes and transactions that are not written."""
        written = f"{amount(self._statements, 'statement')} of {amount(self._transactions, 'transaction')}"
        yield say(f"Exported {written} to {self._options.target_name}")
        if self._remarks:
            yield Notice((f"{amount(self._remarks, 'change')} could not be written: a comment says why.",))
        if self._skipped:
            text = f"{amount(self._skipped, 'transaction')} left out: a comment says why."
            yield Notice((text,), ExitStatus.OK)

    def _walked(self, walked: Walked) -> Iterator[Event]:
        """Yield the progress of the walk to the first transaction; after it, written transactions show progress."""
        step, before, self._read = self._session.settings.notify, self._read, walked.records
        if not self._transactions and walked.records // step > before // step:
            yield Progress(walked.records, walked.position.rba, walked.time, self._session.trail.size)

    def _begun(self, progress: WalkProgress) -> Iterator[Event]:
        """Count transactions and their records; yields the reports of NOTIFY that are due."""
        step, tally = self._session.settings.notify, self._tally
        counts = tally.selected + np.cumsum(progress.changes)
        before = np.append(tally.selected, counts[:-1])
        self._transactions += len(counts)
        for row in np.flatnonzero(counts // step > before // step).tolist():
            tally.selected = int(counts[row])
            yield Progress(tally.selected, int(progress.ends[row]), int(progress.times[row]), self._session.trail.size)
        tally.selected = int(counts[-1])


def _write(file: TextFile, parts: list[LinePart]) -> None:
    file.append(*_counted(merged(parts)))


def _counted(data: bytes | memoryview) -> tuple[bytes | memoryview, int]:
    """Return lines and their number."""
    return data, int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LINE_END))
