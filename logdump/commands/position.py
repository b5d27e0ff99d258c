"""POSITION, NEXT, SKIP and BEGIN: moving through the trail."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.display.first_match import POSITION_STAYS, show_record
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword, Maybe, Sequence
from logdump.language.parameters import EnteredTime, FreeText, MarkName, Number, OneOf, Time, Word
from logdump.language.reader import Context, Parameter
from logdump.notation.times import TIME_FORMS
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Event, NoRecordThere, PositionShown, Progress, say
from logdump.session.scan import FilteredReader
from logdump.session.session import Mark, MarksShown, Session
from logdump.session.settings import Across
from trailformat import PartialRecord, TrailError, TrailFile
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.commands.records import many_rows
    from logdump.session import chosen_trail
    from trailformat import index
    from trailformat.trail import sequence

if TYPE_CHECKING:
    from logdump.session.searching import Goal, Searching
    from trailformat.trail.sequence import FilePosition


class Naming(NamedTuple):
    """A name for a position, and a note."""

    name: str
    note: str | None


class Clearing(NamedTuple):
    """The name of the mark to remove; None for all."""

    name: str | None


def run_mark(session: Session, given: Naming | Clearing | None) -> Iterator[Event]:
    """Name the position of the last record displayed or the one set by POSITION, remove marks, or list them."""
    if isinstance(given, Clearing):
        _clear(session, given.name)
    elif given is not None:
        session.marks[given.name] = Mark(given.name, session.trail.path, session.cursor.current, given.note or "")
    else:
        yield MarksShown(tuple(sorted(session.marks.values(), key=lambda mark: (mark.path, mark.rba, mark.name))))


def _clear(session: Session, name: str | None) -> None:
    if name and name not in session.marks:
        raise CommandError(f"No mark {name!r}; MARK lists them.")
    if name:
        del session.marks[name]
    else:
        session.marks.clear()


_LIKE = {"END": "EOF", "BOTTOM": "EOF", "BEGIN": "FIRST", "START": "FIRST", "TOP": "FIRST"}
"""Words of POSITION by those of other programs."""
_MANY = 500
"""Least number of records whose JSON lines are made by columns: one by one, these take as long as loading numpy."""
_ROW_BYTES = 128
"""Approximate size of a small row in a trail, in bytes."""
Place = Callable[[Session], Iterator[Event]]
"""A function that sets the position."""


class Position(NamedTuple):
    """The arguments of POSITION: the position, the direction, neither or both."""

    place: Place | None = None
    backwards: bool | None = None


class Skip(NamedTuple):
    """The arguments of SKIP: the number of records (None: 1), and whether only those that pass the filter count."""

    records: int | None
    filtered: bool | None


def run_next(session: Session, count: int | None) -> Iterator[Event]:
    """Display the next ``count`` records (None: 1) that pass the filter, in the read direction; fewer at the end."""
    reader, left = FilteredReader(session), count or 1
    takes_lines = left > 1 and _takes_lines(session)
    try:
        while left:
            if takes_lines and (shown := (yield from _show_together(session, left, reader.scanned))):
                reader.scanned, left = reader.scanned + shown, left - shown
                continue
            record = yield from reader.find()
            if record is None:
                break
            left -= 1
            yield from show_record(session, record)
    except (TrailError, CommandError):
        yield from _suppressed(reader)
        raise
    finally:
        reader.close()
    yield from _suppressed(reader)


def _takes_lines(session: Session) -> bool:
    """Return True if consecutive records can be shown together as lines: forward, without filter, no values in text."""
    is_filtered = session.narrowing is not None or session.selection().is_active
    shows_additions = session.settings.values and not session.settings.shows_everything
    return session.takes_lines > 0 and not session.cursor.is_backwards and not is_filtered and not shows_additions


def _show_together(session: Session, count: int, scanned: int) -> Generator[Event, None, int]:
    """Show the next records as lines made together; returns their number, 0 if they must be shown one by one."""
    if session.settings.shows_everything:
        if count < _MANY or session.trail.size - session.cursor.next < _MANY * _ROW_BYTES:
            return 0
        return (yield from many_rows.show_many(session, count, scanned))
    if count == 1:
        return 0
    return (yield from many_rows.show_rows(session, count, scanned))


def _suppressed(reader: FilteredReader) -> Iterator[Event]:
    if reader.suppressed:
        yield say(f"Filtering suppressed {reader.suppressed:>8} records")


def run_skip(session: Session, skip: Skip) -> Iterator[Event]:
    """Move over records without displaying them; with FILTER only those that pass it are counted."""
    if not skip.filtered and session.settings.across is Across.OFF:
        session.cursor.skip(skip.records or 1)
        return
    with closing(FilteredReader(session, filtered=bool(skip.filtered))) as reader:
        for _ in range(skip.records or 1):
            if (yield from reader.find()) is None:
                return


def run_position(session: Session, position: Position) -> Iterator[Event]:
    """Set the read position or direction, or show them."""
    if position.place is not None:
        yield from position.place(session)
    if position.backwards is not None:
        session.cursor.is_backwards = position.backwards
    yield where(session)
    if position != Position():
        yield from _no_record_there(session)


def where(session: Session) -> Event:
    """Return the event that shows the position and the read direction."""
    cursor = session.cursor
    return PositionShown(session.trail.path, cursor.next, cursor.is_backwards)


def _no_record_there(session: Session) -> Iterator[Event]:
    """Yield an event on the bytes at the position if no record can be read there."""
    cursor = session.cursor
    neighbours = index.neighbours_of(session.trail, cursor.next, backwards=cursor.is_backwards)
    if neighbours is not None:
        place = (session.trail.path, cursor.next, cursor.is_backwards)
        yield NoRecordThere(*place, neighbours.before, neighbours.after, neighbours.is_inside, session.trail.size)


def _to(rba: int) -> Place:
    return partial(_move, lambda _trail: rba)


def _move(rba_in: Callable[[TrailFile], int], session: Session) -> Iterator[Event]:
    session.cursor.move(rba_in(session.trail))
    return iter(())


def _last(trail: TrailFile) -> int:
    return trail.previous_good_header(trail.end_of_records()) or 0


def _end(trail: TrailFile) -> int:
    """Return the end of the file, or the RBA of a record that is still being written, so that NEXT shows it later."""
    end = trail.end_of_records()
    return end if isinstance(trail.error_at(end), PartialRecord) else trail.size


def _to_record(wanted: int) -> Place:
    return partial(_count_to, wanted)


def _count_to(wanted: int, session: Session) -> Iterator[Event]:
    """Move to a record by its number in the file; unread parts of the file before it are counted first."""
    from logdump.session.searching import Searching  # noqa: PLC0415 - few positions need it

    searching = Searching(session, f"record {wanted}", since=sequence.FilePosition(session.trail.path, 0))
    session.cursor.move((yield from searching.run(_counted(wanted, session, searching))))


def _counted(wanted: int, session: Session, searching: Searching) -> Generator[Event, None, int]:
    trail, step = session.trail, session.settings.notify
    places = index.index_of(trail).places
    begun = places.records
    if wanted >= begun or not places.fits(trail):
        for covered in index.build(trail, places):
            searching.note(sequence.FilePosition(trail.path, covered))
            if places.records // step > begun // step:
                yield Progress(places.records, covered, places.checkpoints.io_time[-1], trail.size)
            begun = places.records
            if begun > wanted:
                break
    rba = places.rba_of(trail, wanted)
    if rba is None:
        raise CommandError(f"There is no record {wanted}: the file has {places.records}, and the first is 0.")
    return rba


class CsnPlace(Parameter[Place]):
    """A CSN: the position of the trail's first record whose transaction has this CSN or a later one."""

    is_phrase = True

    def parse(self, text: str, context: Context) -> Place:  # noqa: ARG002
        """Return a move to the first record with at least this CSN."""
        from logdump.session.searching import csn_goal  # noqa: PLC0415 - few positions need it

        goal = csn_goal(text)
        if goal is None:
            raise ArgumentError(f"{text!r} is not a CSN; write a number, 4:1095, 00000000/05002818 or the like.")
        return partial(_to_goal, goal)

    def begins(self, typed: str, context: Context) -> bool:  # noqa: ARG002
        """Return True if the text is one word: MySQL's CSNs may begin with any text."""
        return len(typed.split()) == 1


