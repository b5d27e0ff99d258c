"""The messages of a text of GoldenGate, of any size and layout: time, severity, process, number, text.

    2024-03-14T01:10:04.123+0000  ERROR    OGG-01296  Oracle GoldenGate Delivery for Oracle, rep1.prm:  Error mapping …
    2024-03-14 01:10:04  WARNING OGG-01003  Repositioning to rba 1486 in seqno 67.
    2024-03-14T01:10:04.123+0000 ERROR| ERROR OGG-01296 Oracle GoldenGate Delivery, rep1.prm: Error … (main)
    ERROR 2024-03-14 01:10:04.000000 [main] - …

What has no head belongs to the message before it. Only a bounded part of a message is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from logdump.features.explain.messages import code_in

_MOST_LINES = 64
"""Lines of a message that are kept."""
_MOST_BEFORE = 256
"""Lines before the first message, or of a text without any, that are kept."""
_MOST_CHARACTERS = 1 << 14
"""Characters of the lines after the first one of a message that are kept."""
_COLUMNS = 80
"""Width at which a report breaks its lines, inside of words too."""
_STRAIGHT = {
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032"), "'"),
    **{0xFEE0 + code: chr(code) for code in range(ord("!"), ord("~") + 1)},
    0x3001: ", ",
    0x3002: ". ",
}
"""Quotes of editors, and punctuation and digits of full width, and what they are in GoldenGate's own text."""
_FOREIGN = re.compile(f"[{re.escape(''.join(map(chr, _STRAIGHT)))}]")
_LEVELS = {"ERROR": "ERROR", "WARNING": "WARNING", "WARN": "WARNING", "INFO": "INFO", "FATAL": "ERROR"}
_TIME = r"(?P<time>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d)(?:[.,]\d+)?(?P<zone>Z|[+-]\d\d:?\d\d)?"
_LEVEL = r"(?P<level>ERROR|WARNING|WARN|INFO|FATAL|DEBUG)"
_CODE = r"(?P<code>OGG-\d{5})"
_HEADS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\W*{_TIME}\s+(?:GGS\s+)?{_LEVEL}\s*(?:\|\s*\w+\s+)?{_CODE}\b",
        rf"\W*{_TIME}\s+GGS\s+{_LEVEL}\s+\d{{1,5}}\b",
        rf"\s*{_LEVEL}\s+{_TIME}\s",
        rf"\s*{_TIME}\s+{_LEVEL}\b",
        rf"\s*\[[^\]]{{1,100}}\]\s+{_LEVEL}\s+\(",
        rf".*?(?:\b{_LEVEL}\b\W*)?\b{_CODE}\b",
        (
            r"\s*(?:REPLICAT|EXTRACT)\s+(?P<group>[\w$#]{1,64})\s+(?:Last Started|Initialized)\b"
            r"(?:.*\bStatus\s+(?P<status>\w+))?"
        ),
        r"\s*(?:REPLICAT|EXTRACT)\s+(?P<status>[A-Z]+)\s+(?P<group>[\w$#]{1,64})\s+[\d:]{8}",
        r"\s*(?:REPLICAT|EXTRACT)\s+(?P<group>[\w$#]{1,64})\s*(?::|is)\s+(?P<status>[A-Z]+)\s*$",
        r"\s*(?:Aborting\s+transaction\s+on|Operation\s+failed\s+at\s+seqno)\s",
    )
)
_IN_HEADS = re.compile("OGG-|ERROR|WARN|INFO|FATAL|DEBUG|seqno|transaction|REPLICAT|EXTRACT")
"""Words of which each head has one."""
_PROCESS = re.compile(r",\s*([\w$#-]{1,64})\.prm\s*:", re.IGNORECASE)
_NO_PARAGRAPH = re.compile(r"\s*$|_{5}|\*{5}|Reading\s|Last record for the last|Source Context")
"""Lines that end the own text of a message."""


