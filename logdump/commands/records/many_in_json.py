"""NEXT for many records as lines of JSON, made by columns without an object for each record."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from logdump.arrow.tables.piece import pieces
from logdump.commands.records.first_match import show_record
from logdump.commands.records.many_rows import handed_over
from logdump.features.export.record_lines import RecordLines, RecordPieces, Rooms, record_lines
from logdump.features.export.text_formats import JsonLines
from logdump.notation.escape import Harmless, ascii_json
from logdump.session.events import Event, Progress
from logdump.session.session import Session
from trailformat.scan import scan
from trailformat.scan.rows import learn_definitions
from trailformat.transactions.tracker import TransactionTracker


def show_many(session: Session, count: int, scanned: int) -> Generator[Event, None, int]:
    """Show the next records up to ``count``, or before damage or the end of the file; returns their number.

    Output is that of ``show_record``; records that need more than their own bytes and definition are passed to it.
    ``scanned`` is the number of records read before.
    """
    trail, start = session.trail, session.cursor.next
    carrier = TransactionTracker(trail, before=session.cursor.transactions.open_at(start))
    forms, records, done = JsonLines().members(), RecordPieces(session), 0
    for batch in scan(trail, start):
        learn_definitions(trail, batch)
        sound = next(iter(batch.spans()), len(batch))
        rows = np.arange(min(sound, count - done))
        for piece in pieces(trail, batch, rows, carrier.of(batch)):
            for part in records.of(piece):
                yield from _shown(session, record_lines(part, trail, forms, Rooms()), scanned + done)
                done += len(part.rows)
        if sound < len(batch) or done == count:
            break
    return done


def _shown(session: Session, made: RecordLines, done: int) -> Iterator[Event]:
    """The rows of a piece; the position moves along."""
    cursor, rows, owners, step = session.cursor, made.piece.rows, made.piece.owners, session.settings.notify
    rbas, lengths, times = (rows.of(name).tolist() for name in ("rba", "length", "io_time"))
    due = set(range((done // step + 1) * step - done - 1, len(rbas), step))
    odd = set(np.flatnonzero(made.odd).tolist())
    lines, first = _Lines(made), 0
    for row in sorted({*due, *odd, *range(0, len(rbas), session.takes_lines), len(rbas)}):
        if first < row:
            yield from handed_over(cursor, lines.between(first, row), rbas[row - 1], lengths[row - 1])
        first = row
        if row in due:
            yield Progress(done + row + 1, rbas[row], times[row])
        if row in odd:
            record = rows.record(row, session.trail.path)
            cursor.transactions.learn(record, owners.of_row(int(rows.rows[row])))
            cursor.stand_on(record)
            yield from show_record(session, record)
            first = row + 1


class _Lines:
    """The lines of the rows of a piece."""

    def __init__(self, made: RecordLines) -> None:
        self._data = made.part.data
        self._ends = np.concatenate(([0], made.part.ends[np.diff(made.part.ends, prepend=0) > 0]))
        self._number = np.concatenate(([0], np.cumsum(~made.odd)))

    def between(self, first: int, stop: int) -> list[Harmless]:
        """Return the lines of rows on the fast path, as one text."""
        start, end = self._ends[self._number[[first, stop]]].tolist()
        return [ascii_json(str(self._data[start : end - 1], "ascii"))]
