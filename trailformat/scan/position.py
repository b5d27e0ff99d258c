"""The position of a scan, and the damage at a position where no sound record starts.

The rules are those of :class:`trailformat.trail.file.TrailFile`: every record is read in the byte order of the record
before it; if that fails, in the other order, which then becomes current. The record at RBA 0 does not change the order.
"""

from __future__ import annotations

from typing import NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records import framing
from trailformat.scan.batch import BAD_SPAN, PARTIAL
from trailformat.trail import resync
from trailformat.trail.file import TrailFile

NEARBY = 2000
"""Records that are read one by one before a scan by columns pays off: these take 40 ms; loading numpy and scanning a
first batch take 280 ms."""


class ScanPosition(NamedTuple):
    """The complete state of a walk over a file: two walks with equal positions continue identically.

    ``order_known`` is True once a record has shown its byte order.
    """

    rba: int
    order: ByteOrder
    order_known: bool


class FileRange(NamedTuple):
    """The records from the position ``start`` to before the RBA ``stop``."""

    start: ScanPosition
    stop: int


def first_position(trail: TrailFile, rba: int = 0) -> ScanPosition:
    """Return the position of a scan that starts at ``rba``, in the byte order of the file's first ``G`` record."""
    order = trail.first_order
    return ScanPosition(rba, order or ByteOrder.BIG, order is not None)


def first_order(buffer: Source, position: ScanPosition) -> ByteOrder:
    """Return the byte order to try first at a position: big-endian for a file header."""
    return ByteOrder.BIG if _is_file_header(buffer, position.rba) else position.order


def _is_file_header(buffer: Source, rba: int) -> bool:
    return rba == 0 and buffer[0] == framing.FILE_HEADER


def after(position: ScanPosition, length: int, order: ByteOrder, first: ByteOrder, *, is_first: bool) -> ScanPosition:
    """Return the position after a sound record of ``length`` bytes in ``order``, if ``first`` was tried first.

    ``is_first`` is True for the record at RBA 0.
    """
    if order is first or is_first:
        return position._replace(rba=position.rba + length)
    return ScanPosition(position.rba + length, order, order_known=True)


def damage_at(buffer: Source, position: ScanPosition, end: int, own: ByteOrder | None) -> tuple[int, int]:
    """Return kind (BAD_SPAN or PARTIAL) and length of the span at a position where no sound record starts.

    ``own`` is the byte order of the file, None if unknown; a record counts as incomplete (PARTIAL) by this order.
    """
    rba, first = position.rba, first_order(buffer, position)
    own = None if _is_file_header(buffer, rba) else own
    try:
        resync.sound_frame(buffer, rba, end, first, order_known=position.order_known, own=own)
    except PartialRecord:
        return PARTIAL, end - rba
    except BadRecord:
        good = resync.next_sound(buffer, rba + 1, end)
        return BAD_SPAN, (good if good is not None else end) - rba
    raise BadRecord("the scan stopped at a sound record", rba=rba)
