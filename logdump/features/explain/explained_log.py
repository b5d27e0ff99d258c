"""EXPLAIN of a text that was pasted, of a log or report of any size, and of the reports of a folder or an archive."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.features.explain.explained_message import explained
from logdump.features.explain.files import Surroundings, around_log
from logdump.features.explain.incidents import WITH_CAUSE, LogFindings, incident_of
from logdump.features.explain.json_text import expanded
from logdump.features.explain.log_lines import messages_in
from logdump.features.explain.log_pieces import Readable, lines_to_read
from logdump.features.explain.messages import text_meaning
from logdump.features.explain.model import OtherMessages, ProcessesShown
from logdump.features.explain.places import named_transaction, places_in
from logdump.features.explain.processes import folders_of, is_folder_of_logs, processes_in, reading_log
from logdump.language.call import in_quotes
from logdump.language.command import Registry
from logdump.language.reader import Context, Validity, parse_partial
from logdump.language.words import split_calls
from logdump.session.errors import CommandError, MissingFileError
from logdump.session.events import Event
from logdump.session.session import Session
from trailformat import NotATrail
from trailformat.codec.remote.path import path_of
from trailformat.trail.packed import is_file
from trailformat.trail.sequence import TrailSequence

STANDARD_INPUT = "-"
_QUOTES = "\"'"


def is_explained(text: str) -> bool:
    """Return True if a text has the number of a message, or names a place or a transaction, or is known by its form."""
    if "OGG-" in text.upper():
        return True
    lines = expanded(_unquoted(text))
    named = places_in(lines)
    has_place = bool(named.shaped) or any(place.rba is not None for place in named.others)
    return has_place or text_meaning(lines) is not None or named_transaction(lines) is not None


def _unquoted(text: str) -> str:
    """Return a text without blanks and quotes around it; those in double quotes are no longer doubled."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
        return text[1:-1].replace(text[0] * 2, text[0])
    return text


def pasted_line(text: str, registry: Registry) -> str | None:
    """Return the line that explains several pasted lines; None if they are commands, or nothing to explain."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or all(_is_command(line, registry) for line in lines) or not is_explained(text):
        return None
    return f"EXPLAIN {in_quotes(text.strip())}"


def _is_command(line: str, registry: Registry) -> bool:
    """Return whether a line is commands with arguments that fit, or a comment."""
    return all(
        registry.knows(word) and parse_partial(registry.find(word).form, rest, Context()).validity is Validity.VALID
        for word, rest in split_calls(line)
    )


def explain_text(session: Session, text: str, near: Surroundings | None = None) -> Iterator[Event]:
    """Explain a text that was typed or pasted: a message, or several of one process or of several.

    ``near`` is where its files may be.
    """
    near = near or Surroundings()
    messages = [*messages_in(expanded(_unquoted(text)).splitlines())]
    findings = LogFindings(messages)
    if findings.last is not None and findings.only is None:
        yield from _answered(session, findings, near, every=False)
    elif messages:
        yield from explained(session, incident_of(messages, typed=True), near)


class LogQuestion(NamedTuple):
    """A log or a folder to be explained.

    Attributes:
        name: its path, ``-`` for standard input.
        trails: the folder with the trails, or one of them; None: those near it.
        every: True for each kind of error, or each process; else the last one.
    """

    name: str
    trails: str | None
    every: bool


def explain_log(session: Session, question: LogQuestion) -> Iterator[Event]:
    """Explain the last error of a log that concerns a trail, or the last one of each kind.

    A log without an error: its last warning about a trail, else the last place that it names. Of a folder or an
    archive: what has become of each process, and the last error.
    """
    given = _given_folder(session, question.trails)
    if question.name == STANDARD_INPUT:
        yield from _explain_file(session, sys.stdin.buffer, question, Surroundings(given=given))
        return
    path = path_of(Path(question.name))
    if is_folder_of_logs(path):
        yield from _explain_folder(session, path, question, given)
        return
    if not is_file(path):
        raise MissingFileError(f"{question.name}: No such file.")
    around = Surroundings(folders=around_log(path), given=given)
    with reading_log(path) as file:
        yield from _explain_file(session, file, question, around)


def _given_folder(session: Session, name: str | None) -> tuple[Path, ...]:
    """Return the folder of trails that is given; of a trail that is given, whose first file is opened, its folder.

    Raises:
        MissingFileError: there is neither.
    """
    if name is None:
        return ()
    path = Path(os.path.abspath(name))  # noqa: PTH100 - links stay
    if is_folder_of_logs(path):
        return (path, *folders_of(path))
    try:
        session.open(TrailSequence(path).paths[0])
    except NotATrail as error:
        raise MissingFileError(f"{name}: No such folder or trail.") from error
    return (path.parent,)


def _explain_file(session: Session, file: Readable, question: LogQuestion, around: Surroundings) -> Iterator[Event]:
    findings = LogFindings(messages_in(lines_to_read(file)))
    only = findings.only
    if only is not None and not (question.every and findings.tally.kinds()):  # as if it were typed
        incident = incident_of((only,), typed=True)
        if only.code is not None or incident.weight:
            yield from explained(session, incident, around)
            return
    if findings.last is None:
        name = "Standard input" if question.name == STANDARD_INPUT else question.name
        raise CommandError(f"{name} has no error about a trail.")
    yield from _answered(session, findings, around, every=question.every)


def _explain_folder(session: Session, path: Path, question: LogQuestion, given: tuple[Path, ...]) -> Iterator[Event]:
    """Yield what has become of each process of a folder, and the answer about the last error, or about each one."""
    processes = tuple(processes_in(path, given))
    if not any(process.incident is not None for process in processes):
        raise CommandError(f"{question.name} has no report or log with an error or a place in a trail.")
    yield ProcessesShown(question.name, processes)
    failed = [process for process in processes if process.incident is not None and process.incident.is_error]
    with_cause = [
        process for process in failed if process.incident is not None and process.incident.weight >= WITH_CAUSE
    ]
    for process in failed if question.every else (with_cause or failed)[-1:]:
        if process.incident is not None:
            yield from explained(session, process.incident, process.around)


def _answered(session: Session, findings: LogFindings, around: Surroundings, *, every: bool) -> Iterator[Event]:
    """Yield the answer about the last incident, and the kinds of the others; with ``every`` the answer about each."""
    last, kinds = findings.last, findings.tally.kinds()
    if last is None:
        return
    if every and kinds:
        for kind in kinds:
            yield kind
            yield from explained(session, kind.latest, around)
        return
    left = (kind.others if kind.latest is last else kind for kind in reversed(kinds))
    others = tuple(kind for kind in left if kind is not None)
    yield from explained(session, last, around, sum(kind.number for kind in others))
    if others:
        yield OtherMessages(others)
