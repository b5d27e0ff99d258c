"""Many records as lines of JSON, by columns: what NEXT shows of a long stretch of rows, without an object for each."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from logdump.arrow.tables.piece import pieces
from logdump.operations.export.jsonl import JsonLines
from logdump.operations.export.record_lines import RecordLines, Rooms, record_lines
from logdump.operations.export.record_pieces import RecordPieces
from logdump.operations.first_match import show_record
from logdump.session.events import Event, Progress, RecordsInJson
from logdump.session.session import Session
from trailformat.scan import Engine, TransactionTracker, scan
from trailformat.scan.rows import learn_definitions

_TOGETHER = 64
"""Lines of an event; after Ctrl+C NEXT begins with those again that may not have been printed."""


def show_many(session: Session, count: int) -> Generator[Event, None, int]:
    """Show the next records up to ``count``, or before damage or the end of the file; returns how many.

    They are what ``show_record`` shows; those that need more than their own bytes and their definition are left to it.
    """
    trail, start = session.trail, session.cursor.next
    carrier = TransactionTracker(trail, engine=Engine.NUMBA, before=session.cursor.transactions.open_at(start))
    forms, records, done = JsonLines().members(), RecordPieces(session), 0
    for batch in scan(trail, start, engine=Engine.NUMBA):
        learn_definitions(trail, batch)
        sound = next(iter(batch.spans()), len(batch))
        rows = np.arange(min(sound, count - done))
        for piece in pieces(trail, batch, rows, carrier.of(batch)):
            for part in records.of(piece):
                yield from _shown(session, record_lines(part, trail, forms, Rooms()), done)
                done += len(part.rows)
        if sound < len(batch) or done == count:
            break
    return done


def _shown(session: Session, made: RecordLines, done: int) -> Iterator[Event]:
    """The rows of a piece; the position moves along."""
    cursor, rows, owners = session.cursor, made.piece.rows, made.piece.owners
    lines = iter(bytes(made.part.data).decode().splitlines())
    rbas, lengths, times = (rows.of(name).tolist() for name in ("rba", "length", "io_time"))
    waiting: list[str] = []
    for row, is_odd in enumerate(made.odd.tolist()):
        is_due = (done + row + 1) % session.settings.notify == 0
        if waiting and (is_odd or is_due or len(waiting) == _TOGETHER):
            yield RecordsInJson(tuple(waiting))
            cursor.stand_at(rbas[row - 1], lengths[row - 1])
            waiting.clear()
        if is_due:
            yield Progress(done + row + 1, rbas[row], times[row])
        if is_odd:
            record = rows.record(row, session.trail.path)
            cursor.transactions.learn(record, owners.of_row(int(rows.rows[row])))
            cursor.stand_on(record)
            yield from show_record(session, record)
        else:
            waiting.append(next(lines))
    if waiting:
        yield RecordsInJson(tuple(waiting))
        cursor.stand_at(rbas[-1], lengths[-1])
