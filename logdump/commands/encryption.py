"""DECRYPT and ENCRYPT, which stay off."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import ArgumentError, Command, Run
from logdump.language.words import is_keyword, split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session


def _encryption(name: str, consequence: str) -> Run:
    """What either command does: accept OFF, refuse ON, tell that it is off."""

    def run(_session: Session, arguments: str) -> Iterator[Event]:
        words = split_words(arguments)
        if not words:
            yield say(f"{name} is OFF")
        elif is_keyword(words[0], "ON") and (len(words) == 1 or (len(words) == 3 and is_keyword(words[1], "KEYNAME"))):
            raise CommandError(f"{name} ON: trail encryption is not supported; {consequence}.")
        elif len(words) > 1 or not is_keyword(words[0], "OFF"):
            raise ArgumentError(f"takes OFF or ON, not {arguments!r}.")

    return run


COMMANDS = (
    Command(
        "DECRYPT",
        "DECRYPT {OFF | ON [KEYNAME <name>]}",
        "Decrypt records for display: not supported, stays OFF",
        _encryption("DECRYPT", "encrypted data is shown as it is stored"),
        options=("OFF", "ON", "KEYNAME"),
    ),
    Command(
        "ENCRYPT",
        "ENCRYPT {OFF | ON [KEYNAME <name>]}",
        "Encrypt records of SAVE: not supported, stays OFF",
        _encryption("ENCRYPT", "SAVE writes records as they are"),
        options=("OFF", "ON", "KEYNAME"),
    ),
)
