"""ENV: what is open and what is switched on, in the layout of the 11.1 and 12.1 transcripts."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from logdump import __version__
from logdump.events import Event, say
from logdump.language.arguments import no_arguments
from logdump.language.command import Command
from logdump.session import Session
from logdump.settings import Detail, Level, Settings
from logdump.times import format_timestamp
from trailformat.byte_order import ByteOrder
from trailformat.timestamps import JULIAN_UNIX_EPOCH

_ORDER = {ByteOrder.BIG: "BigEndian", ByteOrder.LITTLE: "LittleEndian"}


def run_env(session: Session, arguments: str) -> Iterator[Event]:
    """Show the environment."""
    no_arguments(arguments)
    rows = [
        ("Version", f"logdump {__version__}, {platform.system()}, Python {platform.python_version()}"),
        ("Current Directory", str(Path.cwd())),
        *_trail_rows(session),
        ("Display RecLen", str(session.settings.reclen)),
        ("Logtrail Filter", "On"),
        *_switch_rows(session.settings),
        ("Trans History", "0 Transactions, Records 100, Bytes 100000"),
        ("LargeBlock I/O", "On, Blocksize 57344"),
        *_order_rows(session),
        ("Timeoffset", str(session.settings.time_offset)),
        ("Scan Notify Interval", "10000 records, Scrolling On"),
    ]
    yield say(*(f"{label:<20}: {value}" for label, value in rows))


def _trail_rows(session: Session) -> Iterator[tuple[str, str]]:
    if not session.has_trail:
        yield "LogTrail", "*Not Open*"
        return
    trail, cursor = session.trail, session.cursor
    modified = trail.path.stat().st_mtime_ns // 1000 + JULIAN_UNIX_EPOCH
    yield "LogTrail", str(trail.path)
    yield "Trail Format", "New"
    yield "End of File", str(trail.size)
    yield "Current Position", f"{cursor.current} {'Reverse' if cursor.is_backwards else 'Forward'}"
    yield "Next Position", str(cursor.next)
    yield "Last Modtime", format_timestamp(modified, session.settings.time_offset)


def _switch_rows(settings: Settings) -> Iterator[tuple[str, str]]:
    """A line for everything that is on, as in the transcripts."""
    if settings.ghdr:
        yield "Show Ghdr", "On"
    if settings.detail is not Detail.OFF:
        yield "Detail", settings.detail.value
    levels = (
        ("UserToken", settings.usertoken),
        ("GGSToken", settings.ggstoken),
        ("HeaderToken", settings.headertoken),
        ("FileHeader", settings.fileheader),
    )
    for label, level in levels:
        if level is not Level.OFF:
            yield label, level.value


def _order_rows(session: Session) -> Iterator[tuple[str, str]]:
    system = _ORDER[ByteOrder.BIG if sys.byteorder == "big" else ByteOrder.LITTLE]
    data = _ORDER[session.trail.order if session.has_trail else ByteOrder.BIG]
    is_recent = session.settings.release.has_metadata
    yield "Local System", system
    if is_recent:
        yield "Metadata Byte Order", system
    yield "Logtrail Data", f"{data}/ASCII"
    yield "Logtrail Headers", "ASCII"
    yield "Dump", "ASCII"
    if is_recent:
        yield "Savefile comments", "Off"


COMMANDS = (Command("ENV", "ENV", "Show the settings and the position", run_env),)
