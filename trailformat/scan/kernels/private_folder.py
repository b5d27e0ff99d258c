"""Folders and files that only their owner can have written: code is loaded from no others.

As sshd demands of the keys of a user, every folder on the way belongs to the user or to root, and no group and no
other user may write there; a folder like /tmp, where entries belong to those who made them, may stand on the way.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trailformat.codec.user_folder import user_folder

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40


def private_folder(*names: str) -> Path | None:
    """``logdump/<names>`` in $XDG_CACHE_HOME or ~/.cache, made if need be; None where others can write."""
    try:
        folder = user_folder("cache")
        if folder is None:
            return None
        folder.parent.mkdir(parents=True, exist_ok=True)
        for name in ("", *names):
            folder /= name
            folder.mkdir(mode=0o700, exist_ok=True)
            if name != names[-1]:
                _tighten(folder)
        return folder if is_private_folder(folder) else None
    except (OSError, ValueError):
        return None


def _tighten(folder: Path) -> None:
    """Keep others from writing to a folder of our own that another umask let them; all that is in it is looked at."""
    status = folder.lstat()
    if status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode):
        handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            os.fchmod(handle, stat.S_IMODE(status.st_mode) & ~_OTHERS_WRITE)
        finally:
            os.close(handle)


def is_private_folder(folder: Path) -> bool:
    """Whether only this user (and root) can put entries into a folder, or another folder or link in its place.

    Raises:
        OSError: that cannot be found out.
    """
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and _is_ours(status) and all(map(_is_trusted, _on_the_way(folder.absolute())))


def _is_trusted(status: os.stat_result) -> bool:
    """Whether others can neither change this nor what is ours in it."""
    if status.st_uid not in (0, os.geteuid()):
        return False
    return stat.S_ISLNK(status.st_mode) or not status.st_mode & _OTHERS_WRITE or bool(status.st_mode & stat.S_ISVTX)


def _on_the_way(path: Path) -> list[os.stat_result]:
    """Every folder and every link that the system passes to get to ``path``."""
    at, parts, passed = Path("/"), list(path.parts[1:]), [Path("/").lstat()]
    links = 0
    while parts:
        name = parts.pop(0)
        if name == "..":
            at = at.parent
            continue
        status = (at / name).lstat()
        passed.append(status)
        if not stat.S_ISLNK(status.st_mode):
            at /= name
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(None, "too many links")
        goal = (at / name).readlink()
        if goal.is_absolute():
            at = Path("/")
        parts = [*goal.parts[goal.is_absolute() :], *parts]
    return passed


def _is_ours(status: os.stat_result) -> bool:
    is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return is_plain and status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE


def read_private(path: Path) -> bytes | None:
    """The bytes of a file in a private folder; None where there is none, or others may write it.

    Owner and permissions are those of the file that was opened, whatever stands there by now.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or not _is_ours(status):
            return None
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read()
    finally:
        os.close(handle)
