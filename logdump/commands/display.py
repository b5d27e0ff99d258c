"""The display of records: the switches, RECLEN, TIMEOFFSET, RELEASE."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import ON_OFF, Number, OneOf, beginning
from logdump.language.reader import Context, Parameter
from logdump.language.switches import MOST, number_setting, switch
from logdump.notation.times import TimeOffset
from logdump.session.errors import ArgumentError
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Release

_LEVELS = OneOf({"ON": Level.ON, "OFF": Level.OFF, "DET[AIL]": Level.DETAIL})
_DETAILS = OneOf({"ON": Detail.ON, "OFF": Detail.OFF, "DATA": Detail.DATA})
_RELEASES = OneOf({release.value: release for release in Release})
_BEGUN_ZONE = re.compile(r"G|GM|GMT\s*([+-]\s*([0-9]{1,2}:?[0-9]?)?)?", re.IGNORECASE)


class Zone(Parameter[TimeOffset]):
    """A time zone: a word or an offset."""

    is_phrase = True

    def parse(self, text: str, context: Context) -> TimeOffset:  # noqa: ARG002
        """Return the zone."""
        try:
            return TimeOffset.parse(text)
        except ValueError as error:
            raise ArgumentError(str(error)) from error

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if further text could complete a zone."""
        return bool(self.offers(typed, context)) or _BEGUN_ZONE.fullmatch(typed) is not None

    def offers(self, typed: str, context: Context) -> list[str]:  # noqa: ARG002
        """Return the zones that are words."""
        return beginning(typed, ("LOCAL", "GMT"))


def run_time_offset(session: Session, zone: TimeOffset | None) -> Iterator[Event]:
    """Set or show the zone of displayed times and of time arguments."""
    if zone is not None:
        session.settings.time_offset = zone
    else:
        yield say(f"Timeoffset is {session.settings.time_offset}")


def run_release(session: Session, release: Release | None) -> Iterator[Event]:
    """Set or show the release whose spelling is used."""
    if release is not None:
        session.settings.release = release
    else:
        yield say(f"Release is {session.settings.release.value}")


COMMANDS = (
    switch("GHDR", ON_OFF, "Show the record header", "ghdr"),
    switch(
        "DETAIL",
        _DETAILS,
        "Show the columns; with DATA their bytes too",
        "detail",
        also=("DET",),
        details=("With ON or DATA, COUNT shows every table.",),
    ),
    switch("USERTOKEN", _LEVELS, "Show user tokens; with DETAIL their values", "usertoken"),
    switch("GGSTOKEN", _LEVELS, "Show GGS tokens as bytes; with DETAIL one by one", "ggstoken"),
    switch("HEADERTOKEN", _LEVELS, "Show the tokens a record is made of", "headertoken"),
    switch(
        "FILEHEADER",
        _LEVELS,
        "Show the file header: with DETAIL its groups and their tokens",
        "fileheader",
        details=("POSITION 0, then NEXT, displays the file header. ON adds its groups, as bytes, under DETAIL DATA.",),
    ),
    number_setting(
        "RECLEN", Number("<bytes>", most=MOST), "Set how many bytes of data are displayed", "reclen", "Reclen"
    ),
    Command(
        "TIMEOFFSET",
        Maybe(Zone(syntax="{LOCAL | GMT | GMT +/- hh[:mm]}"), is_shown=False),
        "Set the zone of times shown and entered",
        run_time_offset,
    ),
    Command(
        "RELEASE",
        Maybe(_RELEASES, is_shown=False),
        "Set the release of Logdump whose spelling is used",
        run_release,
        origin=Origin.OURS,
    ),
)
