"""The answers of EXPLAIN as JSON."""

from __future__ import annotations

from typing import Any

from logdump.display.json_fields import fields
from logdump.display.json_shape import PARTIAL, Shape, at, member, verdict
from logdump.features.explain.incidents import MessageKind
from logdump.features.explain.model import (
    Evidence,
    Explained,
    MessageExplained,
    OtherMessages,
    ProcessesShown,
    Span,
    When,
)
from logdump.features.explain.processes import ProcessState
from logdump.notation.times import iso_time


def _text(path: str) -> Any:
    get = at(path)
    return lambda source: "".join(map(_part_text, get(source)))


def _part_text(part: str | When | Span) -> str:
    if isinstance(part, str):
        return part
    return str(iso_time(part.julian)) if isinstance(part, When) else f"{part.microseconds / 1_000_000:g} s"


_ROLES = (
    "What it is to the process: record, reading, after, begin, restart, now, start, applied, former, writing, "
    "file, next_file, redo"
)

PART = Shape(
    "explanation_part",
    "A fact that supports a verdict.",
    (
        *fields(Evidence, "hop"),
        member(
            "seconds", "number or null", "Its lag", lambda part: part.lag / 1_000_000 if part.lag is not None else None
        ),
        member("text", "string", "The fact", _text("text")),
        *fields(Evidence, "positions"),
    ),
)

EXPLANATION = Shape(
    "explanation",
    "EXPLAIN: an answer.",
    (
        *fields(Explained, "question title"),
        *verdict(
            member("rule", "string", "The rule that gave the verdict; docs/explain.md lists them", "verdict.rule"),
            member("verdict", "string", "In one sentence", _text("verdict.text")),
        ),
        *fields(Explained, "parts assumed not_known damaged", Evidence=PART),
        PARTIAL,
    ),
    Explained,
)

NAMED_PLACE = Shape(
    "named_place",
    "A place that a message names.",
    (
        member("role", "string", _ROLES, lambda named: named.role.name.lower()),
        member("file", "string or null", "The path of the file, as it is written", "place.file"),
        member("trail", "string or null", "The path of the trail, as it is written", "place.trail"),
        member("seqno", "number or null", "The number of the file", "place.number"),
        member("rba", "number or null", "The RBA", "place.rba"),
        member("code", "string or null", "The number of the message that names it", "message.code"),
    ),
)

MESSAGE_KIND = Shape(
    "message_kind", "EXPLAIN FILE … ALL: before the latest error of each kind.", fields(MessageKind), MessageKind
)
OTHER_KIND = Shape("other_kind", "Errors of a log with the same number.", fields(MessageKind))
OTHER_MESSAGES = Shape(
    "other_messages",
    "EXPLAIN of a log: the errors about trails that are not explained.",
    fields(OtherMessages, MessageKind=OTHER_KIND),
    OtherMessages,
)

PROCESS = Shape(
    "process",
    "A process of a folder of reports.",
    (
        *fields(ProcessState, "name kind"),
        member("state", "string", "abended, stopped, waits, reads, unknown; `abended, and was started again`"),
        *fields(ProcessState, "source"),
        member("code", "string or null", "The number of its last error", "incident?.main.code"),
        member("time", "string or null", "The time of that as it is written", "incident?.main.time"),
        member("text", "string or null", "The message", "incident?.main.text"),
        member("meaning", "string or null", "What that means for the trail", "incident?.meaning?.text"),
        *fields(ProcessState, "file place why_none"),
    ),
)
PROCESSES = Shape(
    "processes",
    "EXPLAIN of a folder of reports: before the last error.",
    fields(ProcessesShown, ProcessState=PROCESS),
    ProcessesShown,
)

EXPLAINED_MESSAGE = Shape(
    "explained_message",
    "EXPLAIN of a message: before the record, SAFE and CHECK at its place.",
    (
        member("code", "string or null", "The number of the message, such as OGG-02191", "incident.main.code"),
        member("severity", "string or null", "ERROR, WARNING or INFO", "incident.main.severity"),
        member("time", "string or null", "Its time as it is written", "incident.main.time"),
        member("process", "string", "The process, empty if it is not named", "incident.main.process"),
        member("text", "string", "The message", "incident.main.text"),
        member("meaning", "string or null", "What it means for the trail", "incident.meaning?.text"),
        member(
            "source", "string or null", "How that is known: reference, printed, unverified", "incident.meaning?.source"
        ),
        member("next", "string or null", "What to do, empty if nothing is known", "incident.meaning?.next"),
        member(
            "places",
            "list of named_place",
            "The places of it and of the messages beside it",
            NAMED_PLACE.each("incident.places"),
        ),
        *fields(MessageExplained, "earlier"),
    ),
    MessageExplained,
)
