"""What can be wrong with a trail, and with reading it.

CannotRead            the system has not given the bytes of a file: nothing is known of them
TrailError
 ├─ NotATrail         the file does not begin with a file header or a record, or cannot be opened
 ├─ BadRecord         no record starts at this RBA, or its framing contradicts itself
 ├─ PartialRecord     the record begins in the file but does not end in it (yet)
 ├─ BadToken          a token inside a record runs past its container
 ├─ BadData           the record is whole, but its data is not what its type says
 └─ CannotWrite       a trail or a value that cannot be written

Nothing else leaves ``trailformat``, whatever the bytes. CannotRead is no TrailError, so that nothing which goes on
after damage takes a read that failed for it: it ends what is under way.
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
    """An error with a place.

    Attributes:
        problem: what is wrong, without the place.
        path: the file, or None when the bytes came from memory.
        rba: byte offset in the file, or None when the file as a whole is meant.
        expected: what should stand there, as text, or None.
        found: what stands there, as text, or None.
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
        """Fill in the place where it is still missing, and return self."""
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
        """The problem without the place, with what was expected and found."""
        details = (("expected", self.expected), ("found", self.found))
        return separator.join([self.problem, *(f"{word} {what}" for word, what in details if what is not None)])


class TrailError(_Located):
    """Something is wrong with a trail."""


class CannotRead(_Located):
    """A file cannot be read: a call of the system has failed, or the file has become shorter."""

    @classmethod
    def of(cls, error: OSError | ValueError, path: Path | None = None, rba: int | None = None) -> CannotRead:
        """The error for a call that has failed, with the system's reason."""
        return cls(f"cannot be read: {reason_of(error)}", path=path, rba=rba)

    @classmethod
    def cut(cls, path: Path | None, size: int) -> CannotRead:
        """The error for a file that has ``size`` bytes now, fewer than when its reading began."""
        return cls(f"the file was cut to {size} bytes while it was read", path=path, rba=size)


class NotATrail(TrailError):
    """The file is no trail, or cannot be opened."""


class BadRecord(TrailError):
    """No sound record starts at this RBA."""


class PartialRecord(TrailError):
    """The record at this RBA is not complete: the file ends inside it."""


class BadToken(TrailError):
    """A token contradicts the bytes around it."""


class BadData(TrailError):
    """The data of a record cannot be decoded as its type promises."""


class CannotWrite(TrailError):
    """A value does not fit the format, or a file cannot be written."""


def reason_of(error: OSError | ValueError) -> str:
    """The system's reason."""
    return getattr(error, "strerror", None) or str(error)


def refuse_denied(error: NotATrail) -> None:
    """Raise CannotRead where a file is there and this user may not open it: nothing says what is in it."""
    if isinstance(error.__cause__, PermissionError):
        raise CannotRead.of(error.__cause__, error.path) from error


def not_opened(error: OSError | ValueError, path: Path) -> NotATrail | CannotRead:
    """The error for a file or folder that cannot be opened.

    That there is none of this kind, or that it is refused to this user, is a fact about it. Any other failure is none.
    """
    if isinstance(error, OSError) and error.errno not in {*_REFUSALS, None}:
        return CannotRead.of(error, path)
    return NotATrail(reason_of(error), path=path)
