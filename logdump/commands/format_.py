"""FORMAT: Logdump's text, or JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.arguments import one_option
from logdump.language.command import Command, Origin
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import OutputFormat

_FORMATS = {"TEXT": OutputFormat.TEXT, "JSONL": OutputFormat.JSONL}


def run_format(session: Session, arguments: str) -> Iterator[Event]:
    """Set or tell the format of what is printed."""
    value = one_option(arguments, _FORMATS)
    if value is not None:
        session.settings.format = value
    else:
        yield say(f"Format is {session.settings.format.value.upper()}")


COMMANDS = (
    Command(
        "FORMAT",
        "FORMAT {TEXT | JSONL}",
        "Print Logdump's text, or one JSON object per line",
        run_format,
        options=tuple(_FORMATS),
        details=("Under JSONL there are no prompts in a pipe; docs/json.md lists the members of the objects.",),
        origin=Origin.OURS,
    ),
)
