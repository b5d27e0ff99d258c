"""Files in which a command keeps what it has seen, for its next run: an object of JSON, written whole."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from logdump.session.errors import CommandError
from trailformat import CannotWrite
from trailformat.codec.mapped_file import open_regular
from trailformat.trail.whole_file import WholeFile, check_target
from trailformat.trail.whole_file.leftovers import lock

_LARGEST = 64 << 20
"""Bytes above which a file is no state."""
_KIND, _VERSION = "logdump", "version"


class KeptState(NamedTuple):
    """What a state file has: its values, empty if there is no state, and then the reason."""

    values: dict[str, Any]
    problem: str


class StateFile:
    """The state file of a command.

    Args:
        path: the file.
        kind: what keeps it, such as ``doctor``.
        version: the number of its form: another one is no state.
    """

    def __init__(self, path: Path, kind: str, version: int = 1) -> None:
        self.path = path
        self._head = {_KIND: kind, _VERSION: version}

    def read(self) -> KeptState:
        """Return the state; one that is missing, damaged or of another version is none.

        Raises:
            CommandError: the file is not a regular one, cannot be read, or does not begin as a state of this kind does:
                it may be any file, and must not be replaced.
        """
        try:
            handle = open_regular(self.path)
        except FileNotFoundError:
            return KeptState({}, "there is none yet")
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CommandError(f"{self.path}: the state cannot be read: {reason}") from error
        with os.fdopen(handle, "rb") as file:
            data = file.read(_LARGEST + 1)
        begin = self._encoded({})[:-2].encode("ascii")
        if not data.strip(b" \r\n"):
            return KeptState({}, "it is empty")
        if len(data) <= _LARGEST and not data.strip(b"\0"):  # as a crash of the machine leaves it
            return KeptState({}, "it is damaged")
        if not data.startswith(begin.rpartition(b",")[0]):
            raise CommandError(f"{self.path}: it is no state of {self._head[_KIND]}, and is not replaced.")
        try:
            values = json.loads(data) if len(data) <= _LARGEST else None
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            return KeptState({}, "it is damaged")
        if values.get(_VERSION) != self._head[_VERSION]:
            return KeptState({}, "it is of another version")
        return KeptState(values, "")

    def _encoded(self, values: dict[str, Any]) -> str:
        return json.dumps({**self._head, **values}, ensure_ascii=True, separators=(",", ":")) + "\n"

    def write(self, values: dict[str, Any]) -> None:
        """Write the state whole; the file is readable by its owner alone, as it names tables and places.

        Raises:
            CannotWrite: it cannot be written, or is larger than what is read again; the former state stays.
        """
        data = self._encoded(values).encode("ascii")
        if len(data) > _LARGEST:
            raise CannotWrite(f"the state would have more than {_LARGEST:,} bytes", path=self.path)
        with WholeFile(self.path, replace=True, mode=0o600) as file:
            file.write(data)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock beside the file, ``NAME.lock``, which the system releases with the process.

        Raises:
            CommandError: another process holds it, or the file is none that may be replaced.
            CannotWrite: the lock cannot be made, or the file is a link, or no regular file.
        """
        check_target(self.path, replace=True)
        self.read()
        lock_path = self.path.with_name(f"{self.path.name}.lock")
        try:
            handle = os.open(lock_path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except (OSError, ValueError) as error:
            raise CannotWrite("the state cannot be locked", path=lock_path, found=str(error)) from error
        try:
            lock(handle)
            yield
        except BlockingIOError as error:
            raise CommandError(f"{self.path}: another process uses this state.") from error
        finally:
            os.close(handle)
