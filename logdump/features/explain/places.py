"""The places in a trail that a text of GoldenGate names, each with its role.

A place is written in one of these ways, in any order and over several lines:

    ./dirdat/rt000000067, rba 1,486             a file and an RBA
    trail ./dirdat/rt, seqno 67, rba 1486       a trail, the number of its file, and an RBA
    rba 1486 in seqno 67                        a number and an RBA: of a trail that the text or the session knows
    op pos=00000000670000001486                 20 digits: 10 of the sequence number, 10 of the RBA

Texts with a shape of their own show the role of a place: the end of a report, INFO and SHOWCH, a discard file, the
messages of the Java adapters, JSON of the REST API. In any other text it is that of the message.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from trailformat.changes.csn import csn_key
from trailformat.trail.sequence import TrailName

_GROUPS = "|".join(rf"(?:{separator}\d{{3}})+" for separator in (",", r"\.", "['\u2019]", "[ \u00a0\u2009\u202f]"))
_NUMBER = rf"(\d{{1,3}}(?:{_GROUPS})(?!\d)|\d+)"
"""A number as any locale groups its digits."""
_WORD = r"(?<![A-Za-z0-9_])"
_IS = r"\s*[:=#]*\s*"
_FOLDER = r"""(?:[^\s'"(),;]*[/\\])"""
_END = r"""(?=$|[\s'"(),.;:]|[^\x00-\x7f])"""
_PREFIX = r"""[^\s'"(),;/\\]{2}"""
_PATH = rf"(?:{_FOLDER}|(?!\d\d)){_PREFIX}(?:\d{{9}}|\d{{6}})"
"""The path of a file; digits alone are a CSN or another number."""
_RBA = re.compile(rf"{_WORD}(?:ext)?rba{_IS}{_NUMBER}", re.IGNORECASE)
_SEQUENCE = (
    r"(?:ext)?seqno|seq(?=\s*[#\d])|(?:s[eé]quence|sequ[eê]ncia|secuencia|sequenza|sequenz)(?:\s+number|nummer)?"
    r"|順序番号|序列号|序號|序列號|序号|시퀀스(?:\s*번호)?"
)
"""The words for the number of a file, in the languages of GoldenGate's messages."""
_SEQNO = re.compile(rf"{_WORD}(?:{_SEQUENCE}){_IS}{_NUMBER}", re.IGNORECASE)
_BOTH = re.compile(r"\bpos(?:ition)?\"?\s*[:=]\s*\"?(\d{10})(\d{10})\b")
_DIGITS = re.compile(r"(?<![\w.:])(0\d{9})(\d{10})(?![\w.:])")
"""20 digits without a name, as in a row of delimited text."""
_FILE = re.compile(
    rf"""(["'])(?P<quoted>(?:[A-Za-z]:)?[/\\][^"'\n]{{0,400}}?[/\\]{_PREFIX}(?:\d{{9}}|\d{{6}}))\1"""
    rf"""|(?:^|[\s('"=])(?P<plain>{_PATH}){_END}"""
)
"""The path of a file; one in quotes may have blanks."""
_SQL = re.compile(r"\bSQL\s*<(?:[^\n]*>|(?:[^>\n]|\n(?!\s*(?:\n|\Z)))*>?)")
"""A statement of SQL in a message: what its values say is no place."""
_TRAIL = re.compile(
    rf"""(?:(?:^|[\s('"=:])((?:\.|~|[A-Za-z]:)?[/\\]{_FOLDER}?{_PREFIX}){_END}"""
    rf"""|\b(?:trail|on)\b(?:\s+name)?{_IS}['"]?({_FOLDER}{_PREFIX}){_END}"""
    rf"""|\btrail\b(?:\s+(?:name|file))?(?:{_IS}['"]|\s*[:=]\s*)({_PREFIX}){_END}"""
    rf"""|\btrail\s+({_PREFIX})(?=,)"""
    rf"""|\bon\s+({_PREFIX})(?=\s+beginning\b))""",
    re.IGNORECASE,
)
_COLUMN = re.compile(r"""\bcolumn\s+["']?([\w$#]{1,128})""", re.IGNORECASE)
_CSN = re.compile(
    rf"""(?:{_WORD}(?:LOG)?(?:CSN|SCN|LSN|BSN)\b["']?(?:\s+value)?|\bwatermark\s+position)\s*(?:[:=]|is\b)?\s*"""
    r"""["'(]?([\w.:/]*\d[\w.:/]*)""",
    re.IGNORECASE,
)
_XID = re.compile(
    rf"""{_WORD}(?:XID|TRANID|transaction\s+ID)\b["']?\s*(?:[:=]|is\b)?\s*["'(]?(\d+(?:\.\d+)+)""", re.IGNORECASE
)
_REDO = re.compile(r"\b(?:redo|archived? log|SCN\s*[:=]?\s*\d|thread\s*[:#=]*\s*\d)", re.IGNORECASE)


class PlaceRole(enum.Enum):
    """The role of a place for the process that a text is about."""

    RECORD = "the record of the message"
    READING = "the record in hand when reading stopped"
    AFTER = "where reading goes on"
    BEGIN = "the begin of the transaction, or of a group of them"
    RESTART = "the checkpoint: where the process starts again"
    NOW = "where the process reads now"
    START = "where reading begins"
    APPLIED = "the last record that was applied"
    FORMER = "a place that is no longer used"
    WRITING = "where a trail is written"
    FILE = "the file of the message"
    NEXT_FILE = "the file after it"
    REDO = "in a log of the database"

    @property
    def short(self) -> str:
        """The role in a few words, for a list of places."""
        return _SHORT_ROLES.get(self, self.value)


_SHORT_ROLES = {
    PlaceRole.RECORD: "the record",
    PlaceRole.READING: "in hand when reading stopped",
    PlaceRole.AFTER: "reading goes on",
    PlaceRole.BEGIN: "begin of the transaction",
    PlaceRole.RESTART: "checkpoint, the process starts again",
    PlaceRole.NOW: "read now",
    PlaceRole.START: "reading begins",
    PlaceRole.APPLIED: "last applied",
    PlaceRole.FORMER: "no longer used",
    PlaceRole.WRITING: "written",
    PlaceRole.FILE: "of the message",
    PlaceRole.NEXT_FILE: "the file after it",
    PlaceRole.REDO: "of a log of the database, not of this trail",
}


class MessagePlace(NamedTuple):
    """A place as a text writes it; each part is None where the text does not name it.

    Attributes:
        file: the path of a trail file.
        trail: the path of a trail, without a number.
        seqno: the number of a file.
        rba: an RBA.
        is_redo: True if the number and the RBA are those of a log of the database.
        role: what it is to the process.
    """

    file: str | None = None
    trail: str | None = None
    seqno: int | None = None
    rba: int | None = None
    is_redo: bool = False
    role: PlaceRole = PlaceRole.RECORD

    @property
    def names_file(self) -> bool:
        """True if it says in which file it is."""
        return self.file is not None or self.seqno is not None

    @property
    def trail_name(self) -> str | None:
        """The path of its trail without the number of a file; None if it names none."""
        if self.trail is not None or self.file is None:
            return self.trail
        name = TrailName.parse(re.split(r"[/\\]", self.file)[-1])
        return self.file[: -name.digits] if name is not None else None

    @property
    def number(self) -> int | None:
        """The number of its file, from the name of that or beside it; None if neither is there."""
        name = TrailName.parse(self.file.replace("\\", "/")) if self.file is not None else None
        return name.seqno if name is not None else self.seqno


class TransactionId(NamedTuple):
    """A transaction as a text names it: by its CSN, by its XID, or by both; each is None if it does not."""

    csn: str | None
    xid: str | None


def without_sql(text: str) -> str:
    """Return a text with blanks for its statements of SQL, of which it has as many lines as before."""
    return _SQL.sub(_blank, text) if "SQL" in text else text


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def named_transaction(text: str) -> TransactionId | None:
    """Return the first transaction that a text names; None if it names none."""
    text = without_sql(text)
    numbers = (match[1].rstrip(".:") for match in _CSN.finditer(text))
    csn = next((number for number in numbers if csn_key(number) is not None), None)
    xid = _XID.search(text)
    return None if csn is None and xid is None else TransactionId(csn, xid[1] if xid is not None else None)


def column_in(text: str) -> str:
    """Return the name of the column that a message names; empty if it names none."""
    match = _COLUMN.search(text)
    return match[1] if match else ""


def place_in(text: str) -> MessagePlace:
    """Return the place that a message names: of each part the first one in it."""
    file, seqno, rba = _FILE.search(text), _SEQNO.search(text), _RBA.search(text)
    both = _BOTH.search(text) or _DIGITS.search(text) if seqno is None and rba is None else None
    place = MessagePlace(
        _path(file) if file else None,
        None,
        int(both[1]) if both else _number(seqno),
        int(both[2]) if both else _number(rba),
    )
    if place.file is not None or place.seqno is None:
        return place
    trail = _TRAIL.search(text)
    written = next(filter(None, trail.groups()), None) if trail else None
    return place._replace(trail=written, is_redo=written is None and _REDO.search(text) is not None)


def _path(match: re.Match[str]) -> str:
    return match["quoted"] or match["plain"]


def _number(match: re.Match[str] | None) -> int | None:
    return _digits(match[1]) if match else None


def _digits(number: str) -> int:
    return int(re.sub(r"\D", "", number))


def _reading(match: re.Match[str]) -> Iterator[MessagePlace]:
    """The record in hand, and the place after it; if both are one place, no record was in hand."""
    file, rba, seqno, after = match["file"], _digits(match["rba"]), match["seqno"], match["after"]
    reading = MessagePlace(file, rba=rba, role=PlaceRole.READING)
    if after is None:
        yield reading
        return
    place = MessagePlace(file, rba=_digits(after), role=PlaceRole.AFTER)
    if seqno is not None and _digits(seqno) != place.number:
        place = place._replace(file=None, trail=re.sub(r"\d+$", "", file), seqno=_digits(seqno))
    if place._replace(role=PlaceRole.READING) != reading:
        yield reading
    yield place


def _applied(match: re.Match[str]) -> Iterator[MessagePlace]:
    yield MessagePlace(match["file"], rba=_digits(match["rba"]), role=PlaceRole.APPLIED)


def _switched(match: re.Match[str]) -> Iterator[MessagePlace]:
    """The file is the new one, and the RBA the end of the old one: they are no place together."""
    yield MessagePlace(match["file"], role=PlaceRole.FILE)


def _checkpoint(match: re.Match[str]) -> Iterator[MessagePlace]:
    yield MessagePlace(match["file"], rba=_digits(match["rba"]), role=PlaceRole.RESTART)


def _java(match: re.Match[str]) -> Iterator[MessagePlace]:
    role = PlaceRole.BEGIN if match["tx"] else PlaceRole.RECORD
    yield MessagePlace(seqno=int(match["seqno"]), rba=int(match["rba"]), role=role)


def _discarded(match: re.Match[str]) -> Iterator[MessagePlace]:
    seqno, rba = _digits(match["seqno"]), _digits(match["rba"])
    role = PlaceRole.BEGIN if match["begin"] else PlaceRole.RECORD
    yield MessagePlace(trail=match["trail"], seqno=seqno, rba=rba, role=role)


_SECTIONS = {"startup": PlaceRole.START, "current": PlaceRole.RESTART, "recovery": PlaceRole.REDO}


def _section(match: re.Match[str]) -> Iterator[MessagePlace]:
    """A section of SHOWCH or of SEND STATUS, with the kind of checkpoint before it."""
    role = _SECTIONS[match["what"].lower()] if match["way"] is None else PlaceRole.NOW
    before = match.string[: match.start()]
    writes, reads = before.rfind("Write Checkpoint #"), before.rfind("Read Checkpoint #")
    if match["way"] == "write" or (match["way"] is None and writes > reads):
        role = PlaceRole.WRITING
    if role is PlaceRole.REDO or re.search(r"Redo File|SCN:|Thread #", match[0]):
        yield MessagePlace(seqno=_digits(match["seqno"]), rba=_digits(match["rba"]), is_redo=True, role=PlaceRole.REDO)
        return
    yield MessagePlace(None, match["trail"], _digits(match["seqno"]), _digits(match["rba"]), role=role)


def _of_redo(match: re.Match[str]) -> Iterator[MessagePlace]:  # noqa: ARG001 - what it says is that there is none
    yield MessagePlace(is_redo=True, role=PlaceRole.REDO)


def _target(match: re.Match[str]) -> Iterator[MessagePlace]:
    """A row of the trails that an Extract writes."""
    yield MessagePlace(None, match["trail"], int(match["seqno"]), int(match["rba"]), role=PlaceRole.WRITING)


def _standing(match: re.Match[str]) -> Iterator[MessagePlace]:
    """SEND REPLICAT … STATUS: the place that is read now."""
    seqno, rba = _digits(match["seqno"]), _digits(match["rba"])
    yield MessagePlace(None, match["trail"], seqno, rba, role=PlaceRole.NOW)


def _position(match: re.Match[str]) -> Iterator[MessagePlace]:
    """The position of the REST API, whose members are in any order."""
    members = dict(re.findall(r'"(name|path|sequence|offset)"\s*:\s*"?([^",}]*)', match[0]))
    if {"name", "sequence", "offset"} <= members.keys() and (members["sequence"] + members["offset"]).isdecimal():
        folder = members.get("path", "")
        trail = f"{folder.rstrip('/')}/{members['name']}" if folder else members["name"]
        yield MessagePlace(None, trail, int(members["sequence"]), int(members["offset"]), role=PlaceRole.RESTART)


_Places = Callable[[re.Match[str]], Iterator[MessagePlace]]
_RECORDS = rf"(?:,\s*{_NUMBER}\s+records)?"
_SEQNO_AND_RBA = rf"seqno\s+(?P<seqno>{_NUMBER})\s+rba\s+(?P<rba>{_NUMBER})"
_SAME_SECTION = r"(?:(?!Checkpoint\b|position\b)[^\x00]){0,400}?"
_END_OF_SECTION = r"(?:Ext(?:ract|trail)\s+Trail:\s*(?P<trail>\S+)|Redo File:?[ \t]*\S*|\Z|(?=\n\s*\n))"
_TITLE_END = r"(?:[^:]{0,120}:|[^\n]*\n)"
"""The rest of a title, which a mail program may have wrapped, or joined with what follows it."""
_PATTERNS: tuple[tuple[str, _Places], ...] = (
    (
        (
            rf"Reading\s+['\"]?(?P<file>{_PATH})['\"]?,\s+current\s+RBA\s+(?P<rba>{_NUMBER}){_RECORDS}"
            rf"(?:,\s*m_file_seqno\s*=\s*(?P<seqno>{_NUMBER}))?(?:,\s*m_file_rba\s*=\s*(?P<after>{_NUMBER}))?"
        ),
        _reading,
    ),
    (rf"Switching\s+to\s+next\s+trail\s+file\s+(?P<file>{_PATH})[^\n]*", _switched),
    (
        rf"Trail\s+name\s*:\s*(?P<file>{_PATH})(?:(?!\n_{{5}})[^\x00]){{0,2000}}?\bLen\s+\d+\s+RBA\s+(?P<rba>{_NUMBER})",
        _applied,
    ),
    (
        (
            rf"Log\s+Read\s+Checkpoint\s+File\s+(?P<file>{_PATH})\s+"
            rf"(?:(?:First\s+Record|[\d:. -]{{1,40}}?)\s+)?RBA\s+(?P<rba>{_NUMBER})"
        ),
        _checkpoint,
    ),
    (r"Log\s+Read\s+Checkpoint\s+(?!File\b)[^\n]*\bRedo\b[^\n]*(?:\n[ \t]+[^\n]*){0,8}", _of_redo),
    (
        r"^[ \t]*(?P<trail>\S{2,400})[ \t]+(?P<seqno>\d{1,9})[ \t]+(?P<rba>\d{1,19})[ \t]+\d+[ \t]+(?:EXT|RMT)TRAIL\b",
        _target,
    ),
    (r"(?P<tx>\btx\s+)?(?:\bop\s+)?\bpos(?:ition)?\"?\s*[:=]\s*\"?(?P<seqno>\d{10})(?P<rba>\d{10})\b", _java),
    (rf"Aborting\s+transaction\s+on\s+(?P<trail>\S+)\s+(?P<begin>beginning)\s+at\s+{_SEQNO_AND_RBA}", _discarded),
    (rf"(?:Operation\s+failed|\berror)\s+at\s+{_SEQNO_AND_RBA}(?P<begin>(?!))?(?P<trail>(?!))?", _discarded),
    (
        (
            rf"(?P<what>Startup|Recovery|Current)\s+(?:Checkpoint|(?P<way>read|write)\s+position)\b{_TITLE_END}"
            rf"{_SAME_SECTION}Sequence\s*#:\s*(?P<seqno>{_NUMBER})\s+RBA:\s*(?P<rba>{_NUMBER})"
            rf"{_SAME_SECTION}{_END_OF_SECTION}"
        ),
        _section,
    ),
    (
        (
            rf"Current\s+status:{_SAME_SECTION}"
            rf"Sequence\s*#:\s*(?P<seqno>{_NUMBER})\s+RBA:\s*(?P<rba>{_NUMBER}){_SAME_SECTION}{_END_OF_SECTION}"
        ),
        _standing,
    ),
    (r"\"position\"\s*:\s*\{[^{}]{0,2000}\}", _position),
)
_SHAPES = tuple((re.compile(pattern, re.IGNORECASE | re.MULTILINE), places) for pattern, places in _PATTERNS)


_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_UNMARKED = re.compile(r"^[ \t]*[^\s>]", re.MULTILINE)
_TRACES = ("rba", "pos", "offset", "seq", "順序番号")
_NUMBERED = re.compile(r"[0-9]{6}")


def names_place(text: str) -> bool:
    """Return False if a text surely names no place."""
    lowered = text.lower()
    return any(trace in lowered for trace in _TRACES) or _NUMBERED.search(text) is not None


class Named(NamedTuple):
    """The places that a text names.

    Attributes:
        shaped: those of shapes of GoldenGate, which show their role.
        others: those of the rest of the text, whose role is that of the message.
    """

    shaped: tuple[MessagePlace, ...]
    others: tuple[MessagePlace, ...]


def places_in(head: str, below: str = "") -> Named:
    """Return the places that a message names; ``below`` are the lines that follow it, which only complete its own."""
    text, shaped = f"{head}\n{below}" if below else head, list[MessagePlace]()
    if not names_place(text):
        return Named((), ())
    text = without_sql(_unquoted(text))
    for pattern, places in _SHAPES:
        matches = list(pattern.finditer(text))
        for match in matches:
            shaped.extend(places(match))
        if matches:
            text = pattern.sub(_blank, text)
    lines = head.count("\n") + 1
    own = "\n".join(text.split("\n")[:lines])
    others = _others(own)
    if below and not any(place.rba is not None and place.names_file for place in (*others, *shaped)):
        whole = _others(text)
        if any(place.rba is not None and place.names_file for place in whole):
            others = whole
    return Named(tuple(shaped), others)


def _unquoted(text: str) -> str:
    """Return a text with blanks for the marks of a reply (``>``), if all of its lines have them."""
    if not text.lstrip().startswith(">") or _UNMARKED.search(text):
        return text
    return _MARKS.sub(_blank, text)


def _others(text: str) -> tuple[MessagePlace, ...]:
    """Return the places of a text without a shape: pairs of numbers and RBAs in their order, else one place."""
    seqnos, rbas, files = _SEQNO.findall(text), _RBA.findall(text), [*map(_path, _FILE.finditer(text))]
    place = place_in(text)
    if len(seqnos) == len(rbas) > 1 and not place.is_redo and not files:
        pairs = zip(seqnos, rbas, strict=True)
        return tuple(place._replace(seqno=_digits(seqno), rba=_digits(rba)) for seqno, rba in pairs)
    if place == MessagePlace():
        return ()
    if place.rba is None and len(files) > 1:
        return place, MessagePlace(files[1])
    return (place,)
