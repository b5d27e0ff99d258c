"""NEXT for many records as lines of text, made from their bytes without an event for each record."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from logdump.commands.records.first_match import show_record
from logdump.display.record_text import name_line, row_lines
from logdump.notation.escape import Harmless
from logdump.session.cursor import Cursor
from logdump.session.events import Event, RecordsInLines
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.scan import progress
from logdump.session.session import Session
from logdump.session.settings import Detail, Level
from trailformat import Record, TrailError
from trailformat.records.io_types import METADATA
from trailformat.records.record_header import NAME_IS_INDEX

if TYPE_CHECKING:
    from logdump.session.session import Session


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
        """The line of a table that was not met since the last definition; None where it is not known."""
        known = KnownRecord(record, self._session)
        if known.look_up(Facet.TABLE) is not None or known.look_up(Facet.NAME) is not None:
            return None
        if len(self._names) == _MOST_NAMES:
            self._names.clear()
        return self._names.setdefault(key, name_line(known, self._settings))

    def note(self, record: Record) -> None:
        """Take note of a record that is shown otherwise: a definition gives names another meaning."""
        if record.header.io_type == METADATA:
            self._names.clear()


_TOGETHER = 128
"""Records that are read together."""


def show_rows(session: Session, count: int, scanned: int) -> Generator[Event, None, int]:
    """Show the next records up to ``count``, or before one of an unusual form; returns their number.

    Output is that of ``show_record``; records that are not plain rows are passed to it. ``scanned`` is the number of
    records read before.
    """
    cursor, trail, rows, done = session.cursor, session.trail, RowText(session), 0
    while done < count and (records := trail.records_at(cursor.next, min(_TOGETHER, count - done))):
        waiting: list[Harmless] = []
        rows_from, last, held = cursor.next, records[0], 0
        for record in records:
            done += 1
            is_definition = record.header.io_type == METADATA
            lines = None if is_definition else rows.of(record)
            is_due = (scanned + done) % session.settings.notify == 0
            if lines is None or is_due or held == session.takes_lines:
                yield from handed_over(cursor, waiting, last.rba, last.length)
                waiting, held = [], 0
            if is_due:
                yield progress(scanned + done, record)
            if lines is not None:
                waiting += lines
                last, held = record, held + 1
                continue
            trail.tables.pass_over(rows_from, record.rba)
            cursor.stand_on(record)
            yield from show_record(session, record)
            rows.note(record)
            rows_from = cursor.next if is_definition else rows_from
        trail.tables.pass_over(rows_from, records[-1].rba + records[-1].length)
        yield from handed_over(cursor, waiting, last.rba, last.length)
    return done


def handed_over(cursor: Cursor, lines: list[Harmless], rba: int, length: int) -> Iterator[Event]:
    """Yield the lines of records up to the one at ``rba``; the position is after it as soon as they are taken."""
    if not lines:
        return
    start, shown = cursor.next, RecordsInLines(lines)
    cursor.stand_at(rba, length)
    try:
        yield shown
    except BaseException:
        if not shown.is_taken:
            cursor.move(start)
        raise
