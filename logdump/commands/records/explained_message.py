"""EXPLAIN of messages on a trail: the meaning, then the record, SAFE and CHECK at the position in the message."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from logdump.commands.records.first_match import show_record
from logdump.features.check.command import CheckOptions, run_check
from logdump.features.explain.messages import TrailMessage, messages_in
from logdump.features.explain.places import NoFile, file_of
from logdump.features.safe.command import run_safe
from logdump.notation.text import escape
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from trailformat import TrailError
from trailformat.codec.regular_file import open_regular
from trailformat.codec.remote.path import path_of

_LONGEST = 1 << 16
"""Bytes of a log line that are read at a time; a longer line is read in pieces."""


def explain_message(session: Session, message: TrailMessage) -> Iterator[Event]:
    """Yield the meaning of a message, the record at its RBA, and the output of SAFE and CHECK."""
    yield say(*message.text.splitlines(), *message.meaning)
    if not message.meaning and message.code is not None:
        yield Notice((f"{message.code} is not known as a message about trails.",), ExitStatus.OK)
    opened, place = session.trail.path if session.has_trail else None, message.place
    file = file_of(place, opened)
    if isinstance(file, NoFile):
        is_missing = place.names_file and not place.is_redo
        yield Notice((f"{escape(file.why)}.",), ExitStatus.BAD_DATA if is_missing else ExitStatus.OK)
        return
    if file != opened:
        session.open(file)
    if place.rba is not None:
        if not place.names_file:
            yield Notice(
                (f"The message names no file: RBA {place.rba} is that of {escape(str(file))}.",), ExitStatus.OK
            )
        elif file != opened:
            yield say(f"RBA {place.rba} of {escape(str(file))}:")
        yield from _at(session, place.rba)
    yield from run_check(session, CheckOptions(str(file)))


def _at(session: Session, rba: int) -> Iterator[Event]:
    session.cursor.move(rba)
    try:
        record = session.cursor.read()
        if record is None:
            raise CommandError(f"RBA {rba} is at or past the end of the file, which has {session.trail.size} bytes.")
        former, session.settings.values = session.settings.values, True
        try:
            yield from show_record(session, record)
        finally:
            session.settings.values = former
        session.cursor.move(rba)
        session.cursor.current = rba
        yield from run_safe(session, rba)
    except TrailError as error:
        good = session.trail.next_good_header(min(rba + 1, session.trail.size))
        where = f"Next good header at RBA {good}." if good is not None else "No good header after it."
        yield Notice((f"Error: {error}", where))
        yield from run_safe(session, good) if good is not None else ()


def explain_log(session: Session, name: str, *, every: bool) -> Iterator[Event]:
    """Explain the last error of a log that concerns a trail, or with ``every`` all such errors."""
    path = path_of(Path(name))
    if not path.is_file():
        raise MissingFileError(f"{name}: No such file.")
    with os.fdopen(open_regular(path), "rb") as file:
        messages = messages_in(iter(lambda: file.readline(_LONGEST), b""))
        number = 0
        for message in messages if every else deque(messages, maxlen=1):
            number += 1
            yield from explain_message(session, message)
    if not number:
        raise CommandError(f"{name} has no error about a trail.")
