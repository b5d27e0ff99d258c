"""DECRYPT and ENCRYPT, which stay off."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import OneOf, Word
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session


def _encryption(name: str, summary: str, consequence: str) -> Command[bool | None]:
    """Either command: it accepts OFF, refuses ON, and tells that it is off."""

    def run(_session: Session, is_on: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
        if is_on:
            raise CommandError(f"{name} ON: trail encryption is not supported; {consequence}.")
        if is_on is None:
            yield say(f"{name} is OFF")

    return Command(name, _OFF_OR_ON, summary, run)


_WRONG = "takes OFF or ON, not {!r}."


def _on(_keyword: None, _key_name: str | None) -> bool:
    return True


_OFF_OR_ON = Maybe(
    Alternatives(
        OneOf({"OFF": False}, wrong=_WRONG),
        Sequence(_on, OneOf({"ON": None}), Maybe(Keyword("KEYNAME", Word("<name>", missing=_WRONG)))),
    ),
    is_shown=False,
)

COMMANDS = (
    _encryption(
        "DECRYPT",
        "Decrypt records for display: not supported, stays OFF",
        "encrypted data is shown as it is stored",
    ),
    _encryption(
        "ENCRYPT",
        "Encrypt records of SAVE: not supported, stays OFF",
        "SAVE writes records as they are",
    ),
)
