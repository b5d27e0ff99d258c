"""NEXT for many records as lines of text, made from their bytes without an event for each record."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from logdump.commands.records.first_match import show_record
from logdump.display.row_text import RowText
from logdump.notation.escape import Harmless
from logdump.session.cursor import Cursor
from logdump.session.events import Event, RecordsInLines
from logdump.session.scan import progress
from logdump.session.session import Session
from trailformat.records.io_types import METADATA

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