def _to_time(moment: EnteredTime) -> Place:
    """Return a move to the first row of the trail at or after a time."""
    from logdump.session.searching import time_goal  # noqa: PLC0415 - few positions need it

    return partial(_to_goal, time_goal(moment.julian, moment.text))


def _to_goal(goal: Goal, session: Session) -> Iterator[Event]:
    from logdump.session.searching import Searching, find_in_sequence  # noqa: PLC0415 - few positions need it

    trail = session.trail
    searching = Searching(
        session, f"record with {goal.text}", since=sequence.FilePosition(chosen_trail.files_of_trail(trail.path)[0], 0)
    )

    def find() -> FilePosition:
        record = find_in_sequence(trail, goal, searching.note)
        if record is not None and record.path is not None:
            return sequence.FilePosition(record.path, record.rba)
        bounds = chosen_trail.range_of(trail)
        goes = f"It goes {bounds.text(session.settings.time_offset)}." if bounds is not None else "It has no row."
        raise CommandError(f"No record with {goal.text} in this trail. {goes}")

    yield from stand_at(session, *(yield from searching.run_whole(find)))


def _to_mark(name: str) -> Place:
    return partial(_stand_at_mark, name)


def _stand_at_mark(name: str, session: Session) -> Iterator[Event]:
    mark = session.marks.get(name)
    if mark is None:
        raise CommandError(f"No mark {name!r}; MARK lists them.")
    yield from stand_at(session, mark.path, mark.rba)


