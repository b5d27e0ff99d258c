"""What can be wrong with a trail.

TrailError
 ├─ NotATrail         the file does not begin with a file header or a record, or cannot be read at all
 ├─ BadRecord         no record starts at this RBA, or its framing contradicts itself
 ├─ PartialRecord     the record begins in the file but does not end in it (yet)
 ├─ BadToken          a token inside a record runs past its container
 ├─ BadData           the record is whole, but its data is not what its type says
 └─ CannotWrite       a trail or a value that cannot be written

Nothing else leaves ``trailformat``, whatever the bytes.
"""

from __future__ import annotations

from pathlib import Path


class TrailError(Exception):
    """Something is wrong with a trail.

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

    def at(self, path: Path | None, rba: int | None) -> TrailError:
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


class NotATrail(TrailError):
    """The file is no trail, or cannot be opened or read."""


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
