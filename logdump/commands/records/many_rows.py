"""NEXT for many records as lines of text, made from their bytes without an event for each record."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from logdump.arrow.tables.group import pieces
from logdump.display.first_match import show_record
from logdump.display.record_text import name_line, row_lines
from logdump.features.export.record_lines import RecordLines, RecordPieces, Rooms, record_lines
from logdump.features.export.text_formats import JsonLines
from logdump.notation.text import Harmless, ascii_json
from logdump.session.events import Event, Progress
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.scan import handed_over
from logdump.session.session import Session
from logdump.session.settings import Detail, Level
from trailformat import Record, TrailError
from trailformat.records.record_header import METADATA, NAME_IS_INDEX
from trailformat.scan import scan
from trailformat.scan.rows import learn_definitions
from trailformat.transactions.tracker import TransactionTracker

_MOST_NAMES = 4096


class RowText:
    """The lines of the rows of the open trail."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._settings = session.settings
        self._shows_columns = self._settings.detail is not Detail.OFF
        self._shows_tokens = self._settings.ggstoken is not Level.OFF
        self._names: dict[tuple[int, bytes], Harmless] = {}

    def of(self, record: Record) -> list[Harmless] | None:
        """Return the lines of a row; None if it has a problem, which must be shown after it."""
        header = record.header
        key = header.partition & NAME_IS_INDEX, header.name_field
        name = self._names.get(key) or self._learn(record, key)
        if name is None or (self._shows_columns and header.continued):
            return None
        try:
            _ = self._shows_columns and record.images, self._shows_tokens and record.gg_tokens
        except TrailError:
            return None
        return row_lines(record, name, self._settings)

    def _learn(self, record: Record, key: tuple[int, bytes]) -> Harmless | None:
        """Return the name line of a table first seen since the last definition; None if the table is not known."""
        known = KnownRecord(record, self._session)
        if known.look_up(Facet.TABLE) is not None or known.look_up(Facet.NAME) is not None:
            return None
        if len(self._names) == _MOST_NAMES:
            self._names.clear()
        return self._names.setdefault(key, name_line(known, self._settings))

    def note(self, record: Record) -> None:
        """Forget the name lines if a record shown otherwise is a definition, which can give names another meaning."""
        if record.header.io_type == METADATA:
            self._names.clear()


_TOGETHER = 128
"""Number of records read at a time."""


def show_rows(session: Session, count: int, scanned: int) -> Generator[Event, None, int]:
    """Show the next records up to ``count``, or before damage or the end of the file; returns their number.

    Output is that of ``show_record``; records that are not plain rows are passed to it. ``scanned`` is the number of
    records read before.
    """
    cursor, trail, rows, done = session.cursor, session.trail, RowText(session), 0
    while done < count and (records := trail.records_at(cursor.next, min(_TOGETHER, count - done))):
        waiting: list[Harmless] = []
        rows_from, last, waiting_count = cursor.next, records[0], 0
        for record in records:
            done += 1
            is_definition = record.header.io_type == METADATA
            lines = None if is_definition else rows.of(record)
            is_due = (scanned + done) % session.settings.notify == 0
            if lines is None or is_due or waiting_count == session.takes_lines:
                yield from handed_over(cursor, waiting, last.rba, last.length)
                waiting, waiting_count = [], 0
            if is_due:
                yield Progress.at(scanned + done, record)
            if lines is not None:
                waiting += lines
                last, waiting_count = record, waiting_count + 1
                continue
            trail.tables.pass_over(rows_from, record.rba)
            cursor.stand_on(record)
            yield from show_record(session, record)
            rows.note(record)
            rows_from = cursor.next if is_definition else rows_from
        trail.tables.pass_over(rows_from, records[-1].rba + records[-1].length)
        yield from handed_over(cursor, waiting, last.rba, last.length)
    return done


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


def _shown(session: Session, piece_text: RecordLines, done: int) -> Iterator[Event]:
    """Show the rows of a piece and move the position with them."""
    cursor, rows, owners, step = session.cursor, piece_text.piece.rows, piece_text.piece.owners, session.settings.notify
    rbas, lengths, times = (rows.of(name).tolist() for name in ("rba", "length", "io_time"))
    due = set(range((done // step + 1) * step - done - 1, len(rbas), step))
    irregular = set(np.flatnonzero(piece_text.irregular).tolist())
    lines, first = _Lines(piece_text), 0
    for row in sorted({*due, *irregular, *range(0, len(rbas), session.takes_lines), len(rbas)}):
        if first < row:
            yield from handed_over(cursor, lines.between(first, row), rbas[row - 1], lengths[row - 1])
        first = row
        if row in due:
            yield Progress(done + row + 1, rbas[row], times[row])
        if row in irregular:
            record = rows.record(row, session.trail.path)
            cursor.transactions.learn(record, owners.of_row(int(rows.rows[row])))
            cursor.stand_on(record)
            yield from show_record(session, record)
            first = row + 1


class _Lines:
    """The lines of the rows of a piece."""

    def __init__(self, piece_text: RecordLines) -> None:
        self._data = piece_text.part.data
        self._ends = np.concatenate(([0], piece_text.part.ends[np.diff(piece_text.part.ends, prepend=0) > 0]))
        self._number = np.concatenate(([0], np.cumsum(~piece_text.irregular)))

    def between(self, first: int, stop: int) -> list[Harmless]:
        """Return the lines of rows on the fast path, as one text."""
        start, end = self._ends[self._number[[first, stop]]].tolist()
        return [ascii_json(str(self._data[start : end - 1], "ascii"))]
