"""The target of a job, the check that the job may write there, and the folder of its files until they are committed.

A path such as ``out/rt000001`` names the first file of a trail; any other path is a directory, whose files are named
like those of the source, or ``tr000000000`` if the source is unknown.

| mode | directory | first file |
|---|---|---|
| errorifexists | refused when there is anything in it | refused when a file of that name exists |
| append | numbers continue after the highest there | the same, from the first file on |
| overwrite | its trail files are replaced; anything else in it is refused | files of the new names are replaced |

A job writes to ``TARGET/_temporary-JOB/part-PARTITION-ATTEMPT/``. Every attempt of a task has a folder of its own, so
that retries and speculation never collide; a commit takes the files of those attempts that Spark reports, and all else
is removed with the folder. The name of the folder identifies the job's process, so that the next job can distinguish
the remains of a killed job from a running one.
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

from logdump.tables.errors import SourceError
from logdump.tables.paths import local_path
from trailformat import CannotWrite, TrailError, TrailFile, TrailName, TrailSequence
from trailformat.codec.remote.path import absolute, path_of, place
from trailformat.trail.whole_file import kind_of

PREFIX = "_temporary-"
JOURNAL = "journal"
"""The file with the steps of a commit; while it exists, the folder has what is needed to undo them."""
_DAY = 24 * 3600


class JobFolder(NamedTuple):
    """The folder of one job, created for its first attempt; with ``makes_target`` the folder above it too."""

    directory: Path
    makes_target: bool = False

    def make(self) -> None:
        """Create the folder, for a job whose driver does so before its tasks begin. Raises CannotWrite."""
        _make(self.directory)

    def attempt(self, partition: int, attempt: int) -> Path:
        """Create an empty folder for one attempt of a task. Raises CannotWrite."""
        path = self.directory / f"part-{partition:05d}-{attempt}"
        _make(path)
        return path

    def discard(self) -> None:
        """Remove the folder with its contents, and the target if it was created for the job and is empty.

        A folder with a commit that is neither finished nor undone stays.
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
    """Return a folder in ``target`` for a new job; the process ``owner_pid`` must live as long as the job."""
    job = f"{uuid.uuid4().hex[:12]}-{owner_pid}-{_started(owner_pid)}-{socket.gethostname()}"
    return JobFolder(target / f"{PREFIX}{job}", not target.exists())


def job_folders(target: Path) -> list[JobFolder]:
    """Return the folders of all jobs in ``target``."""
    try:
        entries = sorted(target.iterdir())
    except OSError:
        return []
    return [JobFolder(entry) for entry in entries if entry.name.startswith(PREFIX) and entry.is_dir()]


def is_at_work(folder: JobFolder) -> bool:
    """Return whether the job may be running: its process lives, or it is another machine's and changed within a day."""
    _, pid, started, host = (folder.directory.name.removeprefix(PREFIX).split("-", 3) + [""] * 4)[:4]
    if host != socket.gethostname() or not pid.isdigit():
        return time.time() - _changed(folder.directory) < _DAY
    return _is_alive(int(pid)) and _started(int(pid)) == started


def driver_pid() -> int:
    """Return the process that lives as long as the job that this worker plans: the JVM above the workers.

    If the system does not show processes, return the parent of this one.
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
    """Return the start of a process in the system's units; 0 if unknown."""
    return _stat(pid, 19) or "0"


def _stat(pid: int, field: int) -> str:
    """Return a field of Linux's ``/proc/PID/stat``, counted from the state after the name; empty if there is none."""
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
    """Return the time of the last change of the folder or of something in it."""
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
    """The behaviour if the target exists already."""

    ERROR = "errorifexists"
    APPEND = "append"
    OVERWRITE = "overwrite"

    @classmethod
    def parse(cls, text: str) -> Mode:
        """Return the mode of this name, in Spark's spelling.

        Raises:
            SourceError: there is no such mode.
        """
        name = {"error": "errorifexists", "default": "errorifexists"}.get(text.lower(), text.lower())
        if name not in {mode.value for mode in cls}:
            raise SourceError(f"mode is errorifexists, append or overwrite, not {text[:80]!r}")
        return cls(name)


class TargetRefused(SourceError):
    """A target is in use, not empty, being read, or cannot be written."""


class Target(NamedTuple):
    """A directory, and the first file in it if the user names one."""

    directory: Path
    first: TrailName | None

    @classmethod
    def parse(cls, path: str) -> Target:
        """Return the target of a path, which may begin with ``file:``.

        Raises:
            BadOption: the path has another scheme.
        """
        plain = absolute(path_of(local_path(path)))
        name = documented_name(plain)
        return cls(plain, None) if name is None or plain.is_dir() else cls(plain.parent, name)

    def __str__(self) -> str:
        return str(self.first.path if self.first else self.directory)

    def check(self, mode: Mode) -> None:
        """Check that a job may begin; every job checks the contents again when it commits.

        Raises:
            TargetRefused: it may not; the message has the reason.
        """
        self._check_place()
        busy = [folder.directory.name for folder in job_folders(self.directory) if is_at_work(folder)]
        if busy:
            raise TargetRefused(f"{self} is in use: another job writes there, {busy[0]}")
        self.check_contents(mode)

    def check_contents(self, mode: Mode) -> None:
        """Check that the existing files may stay or be replaced, as the mode says. Raises like check."""
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
        """Check that a file that is read is not in the target.

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
        """Yield names for new files without end; ``sources`` are the files from which their records come.

        Raises:
            TargetRefused: it is not clear to which trail to append.
        """
        name = self._first_name(mode, sources)
        while True:
            yield name.path
            name = name.next

    def likely_name(self, source: str | None) -> Path:
        """Return a name as long as that of a new file from this source, before the final names are known."""
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
        """Return the files that are replaced when files of these names are written.

        Raises:
            TargetRefused: one of the names is that of something else than a file.
        """
        gone = [path for path in names if kind_of(path)] if self.first is not None else self._entries()
        for path in gone if self.first is not None else ():
            _check_kind(path)
        return gone if mode is Mode.OVERWRITE else []

    def _entries(self) -> list[Path]:
        """Return the entries of the directory except folders of jobs, ``_SUCCESS`` and hidden files."""
        try:
            entries = sorted(self.directory.iterdir())
        except OSError:
            return []
        return [entry for entry in entries if entry.name != SUCCESS and not entry.name.startswith((PREFIX, "."))]


def _check_kind(path: Path) -> None:
    kind = kind_of(path)
    if kind not in (None, "a file"):
        raise TargetRefused(f"{path} is {kind}; only a file that is not a link can be replaced")


def documented_name(path: Path) -> TrailName | None:
    """Return the parts of a name of two characters and six or nine digits, as of GoldenGate's trails; else None."""
    name = TrailName.parse(path)
    is_documented = name is not None and len(name.prefix) == _TRAIL_CHARACTERS and name.digits in _DIGITS
    return name if is_documented else None


def _last_of(name: TrailName) -> TrailName | None:
    """Return the file of the same trail that was written last; None if there is none."""
    try:
        return TrailSequence(name.path).names[-1]
    except TrailError:
        return None


def _is_ours(path: Path) -> bool:
    """Return whether this is a trail file, by its name and its contents."""
    if documented_name(path) is None or kind_of(path) != "a file":
        return False
    try:
        TrailFile(path).close()
    except TrailError:
        return False
    return True
