"""The target of a job, whether the job may write there, and the folder of what cannot be seen yet.

A path such as ``out/rt000001`` names the first file of a trail; any other path is a directory, whose files are named
like those of the source, or ``tr000000000`` where that is not known.

| mode | directory | first file |
|---|---|---|
| errorifexists | refused when there is anything in it | refused when a file of that name exists |
| append | numbers go on after the highest there | likewise, from the first on |
| overwrite | its trail files are replaced; anything else in it is refused | files of the new names are replaced |

A job writes to ``TARGET/_temporary-JOB/part-PARTITION-ATTEMPT/``. Every attempt of a task has a folder of its own, so
that retries and speculation never meet; a commit takes the files of those attempts that Spark reports, and everything
else goes with the folder. The name of the folder says whose job it is, so that the next job knows the remains of a
killed one from a job at work.
"""

from __future__ import annotations

import contextlib
import enum
import os
import shutil
import socket
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.spark.errors import SourceError
from logdump.spark.source.paths import local_path
from trailformat import CannotWrite, TrailError, TrailFile, TrailName, TrailSequence
from trailformat.codec.remote.path import absolute, place
from trailformat.trail.whole_file import kind_of

PREFIX = "_temporary-"
JOURNAL = "journal"
"""What a commit is about to do; while it is there, the folder holds what is needed to undo it."""
_DAY = 24 * 3600


class JobFolder(NamedTuple):
    """The folder of one job, made for its first attempt, and with ``makes_target`` the folder above it too."""

    directory: Path
    makes_target: bool = False

    def make(self) -> None:
        """Make the folder, for a job whose driver does so before its tasks begin. Raises CannotWrite."""
        _make(self.directory)

    def attempt(self, partition: int, attempt: int) -> Path:
        """A new, empty folder for one attempt of a task. Raises CannotWrite."""
        path = self.directory / f"part-{partition:05d}-{attempt}"
        _make(path)
        return path

    def discard(self) -> None:
        """Remove the folder with all that is in it, and a target that was made for it and has stayed empty.

        A folder in which a commit has begun that is neither finished nor undone stays.
        """
        if (self.directory / JOURNAL).exists():
            return
        for _ in range(3):  # an attempt that is being stopped may still be making files
            if self.directory.exists():
                shutil.rmtree(self.directory, ignore_errors=True)
        if self.makes_target:
            with contextlib.suppress(OSError):
                self.directory.parent.rmdir()


def new_job_folder(target: Path, owner_pid: int) -> JobFolder:
    """A folder in ``target`` for a new job; the process ``owner_pid`` lives as long as the job does."""
    job = f"{uuid.uuid4().hex[:12]}-{owner_pid}-{_started(owner_pid)}-{socket.gethostname()}"
    return JobFolder(target / f"{PREFIX}{job}", not target.exists())


def job_folders(target: Path) -> list[JobFolder]:
    """The folders of all jobs in ``target``."""
    try:
        entries = sorted(target.iterdir())
    except OSError:
        return []
    return [JobFolder(entry) for entry in entries if entry.name.startswith(PREFIX) and entry.is_dir()]


def is_at_work(folder: JobFolder) -> bool:
    """Whether the job may still be running: its process lives, or it is another machine's and changed within a day."""
    _, pid, started, host = (folder.directory.name.removeprefix(PREFIX).split("-", 3) + [""] * 4)[:4]
    if host != socket.gethostname() or not pid.isdigit():
        return time.time() - _changed(folder.directory) < _DAY
    return _is_alive(int(pid)) and _started(int(pid)) == started


def driver_pid() -> int:
    """The process that lives as long as the job, seen from a worker that plans it: the JVM above the workers.

    Where processes cannot be looked at, the parent of this one.
    """
    pid = os.getppid()
    while _name(pid).startswith("python") and (parent := _stat(pid, 1)):
        pid = int(parent)
    return pid


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True)
    except OSError as error:
        raise CannotWrite(error.strerror or str(error), path=path) from None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _started(pid: int) -> str:
    """The start of a process in the system's own count; 0 where it is not known."""
    return _stat(pid, 19) or "0"


