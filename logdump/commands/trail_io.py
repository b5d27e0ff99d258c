"""Reading and writing of files: BIO, BULKIOSTATS, TRAILFORMAT, SAVEFILECOMMENT, and PRINTMXCOLUMNINFO."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from logdump.language.command import Command
from logdump.language.forms import NOTHING, Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import ON_OFF, Number, OneOf
from logdump.language.switches import switch
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import Settings

_LARGEST_BLOCK = 2**31 - 1


class LargeBlocks(NamedTuple):
    """The arguments of BIO: whether it is on, or the size of a block."""

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
    """Large-block I/O as ENV prints it."""
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


COMMANDS = (
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
