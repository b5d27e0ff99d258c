"""POSITION, NEXT and SKIP: moving through the trail."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands.showing import show_record
from logdump.cursor import Cursor
from logdump.events import Event, say
from logdump.language.arguments import count, number
from logdump.language.command import Command
from logdump.language.words import is_keyword, split_words
from logdump.session import Session


def run_next(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next records in the read direction; at the end, nothing."""
    cursor = session.cursor
    for _ in range(count(arguments)):
        record = cursor.read()
        if record is None:
            return
        yield from show_record(session, record)


def run_skip(session: Session, arguments: str) -> Iterator[Event]:
    """Move over records without displaying them."""
    session.cursor.skip(count(arguments))
    return iter(())


def run_position(session: Session, arguments: str) -> Iterator[Event]:
    """Set the read position or direction, or tell them."""
    cursor = session.cursor
    words = split_words(arguments)
    for word in words:
        _position(cursor, word)
    yield say(f"Reading {'in reverse' if cursor.is_backwards else 'forward'} from RBA {cursor.next}")


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
        cursor.move(number(word, what="an RBA, FIRST, LAST, EOF, REVERSE or FORWARD"))


COMMANDS = (
    Command(
        "NEXT",
        "NEXT | N | RECORD | REC [<count>]",
        "Display the next record, or the next <count>",
        run_next,
        aliases=("N", "RECORD", "REC"),
    ),
    Command("SKIP", "SKIP [<count>]", "Move over <count> records", run_skip),
    Command(
        "POSITION",
        "POSITION (POS) [<rba> | FIRST | LAST | EOF] [REVERSE | FORWARD]",
        "Set the read position and direction, or tell them",
        run_position,
        aliases=("POS",),
        options=("FIRST", "LAST", "EOF", "REV[ERSE]", "FOR[WARD]"),
        details=("Reading in reverse, NEXT displays the record that ends at the position.",),
    ),
)
