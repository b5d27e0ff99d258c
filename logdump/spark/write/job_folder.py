"""The folder in which a job writes what cannot be seen yet: ``TARGET/_temporary-JOB/part-PARTITION-ATTEMPT/``.

Every attempt of a task has a folder of its own, so that retries and speculation never meet; a commit takes the files of
those attempts that Spark reports, and everything else goes with the folder. The name of the folder says whose job it
is, so that the next job knows the remains of a killed one from a job at work.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import time
import uuid
from pathlib import Path
from typing import NamedTuple

from trailformat import CannotWrite

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
