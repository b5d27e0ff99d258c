"""DUMP: the bytes at the position, whatever they are."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.arguments import number
from logdump.language.command import ArgumentError, Command
from logdump.language.words import split_words
from logdump.notation.hexdump import hexdump
from logdump.session.events import Event, say
from logdump.session.session import Session

_DEFAULT = 256
_MOST = 28672


def run_dump(session: Session, arguments: str) -> Iterator[Event]:
    """Dump bytes from the position on; the position stays."""
    words = split_words(arguments)
    if len(words) > 1:
        raise ArgumentError(f"takes one number, but got {arguments!r}.")
    wanted = number(words[0], least=1, most=_MOST) if words else _DEFAULT
    start = min(session.cursor.next, session.trail.size)
    data = session.trail.buffer[start : start + wanted]
    yield say(f"Dump {len(data):>5}  Bytes at RBA {start}", *hexdump(data, gutter=session.settings.dump_gutter))


COMMANDS = (Command("DUMP", "DUMP [<bytes>]", "Dump the bytes at the read position (256; up to 28672)", run_dump),)
