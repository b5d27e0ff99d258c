"""Files with temporary names: created, locked while the writer runs, removed if it was killed; the outcomes of writers.

The lock is the system's (flock), which ends with the process: no process id or host name decides who is alive.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import socket
import stat
from collections.abc import Callable
from functools import cache
from pathlib import Path

from trailformat.trail.command_files import OUTCOMES

try:
    import fcntl
except ImportError:  # not on this system: nothing is locked, and leftovers stay
    fcntl = None  # type: ignore[assignment]


_LEFTOVER = re.compile(r"\.(?P<name>.+)\.(?P<machine>\w+)-(?P<number>[0-9a-f]{12})\.(?P<state>part|former)", re.DOTALL)


def sweep(folder: Path) -> None:
    """Remove the files that killed writers left in a folder; files that they were replacing get their names back."""
    seen = _leftovers(folder)
    # a writer locks its first file before it creates others, so the second listing has that one
    for writer, paths in _leftovers(folder).items() if seen else ():
        with contextlib.ExitStack() as locks, contextlib.suppress(OSError):
            if writer in seen and all(_is_abandoned(path, locks) for path in paths):
                is_complete = not any(path.name.endswith(".part") for path in paths)
                for path in paths:
                    _clear(path, is_complete=is_complete)


def _leftovers(folder: Path) -> dict[str, list[Path]]:
    """Return the files with temporary names of writers on this machine, by writer."""
    by_writer: dict[str, list[Path]] = {}
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            parts = _LEFTOVER.fullmatch(entry.name)
            if parts is not None and parts["machine"] == _machine():
                by_writer.setdefault(parts["number"], []).append(folder / entry.name)
    return {writer: sorted(paths) for writer, paths in by_writer.items()}


def _is_abandoned(path: Path, locks: contextlib.ExitStack) -> bool:
    """Return True if a file is this user's and no process locks it; ``locks`` keeps the lock."""
    status = path.lstat()
    if status.st_uid != os.geteuid() or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return False
    flags = os.O_RDONLY if stat.S_ISDIR(status.st_mode) else os.O_RDWR
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    locks.callback(os.close, handle)
    return os.path.samestat(status, os.fstat(handle)) and lock(handle)


def _clear(path: Path, *, is_complete: bool) -> None:
    """Remove a leftover, or give it its name back; ``is_complete``: its writer had given all its files their names."""
    parts = _LEFTOVER.fullmatch(path.name)
    target = path.with_name(parts["name"]) if parts is not None and parts["state"] == "former" else None
    if target is not None and not os.path.lexists(target):
        path.rename(target)
    elif path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        if target is not None and not is_complete:
            path.replace(target)
        path.unlink(missing_ok=True)


def temporary_path(path: Path, writer: str, state: str = "part") -> Path:
    """Return the temporary path of the unfinished file for ``path`` (``part``), or of the replaced one (``former``)."""
    return path.with_name(f".{path.name}.{writer}.{state}")


def make(path: Path, create: Callable[[Path], int]) -> tuple[str, int]:
    """Create and lock the temporary file or folder for ``path``; return the writer's name and a handle.

    Without locks it gets a name that no ``sweep`` removes.
    """
    while True:
        number = secrets.token_hex(6)
        writer = f"{_machine()}-{number}"
        handle = create(temporary_path(path, writer))
        try:
            if not lock(handle):
                temporary_path(path, writer).rename(temporary_path(path, number))
                writer = number
            if os.path.samestat(temporary_path(path, writer).lstat(), os.fstat(handle)):
                return writer, handle
        except (BlockingIOError, FileNotFoundError):
            pass  # another writer's sweep has removed it
        except BaseException:
            close(handle)
            for name in (f"{_machine()}-{number}", number):
                OUTCOMES.remove(temporary_path(path, name))
            raise
        close(handle)


def create(path: Path) -> int:
    """Create an empty file with permissions for its owner only; return a handle."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)


def remove_in_use(folder: Path) -> None:
    """Remove a folder that other threads still write to: under another name they add nothing to it."""
    with contextlib.suppress(OSError):
        folder = folder.rename(folder.with_name(f"{folder.name}.part"))
    shutil.rmtree(folder, ignore_errors=True)


def create_folder(path: Path) -> int:
    """Create a folder with permissions for its owner only; return a handle."""
    while True:
        path.mkdir(0o700)
        try:
            return os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue  # another writer's sweep has removed it before it could be locked
        except OSError:
            OUTCOMES.remove(path)
            raise


def close(handle: int) -> None:
    """Close a handle, ignoring errors."""
    with contextlib.suppress(OSError):
        os.close(handle)


def lock(handle: int) -> bool:
    """Lock a file or a folder until its last handle is closed; return False if locks are not supported.

    Raises:
        BlockingIOError: another process or handle has the lock.
    """
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return fcntl is not None


@cache
def _machine() -> str:
    """Return a short name of this machine, a hash of its id and of the host name, which distinguishes containers."""
    number = b""
    with contextlib.suppress(OSError):
        number = Path("/etc/machine-id").read_bytes()
    return hashlib.sha256(socket.gethostname().encode() + b"\0" + number).hexdigest()[:12]