_CLOCK = len("2024-03-14T01:10:04")


class LogMessage(NamedTuple):
    """A message.

    Attributes:
        code: its number, such as ``OGG-02191``; None if it has none.
        severity: ERROR, WARNING or INFO; None if it says none.
        time: its time as it is written; None without one.
        process: the process that wrote it, in capitals; empty if it does not say.
        text: its own text.
        below: the lines after it, up to the next message.
    """

    code: str | None
    severity: str | None
    time: str | None
    process: str
    text: str
    below: str = ""

    @property
    def clock(self) -> float | None:
        """What its clock shows, in seconds since 1970 whatever its zone is; None without a time."""
        return self._replace(time=self.time[:_CLOCK]).moment if self.time is not None else None

    @property
    def moment(self) -> float | None:
        """Its time in seconds since 1970, as if its clock showed UTC unless it has a zone; None without one."""
        if self.time is None:
            return None
        try:
            moment = datetime.fromisoformat(self.time.replace("/", "-"))
        except ValueError:
            return None
        return (moment - datetime(1970, 1, 1, tzinfo=moment.tzinfo)).total_seconds() - _offset(moment)


def _offset(moment: datetime) -> float:
    offset = moment.utcoffset()
    return offset.total_seconds() if offset is not None else 0.0


def messages_in(lines: Iterable[str | None]) -> Iterator[LogMessage]:
    """Yield the messages of a text, and before them what is before the first one, if anything does.

    None among the lines: others were passed over there, and the lines up to the next head belong to these.
    """
    message, below, is_cut, size = LogMessage(None, None, None, "", ""), list[str](), False, 0
    for written in lines:
        if written is None:
            if message.text or below:
                yield _whole(message, below)
            message, below, is_cut = LogMessage(None, None, None, "", ""), [], True
            continue
        line = written if written.isascii() else _FOREIGN.sub(lambda sign: _STRAIGHT[ord(sign[0])], written)
        if _IN_HEADS.search(line) is not None and (head := _head(line)) is not None:
            if message.text or below:
                yield _whole(message, below)
            message, below, is_cut, size = head, [], False, 0
        elif is_cut:
            continue
        elif size < _MOST_CHARACTERS and len(below) < (_MOST_LINES if message.text else _MOST_BEFORE):
            size += len(line)
            below.append(line)
        elif line.lstrip().startswith(("Reading ", "Log Read Checkpoint", "RBA", "Extract Trail")):
            below = [*below[1:], line]
    if message.text or any(line.strip() for line in below):
        yield _whole(message, below)


def _head(line: str) -> LogMessage | None:
    """Return the message that begins with a line; None if none does."""
    for pattern in _HEADS:
        match = pattern.match(line)
        if match is None:
            continue
        parts = match.groupdict()
        process = _PROCESS.search(line) if ".prm" in line.lower() else None
        time, zone = parts.get("time"), parts.get("zone")
        return LogMessage(
            parts.get("code") or code_in(line),
            "ERROR" if parts.get("status") == "ABENDED" else _LEVELS.get(parts.get("level") or ""),
            f"{time}{zone or ''}" if time else None,
            (process[1] if process else parts.get("group") or "").upper(),
            line.strip(),
        )
    return None


def _whole(message: LogMessage, below: list[str]) -> LogMessage:
    """Return a message with its own text over all its lines, those that were broken joined."""
    if not below:
        return message
    text, last = message.text, message.text
    own = 0
    for line in below if message.text else ():
        if _NO_PARAGRAPH.match(line):
            break
        is_broken = len(last) == _COLUMNS and not line.startswith(" ")
        is_number = re.search(r"\d$", text) and re.match(r"\d+(?![\d:/-])", line)
        text += line.strip() if is_broken or is_number else f"\n{line.strip()}"
        last, own = line, own + 1
    rest = "\n".join(below[own:]).strip("\n")
    return message._replace(text=text, below=rest)
