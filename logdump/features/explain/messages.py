"""Messages of GoldenGate that speak of trails: what they mean, and the place that they name.

What each means is from Oracle's message texts and public notes; a message that is not in the table is read for its
place alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MEANINGS: dict[str, tuple[str, ...]] = {
    "OGG-01028": (
        "The record at this place does not fit what the reader expected: damage, or a piece of a LOB without its base.",
        "CHECK says whether the file is damaged, SAFE where a restart before or after the transaction is safe.",
    ),
    "OGG-01046": (
        "The collector writes in overwrite mode: after a restart, the end of the file is written again.",
        "RECOVERY tells what that has left in the trail.",
    ),
    "OGG-01161": (
        "The record has a column number that the definition in use lacks: the table or its definitions changed.",
        "SCANFORMETADATA TDR shows the definition in force; VALUES ON, which columns the record has.",
    ),
    "OGG-01184": (
        "The file ends inside a record: it was cut, was copied before it was whole, or is still being written.",
        "CHECK tells where the last good record ends; compare the size with that of the source's file.",
    ),
    "OGG-01296": (
        "Replicat could not apply this row: the record below has its values.",
        "SAFE names the place after its transaction; who goes on there skips all of the transaction.",
    ),
    "OGG-01411": (
        "Input and output trail of a pump have different formats, and must have the same.",
        "RECOVERY FILES lists the format of each file.",
    ),
    "OGG-01416": (
        "The format of the file is one that the reader does not take.",
        "RECOVERY FILES lists the format of each file, READER <release> names those that are too new.",
    ),
    "OGG-01438": (
        "The trail has records after the place where the process had stopped gracefully.",
        "RECOVERY KEEP <seqno> <rba> shows which files a reader at the checkpoint needs.",
    ),
    "OGG-02191": (
        "No record of a trail can stand at this place: the file is damaged there, or the place is none of a record.",
        "CHECK lists the damage and the next good record, SAFE the places at which a restart is safe.",
    ),
    "OGG-02598": (
        "The format of the file is newer than the reader: the writer needs FORMAT RELEASE, and a new file.",
        "RECOVERY FILES lists the format of each file, READER <release> names those that are too new.",
    ),
    "OGG-02771": (
        "A file has another format than the one before it. Replicat applies all up to there, then begins at its RBA 0.",
        "RECOVERY FILES lists the format of each file.",
    ),
    "OGG-05797": (
        "A column of the record has a data format that the reader does not know: writer and reader differ in release.",
        "VALUES ON shows how the column is read here.",
    ),
}
"""By the number of a message: what it means for the trail, in lines."""

_CODE = re.compile(r"\bOGG-(\d{5})\b")
_NUMBER = r"(\d{1,3}(?:[,.]\d{3})+|\d+)"
_RBA = re.compile(rf"\brba\s*[:=#]?\s*{_NUMBER}", re.IGNORECASE)
_FILE = re.compile(r"""(?:^|[\s('"=])((?:[^\s'"(),;]*/)?[^\s'"(),;/]{2}(?:\d{9}|\d{6}))(?=$|[\s'"(),.;:])""")
_ABENDS = re.compile(r"\b(?:ERROR|ABEND\w*)\b")


class TrailMessage(NamedTuple):
    """A message.

    Attributes:
        code: its number, as ``OGG-02191``; None of a text that has none.
        text: its line.
        file: the name of the trail file in it, as it is written there.
        rba: the RBA in it.
    """

    code: str | None
    text: str
    file: str | None
    rba: int | None

    @property
    def meaning(self) -> tuple[str, ...]:
        """What it means for the trail."""
        return MEANINGS.get(self.code or "", ())


def message_of(text: str) -> TrailMessage:
    """What a message says."""
    code, rba, file = _CODE.search(text), _RBA.search(text), _FILE.search(text)
    return TrailMessage(
        f"OGG-{code[1]}" if code else None,
        text.strip(),
        file[1] if file else None,
        int(re.sub("[,.]", "", rba[1])) if rba else None,
    )


def messages_in(lines: Iterable[str]) -> Iterator[TrailMessage]:
    """The errors of a report or of ggserr.log that name a place in a trail or a message that is known."""
    for line in lines:
        if _ABENDS.search(line) and _CODE.search(line):
            message = message_of(line)
            if message.rba is not None or message.file is not None or message.meaning:
                yield message