def stand_at(session: Session, path: Path, rba: int) -> Iterator[Event]:
    """Open the file unless it is open, move to the RBA, and set the read direction to forward."""
    if not session.has_trail or path != session.trail.path:
        session.open(path)
        yield say(f"Current LogTrail is {session.trail.path}")
    session.cursor.is_backwards = False
    session.cursor.move(rba)


class PositionNumber(Number):
    """An RBA; the error message is Logdump's (11.2 session), with the argument in capitals."""

    def parse(self, text: str, context: Context) -> int:
        """Return the RBA."""
        try:
            return super().parse(text, context)
        except ArgumentError:
            near = _LIKE.get(text.upper())
            hint = (f"Did you mean POSITION {near}?",) if near else ()
            raise CommandError(f"Error: Invalid file position ({text.upper()})", *hint) from None


def run_begin(session: Session, moment: EnteredTime) -> Iterator[Event]:
    """Set the position to the first record at or after a time."""
    from logdump.session.searching import Searching  # noqa: PLC0415 - few positions need it

    path = session.trail.path
    searching = Searching(session, f"record at or after {moment.text}", since=sequence.FilePosition(path, 0))
    yield from searching.run_whole(
        lambda: session.cursor.begin(moment.julian, lambda rba: searching.note(sequence.FilePosition(path, rba)))
    )
    yield where(session)


_PLACES = Alternatives[Place](
    Sequence(_to, PositionNumber("<rba>")),
    Keyword("RBA", Sequence(_to, PositionNumber("<rba>"))),
    OneOf({"FIRST": _to(0), "LAST": partial(_move, _last), "EOF": partial(_move, _end)}),
    Keyword("REC[ORD]", Sequence(_to_record, Number("<n>", what="the number of a record"))),
    Keyword("CSN", CsnPlace("<csn>")),
    Keyword("TIME", Sequence(_to_time, Time())),
    Keyword("MARK", Sequence(_to_mark, MarkName("<name>"))),
)


COMMANDS = (
    Command(
        "NEXT | N | RECORD | REC",
        Maybe(Alternatives(Number("<count>", least=1), OneOf({"ALL": sys.maxsize}))),
        "Display the next record, or the next <count>, or all up to the end",
        run_next,
    ),
    Command(
        "SKIP",
        Sequence(Skip, Maybe(Number("<count>", least=1)), Maybe(OneOf({"FILTER": True})), surplus=Number.surplus),
        "Move over <count> records",
        run_skip,
        details=("FILTER counts only records that pass the filter.",),
    ),
    Command(
        "POSITION (POS)",
        AnyOrder(
            Position,
            {"place": _PLACES, "backwards": OneOf({"REV[ERSE]": True, "FOR[WARD]": False})},
        ),
        "Set the read position and direction, or show them",
        run_position,
        details=(
            "Reading in reverse, NEXT displays the record that ends at the position.",
            "An RBA may be written as GoldenGate's messages print it: POSITION RBA 483,188,832.",
            "EOF is before a record that is still being written.",
            "CSN <csn> and TIME <time> go to the first record at or after it, in all files of the trail;",
            "MARK <name> goes to a place that MARK has named. All three read forward from there.",
            f"<time> is {TIME_FORMS}.",
            "RECORD <n> counts from the beginning of the file, which is 0; damage counts as one record.",
            "CSN, TIME, MARK and RECORD are not in Oracle's Logdump.",
        ),
        stops=POSITION_STAYS,
    ),
    Command(
        "BEGIN",
        Time(),
        "Set the position to the first record at or after a time",
        run_begin,
        details=(
            f"<time> is {TIME_FORMS};",
            "without those it is in the zone of TIMEOFFSET. Without a date it is on the date of the trail that fits.",
        ),
        stops=POSITION_STAYS,
    ),
    Command(
        "MARK",
        Maybe(
            Alternatives[Naming | Clearing](
                Sequence(Naming, Word("<name>"), Maybe(FreeText("<note>"))),
                Keyword("CLEAR", Sequence(Clearing, Maybe(MarkName("<name>")))),
            )
        ),
        "Give the position a name, list the names, or forget them",
        run_mark,
        details=(
            "The place is that of the last record displayed, or where POSITION has set the position.",
            "POSITION MARK <name> goes back there, and opens the file if necessary. Marks last as long as the session.",
            "Example: MARK a abended here",
        ),
        origin=Origin.OURS,
    ),
)
