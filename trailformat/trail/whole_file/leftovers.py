"""Files under temporary names: made, locked as long as the writer lives, removed when it was killed; what writers did.

The lock is the system's (flock): it goes with the process, so that neither its number nor the host's name decides.
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

try:
    import fcntl
except ImportError:  # not on this system: nothing is locked, and leftovers stay
    fcntl = None  # type: ignore[assignment]


class Outcomes:
    """The results of writers since the last ``forget``.

    Attributes:
        named: files and folders that have their names, complete.
        left: temporary files and folders, and former ones, that should have been removed and are still there.
        displaced: former files and folders that could not get their names back, each with its name.
    """

    def __init__(self) -> None:
        self.named: list[Path] = []
        self.left: list[Path] = []
        self.displaced: list[tuple[Path, Path]] = []

    def remove(self, path: Path) -> None:
        """Remove a file or a folder with all that is in it, if it is there; what resists is among those left."""
        for _ in range(2):
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError:
                continue
            return
        self.keep(path)

    def keep(self, path: Path) -> None:
        """Note that a file or a folder is still there, if it is."""
        if os.path.lexists(path):
            self.left.append(path)

    def displace(self, former: Path, path: Path) -> None:
        """Note that what was called ``path`` is called ``former`` now, if it is and has not both names."""
        if not os.path.lexists(former):
            return
        if not os.path.lexists(path) or not os.path.samestat(os.lstat(former), os.lstat(path)):
            self.displaced.append((former, path))
        else:
            self.keep(former)

    def forget(self) -> None:
        """Remove all results."""
        self.named.clear()
        self.left.clear()
        self.displaced.clear()


OUTCOMES = Outcomes()
"""Those of this process: a writer that fails has no other way to say what it has done already."""

_LEFTOVER = re.compile(r"\.(?P<name>.+)\.(?P<machine>\w+)-(?P<number>[0-9a-f]{12})\.(?P<state>part|former)", re.DOTALL)


def sweep(folder: Path) -> None:
    """Remove what killed writers have left in a folder; what was about to be replaced gets its name back."""
    seen = _leftovers(folder)
    # a writer locks the first of its files before it makes others: a second look does not miss that one
    for writer, paths in _leftovers(folder).items() if seen else ():
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            if writer in seen and all(_is_abandoned(path, held) for path in paths):
                is_complete = not any(path.name.endswith(".part") for path in paths)
                for path in paths:
                    _clear(path, is_complete=is_complete)


def _leftovers(folder: Path) -> dict[str, list[Path]]:
    """Files that are called like those of writers on this machine, by writer."""
    by_writer: dict[str, list[Path]] = {}
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            parts = _LEFTOVER.fullmatch(entry.name)
            if parts is not None and parts["machine"] == _machine():
                by_writer.setdefault(parts["number"], []).append(folder / entry.name)
    return {writer: sorted(paths) for writer, paths in by_writer.items()}


def _is_abandoned(path: Path, held: contextlib.ExitStack) -> bool:
    """Return True if it is this user's and no living process locks it; ``held`` keeps the lock."""
    status = path.lstat()
    if status.st_uid != os.geteuid() or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return False
    flags = os.O_RDONLY if stat.S_ISDIR(status.st_mode) else os.O_RDWR
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    held.callback(os.close, handle)
    return os.path.samestat(status, os.fstat(handle)) and lock(handle)


def _clear(path: Path, *, is_complete: bool) -> None:
    """Remove a leftover, or give it its name back; ``is_complete`` when its writer had named all it made."""
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


def beside(path: Path, writer: str, state: str = "part") -> Path:
    """The temporary path of what is to be called ``path``, or of the former file or folder of that name."""
    return path.with_name(f".{path.name}.{writer}.{state}")


def make(path: Path, create: Callable[[Path], int]) -> tuple[str, int]:
    """Make and lock what is to be called ``path``; returns the writer's name, and a handle.

    What cannot be locked gets a name that no writer takes for a leftover.
    """
    while True:
        number = secrets.token_hex(6)
        writer = f"{_machine()}-{number}"
        handle = create(beside(path, writer))
        try:
            if not lock(handle):
                beside(path, writer).rename(beside(path, number))
                writer = number
            if os.path.samestat(beside(path, writer).lstat(), os.fstat(handle)):
                return writer, handle
        except (BlockingIOError, FileNotFoundError):
            pass  # another writer's sweep was there first
        except BaseException:
            close(handle)
            for name in (f"{_machine()}-{number}", number):
                OUTCOMES.remove(beside(path, name))
            raise
        close(handle)


def create(path: Path) -> int:
    """Make an empty file for its owner alone; returns a handle."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)


def create_folder(path: Path) -> int:
    """Make a folder for its owner alone; returns a handle."""
    path.mkdir(0o700)
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        OUTCOMES.remove(path)
        raise


def close(handle: int) -> None:
    """Close a handle; what the system says of it then is of no use to anyone."""
    with contextlib.suppress(OSError):
        os.close(handle)


def lock(handle: int) -> bool:
    """Lock a file or a folder until its last handle is closed; false where that cannot be done.

    Raises:
        BlockingIOError: another process, or another handle, has it.
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
    """A short name of this machine: of its id, and of the host, which distinguishes containers."""
    number = b""
    with contextlib.suppress(OSError):
        number = Path("/etc/machine-id").read_bytes()
    return hashlib.sha256(socket.gethostname().encode() + b"\0" + number).hexdigest()[:12]
