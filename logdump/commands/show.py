"""SHOW, TIME, ENV, and the state of input and output (BIO, TRAILFORMAT)."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from logdump import __version__
from logdump.language.command import Command
from logdump.language.forms import NOTHING, Alternatives, Keyword, Maybe, Sequence, switch
from logdump.language.parameters import ON_OFF, Number, OneOf
from logdump.notation.conversions import ctime_lines, interpret_timestamp
from logdump.notation.times import current_timestamp, format_timestamp
from logdump.session.errors import CommandError
from logdump.session.events import EnvironmentShown, Event, say
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Settings
from trailformat import IO_TYPES
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.on_demand import on_demand
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.errors import reason_of

with on_demand:
    from logdump import filters

_LARGEST_BLOCK = 2**31 - 1


class LargeBlocks(NamedTuple):
    """The arguments of BIO: whether it is on, or the size of a block in bytes."""

    is_on: bool | None = None
    block_size: int | None = None


_LARGE_BLOCKS = Alternatives(
    OneOf({"ON": LargeBlocks(is_on=True), "OFF": LargeBlocks(is_on=False)}),
    Keyword(
        "BLOCK",
        Sequence(
            partial(LargeBlocks, None),
            Number("<bytes>", least=1, most=_LARGEST_BLOCK, missing="BLOCK takes a size in bytes."),
        ),
    ),
)


def run_bio(session: Session, given: LargeBlocks | None) -> Iterator[Event]:
    """Set large-block I/O, or show it; the setting has no effect."""
    if given is None:
        yield say(f"LargeBlock I/O is {large_block_text(session.settings)}")
    elif given.block_size is not None:
        session.settings.large_block_size = given.block_size
    else:
        session.settings.large_block_io = bool(given.is_on)


def large_block_text(settings: Settings) -> str:
    """Return large-block I/O as ENV prints it."""
    return f"{'On' if settings.large_block_io else 'Off'}, Blocksize {settings.large_block_size}"


def run_bulk_io_stats(_session: Session, _arguments: None) -> Iterator[Event]:
    """Show the number of blocks read, which is always 0."""
    yield say(
        "Physical reads 0, logical reads 0, current read time 0, average read time 0",
        "The trail file is memory-mapped: no blocks are read, and the system counts no reads for us.",
    )


def run_trail_format(_session: Session, is_new: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
    """Show the format of files that SAVE writes; there is only one."""
    if is_new is None:
        yield say("TRAILFORMAT is NEW")
    elif not is_new:
        raise CommandError("TRAILFORMAT OLD: the format from before release 6.0 is not supported; it stays NEW.")


def run_print_mx_column_info(_session: Session, _is_on: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
    """Accept the switch, and state that it has no effect."""
    yield say("PRINTMXCOLUMNINFO has no effect here: it is about SQL/MX on NonStop.")


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
        return f"*{reason_of(error)}*"


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
        return f"*{reason_of(error)}*"
    return format_timestamp(modified // 1000 + JULIAN_UNIX_EPOCH, settings.time_offset)


def _switch_rows(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield a row for each switch that is on, as in transcripts of Logdump."""
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


_MICROSECONDS = 1_000_000

Show = Callable[[Session, None], Iterator[Event]]


def run_show(session: Session, show: Show) -> Iterator[Event]:
    """Show the chosen subject."""
    yield from show(session, None)


def run_time(_session: Session, _arguments: None) -> Iterator[Event]:
    """Show the present moment as a Julian timestamp, in GMT and local time, and as a C time."""
    now = current_timestamp()
    yield say(
        f"JulianTimestamp {now}",
        *interpret_timestamp(now),
        *ctime_lines((now - JULIAN_UNIX_EPOCH) // _MICROSECONDS),
    )


def _show_filter(session: Session, _arguments: None) -> Iterator[Event]:
    yield say(*filters.show(session.filters))


def _show_open(session: Session, _arguments: None) -> Iterator[Event]:
    paths = [session.trail.path] if session.has_trail else []
    paths += [session.log.path] if session.log.path else []
    yield say(*(f"{number} : {path}" for number, path in enumerate(paths))) if paths else say("No file is open")


def _show_record_types(_session: Session, _arguments: None) -> Iterator[Event]:
    yield say(*(f"{number} - {name}" for number, name in sorted(IO_TYPES.items())))


_SUBJECTS: dict[str, Show] = {
    "ENV": run_env,
    "FILTER": _show_filter,
    "OPEN": _show_open,
    "RECTYPE": _show_record_types,
    "TIME": run_time,
}


COMMANDS = (
    Command(
        "SHOW | SH | SHO",
        OneOf(_SUBJECTS, missing=f"takes one of {', '.join(_SUBJECTS)}."),
        "Show settings, filters, open files, record types, the time",
        run_show,
        details=("SHOW RECTYPE", "SHOW OPEN lists the trail file and the session log."),
    ),
    Command("TIME", NOTHING, "Show the current time: Julian, GMT, local", run_time),
    Command("ENV", NOTHING, "Show the settings and the position", run_env),
    Command(
        "BIO",
        Maybe(_LARGE_BLOCKS, is_shown=False),
        "Set large-block I/O (no effect on a memory-mapped file)",
        run_bio,
        details=("BIO BLOCK 57344", "ENV shows the setting."),
    ),
    Command("BULKIOSTATS", NOTHING, "Show statistics of bulk I/O", run_bulk_io_stats),
    Command(
        "TRAILFORMAT",
        Maybe(OneOf({"NEW": True, "OLD": False}), is_shown=False),
        "Set the format of files that SAVE writes: NEW only",
        run_trail_format,
        details=("OLD, the format from before release 6.0, is not supported.",),
    ),
    switch(
        "SAVEFILECOMMENT",
        ON_OFF,
        "Have SAVE write comment records at both ends of the file",
        "save_file_comments",
        details=("COMMENT and NOCOMMENT of SAVE go before it.",),
    ),
    Command(
        "PRINTMXCOLUMNINFO",
        Maybe(ON_OFF, is_shown=False),
        "Show column information of SQL/MX: no effect here",
        run_print_mx_column_info,
    ),
)
