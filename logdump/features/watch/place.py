"""A place in a trail, and what proves that a file is still the one that was read up to there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from logdump.features.watch.kept_values import numbers_of, texts_of
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.codec.mapped_file import copied
from trailformat.trail.sequence import TrailName
from trailformat.transactions.header_promises import is_left_open

_PROOF = 1 << 16
"""Bytes before a place that prove it."""
_AT_A_TIME = 1 << 20
_LONGEST_NUMBER = 9


class FileNumber(NamedTuple):
    """The number of a file, in the order of writing within one round of numbers: fewer digits first."""

    digits: int
    seqno: int

    @classmethod
    def of(cls, name: TrailName) -> FileNumber:
        """Return the number of a file."""
        return cls(name.digits, name.seqno)

    @property
    def text(self) -> str:
        """The number as the name has it."""
        return f"{self.seqno:0{self.digits}d}"

    @property
    def round(self) -> int:
        """How many numbers of this width there are: 0 follows the highest one."""
        return int("1" + self.digits * "0")

    def beyond(self, other: FileNumber) -> int:
        """Return how many numbers this is after another of the same width."""
        return (self.seqno - other.seqno) % self.round

    def is_after(self, other: FileNumber) -> bool:
        """Return True if this was written after another, which is at most half a round away."""
        if self.digits != other.digits:
            return self.digits > other.digits
        return 0 < self.beyond(other) < self.round // 2


class ReadUpTo(NamedTuple):
    """The place up to which a file was read.

    Attributes:
        number: that of the file.
        rba: the end of the last record read; 0 if nothing was.
        created: CreationTime of its header; None without one. The rest of a header changes when the file is closed.
        digest: of the bytes before the place, without the header.
        is_open: True if its header says that the writer has not closed it.
        is_whole: True if its header says that the writer has closed it, and the place is its end.
    """

    number: FileNumber
    rba: int = 0
    created: int | None = None
    digest: str = ""
    is_open: bool = False
    is_whole: bool = False

    @classmethod
    def in_file(cls, number: FileNumber, trail: TrailFile, rba: int) -> ReadUpTo:
        """Return the place at an RBA of a file. Raises TrailError and CannotRead."""
        header = trail.file_header
        is_open = header is not None and is_left_open(header)
        size = header.get("TrailInfo", "FileSize") if header is not None else None
        is_whole = not is_open and isinstance(size, int) and size == rba == trail.size
        return cls(number, rba, _created(trail), _digest(trail, rba), is_open, is_whole)

    def is_in(self, trail: TrailFile) -> bool:
        """Return True if the place is in this file: it has the bytes before it, and its header the same birth."""
        if not self.rba:
            return True
        try:
            if trail.size < self.rba:
                return False
            return (_created(trail), _digest(trail, self.rba)) == (self.created, self.digest)
        except (TrailError, CannotRead):
            return False

    def is_as(self, other: ReadUpTo) -> bool:
        """Return True if another place has the same bytes before it, in a file of the same birth."""
        return (self.rba, self.created, self.digest) == (other.rba, other.created, other.digest)

    def as_values(self) -> list[object]:
        """Return it as values of JSON."""
        return [*self.number, *self[1:]]

    @classmethod
    def of_values(cls, values: list[Any]) -> ReadUpTo:
        """Return the place of such values.

        Raises:
            TypeError, ValueError: they are no such values.
        """
        digits, seqno, rba, created, digest, is_open, is_whole = values
        numbers_of([digits, seqno, rba, created if created is not None else 0])
        texts_of([digest])
        place = cls(FileNumber(digits, seqno), rba, created, digest, bool(is_open), bool(is_whole))
        if not (0 < place.number.digits <= _LONGEST_NUMBER and place.number.seqno >= 0 and place.rba >= 0):
            raise ValueError("place")
        return place


def _created(trail: TrailFile) -> int | None:
    return trail.file_header.created if trail.file_header is not None else None


def _digest(trail: TrailFile, rba: int) -> str:
    """Return a digest of the bytes before a place, without the header."""
    start = max(rba - _PROOF, trail.first_rba)
    return hashlib.sha256(copied(trail.buffer, start, max(rba, start))).hexdigest()


class WaitingBytes(NamedTuple):
    """The bytes after the last record of the newest file, of which it is not known yet what they will be.

    Attributes:
        incomplete: bytes of the begin of a record, whose rest is not written yet.
        zeros: zero bytes, as of a file that is made longer before it is written.
        damaged: bytes that are neither: they are damage as soon as a record or a file follows.
    """

    incomplete: int = 0
    zeros: int = 0
    damaged: int = 0


class Unread(NamedTuple):
    """What proves that nothing has changed after a place: the size of the file, and the bytes that follow it."""

    rba: int
    size: int
    digest: str

    @classmethod
    def after(cls, trail: TrailFile, rba: int) -> Unread:
        """Return that of a file. Raises CannotRead."""
        data = copied(trail.buffer, rba, min(trail.size, rba + _PROOF))
        return cls(rba, trail.size, hashlib.sha256(data).hexdigest())


def waiting_in(trail: TrailFile, rba: int, *, is_partial: bool) -> WaitingBytes:
    """Return what the bytes from a place to the end of a file are; ``is_partial``: they begin a record."""
    size = trail.size - rba
    if is_partial:
        return WaitingBytes(incomplete=size)
    return WaitingBytes(zeros=size) if all(map(_is_zero, _parts(trail, rba))) else WaitingBytes(damaged=size)


def _parts(trail: TrailFile, rba: int) -> Iterator[bytes]:
    return (
        bytes(copied(trail.buffer, start, min(start + _AT_A_TIME, trail.size)))
        for start in range(rba, trail.size, _AT_A_TIME)
    )


def _is_zero(data: bytes) -> bool:
    return data.count(0) == len(data)


def index_of(names: Sequence[TrailName], number: FileNumber) -> int | None:
    """Return the index of the file with a number; without one that of the earliest one after it; None without both."""
    numbers = [FileNumber.of(name) for name in names]
    if number in numbers:
        return numbers.index(number)
    return next((index for index, other in enumerate(numbers) if other.is_after(number)), None)
