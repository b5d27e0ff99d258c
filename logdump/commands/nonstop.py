"""The commands for NonStop only: each answers with one line that says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.language.command import AnyCommand, Command
from logdump.language.forms import NOTHING, Maybe
from logdump.language.parameters import ON_OFF, File, Number
from logdump.language.reader import Form
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.session import Session

_SWITCH = Maybe(ON_OFF, is_shown=False)
_FILE = Maybe(File("<filename>"), is_shown=False)

_MEANINGS: dict[str, tuple[Form[Any], str]] = {
    "ARGETNONDATACHANGES": (NOTHING, "read audit records that changed no data"),
    "ARSTOPNONDATACHANGES": (NOTHING, "drop audit records that changed no data"),
    "CALCTLFKEY": (_SWITCH, "show the unique key of BASE24 log records"),
    "DATAFILE": (_FILE, "open an Enscribe file"),
    "WRITEREC": (NOTHING, "write a record to the open Enscribe file"),
    "GGSAUDITREAD": (_FILE, "read a TMF audit trail directly"),
    "TMFBEFOREIMAGE": (_SWITCH, "show before images from TMF"),
    "TMFGETRECADDR": (NOTHING, "have TMF return record addresses"),
    "NOTMFGETRECADDR": (NOTHING, "have TMF return no record addresses"),
    "TMFIGNORERECCOUNT": (Maybe(Number("<count>"), is_shown=False), "set how many records TMF may ignore"),
}


def _command(name: str, form: Form[Any], meaning: str) -> AnyCommand:
    def run(_session: Session, _arguments: object) -> Iterator[Event]:
        raise CommandError(f"{name} works on NonStop only.")

    return Command(name, form, f"NonStop only: {meaning}", run)


COMMANDS = tuple(_command(name, form, meaning) for name, (form, meaning) in _MEANINGS.items())
