"""ENV: what is open and what is switched on, in the layout of the 11.1 and 12.1 transcripts."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from logdump import __version__
from logdump.commands.trail_io import large_block_text
from logdump.language.command import Command
from logdump.language.forms import NOTHING
from logdump.notation.times import format_timestamp
from logdump.session.events import EnvironmentShown, Event
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Settings
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH

_ORDER = {ByteOrder.BIG: "BigEndian", ByteOrder.LITTLE: "LittleEndian"}


def run_env(session: Session, _arguments: None) -> Iterator[Event]:
    """Show the settings and the open files."""
    rows = [
        ("Version", f"logdump {__version__}, {platform.system()}, Python {platform.python_version()}"),
        ("Current Directory", _current_directory()),
        *_trail_rows(session),
        ("Display RecLen", str(session.settings.reclen)),
        ("Logtrail Filter", "On" if session.is_filter_enabled else "Off"),
        *_switch_rows(session.settings),
        *_source_rows(session),
        ("Trans History", _transaction_history(session.settings)),
        ("LargeBlock I/O", large_block_text(session.settings)),
        *_order_rows(session),
        ("Timeoffset", str(session.settings.time_offset)),
        ("Scan Notify Interval", _notify(session.settings)),
    ]
    path = str(session.trail.path) if session.has_trail else None
    direction = None if path is None else "reverse" if session.cursor.is_backwards else "forward"
    yield EnvironmentShown(tuple(rows), path, direction)


def _current_directory() -> str:
    try:
        return str(Path.cwd())
    except OSError as error:
        return f"*{error.strerror}*"


def _transaction_history(settings: Settings) -> str:
    limits = f"Records {settings.trans_rec_limit}, Bytes {settings.trans_byte_limit}"
    return f"{settings.trans_hist} Transactions, {limits}"


def _notify(settings: Settings) -> str:
    return f"{settings.notify} records, Scrolling {_on_off(is_on=settings.scan_scrolling)}"


def _on_off(*, is_on: bool) -> str:
    return "On" if is_on else "Off"


def _charset(*, is_ebcdic: bool) -> str:
    return "EBCDIC" if is_ebcdic else "ASCII"


def _trail_rows(session: Session) -> Iterator[tuple[str, str]]:
    if not session.has_trail:
        yield "LogTrail", "*Not Open*"
        return
    trail, cursor = session.trail, session.cursor
    yield "LogTrail", str(trail.path)
    yield "Trail Format", "New"
    yield "End of File", str(trail.size)
    yield "Current Position", f"{cursor.current} {'Reverse' if cursor.is_backwards else 'Forward'}"
    yield "Next Position", str(cursor.next)
    yield "Last Modtime", _modified(trail.path, session.settings)


def _modified(path: Path, settings: Settings) -> str:
    try:
        modified = path.stat().st_mtime_ns
    except OSError as error:
        return f"*{error.strerror}*"
    return format_timestamp(modified // 1000 + JULIAN_UNIX_EPOCH, settings.time_offset)


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
    if settings.values:
        yield "Values", "On"


def _source_rows(session: Session) -> Iterator[tuple[str, str]]:
    if session.source_definitions is not None:
        yield "Source Definitions", str(session.source_definitions.path)


def _order_rows(session: Session) -> Iterator[tuple[str, str]]:
    system = _ORDER[ByteOrder.BIG if sys.byteorder == "big" else ByteOrder.LITTLE]
    data = _ORDER[session.trail.order if session.has_trail else ByteOrder.BIG]
    settings = session.settings
    yield "Local System", system
    if settings.release.has_metadata:
        yield "Metadata Byte Order", system
    yield "Logtrail Data", f"{data}/{_charset(is_ebcdic=settings.ebcdic_data)}"
    yield "Logtrail Headers", _charset(is_ebcdic=settings.ebcdic_header)
    yield "Dump", _charset(is_ebcdic=settings.ebcdic_dump)
    yield "Savefile comments", _on_off(is_on=settings.save_file_comments)


COMMANDS = (Command("ENV", NOTHING, "Show the settings and the position", run_env),)
