"""SCANFOR…: searching from the position on."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands.showing import show_record
from logdump.events import Event
from logdump.language.arguments import one_option
from logdump.language.command import Command
from logdump.session import CommandError, Session


def run_scan_for_header(session: Session, arguments: str) -> Iterator[Event]:
    """Go to the next sound record header, or the previous one, and display its record."""
    backwards = bool(one_option(arguments, {"PREV[IOUS]": True}))
    record = session.cursor.seek_good_header(backwards=backwards)
    if record is None:
        side = "before" if backwards else "at or after"
        raise CommandError(f"No good header {side} RBA {session.cursor.next}.")
    yield from show_record(session, record)


COMMANDS = (
    Command(
        "SCANFORHEADER",
        "SCANFORHEADER (SFH) [PREV]",
        "Find the next good record header, or the previous one",
        run_scan_for_header,
        aliases=("SFH",),
        options=("PREV[IOUS]",),
    ),
)
