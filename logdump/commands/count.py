"""COUNT."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.counting import Count
from logdump.events import CountShown, Event, Notice
from logdump.language.arguments import one_option
from logdump.language.command import Command
from logdump.session import Session
from logdump.settings import Detail
from trailformat import TrailError, TrailFile


def run_count(session: Session, arguments: str) -> Iterator[Event]:
    """Count the records of the whole file; the read position is at its beginning afterwards."""
    detail = bool(one_option(arguments, {"DET[AIL]": True})) or session.settings.detail is not Detail.OFF
    trail = session.trail
    count = Count()
    notices = list(_count_all(trail, count))
    session.cursor.move(0)
    yield CountShown(str(trail.path), count, detail)
    yield from notices


def _count_all(trail: TrailFile, count: Count) -> Iterator[Notice]:
    """Take every sound record in, stepping over damage; a notice for each bad span and for a half-written end."""
    rba: int | None = 0
    while rba is not None and rba < trail.size:
        try:
            record = trail.record_at(rba)
            if record is None:
                return
            count.add(record, trail.name_of(record))
            rba += record.length
        except TrailError as error:
            good = trail.next_good_header(rba + 1)
            span = f"{(good or trail.size) - rba} bytes are not counted"
            yield Notice((f"{error}: {span}",))
            rba = good


COMMANDS = (
    Command(
        "COUNT",
        "COUNT [DETAIL]",
        "Count the records in the file, by type; with DETAIL by table",
        run_count,
        options=("DET[AIL]",),
    ),
)
