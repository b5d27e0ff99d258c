"""The records to export, one by one: from the session's position on, through its filter, damage stepped over."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.export.target import ExportTally
from logdump.session.events import Event
from logdump.session.scan import FilteredReader
from logdump.session.session import Session
from trailformat import Record, TrailError
from trailformat.trail.sequence import FilePosition


def walk(session: Session, tally: ExportTally, limit: int | None, stop: int | None = None) -> Iterator[Record | Event]:
    """The records, until the tally has ``limit``, and before the RBA ``stop``, with progress between them.

    The position moves along, and damage is noted.

    Raises:
        NotATrail: the file cannot be read any more.
    """
    reader = FilteredReader(session, stop=stop, stays=True)
    try:
        while limit is None or tally.selected < limit:
            try:
                record = yield from reader.find()
            except TrailError as error:
                if not _step_over(session, tally, error):
                    return
                reader = _going_on(session, reader, stop)
                continue
            if record is None:
                tally.end = FilePosition(session.trail.path, session.cursor.next)
                return
            tally.selected += 1
            tally.end = FilePosition(session.trail.path, record.rba + record.length)
            yield record
    finally:
        reader.close()


def _step_over(session: Session, tally: ExportTally, error: TrailError) -> bool:
    """Note damage at the position and move past it; False when nothing follows it."""
    trail, rba = session.trail, session.cursor.next
    good = trail.next_good_header(rba + 1)
    tally.note_damage(error.at(trail.path, rba), (trail.size if good is None else good) - rba)
    if good is None:
        tally.end = FilePosition(trail.path, rba)
    else:
        session.cursor.move(good)
    return good is not None


def _going_on(session: Session, former: FilteredReader, stop: int | None) -> FilteredReader:
    former.close()
    reader = FilteredReader(session, stop=stop, stays=True)
    reader.scanned, reader.suppressed = former.scanned, former.suppressed
    return reader
