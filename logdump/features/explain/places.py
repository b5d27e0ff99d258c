"""The place in a trail that a message of GoldenGate names, and the file of that place.

Messages name it in three ways, in any order and over several lines:

    ./dirdat/rt000000067, rba 1,486             a file and an RBA
    trail ./dirdat/rt, seqno 67, rba 1486       a trail, the number of its file, and an RBA
    rba 1486 in seqno 67                        a number and an RBA: of the trail that is open

A place whose file is not found has no file: another one never takes its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from trailformat.codec.remote.path import path_of
from trailformat.trail.packed import is_file
from trailformat.trail.sequence import TrailName

_NUMBER = r"(\d{1,3}(?:[,.' \u00a0\u2009\u202f]\d{3})+(?!\d)|\d+)"
"""A number as any locale groups its digits."""
_WORD = r"(?<![A-Za-z0-9_])"
_IS = r"\s*[:=#]*\s*"
_FOLDER = r"""(?:[^\s'"(),;]*[/\\])"""
_END = r"""(?=$|[\s'"(),.;:]|[^\x00-\x7f])"""
_PREFIX = r"""[^\s'"(),;/\\]{2}"""
_RBA = re.compile(rf"{_WORD}(?:ext)?rba{_IS}{_NUMBER}", re.IGNORECASE)
_SEQNO = re.compile(rf"{_WORD}(?:(?:ext)?seqno|seq(?=\s*#)|sequence(?:\s+number)?){_IS}{_NUMBER}", re.IGNORECASE)
_BOTH = re.compile(r"\bpos\"?\s*[:=]\s*\"?(\d{10})(\d{10})\b")
"""A position of 20 digits: 10 of the sequence number, 10 of the RBA."""
_FILE = re.compile(rf"""(?:^|[\s('"=])({_FOLDER}?{_PREFIX}(?:\d{{9}}|\d{{6}})){_END}""")
_TRAIL = re.compile(
    rf"""(?:(?:^|[\s('"=:])((?:\.|~|[A-Za-z]:)?[/\\]{_FOLDER}?{_PREFIX}){_END}"""
    rf"""|\b(?:trail|on)\b(?:\s+name)?{_IS}['"]?({_FOLDER}{_PREFIX}){_END}"""
    rf"""|\btrail\b(?:\s+name)?(?:{_IS}['"]|\s*[:=]\s*)({_PREFIX}){_END}"""
    rf"""|\btrail\s+({_PREFIX})(?=,)"""
    rf"""|\bon\s+({_PREFIX})(?=\s+beginning\b))""",
    re.IGNORECASE,
)
_REDO = re.compile(r"\b(?:redo|archived? log|SCN\s*[:=]?\s*\d|thread\s*[:#=]*\s*\d)", re.IGNORECASE)
_DIGITS = (9, 6)


class MessagePlace(NamedTuple):
    """A place as a message writes it; each part is None where the message does not name it.

    Attributes:
        file: the path of a trail file.
        trail: the path of a trail, without a number.
        seqno: the number of a file.
        rba: an RBA.
        is_redo: True if the number and the RBA are those of a log of the database.
    """

    file: str | None = None
    trail: str | None = None
    seqno: int | None = None
    rba: int | None = None
    is_redo: bool = False

    @property
    def names_file(self) -> bool:
        """True if it says in which file it is."""
        return self.file is not None or self.seqno is not None


def place_in(text: str) -> MessagePlace:
    """Return the place that a message names: of each part the first one in it."""
    file, seqno, rba = _FILE.search(text), _SEQNO.search(text), _RBA.search(text)
    both = _BOTH.search(text) if seqno is None and rba is None else None
    place = MessagePlace(
        file[1] if file else None,
        None,
        int(both[1]) if both else _number(seqno),
        int(both[2]) if both else _number(rba),
    )
    if place.file is not None or place.seqno is None:
        return place
    trail = _TRAIL.search(text)
    written = next(filter(None, trail.groups()), None) if trail else None
    return place._replace(trail=written, is_redo=written is None and _REDO.search(text) is not None)


def _number(match: re.Match[str] | None) -> int | None:
    return int(re.sub(r"\D", "", match[1])) if match else None


class NoFile(NamedTuple):
    """The reason why a place has no file, in a sentence."""

    why: str


def file_of(place: MessagePlace, opened: Path | None) -> Path | NoFile:
    """Return the file of a place, which exists.

    It is looked for as written, beside the open file and in the current folder. Without a name in the message, the
    number is that of a file of the open trail, and an RBA alone is one of the open file.
    """
    if place.is_redo:
        return NoFile("The message names a place in a log of the database, not in a trail")
    names = list(_names(place, opened))
    if names and (conflict := _conflict(place)):
        return NoFile(conflict)
    for name in names:
        existing = name.found()
        if existing is not None and is_file(existing):
            return Path(os.path.abspath(existing)) if not existing.is_absolute() else existing  # noqa: PTH100 - links
    if not place.names_file and opened is not None:
        return opened
    return NoFile(_why_none(place, names, opened))


def _conflict(place: MessagePlace) -> str:
    """Return a sentence if the number of the file's name is another one than the message's; else an empty text."""
    name = TrailName.parse(_local(place.file)) if place.file is not None else None
    if name is None or place.seqno is None or name.seqno == place.seqno:
        return ""
    return f"The message names both {place.file} and sequence number {place.seqno}: which of them its RBA is in is open"


def _why_none(place: MessagePlace, names: list[TrailName], opened: Path | None) -> str:
    if not place.names_file:
        return "The message names no trail file: OPEN it, and EXPLAIN the message again"
    if place.file is not None:
        return f"{place.file} is not here: go to its folder, or OPEN a file beside it, and EXPLAIN the message again"
    if names and opened is not None and place.trail is None:
        return f"File {names[0].plain_path} is not here: without it there is no place"
    if place.trail is not None:
        what = f"File {place.seqno} of trail {place.trail}"
        return f"{what} is not here: go to its folder, or OPEN a file beside it, and EXPLAIN the message again"
    return f"The message names file {place.seqno} of a trail: OPEN a file of that trail, and EXPLAIN the message again"


def _names(place: MessagePlace, opened: Path | None) -> Iterator[TrailName]:
    """Yield the names that the file may have, the most likely one first."""
    beside = opened.parent if opened is not None else None
    if place.file is not None:
        for path in _paths(place.file, beside):
            name = TrailName.parse(path)
            if name is not None:
                yield name
    elif place.seqno is not None and place.trail is not None:
        for path in _paths(place.trail, beside):
            yield from (TrailName(path.parent, path.name, place.seqno, digits) for digits in _DIGITS)
    elif place.seqno is not None and opened is not None:
        name = TrailName.parse(opened)
        if name is not None and name.is_documented:
            widths = dict.fromkeys((name.digits, *_DIGITS))
            yield from (name._replace(seqno=place.seqno, digits=digits) for digits in widths)


def _paths(written: str, beside: Path | None) -> Iterator[Path]:
    """Yield a path as a message writes it, then its name beside the open file and in the current folder."""
    path = _local(written)
    yield path
    folders = [folder for folder in (beside, Path.cwd()) if folder is not None]
    yield from (folder / part for folder in folders for part in (path, path.name) if not path.is_absolute())
    yield from (folder / path.name for folder in folders if path.is_absolute())


def _local(written: str) -> Path:
    """Return a path of any system; of a Windows path only the name can be here."""
    return Path(PureWindowsPath(written).name) if "\\" in written else path_of(Path(written))
