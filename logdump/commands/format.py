"""FORMAT: Logdump's text, or JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import OneOf
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import OutputFormat

_FORMATS = OneOf({"TEXT": OutputFormat.TEXT, "JSONL": OutputFormat.JSONL})


def run_format(session: Session, value: OutputFormat | None) -> Iterator[Event]:
    """Set or tell the format of what is printed."""
    if value is not None:
        session.settings.format = value
    else:
        yield say(f"Format is {session.settings.format.value.upper()}")


COMMANDS = (
    Command(
        "FORMAT",
        Maybe(_FORMATS, is_shown=False),
        "Print Logdump's text, or one JSON object per line",
        run_format,
        details=("Under JSONL there are no prompts in a pipe; docs/json.md lists the members of the objects.",),
        origin=Origin.OURS,
    ),
)
