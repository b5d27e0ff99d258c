"""The commands OPEN and NEXTTRAIL."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command
from logdump.language.forms import NOTHING, Maybe
from logdump.language.parameters import File
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat import TrailName
from trailformat.trail.packed import WHOLE


def run_open(session: Session, path: str | None) -> Iterator[Event]:
    """Open a trail file, or show which is open."""
    if path is not None:
        session.open(path)
    elif not session.has_trail:
        yield say("LogTrail is *Not Open*")
        return
    yield say(f"Current LogTrail is {session.trail.path}")
    if session.trail.packing == WHOLE:
        yield say(f"The server gives no parts of files: read from a copy of {session.trail.size:,} bytes")
    elif session.trail.packing is not None:
        yield say(f"It is packed ({session.trail.packing}): read from an unpacked copy of {session.trail.size:,} bytes")


def run_next_trail(session: Session, _arguments: None) -> Iterator[Event]:
    """Close the file and open the one with the next sequence number."""
    old = session.trail.path
    name = TrailName.parse(old)
    if name is None:
        raise CommandError(f"{old} has no sequence number, so there is no next trail file.")
    session.open(name.next.found() or name.next.plain_path)
    yield say(f"LogTrail {old} closed", f"Current LogTrail is {session.trail.path}")


COMMANDS = (
    Command(
        "OPEN | FROM | LOGTRAIL",
        Maybe(File("<filename>")),
        "Open a trail file, or show which is open",
        run_open,
        details=("A name of two characters (dirdat/lt) opens the first file of that trail.",),
    ),
    Command(
        "NEXTTRAIL (NT)",
        NOTHING,
        "Close the file, open the next of the trail",
        run_next_trail,
    ),
)
