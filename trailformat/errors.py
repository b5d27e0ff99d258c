"""Errors in a trail, and errors in reading it.

CannotRead            the system did not return the bytes of a file: nothing is known about them
TrailError
 ├─ NotATrail         the file does not begin with a file header or a record, or cannot be opened
 ├─ BadRecord         no record starts at this RBA, or its framing contradicts itself
 ├─ PartialRecord     the record begins in the file but does not end in it (yet)
 ├─ BadToken          a token inside a record runs past its container
 ├─ BadData           the record is sound, but its data does not match its type
 └─ CannotWrite       a trail or a value that cannot be written

``trailformat`` raises no other error, whatever the bytes. CannotRead is not a TrailError, so that code which continues
after damage does not mistake a failed read for damage: a failed read ends the operation.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Self

_REFUSALS = {
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.ELOOP),
    *(errno.EINVAL, errno.ENXIO, errno.ENODEV, errno.ENAMETOOLONG),
}


class _Located(Exception):
    """An error with a position.

    Attributes:
        problem: the reason, without the position.
        path: the file, or None when the bytes came from memory.
        rba: byte offset in the file, or None when the file as a whole is meant.
        expected: the expected content, as text, or None.
        found: the content found, as text, or None.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: Path | None = None,
        rba: int | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path
        self.rba = rba
        self.expected = expected
        self.found = found

    def at(self, path: Path | None, rba: int | None) -> Self:
        """Set the path and the RBA where they are None, and return self."""
        self.path = self.path if self.path is not None else path
        self.rba = self.rba if self.rba is not None else rba
        return self

    def __str__(self) -> str:
        place = []
        if self.path is not None:
            place.append(str(self.path))
        if self.rba is not None:
            place.append(f"RBA {self.rba}")
        return f"{', '.join(place)}: {self.explained()}" if place else self.explained()

    def explained(self, separator: str = "; ") -> str:
        """Return the problem without the position, followed by the expected and the found content."""
        details = (("expected", self.expected), ("found", self.found))
        return separator.join([self.problem, *(f"{word} {what}" for word, what in details if what is not None)])


class TrailError(_Located):
    """Something is wrong with a trail."""


class CannotRead(_Located):
    """A file cannot be read: a system call failed, or the file became shorter."""

    @classmethod
    def of(cls, error: OSError | ValueError, path: Path | None = None, rba: int | None = None) -> CannotRead:
        """Return the error for a failed system call, with the system's reason."""
        return cls(f"cannot be read: {reason_of(error)}", path=path, rba=rba)

    @classmethod
    def cut(cls, path: Path | None, size: int) -> CannotRead:
        """Return the error for a file that now has ``size`` bytes, fewer than when its reading began."""
        return cls(f"the file was truncated to {size} bytes while it was read", path=path, rba=size)


class NotATrail(TrailError):
    """The file is not a trail, or cannot be opened."""


class BadRecord(TrailError):
    """No sound record starts at this RBA."""


class PartialRecord(TrailError):
    """The record at this RBA is not complete: the file ends inside it."""


class BadToken(TrailError):
    """A token contradicts the bytes around it."""


class BadData(TrailError):
    """The data of a record cannot be decoded as its type."""


class CannotWrite(TrailError):
    """A value does not fit the format, or a file cannot be written."""


def reason_of(error: OSError | ValueError) -> str:
    """Return the system's error text, or the text of the exception if it has none."""
    return getattr(error, "strerror", None) or str(error)


def refuse_denied(error: NotATrail) -> None:
    """Raise CannotRead if the file exists but this user may not open it: its content is unknown."""
    if isinstance(error.__cause__, PermissionError):
        raise CannotRead.of(error.__cause__, error.path) from error


def not_opened(error: OSError | ValueError, path: Path) -> NotATrail | CannotRead:
    """Return the error for a file or folder that cannot be opened.

    A file that is missing, has the wrong kind or denies access is NotATrail; any other failure is CannotRead, as it
    says nothing about the file.
    """
    if isinstance(error, OSError) and error.errno not in {*_REFUSALS, None}:
        return CannotRead.of(error, path)
    return NotATrail(reason_of(error), path=path)
