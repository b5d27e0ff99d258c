"""The answers of EXPLAIN as JSON."""

from __future__ import annotations

from typing import Any

from logdump.display.json_shape import PARTIAL, SPOT, Shape, at, member, verdict
from logdump.features.explain.model import Explained, Span, When
from logdump.notation.times import iso_time


def _text(path: str) -> Any:
    get = at(path)
    return lambda source: "".join(map(_one, get(source)))


def _one(part: str | When | Span) -> str:
    if isinstance(part, str):
        return part
    return str(iso_time(part.julian)) if isinstance(part, When) else f"{part.microseconds / 1_000_000:g} s"


PART = Shape(
    "explanation_part",
    "A fact that supports a verdict.",
    (
        member("hop", "string or null", "The hop that it is about, named as in `heartbeat_lag`"),
        member(
            "seconds", "number or null", "Its lag", lambda part: part.lag / 1_000_000 if part.lag is not None else None
        ),
        member("text", "string", "The fact", _text("text")),
        member("evidence", "list of spot", "The records that show it", SPOT.each("spots")),
    ),
)

EXPLANATION = Shape(
    "explanation",
    "EXPLAIN: an answer.",
    (
        member("question", "string", "`lag`, `restart`, `ddl`", "question.value"),
        member("title", "string", "The trail, as in the text"),
        verdict("rule", "string", "The rule that gave the verdict; docs/explain.md lists them", "verdict.rule"),
        verdict("verdict", "string", "In one sentence", _text("verdict.text")),
        member("parts", "list of explanation_part", "The facts that support it", PART.each("parts")),
        member("assumed", "list of string", "Assumptions"),
        member("not_known", "list of string", "What is not known, and how to find out"),
        member("damaged", "number", "Places of damage"),
        PARTIAL,
    ),
    Explained,
)
