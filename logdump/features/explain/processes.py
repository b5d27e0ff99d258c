"""What has become of each process, from the reports, logs and discard files of a folder or of an archive.

    dirrpt/REP1.rpt      the newest report of REP1; REP10.rpt to REP19.rpt are earlier ones
    dirrpt/REP1.dsc      records that it discarded, with their places
    ggserr.log           the messages of all processes

A report that goes on with another one of the same run (REPORTROLLOVER) has no parameters: its name is all that says of
which process it is. An error that several files have is one error: its messages are put together.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Annotated, NamedTuple

from logdump.features.explain.files import NoFile, Surroundings, around_log, file_of
from logdump.features.explain.incidents import OF_ONE, Incident, LogFindings, incident_of, is_near
from logdump.features.explain.log_lines import LogMessage, messages_in
from logdump.features.explain.log_pieces import lines_to_read
from logdump.features.explain.places import PlaceRole
from trailformat.codec.mapped_file import InputFile
from trailformat.errors import CannotRead, TrailError
from trailformat.trail.packed import is_archive, members_of, open_unpacked
from trailformat.trail.sequence import FilePosition, TrailName

_LOG = re.compile(r"(?:\.(?:rpt|dsc|log|txt|json|out)|^ggserr.*)(?:\.(?:gz|bz2|xz|zst))?$", re.IGNORECASE)
_MOST_FILES = 4096
"""Files of a folder that are looked at."""
_MOST_DEPTH = 3
"""Folders below the one that is given."""
_HEAD = 1 << 16
"""Bytes of a report in which its parameters name the process."""
_ROLLED = re.compile(r"(.+?)(\d)")
_DISCARDS_OF = re.compile(r"\bprocess started, group ([\w$#]{1,64}) discard file\b")
"""The line that names the process of a discard file."""
_STARTING_AT = re.compile(r"^\W*Starting at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", re.MULTILINE)
"""The line in the banner of a report that says when its process was started."""
_FOLDER = re.compile(r"^.*[/\\]", re.DOTALL)
_WAITS = re.compile(r"OGG-01519|\bwaiting at EOF\b|\bAt EOF\b", re.IGNORECASE)


class ProcessState(NamedTuple):
    """A process, as its files show it.

    Attributes:
        incident: its last error, else the last message with a place; None if there is neither.
        is_running: True if it was started again after its last error, by its newest report or by a log.
        is_stopped: True if a log says that it has stopped normally since it was started last.
        around: where the files are that its messages name.
    """

    name: Annotated[str, "Its group"]
    kind: Annotated[str, "REPLICAT or EXTRACT, empty if no file says it"]
    incident: Incident | None
    source: Annotated[Path, "The report or log that shows it"]
    file: Annotated[Path | None, "The file of the trail that it names, null where there is none"]
    place: Annotated[FilePosition | None, "Where in it that is, null where no RBA is known"]
    why_none: Annotated[str, "Why there is no place, empty if none is named"]
    is_running: bool
    is_stopped: bool
    around: Surroundings

    @property
    def state(self) -> str:
        """The word for what it does: abended, stopped, waits, reads; unknown if no place is named."""
        incident = self.incident
        if incident is not None and incident.is_error:
            return "abended, and was started again" if self.is_running else "abended"
        if self.is_stopped:
            return "stopped"
        if incident is not None and _WAITS.search(f"{incident.main.text}\n{incident.main.below}"):
            return "waits"
        return "reads" if self.file is not None else "unknown"

    @property
    def trail(self) -> str | None:
        """The trail that it reads, as its files call it, without a folder and a number; None if they name none."""
        incident = self.incident
        if incident is None:
            return None
        target = incident.target
        written = (target.place.trail_name if target is not None else None) or incident.facts.trail
        return _FOLDER.sub("", written) if written is not None else None


def is_folder_of_logs(path: Path) -> bool:
    """Return True for a folder, or an archive."""
    return path.is_dir() or (path.is_file() and is_archive(path))


def folders_of(path: Path) -> tuple[Path, ...]:
    """Return the folders in a folder or an archive that have files of trails, the first one first."""
    named = {file.parent: None for file in _files(path) if is_name_of_trail(file)}
    return tuple(named)


def is_name_of_trail(path: Path) -> bool:
    """Return True if a file has the name of a file of a trail."""
    name = TrailName.parse(path)
    return name is not None and name.is_documented


def processes_in(path: Path, given: tuple[Path, ...]) -> Iterator[ProcessState]:
    """Yield what has become of each process, the one with the latest error last; unreadable files are left out.

    ``given`` are folders of trails. Else a file of a trail is looked for from the home of its report on, then in all
    folders of ``path``.
    """
    files = sorted(_files(path))
    logs = [log for file in files if _LOG.search(file.name) and not is_name_of_trail(file) for log in _in_log(file)]
    named = {log.name for log in logs if log.is_named}
    known = named | {_stem(log.path) for log in logs}
    several: dict[str, list[_OneLog]] = {}
    for log in logs:
        name = log.name if log.name in named else _rolled(log.name, known) or log.name
        several.setdefault(name, []).append(log)
    processes = [_Process(name, own) for name, logs in several.items() for own in _by_home(name, logs)]
    inside = tuple(dict.fromkeys(file.parent for file in files if is_name_of_trail(file)))
    states = [process.state(given, inside) for process in processes if process.is_known]
    yield from sorted(states, key=lambda state: (_clock(state.incident), state.name))


def _clock(incident: Incident | None) -> float:
    return incident.main.clock or 0.0 if incident is not None and incident.is_error else -1.0


def _files(path: Path) -> list[Path]:
    """Return the files of a folder and of those in it, or of an archive."""
    if not path.is_dir():
        try:
            return members_of(path)[:_MOST_FILES]
        except (OSError, ValueError, TrailError, CannotRead):
            return []
    files = list[Path]()
    for folder, inner, names in os.walk(path):
        if len(Path(folder).relative_to(path).parts) >= _MOST_DEPTH:
            inner.clear()
        files += (Path(folder, name) for name in sorted(names))
        if len(files) >= _MOST_FILES:
            break
    return files[:_MOST_FILES]


class _OneLog(NamedTuple):
    """What one file has of one process.

    ``is_named``: the file names it, else ``name`` is that of the file. ``begun`` is the clock of the last start that
    the file shows, of a report that of its beginning, ``stopped`` of the last normal stop; None without one.
    """

    path: Path
    name: str
    is_named: bool
    kind: str
    error: Incident | None
    other: Incident | None
    is_report: bool
    begun: float | None = None
    stopped: float | None = None


class _Stream:
    """The bytes of a file from its beginning on."""

    def __init__(self, file: InputFile) -> None:
        self._file, self._at = file, 0

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, empty at the end."""
        data = self._file.read(self._at, size)
        self._at += len(data)
        return data


