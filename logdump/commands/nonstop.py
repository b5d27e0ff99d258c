"""The commands that work on NonStop only: each answers with one line that says so."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command, Run
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.session import Session

_MEANINGS = {
    "ARGETNONDATACHANGES": "read audit records that changed no data",
    "ARSTOPNONDATACHANGES": "drop audit records that changed no data",
    "CALCTLFKEY {ON | OFF}": "show the unique key of BASE24 log records",
    "DATAFILE <filename>": "open an Enscribe file",
    "WRITEREC": "write a record to the open Enscribe file",
    "GGSAUDITREAD <filename>": "read a TMF audit trail directly",
    "TMFBEFOREIMAGE {ON | OFF}": "show before images from TMF",
    "TMFGETRECADDR": "have TMF return record addresses",
    "NOTMFGETRECADDR": "have TMF return no record addresses",
    "TMFIGNORERECCOUNT <count>": "set how many records TMF may ignore",
}


def _refusal(name: str) -> Run:
    def run(_session: Session, _arguments: str) -> Iterator[Event]:
        raise CommandError(f"{name} works on NonStop only.")

    return run


def _command(syntax: str, meaning: str) -> Command:
    name = syntax.split(maxsplit=1)[0]
    options = ("ON", "OFF") if "ON |" in syntax else ()
    return Command(name, syntax, f"NonStop only: {meaning}", _refusal(name), options=options)


COMMANDS = tuple(_command(syntax, meaning) for syntax, meaning in _MEANINGS.items())
