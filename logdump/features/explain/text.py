"""The results of EXPLAIN as text: assumptions, the verdict, its evidence, unknown facts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdump.display.text import Renderers, as_read
from logdump.features.explain.incidents import Incident, RolePlace
from logdump.features.explain.log_lines import LogMessage
from logdump.features.explain.messages import NOT_SEEN, meanings
from logdump.features.explain.model import Evidence, Explained, MessageExplained, Phrase, Span, When
from logdump.features.explain.places import MessagePlace, PlaceRole
from logdump.notation.text import amount, cut_to, escape
from logdump.notation.times import format_timestamp, span_text
from logdump.session.settings import Settings

MOST_LINES = 25
_MOST_SPOTS = 3
_MOST_OWN = 4
"""Lines of a message that are shown."""
_MOST_BESIDE = 3
"""Messages beside it that are shown."""
_THREADS = re.compile(r"^\s*(?:COORDINATED|PARALLEL)\b|\bMAXTHREADS\b", re.MULTILINE)
_WIDEST = 400
"""Columns of a line of a message that are shown."""


def explanation_lines(shown: Explained, settings: Settings) -> Iterator[str]:
    """Yield at most 25 lines."""
    assumed = "; ".join(shown.assumed) or "nothing beyond the contents of the trail"
    not_known, *facts = shown.not_known or ("nothing",)
    head = [f"Assumed: {assumed}. Not known: {not_known}."]
    head.append(f"{escape(shown.title)}{as_read(is_partial=shown.is_partial)}")
    if not shown.is_partial:
        head.append(_phrase(shown.verdict.text, settings))
    if shown.damaged:
        head.append(f"Damage at {amount(shown.damaged, 'place')}, see CHECK: its contents are unknown.")
    tail = [f"Not known: {fact}" for fact in facts]
    room = MOST_LINES - len(head) - len(tail)
    parts = [f"  {_part(part, settings)}" for part in shown.parts]
    if len(parts) > room:
        parts = [*parts[: room - 1], f"  … and {len(parts) - room + 1} more"]
    yield from (*head, *parts, *tail)


def _part(part: Evidence, settings: Settings) -> str:
    spots = ", ".join(f"RBA {spot.rba} of {escape(spot.path.name)}" for spot in part.spots[:_MOST_SPOTS])
    text = _phrase(part.text, settings)
    return f"{text}   ({spots})" if spots else text


def _phrase(phrase: Phrase, settings: Settings) -> str:
    return "".join(_one(part, settings) for part in phrase)


def _one(part: str | When | Span, settings: Settings) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, When):
        return format_timestamp(part.julian, settings.time_offset)
    return span_text(part.microseconds)


def message_lines(shown: MessageExplained, _settings: Settings) -> Iterator[str]:
    """Yield the message, its meaning, what to do, and the places with their roles if there are several."""
    incident = shown.incident
    main = incident.main
    own = (main.text or main.below).splitlines()
    yield from (cut_to(escape(line), _WIDEST) for line in own[:_MOST_OWN])
    if len(own) > _MOST_OWN:
        yield f"… and {amount(len(own) - _MOST_OWN, 'more line')}"
    meaning = incident.meaning
    if meaning is not None:
        unsure = " (Not verified: neither Oracle's page nor a printed message was seen.)"
        yield f"{meaning.text}{unsure if meaning.source == NOT_SEEN else ''}"
        if meaning.next:
            yield meaning.next
    for beside in _beside(incident):
        yield f"Beside it: {cut_to(escape(beside.text.splitlines()[0]), _WIDEST)}"
    places = [named for named in incident.places if named.place.rba is not None or len(incident.places) > 1]
    is_plain = all(named.message is main and named.role in (PlaceRole.RECORD, PlaceRole.FILE) for named in places)
    if len(places) > 1 or not is_plain:
        yield "Places:"
        yield from (f"  {_place_line(named)}" for named in places)
    if _THREADS.search(f"{main.text}\n{main.below}"):
        yield "Of a coordinated or parallel Replicat this is the slowest thread: others have applied later records."
    if shown.earlier:
        yield f"{amount(shown.earlier, 'earlier error')} about trails: EXPLAIN FILE <log> ALL explains each."


def _beside(incident: Incident) -> list[LogMessage]:
    """Return the last warning or error of each other number beside a message that says what happened and no place."""
    known = meanings()
    others = {
        message.code: message
        for message in incident.messages
        if message.code != incident.main.code and message.severity in ("ERROR", "WARNING") and message.text
        if (meaning := known.get(message.code or "")) is not None and not (meaning.is_frame or meaning.roles)
    }
    return list(others.values())[-_MOST_BESIDE:]


def _place_line(named: RolePlace) -> str:
    is_own = named.role in (meaning.roles if (meaning := meanings().get(named.message.code or "")) else ())
    source = named.message.code if is_own else ""
    return f"{place_text_of(named.place)}: {named.role.value}{f' ({source})' if source else ''}"


def place_text_of(place: MessagePlace) -> str:
    """Return a place as it is written in a text, without control characters."""
    if place.file is not None:
        where = str(escape(place.file))
    elif place.seqno is not None:
        where = f"file {place.seqno}{f' of trail {escape(place.trail)}' if place.trail else ''}"
    else:
        where = ""
    rba = f"RBA {place.rba}" if place.rba is not None else ""
    return f"{where}, {rba}" if where and rba else where or rba


LINES: Renderers = {
    Explained: explanation_lines,
    MessageExplained: message_lines,
}
