"""The position of a scan, and the damage there where no sound record starts.

The rules are those of :class:`trailformat.trail.file.TrailFile`: every record is read in the order of the one before
it, or else in the other order, which then stays; the record at RBA 0 leaves the order as it is.
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
"""Records read one by one before columns are worth it: it takes 40 ms, to load numpy and scan a first batch 280 ms."""


class ScanPosition(NamedTuple):
    """All that the walk over a file depends on: two walks that reach the same place go on alike.

    ``order_known``: a record has shown its order.
    """

    rba: int
    order: ByteOrder
    order_known: bool


def first_position(trail: TrailFile, rba: int = 0) -> ScanPosition:
    """The position of a scan that starts at ``rba``: in the byte order of the file's first ``G`` record."""
    order = trail.first_order
    return ScanPosition(rba, order or ByteOrder.BIG, order is not None)


def first_order(buffer: Source, position: ScanPosition) -> ByteOrder:
    """The order to try first at a place."""
    return ByteOrder.BIG if _is_file_header(buffer, position.rba) else position.order


def _is_file_header(buffer: Source, rba: int) -> bool:
    return rba == 0 and buffer[0] == framing.FILE_HEADER


def after(position: ScanPosition, length: int, order: ByteOrder, first: ByteOrder, *, is_first: bool) -> ScanPosition:
    """The position after a sound record of ``length`` bytes in ``order``, ``first`` having been tried first.

    ``is_first`` is set for the record at the beginning of the file.
    """
    if order is first or is_first:
        return position._replace(rba=position.rba + length)
    return ScanPosition(position.rba + length, order, order_known=True)


def damage_at(buffer: Source, position: ScanPosition, end: int, own: ByteOrder | None) -> tuple[int, int]:
    """Kind and length of the span at a place where no sound record starts: BAD_SPAN or PARTIAL.

    ``own`` is the byte order of the file, as far as it is known: whether half a record is there is decided in it.
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
