"""Many records as lines, made of their bytes: what NEXT shows of a long stretch of rows, without an event for each."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import zip_longest
from typing import Protocol

from logdump.notation.escape import Harmless
from logdump.operations.first_match import show_record
from logdump.session.cursor import Cursor
from logdump.session.events import Event, RecordsInLines
from logdump.session.scan import progress
from logdump.session.session import Session
from trailformat import Record
from trailformat.records.io_types import METADATA
from trailformat.trail.usual_records import usual_records

_TOGETHER = 128
"""Records that are read together."""


class RowLines(Protocol):
    """The lines of rows, in a format and under the switches of a session."""

    def of(self, record: Record, following: Record | None) -> list[Harmless] | None:
        """The lines of a row, with that behind it where it is at hand; None where it needs more than these."""

    def note(self, record: Record) -> None:
        """Take note of a record that is shown otherwise, as definitions are."""


def show_rows(session: Session, rows: RowLines, count: int, scanned: int) -> Generator[Event, None, int]:
    """Show the next records up to ``count``, or before one of an unusual form; returns how many.

    They are what ``show_record`` shows; those that are no plain rows are left to it. ``scanned`` were read before.
    """
    cursor, trail, done = session.cursor, session.trail, 0
    while done < count and (records := usual_records(trail, cursor.next, min(_TOGETHER, count - done))):
        waiting: list[Harmless] = []
        rows_from, last, held = cursor.next, records[0], 0
        for record, following in zip_longest(records, records[1:]):
            done += 1
            is_definition = record.header.io_type == METADATA
            lines = None if is_definition else rows.of(record, following)
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
    """The lines of some records, ``rba`` that of the last; the position is behind them as soon as they are taken."""
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
