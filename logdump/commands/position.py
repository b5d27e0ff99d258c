"""POSITION, NEXT, SKIP and BEGIN: moving through the trail."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands.seeking import show_record
from logdump.language.arguments import count, number, time_argument
from logdump.language.command import ArgumentError, Command
from logdump.language.words import first_word, is_keyword, split_words
from logdump.notation.times import TIME_FORMS
from logdump.session.cursor import Cursor
from logdump.session.errors import CommandError
from logdump.session.events import Event, NoRecordThere, PositionShown, Progress, say
from logdump.session.scan import Scan
from logdump.session.session import Session
from trailformat import TrailError

_JUMPS = frozenset({"CSN", "TIME", "MARK"})


def run_next(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next records that pass the filter, in the read direction; at the end, nothing."""
    scan = Scan(session)
    try:
        for _ in range(count(arguments)):
            record = yield from scan.find()
            if record is None:
                break
            yield from show_record(session, record)
    except TrailError:
        yield from _suppressed(scan)
        raise
    yield from _suppressed(scan)


def _suppressed(scan: Scan) -> Iterator[Event]:
    if scan.suppressed:
        yield say(f"Filtering suppressed {scan.suppressed:>8} records")


def run_skip(session: Session, arguments: str) -> Iterator[Event]:
    """Move over records without displaying them; with FILTER only those that pass it are counted."""
    words = split_words(arguments)
    filtered = bool(words) and is_keyword(words[-1], "FILTER")
    wanted = count(" ".join(words[:-1]) if filtered else arguments)
    if not filtered:
        session.cursor.skip(wanted)
        return
    scan = Scan(session)
    for _ in range(wanted):
        if (yield from scan.find()) is None:
            return


def run_position(session: Session, arguments: str) -> Iterator[Event]:
    """Set the read position or direction, or tell them."""
    word, rest = first_word(arguments)
    if word.upper() in _JUMPS:
        from logdump.commands.jumps import JUMPS  # noqa: PLC0415 - few positions need it

        yield from JUMPS[word.upper()](session, rest)
    else:
        words = iter(split_words(arguments))
        for one in words:
            if is_keyword(one, "REC[ORD]"):
                yield from _to_record(session, number(next(words, ""), what="the number of a record"))
            else:
                _position(session.cursor, one)
    yield where(session)
    if arguments:
        yield from _no_record_there(session)


def where(session: Session) -> Event:
    """The position and the direction of reading."""
    cursor = session.cursor
    return PositionShown(session.trail.path, cursor.next, cursor.is_backwards)


def _no_record_there(session: Session) -> Iterator[Event]:
    """What is at the position, where reading cannot go on from it."""
    from trailformat.index import neighbours_of  # noqa: PLC0415 - few positions need it

    cursor = session.cursor
    found = neighbours_of(session.trail, cursor.next, backwards=cursor.is_backwards)
    if found is not None:
        place = (session.trail.path, cursor.next, cursor.is_backwards)
        yield NoRecordThere(*place, found.before, found.after, found.is_inside, session.trail.size)


def _to_record(session: Session, wanted: int) -> Iterator[Event]:
    """Stand at a record by its number in the file; as much of the file is gone over as is not known yet."""
    from trailformat.index import build, index_of  # noqa: PLC0415 - it needs the scan

    trail, step = session.trail, session.settings.notify
    places = index_of(trail).places
    begun = places.records
    if wanted >= begun or not places.fits(trail):
        for covered in build(trail, places):
            if places.records // step > begun // step:
                yield Progress(places.records, covered, places.checkpoints.io_time[-1], trail.size)
            begun = places.records
            if begun > wanted:
                break
    rba = places.rba_of(trail, wanted)
    if rba is None:
        raise CommandError(f"There is no record {wanted}: the file has {places.records}, and the first is 0.")
    session.cursor.move(rba)


def _position(cursor: Cursor, word: str) -> None:
    if is_keyword(word, "FIRST"):
        cursor.move(0)
    elif is_keyword(word, "LAST"):
        last = cursor.trail.previous_good_header(cursor.trail.end_of_records())
        cursor.move(last or 0)
    elif is_keyword(word, "EOF"):
        cursor.move(cursor.trail.size)
    elif is_keyword(word, "REV[ERSE]"):
        cursor.is_backwards = True
    elif is_keyword(word, "FOR[WARD]"):
        cursor.is_backwards = False
    else:
        cursor.move(_rba(word))


def _rba(word: str) -> int:
    """An RBA; the refusal is Logdump's (11.2 session), which has the argument in capitals."""
    try:
        return number(word)
    except ArgumentError:
        raise CommandError(f"Error: Invalid file position ({word.upper()})") from None


def run_begin(session: Session, arguments: str) -> Iterator[Event]:
    """Set the position to the first record at or after a time."""
    moment = time_argument(arguments, session.settings.time_offset)
    session.cursor.begin(moment)
    yield where(session)


COMMANDS = (
    Command(
        "NEXT",
        "NEXT | N | RECORD | REC [<count>]",
        "Display the next record, or the next <count>",
        run_next,
        aliases=("N", "RECORD", "REC"),
    ),
    Command(
        "SKIP",
        "SKIP [<count>] [FILTER]",
        "Move over <count> records",
        run_skip,
        options=("FILTER",),
        details=("FILTER counts only records that pass the filter.",),
    ),
    Command(
        "POSITION",
        "POSITION (POS) [<rba> | FIRST | LAST | EOF | RECORD <n> | CSN <csn> | TIME <time> | MARK <name>] "
        "[REVERSE | FORWARD]",
        "Set the read position and direction, or tell them",
        run_position,
        aliases=("POS",),
        options=("FIRST", "LAST", "EOF", "REC[ORD]", "REV[ERSE]", "FOR[WARD]", "CSN", "TIME", "MARK"),
        details=(
            "Reading in reverse, NEXT displays the record that ends at the position.",
            "CSN <csn> and TIME <time> go to the first record at or after it, in all files of the trail;",
            "MARK <name> goes to a place that MARK has named. All three read forward from there.",
            f"<time> is {TIME_FORMS}.",
            "RECORD <n> counts from the beginning of the file, which is 0; damage counts as one record.",
            "CSN, TIME, MARK and RECORD are not in Oracle's Logdump.",
        ),
    ),
    Command(
        "BEGIN",
        "BEGIN <time>",
        "Set the position to the first record at or after a time",
        run_begin,
        details=(f"<time> is {TIME_FORMS};", "without those it is in the zone of TIMEOFFSET."),
    ),
)
