"""Messages of GoldenGate about trails: their meaning, and the place that they name.

Of a message that is not in the table only the place is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from logdump.features.explain.places import MessagePlace, place_in

_FILES = "RECOVERY FILES lists the format of each file"
_CHECKED = "CHECK shows whether the file is damaged, SAFE where a restart before or after the transaction is safe."

MEANINGS: dict[str, tuple[str, ...]] = {
    "OGG-01028": (
        "The record at this place does not fit what the reader expected: damage, or a piece of a LOB without its base.",
        _CHECKED,
    ),
    "OGG-01046": (
        "The collector is older than Extract and does not append: after a restart the end of the file is overwritten.",
        "RECOVERY shows the traces in the trail.",
    ),
    "OGG-01161": (
        "The record has a column number that the definition in use lacks: the table or its definitions changed.",
        "SCANFORMETADATA TDR shows the definition in force; VALUES ON, which columns the record has.",
    ),
    "OGG-01184": (
        "The file ends inside a record: it was cut, was copied before it was whole, or is still being written.",
        "CHECK shows where the last good record ends; compare the size with that of the source's file.",
    ),
    "OGG-01296": (
        "Replicat could not apply this row: the record below has its values.",
        "SAFE names the place after its transaction; a reader that continues there skips the whole transaction.",
    ),
    "OGG-01396": (
        "Under HANDLECOLLISIONS, an update of a key became an insert, for which the trail lacks columns.",
        "VALUES ON shows the columns that it has; NOCOMPRESSUPDATES or FETCHPKUPDATECOLS in Extract adds the others.",
    ),
    "OGG-01411": (
        "Input and output trail of a pump have different formats, and must have the same FORMAT RELEASE.",
        f"{_FILES}.",
    ),
    "OGG-01416": (
        "Extract and the file that it writes differ in format, as after an upgrade: set FORMAT RELEASE, or ETROLLOVER.",
        f"{_FILES}.",
    ),
    "OGG-01438": (
        "The trail has records after the place where the process had stopped gracefully.",
        "RECOVERY KEEP <seqno> <rba> shows which files a reader at the checkpoint needs.",
    ),
    "OGG-02186": (
        "The start position is inside the file header, which is the first record of the file.",
        "POSITION FIRST and NEXT show where the first record after it begins.",
    ),
    "OGG-02188": (
        "Reading began at a piece of a LOB or of a large row, and not at the record that it belongs to.",
        "SAFE shows the beginning of its transaction, also if it is in an earlier file.",
    ),
    "OGG-02191": (
        "The message says that no record begins there: the file is damaged, or the place is inside a record.",
        "CHECK lists the damage and the next good record, SAFE the places at which a restart is safe.",
    ),
    "OGG-02598": (
        "The format of the file is newer than the reader: set FORMAT RELEASE in Extract, then ETROLLOVER.",
        f"{_FILES}, READER <release> names those that are too new.",
    ),
    "OGG-02757": (
        "The file has no definition of a table that a file before it defined.",
        "SCANFORMETADATA TDR shows the definitions of a file; SOURCEDEFS <file> reads others.",
    ),
    "OGG-02771": (
        "A file has another format than the one before it. Replicat applies all up to there, then begins at its RBA 0.",
        f"{_FILES}, DOCTOR where it changes.",
    ),
    "OGG-02779": (
        "Extract is to write a newer format than its file has, and begins a new file.",
        f"{_FILES}.",
    ),
    "OGG-02945": (
        "No public text of this message was found; what there is at its place follows.",
        f"{_FILES}, SCANFORMETADATA TDR the definitions.",
    ),
    "OGG-02980": (
        "The trail has no record at the sequence number and RBA that were given as the last one processed.",
        "SAFE at that place names the transaction around it.",
    ),
    "OGG-02981": (
        "No transaction of the trail has the CSN and XID to begin at: files were purged, or the trail is another one.",
        "POSITION CSN <csn> looks for it; RECOVERY FILES lists the first and the last CSN of each file.",
    ),
    "OGG-02982": (
        "No transaction of the trail has the CSN and XID of the one processed last.",
        "POSITION CSN <csn> looks for it; RECOVERY FILES lists the first and the last CSN of each file.",
    ),
    "OGG-03194": (
        "The trail has no transaction with the CSN processed last: files may have been removed or damaged.",
        "POSITION CSN <csn> looks for it; CHECK and RECOVERY show what is missing.",
    ),
    "OGG-05797": (
        "A column of the record has a data format that the reader does not know: writer and reader differ in release.",
        "VALUES ON shows how the column is read here.",
    ),
    "OGG-05798": (
        "The record changes a part of a LOB or XML value, which the target does not take: fetch it whole in Extract.",
        "VALUES ON shows the record.",
    ),
    "OGG-06591": (
        "The end of the output trail could not be read from the checkpoint on; the file is read from its beginning.",
        _CHECKED,
    ),
}
"""Message number -> meaning for the trail, in lines. docs/explain.md names the source of each."""

_CODE = re.compile(r"\bOGG-(\d{5})\b")
_ABENDS = re.compile(rb"\b(?:ERROR|ABEND\w*)\b")
_HEAD = re.compile(rb"\bOGG-\d{5}\b|^\d{4}-\d\d-\d\d[T ]")
_MOST_CONTINUED = 8
"""Lines of a log after that of an error that may belong to it."""


class TrailMessage(NamedTuple):
    """A message.

    Attributes:
        code: its number, such as ``OGG-02191``; None if it has none.
        text: the whole message.
        place: the place that it names.
    """

    code: str | None
    text: str
    place: MessagePlace

    @property
    def meaning(self) -> tuple[str, ...]:
        """Its meaning for the trail, in lines; empty if unknown."""
        return MEANINGS.get(self.code or "", ())

    @property
    def is_about_a_trail(self) -> bool:
        """True if it names a place in a trail, or its meaning is known."""
        return self.code is not None and (self.place != MessagePlace() or bool(self.meaning))


def message_of(text: str) -> TrailMessage:
    """Parse a message."""
    code = _CODE.search(text)
    return TrailMessage(f"OGG-{code[1]}" if code else None, text.strip(), place_in(text))


def messages_in(lines: Iterable[bytes]) -> Iterator[TrailMessage]:
    """Yield the errors of a report or of ggserr.log that name a place in a trail or have a known meaning.

    The place may be in the lines after that of the error, up to the next message.
    """
    message, continued = None, list[bytes]()
    for line in lines:
        if _HEAD.search(line):
            yield from _completed(message, continued)
            message, continued = _error_of(line), []
        elif message is not None and len(continued) < _MOST_CONTINUED:
            continued.append(line)
    yield from _completed(message, continued)


def _error_of(line: bytes) -> TrailMessage | None:
    """Return the error in a line of a log; None if it has none."""
    if (b"ERROR" not in line and b"ABEND" not in line) or b"OGG-" not in line or not _ABENDS.search(line):
        return None
    return message_of(_decoded(line))


def _completed(message: TrailMessage | None, continued: list[bytes]) -> Iterator[TrailMessage]:
    """Yield a message, if it is about a trail, with a place that only the lines after it complete."""
    if message is None:
        return
    if continued and message.place.file is None and (message.place.rba is None or message.place.seqno is None):
        whole = message_of("\n".join([message.text, *(_decoded(line).rstrip() for line in continued)]))
        if whole.place.rba is not None and whole.place.names_file:
            message = whole
    if message.is_about_a_trail:
        yield message


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace")