@contextmanager
def reading_log(path: Path) -> Iterator[_Stream]:
    """Open a log, packed or not, or one in an archive. Raises like ``open_unpacked``."""
    opened = open_unpacked(path)
    try:
        yield _Stream(opened.file)
    finally:
        opened.file.close()


def _stem(path: Path) -> str:
    """Return the name of a report or a discard file, as a process would have it."""
    return path.name.split(".")[0].upper()


def _rolled(name: str, known: set[str]) -> str | None:
    """Return the known process of which an aged file has this name, as REP10 is of REP1; None without one."""
    match = _ROLLED.fullmatch(name)
    return match[1] if match is not None and match[1] in known else None


def _in_log(path: Path) -> Iterator[_OneLog]:
    """Yield what a file has of each process; nothing if it cannot be read."""
    try:
        with reading_log(path) as file:
            head = file.read(_HEAD).decode("latin-1")
        with reading_log(path) as file:
            findings = LogFindings(messages_in(lines_to_read(file)))
    except (OSError, ValueError, TrailError, CannotRead):
        return
    match = OF_ONE.search(head)
    is_report, is_discards = ".rpt" in path.name.lower(), ".dsc" in path.name.lower()
    if match is None and not is_report and not is_discards:
        for name in dict.fromkeys((*findings.by_process, *findings.starts, *findings.stops)):
            if name:
                error = findings.by_process.get(name)
                source = _OneLog(path, name, is_named=True, kind="", error=error, other=None, is_report=False)
                yield source._replace(begun=findings.starts.get(name), stopped=findings.stops.get(name))
        return
    last = next(iter(reversed(findings.by_process.values())), None)
    group = match[2] if match is not None else _group_of_discards(head) if is_discards else None
    name, kind = (group or _stem(path)).upper(), match[1].upper() if match is not None else ""
    begun = _begun(head, findings) if is_report else None
    yield _OneLog(path, name, group is not None, kind, last, findings.last, is_report, begun)


def _group_of_discards(head: str) -> str | None:
    match = _DISCARDS_OF.search(head)
    return match[1] if match is not None else None


