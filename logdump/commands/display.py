"""What is shown of a record: the switches, RECLEN, TIMEOFFSET, RELEASE."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.events import Event, say
from logdump.language.arguments import number, one_option
from logdump.language.command import ArgumentError, Command, Origin, Run
from logdump.language.words import split_words
from logdump.release import Release
from logdump.session import Session
from logdump.settings import Detail, Level
from logdump.times import TimeOffset

_ON_OFF = {"ON": True, "OFF": False}
_LEVELS = {"ON": Level.ON, "OFF": Level.OFF, "DET[AIL]": Level.DETAIL}
_DETAILS = {"ON": Detail.ON, "OFF": Detail.OFF, "DATA": Detail.DATA}
_MOST_SHOWN = 2**31 - 1


def _switch(attribute: str, options: dict[str, Any]) -> Run:
    """What a switch does: set the attribute of the settings, or tell how it stands."""

    def run(session: Session, arguments: str) -> Iterator[Event]:
        value = one_option(arguments, options)
        if value is not None:
            setattr(session.settings, attribute, value)
            return
        state = getattr(session.settings, attribute)
        shown = state.value if isinstance(state, Detail | Level) else "On" if state else "Off"
        yield say(f"{attribute.upper()} is {shown.upper()}")

    return run


def run_reclen(session: Session, arguments: str) -> Iterator[Event]:
    """Set or tell how many bytes of data are displayed."""
    words = split_words(arguments)
    if len(words) > 1:
        raise ArgumentError(f"takes one number, but got {arguments!r}.")
    if words:
        session.settings.reclen = number(words[0], most=_MOST_SHOWN)
        yield say(f"Reclen set to {session.settings.reclen}")
    else:
        yield say(f"Reclen is {session.settings.reclen}")


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
    Command("GHDR", "GHDR {ON | OFF}", "Show the record header", _switch("ghdr", _ON_OFF), options=("ON", "OFF")),
    Command(
        "DETAIL",
        "DETAIL {ON | OFF | DATA}",
        "Show the columns; with DATA their bytes too",
        _switch("detail", _DETAILS),
        aliases=("DET",),
        options=("ON", "OFF", "DATA"),
        details=("With ON or DATA, COUNT shows every table.",),
    ),
    Command(
        "USERTOKEN",
        "USERTOKEN {ON | OFF | DETAIL}",
        "Show user tokens; with DETAIL their values",
        _switch("usertoken", _LEVELS),
        options=tuple(_LEVELS),
    ),
    Command(
        "GGSTOKEN",
        "GGSTOKEN {ON | OFF | DETAIL}",
        "Show GGS tokens as bytes; with DETAIL one by one",
        _switch("ggstoken", _LEVELS),
        options=tuple(_LEVELS),
    ),
    Command(
        "HEADERTOKEN",
        "HEADERTOKEN {ON | OFF | DETAIL}",
        "Show the tokens a record is made of",
        _switch("headertoken", _LEVELS),
        options=tuple(_LEVELS),
    ),
    Command(
        "FILEHEADER",
        "FILEHEADER {ON | OFF | DETAIL}",
        "Show the groups of the file header; with DETAIL their tokens",
        _switch("fileheader", _LEVELS),
        options=tuple(_LEVELS),
        details=("POSITION 0, then NEXT, displays the file header.",),
    ),
    Command("RECLEN", "RECLEN [<bytes>]", "Set how many bytes of data are displayed", run_reclen),
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