def _stat(pid: int, field: int) -> str:
    """A field of Linux's ``/proc/PID/stat``, counted from the state behind the name; empty where there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return fields[field]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _changed(directory: Path) -> float:
    """The time of the last change of the folder or of something in it."""
    times = [0.0]
    for path in (directory, *directory.rglob("*")):
        with contextlib.suppress(OSError):
            times.append(path.stat().st_mtime)
    return max(times)


SUCCESS = "_SUCCESS"
_TRAIL_CHARACTERS = 2
_DIGITS = (6, 9)
_UNKNOWN = ("tr", 9)


class Mode(enum.Enum):
    """The behaviour where the target exists already."""

    ERROR = "errorifexists"
    APPEND = "append"
    OVERWRITE = "overwrite"

    @classmethod
    def parse(cls, text: str) -> Mode:
        """The mode of a name, as Spark spells them.

        Raises:
            SourceError: there is no such mode.
        """
        name = {"error": "errorifexists", "default": "errorifexists"}.get(text.lower(), text.lower())
        if name not in {mode.value for mode in cls}:
            raise SourceError(f"mode is errorifexists, append or overwrite, not {text[:80]!r}")
        return cls(name)


class TargetRefused(SourceError):
    """A target that is in use, not empty, being read, or cannot be written."""


class Target(NamedTuple):
    """A directory, and the first file in it where the user names one."""

    directory: Path
    first: TrailName | None

    @classmethod
    def parse(cls, path: str) -> Target:
        """The target of a path, which may begin with ``file:``.

        Raises:
            BadOption: it has another scheme.
        """
        plain = absolute(place(local_path(path)).expanduser())
        name = documented_name(plain)
        return cls(plain, None) if name is None or plain.is_dir() else cls(plain.parent, name)

    def __str__(self) -> str:
        return str(self.first.path if self.first else self.directory)

    def check(self, mode: Mode) -> None:
        """See whether a job may begin; every job looks again when it commits.

        Raises:
            TargetRefused: it may not, and why.
        """
        self._check_place()
        busy = [folder.directory.name for folder in job_folders(self.directory) if is_at_work(folder)]
        if busy:
            raise TargetRefused(f"{self} is in use: another job writes there, {busy[0]}")
        self.check_contents(mode)

    def check_contents(self, mode: Mode) -> None:
        """See whether what is there may stay or go. Raises like check."""
        if self.first is not None:
            _check_kind(self.first.path)
            if mode is Mode.ERROR and self.first.path.exists():
                raise TargetRefused(f"{self.first.path} exists already; mode overwrite replaces it")
            return
        entries = self._entries()
        if mode is Mode.ERROR and entries:
            raise TargetRefused(
                f"{self.directory} is not empty: it holds {entries[0].name}; see the modes append, overwrite"
            )
        if mode is Mode.OVERWRITE:
            for entry in entries:
                if not _is_ours(entry):
                    raise TargetRefused(f"{self.directory} is not overwritten: {entry.name} in it is no trail file")

    def _check_place(self) -> None:
        place = self.directory
        if place.exists() and not place.is_dir():
            raise TargetRefused(f"{place} is not a directory")
        while not place.exists() and place != place.parent:
            place = place.parent
        if not place.is_dir():
            raise TargetRefused(f"{self} cannot be written: {place} is not a directory")
        if not os.access(place, os.W_OK | os.X_OK):
            raise TargetRefused(f"{self} cannot be written: no permission to write in {place}")

    def refuse_source(self, source: str | Path) -> None:
        """See that a file which is read is not in the target.

        Raises:
            TargetRefused: it is.
        """
        path = place(source)
        if path.parent.resolve() != self.directory.resolve():
            return
        name = TrailName.parse(path)
        if self.first is None or (name is not None and name.prefix == self.first.prefix):
            raise TargetRefused(f"{self} is being read: {path} is a source; write somewhere else")

    def names(self, mode: Mode, sources: Iterable[str | None]) -> Iterator[Path]:
        """Names for new files, one after the other without end; ``sources`` are the files that they come from.

        Raises:
            TargetRefused: to which trail to append is not clear.
        """
        name = self._first_name(mode, sources)
        while True:
            yield name.path
            name = name.next

    def likely_name(self, source: str | None) -> Path:
        """A name as long as that of a new file which comes from this source, before the others are known."""
        if self.first is not None:
            return self.first.path
        name = documented_name(Path(source)) if source is not None else None
        prefix, digits = (name.prefix, name.digits) if name is not None else _UNKNOWN
        return TrailName(self.directory, prefix, 0, digits).path

    def _first_name(self, mode: Mode, sources: Iterable[str | None]) -> TrailName:
        if self.first is not None:
            last = _last_of(self.first) if mode is Mode.APPEND else None
            return last.next if last is not None and last.seqno >= self.first.seqno else self.first
        known = [
            name for source in sources if source is not None and (name := documented_name(place(source))) is not None
        ]
        prefix, digits = (known[0].prefix, known[0].digits) if known else _UNKNOWN
        if mode is not Mode.APPEND:
            return TrailName(self.directory, prefix, 0, digits)
        there = {name.prefix for entry in self._entries() if (name := documented_name(entry)) is not None}
        if there and prefix not in there:
            if len(there) > 1:
                several = ", ".join(sorted(there))
                raise TargetRefused(f"{self} holds several trails, {several}: name the first file to write")
            prefix = there.pop()
        name = TrailName(self.directory, prefix, 0, digits)
        last = _last_of(name)
        return last.next if last is not None else name

    def replaced(self, mode: Mode, names: Iterable[Path]) -> list[Path]:
        """The files that are replaced when files of these names are written.

        Raises:
            TargetRefused: it is no file.
        """
        gone = [path for path in names if kind_of(path)] if self.first is not None else self._entries()
        for path in gone if self.first is not None else ():
            _check_kind(path)
        return gone if mode is Mode.OVERWRITE else []

    def _entries(self) -> list[Path]:
        """The entries of the directory except folders of jobs, marks and hidden files."""
        try:
            entries = sorted(self.directory.iterdir())
        except OSError:
            return []
        return [entry for entry in entries if entry.name != SUCCESS and not entry.name.startswith((PREFIX, "."))]


def _check_kind(path: Path) -> None:
    kind = kind_of(path)
    if kind not in (None, "a file"):
        raise TargetRefused(f"{path} is {kind}: only a file that is no link is replaced")


def documented_name(path: Path) -> TrailName | None:
    """The parts of a name of two characters and six or nine digits, as GoldenGate names trail files."""
    name = TrailName.parse(path)
    is_documented = name is not None and len(name.prefix) == _TRAIL_CHARACTERS and name.digits in _DIGITS
    return name if is_documented else None


def _last_of(name: TrailName) -> TrailName | None:
    """The file of the same trail that was written last."""
    try:
        return TrailSequence(name.path).names[-1]
    except TrailError:
        return None


def _is_ours(path: Path) -> bool:
    """Whether this is a trail file, by its name and by what is in it."""
    if documented_name(path) is None or kind_of(path) != "a file":
        return False
    try:
        TrailFile(path).close()
    except TrailError:
        return False
    return True
