"""EXPLAIN of texts of GoldenGate: the meaning, then the record, SAFE and CHECK at the place that they name."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from logdump.display.first_match import show_record
from logdump.features.check.command import CheckOptions, run_check
from logdump.features.check.model import BadRowShown, GapShown
from logdump.features.explain.files import NoFile, Surroundings, around_log, file_of
from logdump.features.explain.incidents import Incident, incident_of, incidents_in
from logdump.features.explain.log_lines import lines_of, messages_in
from logdump.features.explain.model import MessageExplained
from logdump.features.explain.places import MessagePlace, PlaceRole
from logdump.features.safe.command import run_safe
from logdump.notation.text import amount, escape
from logdump.notation.times import format_timestamp
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from trailformat import TrailError, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.codec.regular_file import open_regular
from trailformat.codec.remote.path import path_of
from trailformat.trail.sequence import is_unborn
from trailformat.transactions.header_promises import is_left_open

with on_demand:
    from logdump.features.explain import long_values

STANDARD_INPUT = "-"
_BAD_LENGTH = "OGG-01163"
_MOST_FINDINGS = 3
"""Gaps and bad rows of CHECK that are shown."""
_FOR_READERS = frozenset(
    {
        PlaceRole.RECORD,
        PlaceRole.READING,
        PlaceRole.BEGIN,
        PlaceRole.RESTART,
        PlaceRole.START,
        PlaceRole.AFTER,
        PlaceRole.FILE,
    }
)
"""The roles of places of a trail that the process reads; no Replicat is to be set to one of another role."""


def explain_text(session: Session, text: str) -> Iterator[Event]:
    """Explain a text that was typed or pasted: a message, or several of one process."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    messages = [*messages_in(text.splitlines())]
    incidents = [incident for incident in incidents_in(messages) if incident.weight > 1] if len(messages) > 1 else []
    heaviest = max((incident.weight for incident in incidents), default=0)
    chosen = [incident for incident in incidents if incident.weight == heaviest][-1:]
    if not chosen and messages:
        chosen = [incident_of(messages, typed=True)]
    for incident in chosen:
        yield from _explained(session, incident, ())


def explain_log(session: Session, name: str, *, every: bool) -> Iterator[Event]:
    """Explain the last error of a log that concerns a trail, or with ``every`` all such errors.

    A log without an error: its last warning about a trail, else the last place that it names.
    """
    if name == STANDARD_INPUT:
        yield from _explain_lines(session, sys.stdin.buffer, name, (), every=every)
        return
    path = path_of(Path(name))
    if not path.is_file():
        raise MissingFileError(f"{name}: No such file.")
    with os.fdopen(open_regular(path), "rb") as file:
        yield from _explain_lines(session, file, name, around_log(path), every=every)


def _explain_lines(
    session: Session, file: BinaryIO, name: str, folders: tuple[Path, ...], *, every: bool
) -> Iterator[Event]:
    heaviest, number, last = 2, 0, deque[Incident](maxlen=1)
    for incident in incidents_in(messages_in(lines_of(file))):
        if incident.weight > heaviest:
            heaviest, number = incident.weight, 0
            last.clear()
        if incident.weight < heaviest:
            continue
        number += 1
        last.append(incident)
        if every and incident.is_error:
            yield from _explained(session, incident, folders)
    if not number:
        raise CommandError(f"{'Standard input' if name == STANDARD_INPUT else name} has no error about a trail.")
    if not (every and last[0].is_error):
        yield from _explained(session, last[0], folders, number - 1 if last[0].is_error else 0)


def _explained(session: Session, incident: Incident, folders: tuple[Path, ...], earlier: int = 0) -> Iterator[Event]:
    """Yield the meaning of a message, the record at its place, and the output of SAFE and CHECK."""
    yield MessageExplained(incident, earlier)
    target, meaning = incident.target, incident.meaning
    code = incident.main.code
    if meaning is None and code is not None:
        yield Notice((f"{code} is not known as a message about trails.",), _nothing(incident))
    if target is None and meaning is not None and not meaning.is_frame and not session.has_trail:
        yield Notice(("The message names no trail file: OPEN it, and EXPLAIN the message again.",), ExitStatus.OK)
        return
    place = target.place if target is not None else MessagePlace()
    around = Surroundings(session.trail.path if session.has_trail else None, folders)
    file = file_of(place, around)
    if isinstance(file, NoFile):
        is_missing = file.is_missing and place.names_file
        yield Notice((f"{escape(file.why)}.",), ExitStatus.BAD_DATA if is_missing else ExitStatus.OK)
        return
    try:
        if file != around.opened:
            session.open(file)
    except TrailError as error:
        yet = " It has no records yet." if is_unborn(file) else ""
        yield Notice((f"Error: {error}.{yet}",))
        return
    yield from _in_file(session, incident, place, around)


