"""How files are read and written: BIO, BULKIOSTATS, TRAILFORMAT, SAVEFILECOMMENT, and PRINTMXCOLUMNINFO."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands.switches import ON_OFF, switch
from logdump.language.arguments import no_arguments, number, one_option
from logdump.language.command import ArgumentError, Command
from logdump.language.words import is_keyword, split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import Settings

_LARGEST_BLOCK = 2**31 - 1


def run_bio(session: Session, arguments: str) -> Iterator[Event]:
    """Set large-block I/O, or tell it: it is remembered and shown, and changes nothing."""
    words = split_words(arguments)
    if words and is_keyword(words[0], "BLOCK"):
        if len(words) != 2:
            raise ArgumentError("BLOCK takes a size in bytes.")
        session.settings.large_block_size = number(words[1], least=1, most=_LARGEST_BLOCK)
        return
    is_on = one_option(arguments, ON_OFF)
    if is_on is None:
        yield say(f"LargeBlock I/O is {large_block_text(session.settings)}")
    else:
        session.settings.large_block_io = is_on


def large_block_text(settings: Settings) -> str:
    """Large-block I/O as ENV prints it."""
    return f"{'On' if settings.large_block_io else 'Off'}, Blocksize {settings.large_block_size}"


def run_bulk_io_stats(_session: Session, arguments: str) -> Iterator[Event]:
    """Tell how many blocks have been read: none, ever."""
    no_arguments(arguments)
    yield say(
        "Physical reads 0, logical reads 0, current read time 0, average read time 0",
        "The trail file is memory-mapped: no blocks are read, and the system counts no reads for us.",
    )


def run_trail_format(_session: Session, arguments: str) -> Iterator[Event]:
    """Tell the format of files that SAVE writes; there is one only."""
    is_new = one_option(arguments, {"NEW": True, "OLD": False})
    if is_new is None:
        yield say("TRAILFORMAT is NEW")
    elif not is_new:
        raise CommandError("TRAILFORMAT OLD: the format from before release 6.0 is not supported; it stays NEW.")


def run_print_mx_column_info(_session: Session, arguments: str) -> Iterator[Event]:
    """Accept the switch and say that there is nothing to switch."""
    one_option(arguments, ON_OFF)
    yield say("PRINTMXCOLUMNINFO has no effect here: it is about SQL/MX on NonStop.")


COMMANDS = (
    Command(
        "BIO",
        "BIO {ON | OFF | BLOCK <bytes>}",
        "Set large-block I/O (no effect on a memory-mapped file)",
        run_bio,
        options=("ON", "OFF", "BLOCK"),
        details=("BIO BLOCK 57344", "ENV shows the setting."),
    ),
    Command("BULKIOSTATS", "BULKIOSTATS", "Show statistics of bulk I/O", run_bulk_io_stats),
    Command(
        "TRAILFORMAT",
        "TRAILFORMAT {NEW | OLD}",
        "Set the format of files that SAVE writes: NEW only",
        run_trail_format,
        options=("NEW", "OLD"),
        details=("OLD, the format from before release 6.0, is not supported.",),
    ),
    Command(
        "SAVEFILECOMMENT",
        "SAVEFILECOMMENT {ON | OFF}",
        "Have SAVE write comment records at both ends of the file",
        switch("SAVEFILECOMMENT", "save_file_comments", ON_OFF),
        options=tuple(ON_OFF),
        details=("COMMENT and NOCOMMENT of SAVE go before it.",),
    ),
    Command(
        "PRINTMXCOLUMNINFO",
        "PRINTMXCOLUMNINFO {ON | OFF}",
        "Show column information of SQL/MX: no effect here",
        run_print_mx_column_info,
        options=tuple(ON_OFF),
    ),
)
