"""TRANSACTION and SAMETABLE: moving by transaction and by table."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from logdump.display.first_match import POSITION_STAYS, all_of, first_events, no_metadata, show_record
from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import OneOf
from logdump.session.across import go_to
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.searching import Searching
from logdump.session.session import Session
from logdump.session.settings import Across
from trailformat import TrailFile
from trailformat.changes.transactions import is_transactional
from trailformat.codec.on_demand import on_demand
from trailformat.trail.sequence import FilePosition, file_beyond
from trailformat.transactions.around import begins_transaction, extent_at
from trailformat.transactions.extent import Extent

with on_demand:
    from logdump.filters import name_criteria

Step = Callable[[Session, int, Searching], FilePosition]
"""A function from an RBA to the position of the record to display, which notes how far it has searched."""


def run_transaction(session: Session, find: Step) -> Iterator[Event]:
    """Display the first or last record of the transaction at the position, or the first of the next or previous one."""
    here = FilePosition(session.trail.path, session.cursor.current)
    searching = Searching(session, _SOUGHT[find], since=here)
    yield from (yield from searching.run(_match(session, find, searching)))


def _match(session: Session, find: Step, searching: Searching) -> Generator[Event, None, Sequence[Event]]:
    position = find(session, session.cursor.current, searching)
    if position.path != session.trail.path:
        if session.settings.across is Across.OFF:
            raise CommandError(f"It is at RBA {position.rba} of {position.path}: OPEN that file.")
        yield from go_to(session, position.path)
    record = session.trail.record_at(position.rba)
    if record is None:
        return ()
    session.cursor.stand_on(record)
    return [*show_record(session, record)]


def _extent(trail: TrailFile, rba: int) -> Extent:
    extent = extent_at(trail, rba)
    if extent is None:
        raise CommandError(f"RBA {rba} is between two transactions.")
    return extent


def _begin(session: Session, rba: int, _searching: Searching) -> FilePosition:
    return _begin_in(session.trail, rba)


def _begin_in(trail: TrailFile, rba: int) -> FilePosition:
    extent = _extent(trail, rba)
    if extent.begin is None:
        where = f": {extent.missing} is missing" if extent.missing else ""
        raise CommandError(f"The beginning of the transaction is not here{where}.")
    return extent.begin


def _end(session: Session, rba: int, _searching: Searching) -> FilePosition:
    extent = _extent(session.trail, rba)
    if extent.after is None or extent.last is None:
        raise CommandError("The end of the transaction is not here: it is open at the end of the trail.")
    return extent.last


def _next(session: Session, rba: int, searching: Searching) -> FilePosition:
    extent, start = extent_at(session.trail, rba), FilePosition(session.trail.path, rba)
    if extent is not None:
        start = extent.after or FilePosition(start.path, session.trail.size)
    for trail, since in _files_from(session, start, 1):
        for sound_rba in trail.sound_rbas(since, trail.size):
            searching.note(FilePosition(trail.path, sound_rba))
            record = trail.record_at(sound_rba)
            if record is not None and begins_transaction(record):
                return FilePosition(trail.path, sound_rba)
    raise CommandError(f"No next transaction from RBA {rba} to the end.")


def _previous(session: Session, rba: int, searching: Searching) -> FilePosition:
    extent, end = extent_at(session.trail, rba), FilePosition(session.trail.path, rba)
    if extent is not None and extent.begin is not None:
        end = extent.begin
    for trail, before in _files_from(session, end, -1):
        while (good := trail.previous_good_header(before)) is not None:
            searching.note(FilePosition(trail.path, before))
            record = trail.record_at(good)
            if record is not None and is_transactional(record):
                return _begin_in(trail, good)
            before = good  # noqa: PLW2901 - the search goes back in the same file
    raise CommandError(f"No previous transaction from RBA {rba} to the beginning.")


def _files_from(session: Session, position: FilePosition, step: int) -> Iterator[tuple[TrailFile, int]]:
    """Yield files with the RBA to start from: that of a position, then under ACROSS those after it, up to a gap.

    With ``step`` -1 these are the files before it, read from their ends.
    """
    is_across = session.settings.across is not Across.OFF
    if position.path == session.trail.path:
        yield session.trail, position.rba
    elif is_across:
        with TrailFile(position.path) as other:
            yield other, position.rba
    path, missing = file_beyond(position.path, step)
    while is_across and path is not None and (missing is None or session.settings.across is Across.GAPS):
        with TrailFile(path) as other:
            yield other, 0 if step > 0 else other.size
        path, missing = file_beyond(path, step)


_STEPS: dict[str, Step] = {
    "BEG[IN]": _begin,
    "END": _end,
    "N[EXT]": _next,
    "P[REVIOUS]": _previous,
}
_SOUGHT: dict[Step, str] = {
    _begin: "beginning of the transaction",
    _end: "end of the transaction",
    _next: "next transaction",
    _previous: "previous transaction",
}


def run_same_table(session: Session, backwards: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
    """Display the next or previous record of the same table as the record at the position."""
    was_backwards, searching = session.cursor.is_backwards, Searching(session, "record of the same table")
    try:
        events = yield from searching.run(_same_table(session, searching, backwards=bool(backwards)))
    finally:
        session.cursor.is_backwards = was_backwards
    session.cursor.stand_at(session.cursor.current, session.trail.record_length(session.cursor.current))
    yield from events


def _same_table(session: Session, searching: Searching, *, backwards: bool) -> Generator[Event, None, Sequence[Event]]:
    cursor = session.cursor
    record = session.trail.record_at(cursor.current)
    if record is None or not (name := session.trail.name_of(record)):
        raise CommandError(f"No record of a table at RBA {cursor.current}.")
    cursor.is_backwards = backwards
    cursor.move(record.rba if backwards else record.rba + record.length)
    searching.look_on(f"record of {name}")
    filters = [*all_of(name_criteria.AnsiName((name,))), no_metadata()]
    return (yield from first_events(session, searching, filtered=False, also=filters))


COMMANDS = (
    Command(
        "TRANSACTION",
        OneOf(_STEPS, missing="takes BEGIN, END, NEXT or PREVIOUS."),
        "Display a record of this, the next or the previous transaction",
        run_transaction,
        details=(
            "BEGIN and END: the first and the last record of the transaction that holds the last record displayed.",
            "NEXT and PREVIOUS: the first record of another transaction. The filter has no effect.",
        ),
        stops=POSITION_STAYS,
        origin=Origin.OURS,
    ),
    Command(
        "SAMETABLE",
        Maybe(OneOf({"N[EXT]": False, "P[REVIOUS]": True}), is_shown=False),
        "Display the next or previous record of the same table",
        run_same_table,
        details=("The table is that of the last record displayed. The filter has no effect.",),
        origin=Origin.OURS,
        stops=POSITION_STAYS,
    ),
)