def _nothing(incident: Incident) -> ExitStatus:
    """Return the status of an unknown message: there is nothing to explain if it names no place either."""
    return ExitStatus.OK if incident.places else ExitStatus.COMMAND_FAILED


def _in_file(session: Session, incident: Incident, place: MessagePlace, around: Surroundings) -> Iterator[Event]:
    """Yield what there is at a place of the file that is open now, then CHECK of the file."""
    file, meaning = session.trail.path, incident.meaning
    rba = 0 if place.rba is None and meaning is not None and meaning.begins_file else place.rba
    if rba is not None:
        if not place.names_file:
            said = f"The message names no file: RBA {rba} is that of {escape(str(file))}."
            yield Notice((said,), ExitStatus.OK)
        elif file != around.opened:
            yield say(f"RBA {rba} of {escape(str(file))}:")
        if place.file is None and place.trail is None and place.names_file and around.opened is None:
            said = f"The text names no trail: file {place.seqno} is that of the only trail in {file.parent}."
            yield Notice((escape(said),), ExitStatus.OK)
        yield from _at(session, rba, advises=place.role in _FOR_READERS)
    yield from _values_at_fault(session, incident, rba)
    yield from _shortened(run_check(session, CheckOptions(str(file))))
    following = incident.other(PlaceRole.NEXT_FILE)
    if following is not None:
        yield from _next_file(session, following, around)


def _values_at_fault(session: Session, incident: Incident, rba: int | None) -> Iterator[Event]:
    """Yield the values that are longer than the message allows for their column."""
    if incident.main.code != _BAD_LENGTH:
        return
    bound = long_values.bound_in(incident.main.text)
    if bound is not None:
        yield from long_values.long_values(session, bound, rba)


def _at(session: Session, rba: int, *, advises: bool) -> Iterator[Event]:
    """Yield the record at an RBA, and SAFE for it if a reader can be set to it."""
    size = session.trail.size
    if rba > size:
        yield Notice((f"RBA {rba} is past the end of the file, which has {size} bytes.",))
        return
    if rba == size:
        yield say(f"RBA {rba} is the end of the file: no record is there yet.")
    session.cursor.move(rba)
    try:
        record = session.cursor.read() if 0 < rba < size else None
        if record is not None:
            former, session.settings.values = session.settings.values, True
            try:
                yield from show_record(session, record)
            finally:
                session.settings.values = former
            session.cursor.move(rba)
            session.cursor.current = rba
        if advises:
            yield from run_safe(session, rba)
    except TrailError as error:
        good = session.trail.next_good_header(min(rba + 1, size))
        where = f"Next good header at RBA {good}." if good is not None else "No good header after it."
        yield Notice((f"Error: {error}", where))
        yield from run_safe(session, good) if good is not None and advises else ()


def _shortened(events: Iterator[Event]) -> Iterator[Event]:
    """Yield the events of CHECK, of its findings only the first ones."""
    findings = 0
    for event in events:
        if isinstance(event, (GapShown, BadRowShown)):
            findings += 1
            if findings > _MOST_FINDINGS:
                continue
        elif findings > _MOST_FINDINGS and not isinstance(event, Notice):
            yield Notice((f"… and {amount(findings - _MOST_FINDINGS, 'more place')}: CHECK lists them.",))
            findings = 0
        yield event


def _next_file(session: Session, following: MessagePlace, around: Surroundings) -> Iterator[Event]:
    """Yield what is known of the end of the open file, and the place after it in the file that follows.

    The place is advised only if the open file ends with a whole record and is not closed, and the other file is there.
    """
    trail = session.trail
    name, size, header = escape(trail.path.name), trail.size, trail.file_header
    is_open = header is not None and is_left_open(header)
    state = "is not closed: its header has no LastCSN and no FileSize" if is_open else "is closed by its writer"
    yield say(f"{name} {state}.")
    file = file_of(following, around._replace(opened=trail.path))
    if isinstance(file, NoFile):
        yield Notice((f"{escape(file.why)}.",))
        return
    if is_unborn(file):
        yield say(f"{escape(str(file))} has no records yet.")
        return
    with TrailFile(file) as later:
        begun = later.file_header.created if later.file_header is not None else None
    when = f" was begun {format_timestamp(begun, session.settings.time_offset)}" if begun else " is there"
    if not _ends_whole(trail):
        yield Notice((f"{name} does not end with a whole record: going to the next file loses the rest of it.",))
        return
    yield say(
        f"The last record of {name} is whole and ends at RBA {size}; {escape(file.name)}{when}.",
        f"Only if the writer of {name} will not go on (ETROLLOVER, or a pump that was interrupted), go to the next",
        "file; else let it finish: what it still writes would be lost.",
    )
    session.open(file)
    yield from run_safe(session, 0)


def _ends_whole(trail: TrailFile) -> bool:
    """Return whether a file ends where a sound record ends."""
    try:
        last = next(iter(trail.records_backwards()), None)
    except TrailError:
        return False
    return last is not None and last.rba + last.length == trail.size
