"""The substitute of a file: records one by one, and damage as other bytes that are no record either."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import copied
from trailformat.codec.tokens import INFO_AT, LENGTH_AT, NARROW_HEAD, UNSET, WIDE, WIDE_HEAD, head_size, is_wide
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records.framing import FILE_HEADER, RECORD
from trailformat.scan import BAD_SPAN, PARTIAL, scan
from trailformat.scan import FILE_HEADER as FILE_HEADER_KIND
from trailformat.scan import RECORD as RECORD_KIND

if TYPE_CHECKING:
    from logdump.features.redact.records import RecordSubstitutes
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile

_PIECE = 1 << 20
_FILLING = np.frombuffer(bytes(byte for byte in range(1, 256) if byte not in b"FGHZ"), np.uint8)
"""Bytes in place of damage: none begins or ends a record."""


class RedactedPiece(NamedTuple):
    """A part of the substitute: its bytes, and the record that they are of; None for damage."""

    data: bytes
    record: Record | None


class RedactedFile:
    """The substitute of one file.

    Args:
        trail: the file; what is added to it while it is read is left out.
        records: the substitutes of its records.

    Attributes:
        size: bytes of the file when its reading began.
        places, damaged: the places of damage so far, and their bytes.
    """

    def __init__(self, trail: TrailFile, records: RecordSubstitutes) -> None:
        self._trail, self._records = trail, records
        self.size = trail.size
        self.places = self.damaged = 0

    def pieces(self) -> Iterator[RedactedPiece]:
        """Yield all parts, in order.

        Raises:
            BadData: a record is too large to be held.
            CannotRead: the file can no longer be read.
        """
        rba = 0
        while rba < self.size:
            try:
                record = self._trail.record_at(rba)
            except (BadRecord, PartialRecord) as error:
                found = self._trail.next_good_header(rba + 1)
                stop = min(found if found is not None else self.size, self.size)
                self.places += 1
                self.damaged += stop - rba
                yield from self._damage(rba, stop, is_partial=isinstance(error, PartialRecord))
                rba = stop
                continue
            if record is None:
                return
            yield RedactedPiece(self._records.of(record), record)
            rba += record.length

    def _damage(self, rba: int, stop: int, *, is_partial: bool) -> Iterator[RedactedPiece]:
        """Yield other bytes for damage; zeros stay, and so does what shows that a record begins there."""
        for start in range(rba, stop, _PIECE):
            data = copied(self._trail.bytes, start, min(stop, start + _PIECE))
            head = self._beginning(data, rba, is_partial=is_partial) if start == rba else b""
            yield RedactedPiece(head + _filled(data[len(head) :]), None)

    def _beginning(self, data: bytes, rba: int, *, is_partial: bool) -> bytes:
        """Return the length of the record that begins with damage, and what else shows that it is incomplete.

        A length of four bytes that leads past the end may be text: it is replaced by the least one that does.
        """
        if data[0] not in (RECORD, FILE_HEADER):
            return b""
        order = ByteOrder.BIG if data[0] == FILE_HEADER else self._trail.order
        size = head_size(data[INFO_AT]) if len(data) > INFO_AT else 1
        if len(data) < size:
            return data[: INFO_AT + 1]
        length = order.decode(data[LENGTH_AT:size])
        if size == WIDE_HEAD and rba + length > self.size:
            length = self.size - rba + 1
        head = bytes((data[0], _plain_info(data[INFO_AT]))) + order.encode(length, size - LENGTH_AT)
        first = data[size : size + WIDE_HEAD + 1]
        if not is_partial or len(first) < NARROW_HEAD:
            return head + (first[:1] if is_partial else b"")
        token = head_size(first[INFO_AT])
        return head + bytes((first[0], _plain_info(first[INFO_AT]))) + first[LENGTH_AT : token + 1]


def _plain_info(info: int) -> int:
    """Return an info byte with the bits that matter for the length alone."""
    return UNSET if info == UNSET else info & WIDE if is_wide(info) else 0


def _filled(data: bytes) -> bytes:
    draws = np.frombuffer(os.urandom(2 * len(data)), np.uint16)
    return np.where(np.frombuffer(data, np.uint8) != 0, _FILLING[draws % len(_FILLING)], 0).astype(np.uint8).tobytes()


def first_difference(trail: TrailFile, copy: TrailFile, size: int) -> int | None:
    """Return the first RBA at which one file has a record, damage or an incomplete end, and the other has not.

    None if both have the same up to ``size``, where the source may have grown since.
    """
    is_grown = trail.size != size
    copied_places = _places(copy, size, is_grown=is_grown)
    for place in _places(trail, size, is_grown=is_grown):
        other = next(copied_places, None)
        if place != other:
            return place[0]
    rest = next(copied_places, None)
    return None if rest is None else rest[0]


def _places(trail: TrailFile, size: int, *, is_grown: bool) -> Iterator[tuple[int, int, int]]:
    """Yield RBA, length and kind of records and damage up to ``size``; of a file that has grown, records alone."""
    kinds = {RECORD_KIND, FILE_HEADER_KIND, BAD_SPAN, PARTIAL} - ({BAD_SPAN, PARTIAL} if is_grown else set())
    for batch in scan(trail):
        for rba, length, kind in zip(batch.rba, batch.length, batch.kind, strict=True):
            if int(kind) in kinds and int(rba) + int(length) <= size:
                yield int(rba), int(length), int(kind)
