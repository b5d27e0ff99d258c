"""EXPLAIN of messages on a trail: the meaning, then the record, SAFE and CHECK at the position in the message."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from logdump.commands.records.first_match import show_record
from logdump.features.check.command import CheckOptions, run_check
from logdump.features.explain.messages import TrailMessage, messages_in
from logdump.features.safe.command import run_safe
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
    yield say(message.text, *message.meaning)
    if not message.meaning and message.code is not None:
        yield Notice((f"{message.code} is not known as a message about trails.",), ExitStatus.OK)
    path = _found(session, message)
    if path is None:
        yield Notice(_no_file(message), ExitStatus.OK)
        return
    if not session.has_trail or session.trail.path != path:
        session.open(path)
    if message.rba is not None:
        yield from _at(session, message.rba)
    yield from run_check(session, CheckOptions(str(path)))


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


def _found(session: Session, message: TrailMessage) -> Path | None:
    """Return the file that a message names: as written, in the current folder, or in that of the open file.

    If the message names none, return the open file. None if there is no such file.
    """
    if message.file is None:
        return session.trail.path if session.has_trail else None
    name = path_of(Path(message.file))
    folders = [Path.cwd(), *([session.trail.path.parent] if session.has_trail else [])]
    candidates = [name, *(folder / part for folder in folders for part in (name, name.name))]
    there = next((path for path in candidates if path.is_file()), None)
    return Path(os.path.abspath(there)) if there is not None else None  # noqa: PTH100 - links stay


def _no_file(message: TrailMessage) -> tuple[str, ...]:
    if message.file is None:
        return ("The message names no trail file: OPEN it, and EXPLAIN the message again.",)
    return (f"{message.file} is not here: go to its folder, or OPEN a file beside it, and EXPLAIN the message again.",)


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
