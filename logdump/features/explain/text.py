"""The results of EXPLAIN as text: assumptions, the verdict, its evidence, unknown facts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdump.display.text import PlacedLine, Renderers, Severity, as_read
from logdump.display.values_text import addition_lines, values_lines
from logdump.features.explain.incidents import Incident, MessageKind, RolePlace
from logdump.features.explain.log_lines import LogMessage
from logdump.features.explain.messages import NOT_SEEN, meanings
from logdump.features.explain.model import (
    Evidence,
    Explained,
    MessageExplained,
    OtherMessages,
    Phrase,
    ProcessesShown,
    RecordExplained,
    Span,
    When,
)
from logdump.features.explain.places import MessagePlace, PlaceRole
from logdump.features.explain.processes import ProcessState
from logdump.notation.text import amount, cut_to, escape
from logdump.notation.times import format_timestamp, span_text
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from trailformat import Change, ColumnChange, io_type_name

MOST_LINES = 25
_MOST_POSITIONS = 3
_MOST_OWN = 3
"""Lines of a message that are shown."""
_MOST_OTHERS = 2
"""Messages beside it that are shown."""
_THREADS = re.compile(r"^\s*(?:COORDINATED|PARALLEL)\b|\bMAXTHREADS\b", re.MULTILINE)
_WIDEST = 240
"""Columns of a line of a message or a record that are shown."""
_SCREEN = 80
"""Columns of a line that only points at another message."""
_MOST_COLUMNS = 7
"""Columns of a record that are shown."""
_MOST_KINDS = 5
"""Kinds of other errors that are listed."""
_PLAIN = (PlaceRole.RECORD, PlaceRole.FILE)


def explanation_lines(shown: Explained, settings: Settings) -> Iterator[str]:
    """Yield at most 25 lines."""
    assumed = "; ".join(shown.assumed) or "nothing beyond the contents of the trail"
    not_known, *facts = shown.not_known or ("nothing",)
    head = [f"Assumed: {assumed}. Not known: {not_known}."]
    head.append(f"{escape(shown.title)}{as_read(is_partial=shown.is_partial)}")
    if not shown.is_partial:
        head.append(_phrase(shown.verdict.text, settings))
    if shown.damaged:
        text = f"Damage at {amount(shown.damaged, 'place')}, see CHECK: its contents are unknown."
        head.append(PlacedLine(text, None, Severity.DAMAGE))
    tail = [f"Not known: {fact}" for fact in facts]
    room = MOST_LINES - len(head) - len(tail)
    parts: list[str] = [
        PlacedLine(f"  {_part(part, settings)}", *part.positions[:1] or (None,)) for part in shown.parts
    ]
    if len(parts) > room:
        parts = [*parts[: room - 1], f"  … and {len(parts) - room + 1} more"]
    yield from (*head, *parts, *tail)


def _part(part: Evidence, settings: Settings) -> str:
    positions = ", ".join(
        f"RBA {position.rba} of {escape(position.path.name)}" for position in part.positions[:_MOST_POSITIONS]
    )
    text = _phrase(part.text, settings)
    return f"{text}   ({positions})" if positions else text


def _phrase(phrase: Phrase, settings: Settings) -> str:
    return "".join(_part_text(part, settings) for part in phrase)


def _part_text(part: str | When | Span, settings: Settings) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, When):
        return format_timestamp(part.julian, settings.time_offset)
    return span_text(part.microseconds)


def message_lines(shown: MessageExplained, _settings: Settings) -> Iterator[str]:
    """Yield the message, its meaning, what to do, and the places beside that of the record."""
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
    for message in _others_of(incident):
        yield cut_to(f"Beside it: {escape(_without_head(message))}", _SCREEN)
    yield from _place_lines(incident)
    if _THREADS.search(f"{main.text}\n{main.below}"):
        yield "Of a coordinated or parallel Replicat this is the slowest thread: others have applied later records."


def _without_head(message: LogMessage) -> str:
    """Return the first line of a message from its number on."""
    line = message.text.splitlines()[0]
    return line[line.index(message.code) :] if message.code is not None and message.code in line else line


def _place_lines(incident: Incident) -> Iterator[str]:
    """Yield the places with their roles; nothing if the message itself names one alone, which the record shows.

    A file without an RBA is shown only if the message itself names it.
    """
    places = [named for named in incident.places if named.place.rba is not None or named.message is incident.main]
    is_plain = all(named.message is incident.main and named.role in _PLAIN for named in places)
    if len(places) > 1 or not is_plain:
        by_file = dict[tuple[object, ...], list[RolePlace]]()
        for named in places:
            trail = re.split(r"[/\\]", named.place.trail_name or "")[-1]
            by_file.setdefault((named.role is PlaceRole.REDO, trail, named.place.number), []).append(named)
        for several in by_file.values():
            written = max(
                (where for named in several if (where := file_text_of(named.place))), key=_precision, default=""
            )
            listed = ", ".join(_rba_text(named) for named in several)
            yield f"Places in {written}: {listed}" if written else f"Places: {listed}"


def _precision(written: str) -> tuple[bool, int]:
    return not written.startswith("file "), len(written)


def _rba_text(named: RolePlace) -> str:
    is_own = named.role is not PlaceRole.NEXT_FILE and named.role in (
        meaning.roles if (meaning := meanings().get(named.message.code or "")) else ()
    )
    source = f", {named.message.code}" if is_own else ""
    if named.place.rba is None:
        return f"{named.role.value}{source}"
    return f"RBA {named.place.rba} ({named.role.short}{source})"


def _others_of(incident: Incident) -> list[LogMessage]:
    """Return the last warning or error of each other number beside a message that says what happened and no place."""
    known = meanings()
    others = {
        message.code: message
        for message in incident.messages
        if message.code != incident.main.code and message.severity in ("ERROR", "WARNING") and message.text
        if (meaning := known.get(message.code or "")) is not None and not (meaning.is_frame or meaning.roles)
    }
    return list(others.values())[-_MOST_OTHERS:]


def file_text_of(place: MessagePlace) -> str:
    """Return the file of a place as it is written in a text, without control characters; empty if it names none."""
    if place.file is not None:
        return str(escape(place.file))
    if place.seqno is None:
        return ""
    return f"file {place.seqno}{f' of trail {escape(place.trail)}' if place.trail else ''}"


def kind_line(kind: MessageKind) -> str:
    """Return the number of a kind of message, how often it came, and when first and last."""
    first, last = kind.first, kind.last
    when = f", {first}{f' to {last}' if last != first else ''}" if first and last else ""
    who = f", {escape(', '.join(kind.processes))}" if kind.processes else ""
    return f"{kind.code or 'Without a number'}: {amount(kind.number, 'time')}{escape(when)}{who}"


def others_lines(shown: OtherMessages, _settings: Settings) -> Iterator[str]:
    """Yield the kinds of errors that are not explained."""
    total = sum(kind.number for kind in shown.kinds)
    kinds = amount(len(shown.kinds), "kind")
    yield f"Also {amount(total, 'other error')} about trails, of {kinds}; ALL explains each kind:"
    yield from (f"  {kind_line(kind)}" for kind in shown.kinds[:_MOST_KINDS])
    if len(shown.kinds) > _MOST_KINDS:
        yield f"  … and {amount(len(shown.kinds) - _MOST_KINDS, 'more kind')}"


def process_lines(shown: ProcessesShown, _settings: Settings) -> Iterator[str]:
    """Yield a line for each process, and its message below if it has abended or waits."""
    number = len(shown.processes)
    yield f"{escape(shown.title)}: {number} process{'es' if number != 1 else ''}"
    width = max((len(process.name) for process in shown.processes), default=0)
    for process in shown.processes:
        yield f"  {escape(process.name):<{width}}  {escape(process_text(process))}   [{escape(process.source.name)}]"


def process_text(process: ProcessState) -> str:
    """Return what a process does, since when, where in the trail, and why."""
    incident = process.incident
    main = incident.main if incident is not None else None
    is_stopped = process.state not in ("reads", "stopped", "unknown")
    when = f" {main.time}" if main is not None and main.time and is_stopped else ""
    code = f", {main.code}" if main is not None and main.code and is_stopped else ""
    rba = f"RBA {process.place.rba} of " if process.place is not None else ""
    where = (
        f", {rba}{process.file.name}"
        if process.file is not None
        else f", {process.why_none.split(':')[0]}"
        if process.why_none
        else ""
    )
    meaning = incident.meaning if incident is not None and incident.is_error else None
    why = f": {meaning.text}" if meaning is not None else ""
    return f"{process.state}{when}{code}{where}{why}"


def record_lines(shown: RecordExplained, settings: Settings) -> Iterator[str]:
    """Yield what a record does, when and in which transaction, and its first values; the column of the message is one.

    Keys come first, then that column, then those that differ.
    """
    known = shown.known
    record, change = known.record, None if known.record.is_file_header else known.change
    if record.is_file_header:
        yield f"The file header, {amount(record.length, 'byte')}."
        return
    when = format_timestamp(record.header.io_time, settings.time_offset)
    transaction = known.transaction
    ids = [f"{word} {escape(value)}" for word, value in (("XID", transaction.xid), ("CSN", transaction.csn)) if value]
    about = ", ".join((when, *ids))
    if change is None or not change.columns:
        name = escape(known.table.name) if known.table is not None else ""
        yield f"{io_type_name(record.header.io_type)}{' of ' if name else ''}{name}, {about}"
        yield from _content_lines(known, settings)
        return
    first, *lines = values_lines(change._replace(columns=_first_columns(change, shown.column)), record, settings)
    yield f"{first}, {about}"
    yield from (cut_to(line, _WIDEST) for line in lines)
    if len(change.columns) > _MOST_COLUMNS:
        more = amount(len(change.columns) - _MOST_COLUMNS, "more column")
        yield f"   … and {more}: VALUES ON; POS {record.rba}; NEXT shows all"


def _content_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    lines = [line for line in addition_lines(known, settings) if line.strip()]
    yield from (cut_to(line, _WIDEST) for line in lines[:_MOST_COLUMNS])
    if len(lines) > _MOST_COLUMNS:
        yield f"   … and {amount(len(lines) - _MOST_COLUMNS, 'more line')}"


def _first_columns(change: Change, named: str) -> tuple[ColumnChange, ...]:
    """Return the columns that are shown, in the order of the table."""

    def rank(column: ColumnChange) -> tuple[bool, ...]:
        is_named = column.name.upper() == named.upper()
        return not is_named, not column.is_key, not column.is_changed, column.after is None and column.before is None

    chosen = sorted(change.columns, key=rank)[:_MOST_COLUMNS]
    return tuple(column for column in change.columns if column in chosen)


LINES: Renderers = {
    MessageKind: lambda shown, _: (kind_line(shown),),
    OtherMessages: others_lines,
    ProcessesShown: process_lines,
    RecordExplained: record_lines,
    Explained: explanation_lines,
    MessageExplained: message_lines,
}