def _begun(head: str, findings: LogFindings) -> float | None:
    """Return the clock of the beginning of a report, by its banner, else by its first message."""
    banner = _STARTING_AT.search(head)
    return LogMessage(None, None, banner[1], "", "").clock if banner is not None else findings.begun


def _by_home(name: str, logs: list[_OneLog]) -> Iterator[list[_OneLog]]:
    """Yield the files of each process of a name: each folder with a newest report is of a home of its own.

    Any other file is of the home that it is nearest to, of several as near of each of them.
    """
    folders = tuple(dict.fromkeys(log.path.parent for log in logs if log.is_report and _stem(log.path) == name))
    if len(folders) < 2:
        yield logs
        return
    near = [[_shared(log.path, folder) for folder in folders] for log in logs]
    for number in range(len(folders)):
        yield [log for log, own in zip(logs, near, strict=True) if own[number] == max(own)]


def _shared(path: Path, folder: Path) -> int:
    """Return how many folders two paths have in common."""
    pairs = zip(path.parent.parts, folder.parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class _Process:
    """The files of a process."""

    def __init__(self, name: str, logs: list[_OneLog]) -> None:
        self._name, self._logs = name, logs

    def _order(self, log: _OneLog) -> int:
        """Return which of its rolled reports a file is; 0 for the newest."""
        stem = _stem(log.path)
        return int(stem[-1]) + 1 if stem != self._name and _rolled(stem, {self._name}) else 0

    @property
    def is_known(self) -> bool:
        """True if a file says more of it than that it was started or has stopped."""
        return any(
            log.is_report or log.error is not None or (log.begun is None and log.stopped is None) for log in self._logs
        )

    def state(self, given: tuple[Path, ...], inside: tuple[Path, ...]) -> ProcessState:
        """Return what has become of it: by its latest error, with what its other files say of that."""
        reports = sorted((log for log in self._logs if log.is_report), key=self._order)
        failed = [log for log in self._logs if log.error is not None]
        kind = next((log.kind for log in self._logs if log.kind), "")
        if failed:
            source = max(failed, key=lambda log: (_clock(log.error), -self._order(log), log.is_report))
            incident: Incident | None = self._joined(source)
        else:
            source = next((log for log in [*reports, *self._logs] if log.other is not None), self._logs[0])
            incident = source.other
        is_running = bool(failed) and self._is_begun_after(source, reports)
        near = (*around_log(source.path), *inside)
        around = Surroundings(given=(*given, *near) if inside else given, folders=near)
        file, place, why_none = _resolved(incident, around)
        return ProcessState(
            self._name, kind, incident, source.path, file, place, why_none, is_running, self._is_stopped(), around
        )

    def _is_begun_after(self, source: _OneLog, reports: list[_OneLog]) -> bool:
        """Return whether the process was started after the error of a file: by a newer report without one, or a log."""
        if reports and reports[0].error is not None:
            return False
        clock = _clock(source.error)
        is_later = any(log.begun is not None and log.begun > clock > 0 for log in self._logs)
        return is_later or (bool(reports) and self._order(source) > 0)

    def _is_stopped(self) -> bool:
        """Return whether it has stopped normally, and was not started since."""
        stopped = max((log.stopped for log in self._logs if log.stopped is not None), default=None)
        return stopped is not None and all(log.begun is None or log.begun < stopped for log in self._logs)

    def _joined(self, source: _OneLog) -> Incident | None:
        """Return the error of a file, with the messages about it of the other files."""
        error = source.error
        if error is None:
            return None
        messages = dict.fromkeys(error.messages)
        for log in self._logs:
            other = log.error or (log.other if not log.is_report else None)
            if log is not source and other is not None and _is_same(error.main, other.main, has_place=error.has_rba):
                messages.update(dict.fromkeys(other.messages))
        joined = incident_of(messages, error.facts)
        return joined._replace(main=error.main)


def _is_same(message: LogMessage, other: LogMessage, *, has_place: bool) -> bool:
    """Return whether another file speaks of the same error: at the same time, or if that is not known, of a place."""
    if message.clock is None or other.clock is None:
        return not has_place
    return is_near(message.clock, other.clock)


def _resolved(incident: Incident | None, around: Surroundings) -> tuple[Path | None, FilePosition | None, str]:
    """Return the file that a message names, the place in it if there is an RBA, and why there is no file."""
    target = incident.target if incident is not None else None
    if target is None or target.role is PlaceRole.REDO:
        return None, None, ""
    file = file_of(target.place, around)
    if isinstance(file, NoFile):
        return None, None, file.why
    rba = target.place.rba
    return file, FilePosition(file, rba) if rba is not None else None, ""
