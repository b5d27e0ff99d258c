"""What is shown of a record: the switches, RECLEN, TIMEOFFSET, RELEASE."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands.switches import ON_OFF, number_setting, switch
from logdump.language.arguments import one_option
from logdump.language.command import ArgumentError, Command, Origin
from logdump.notation.times import TimeOffset
from logdump.session.events import Event, say
from logdump.session.release import Release
from logdump.session.session import Session
from logdump.session.settings import Detail, Level

_LEVELS = {"ON": Level.ON, "OFF": Level.OFF, "DET[AIL]": Level.DETAIL}
_DETAILS = {"ON": Detail.ON, "OFF": Detail.OFF, "DATA": Detail.DATA}


def run_time_offset(session: Session, arguments: str) -> Iterator[Event]:
    """Set or tell the zone of displayed times and of time arguments."""
    if arguments:
        try:
            session.settings.time_offset = TimeOffset.parse(arguments)
        except ValueError as error:
            raise ArgumentError(str(error)) from error
    else:
        yield say(f"Timeoffset is {session.settings.time_offset}")


def run_release(session: Session, arguments: str) -> Iterator[Event]:
    """Set or tell the release whose spelling is used."""
    release = one_option(arguments, {one.value: one for one in Release})
    if release is not None:
        session.settings.release = release
    else:
        yield say(f"Release is {session.settings.release.value}")


COMMANDS = (
    Command("GHDR", "GHDR {ON | OFF}", "Show the record header", switch("GHDR", "ghdr", ON_OFF), options=("ON", "OFF")),
    Command(
        "DETAIL",
        "DETAIL {ON | OFF | DATA}",
        "Show the columns; with DATA their bytes too",
        switch("DETAIL", "detail", _DETAILS),
        aliases=("DET",),
        options=("ON", "OFF", "DATA"),
        details=("With ON or DATA, COUNT shows every table.",),
    ),
    Command(
        "USERTOKEN",
        "USERTOKEN {ON | OFF | DETAIL}",
        "Show user tokens; with DETAIL their values",
        switch("USERTOKEN", "usertoken", _LEVELS),
        options=tuple(_LEVELS),
    ),
    Command(
        "GGSTOKEN",
        "GGSTOKEN {ON | OFF | DETAIL}",
        "Show GGS tokens as bytes; with DETAIL one by one",
        switch("GGSTOKEN", "ggstoken", _LEVELS),
        options=tuple(_LEVELS),
    ),
    Command(
        "HEADERTOKEN",
        "HEADERTOKEN {ON | OFF | DETAIL}",
        "Show the tokens a record is made of",
        switch("HEADERTOKEN", "headertoken", _LEVELS),
        options=tuple(_LEVELS),
    ),
    Command(
        "FILEHEADER",
        "FILEHEADER {ON | OFF | DETAIL}",
        "Show the groups of the file header; with DETAIL their tokens",
        switch("FILEHEADER", "fileheader", _LEVELS),
        options=tuple(_LEVELS),
        details=("POSITION 0, then NEXT, displays the file header.",),
    ),
    Command(
        "RECLEN", "RECLEN [<bytes>]", "Set how many bytes of data are displayed", number_setting("Reclen", "reclen")
    ),
    Command(
        "TIMEOFFSET",
        "TIMEOFFSET {LOCAL | GMT | GMT +/- hh[:mm]}",
        "Set the zone of times shown and entered",
        run_time_offset,
        options=("LOCAL", "GMT"),
    ),
    Command(
        "RELEASE",
        "RELEASE {11.1 | 12.1 | 12.3 | 19.1 | 21.3}",
        "Set the release of Logdump whose spelling is used",
        run_release,
        options=tuple(one.value for one in Release),
        origin=Origin.OURS,
    ),
)
