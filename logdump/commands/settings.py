"""Commands that set what is shown and how: switches, character sets, limits, FORMAT, ACROSS, DEBUG, ONERROR."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from logdump import __version__
from logdump.language.command import AnyCommand, Command, Origin
from logdump.language.forms import MOST, NOTHING, Alternatives, Keyword, Maybe, number_setting, switch
from logdump.language.parameters import ON_OFF, File, Number, OneOf, beginning
from logdump.language.reader import Context, Form, Parameter
from logdump.notation.times import TimeOffset
from logdump.session.errors import ArgumentError, CommandError, MissingFileError
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import Across, Detail, Level, OutputFormat, Release
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.trail.sequence import names_around

with on_demand:
    from importlib import metadata

    from trailformat.native import loaded

_SUBJECTS = {
    "HEADER": ("ebcdic_header", "record headers", "names, the letters of GHDR and the dump of HEADERTOKEN DETAIL"),
    "DATA": ("ebcdic_data", "record data", "the text column of its dumps"),
    "DUMP": ("ebcdic_dump", "the text of hex dumps", "the text column of every one"),
}


def _commands() -> Iterator[AnyCommand]:
    for subject, (attribute, shown, meaning) in _SUBJECTS.items():
        for charset, other in (("ASCII", "EBCDIC"), ("EBCDIC", "ASCII")):
            name = charset + subject
            options = {"ON": charset == "EBCDIC", "OFF": charset == "ASCII"}
            yield switch(
                name,
                OneOf(options),
                f"Show {shown} in {charset}",
                attribute,
                details=(
                    f"{name} ON governs {meaning}; {name} OFF is {other}{subject} ON.",
                    "EBCDIC is code page 1047. At the start all is shown in ASCII.",
                ),
            )


_FORMATS = OneOf({"TEXT": OutputFormat.TEXT, "JSONL": OutputFormat.JSONL})


def run_format(session: Session, value: OutputFormat | None) -> Iterator[Event]:
    """Set or show the format of what is printed."""
    if value is not None:
        session.settings.format = value
    else:
        yield say(f"Format is {session.settings.format.value.upper()}")


_MOST_TRANSACTIONS = 200


def run_hash_clear(_session: Session, _arguments: None) -> Iterator[Event]:
    """Acknowledge HASHCLEAR: every COUNT begins with a new list, so there is nothing to clear."""
    yield say("Hash list cleared")


_SWITCH = Maybe(ON_OFF, is_shown=False)
_FILE = Maybe(File("<filename>"), is_shown=False)

_MEANINGS: dict[str, tuple[Form[Any], str]] = {
    "ARGETNONDATACHANGES": (NOTHING, "read audit records that changed no data"),
    "ARSTOPNONDATACHANGES": (NOTHING, "drop audit records that changed no data"),
    "CALCTLFKEY": (_SWITCH, "show the unique key of BASE24 log records"),
    "DATAFILE": (_FILE, "open an Enscribe file"),
    "WRITEREC": (NOTHING, "write a record to the open Enscribe file"),
    "GGSAUDITREAD": (_FILE, "read a TMF audit trail directly"),
    "TMFBEFOREIMAGE": (_SWITCH, "show before images from TMF"),
    "TMFGETRECADDR": (NOTHING, "have TMF return record addresses"),
    "NOTMFGETRECADDR": (NOTHING, "have TMF return no record addresses"),
    "TMFIGNORERECCOUNT": (Maybe(Number("<count>"), is_shown=False), "set how many records TMF may ignore"),
}


def _command(name: str, form: Form[Any], meaning: str) -> AnyCommand:
    def run(_session: Session, _arguments: object) -> Iterator[Event]:
        raise CommandError(f"{name} works on NonStop only.")

    return Command(name, form, f"NonStop only: {meaning}", run)


_PACKAGES = ("construct", "textual", "numpy", "pyspark", "pyarrow")


def run_debug(_session: Session, _arguments: None) -> Iterator[Event]:
    """Show the versions of all components."""
    yield say(
        "DEBUG is for support only, and there is no debugger to enter. For a bug report:",
        f"logdump {__version__}, Python {platform.python_version()} ({platform.python_implementation()})",
        f"{platform.system()} {platform.release()}, {platform.machine()}, {sys.byteorder}-endian",
        ", ".join([*_package_versions(), _kernels()]),
    )


def _kernels() -> str:
    if why := loaded.why_interpreted():
        return f"kernels interpreted ({why})"
    note = loaded.library_note()
    return f"kernels for {note.processor} (made by {note.made_by})"


def _package_versions() -> Iterator[str]:
    for name in _PACKAGES:
        try:
            yield f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            yield f"{name} not installed"


def run_across(session: Session, choice: Across | str | None) -> Iterator[Event]:
    """Set ACROSS, or show it."""
    settings = session.settings
    if choice is None:
        end = f", up to {settings.across_to}" if settings.across_to is not None else ""
        yield say(f"ACROSS is {settings.across.name}{end}")
        return
    settings.across_to = _last(session, choice) if isinstance(choice, str) else None
    settings.across = choice if isinstance(choice, Across) else Across.ON


def _last(session: Session, name: str) -> Path:
    """Return the path of the named file, which must be of the open trail."""
    path = path_of(name).absolute()
    if not path.is_file():
        raise MissingFileError(f"{name}: No such file.")
    if path not in [trail_name.path for trail_name in names_around(session.trail.path)]:
        raise CommandError(f"{name} is not a file of the open trail.")
    return path


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
    """Set or show the release of Logdump whose spelling is used."""
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
    *tuple(_commands()),
    Command(
        "FORMAT",
        Maybe(_FORMATS, is_shown=False),
        "Print Logdump's text, or one JSON object per line",
        run_format,
        details=("Under JSONL there are no prompts in a pipe; docs/json.md lists the members of the objects.",),
        origin=Origin.OURS,
    ),
    number_setting(
        "NOTIFY (NOTIFYINTERVAL)",
        Number("<records>", least=1, most=MOST),
        "Report progress every <records> records of a scan",
        "notify",
        "Scan notify interval",
        details=("With SCANSCROLLING OFF each report is a line of its own.",),
        is_silent=True,
    ),
    switch(
        "SCANSCROLLING",
        ON_OFF,
        "Report progress in one line that is written over",
        "scan_scrolling",
        details=("ON writes to a terminal only, through standard error.",),
    ),
    number_setting(
        "TRANSHIST",
        Number("<count>", most=_MOST_TRANSACTIONS),
        "Keep the <count> largest transactions of a COUNT (0 to 200)",
        "trans_hist",
        "Transaction history",
        details=("Those with at least TRANSRECLIMIT records or TRANSBYTELIMIT bytes are listed after the count.",),
    ),
    number_setting(
        "TRANSRECLIMIT",
        Number("<records>", most=MOST),
        "Set the least number of records for TRANSHIST",
        "trans_rec_limit",
        "Transaction record limit",
    ),
    number_setting(
        "TRANSBYTELIMIT",
        Number("<bytes>", most=MOST),
        "Set the least number of bytes for TRANSHIST",
        "trans_byte_limit",
        "Transaction byte limit",
    ),
    switch("HASHSTATS", ON_OFF, "Show hashing statistics after COUNT DETAIL", "hash_stats"),
    Command("HASHCLEAR | HASHRESET", NOTHING, "Forget the hash list of HASHSTATS", run_hash_clear),
    *tuple(_command(name, form, meaning) for name, (form, meaning) in _MEANINGS.items()),
    switch(
        "ONERROR",
        OneOf({"STOP": True, "CONTINUE": False}),
        "End a script at the first command that fails, or continue",
        "stops_at_failure",
        details=(
            "Under STOP, or logdump --stop, -c and -f end with the first command whose exit status is not 0, findings",
            "of CHECK, DIFF and RECOVERY included; nothing after it runs. At a prompt it has no effect.",
        ),
        origin=Origin.OURS,
    ),
    Command("DEBUG", NOTHING, "Show what a bug report needs; there is no debugger", run_debug),
    Command(
        "ACROSS",
        Maybe(
            Alternatives(
                OneOf({"ON": Across.ON, "OFF": Across.OFF, "GAPS": Across.GAPS}), Keyword("TO", File("<file>"))
            ),
            is_shown=False,
        ),
        "At the end of the open file, continue in the next file of the trail",
        run_across,
        details=(
            "ON: NEXT, SKIP, SCANFOR..., FIND, SAMETABLE and TRANSACTION read over the files of the trail, both ways;",
            "a line names each file. COUNT, CHECK, DDL and HEARTBEAT read the open file and those after it;",
            "SAVE, EXPORT, REDO and UNDO from the position on, and leave the file of the last record open.",
            "If a file in between is missing, they stop and name it; GAPS continues. TO: ON, up to this file.",
        ),
        origin=Origin.OURS,
    ),
)
