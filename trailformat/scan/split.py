"""Boundaries at which a file can be split, found from any offset without reading the bytes before it.

The boundary at or after an offset is the next RBA at which a sound record starts, provided that

- the chain holds: ``CHAIN`` sound records follow one another from there, or all records up to the end of the file are
  sound (the last one may be incomplete), and
- no larger record contains it: none of the sound records that start in the ``REACH`` bytes before it (``WIDE_REACH``
  for records with four-byte lengths) ends after it. If one does, the search continues at its end.

The second condition is for data that contain records. It is no proof: a record may be larger than the reach, and a
hostile file can hold overlapping records. Only a walk from the beginning is certain: see :func:`consistent_ranges`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source, copied
from trailformat.codec.tokens import is_wide
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records import framing
from trailformat.scan.position import FileRange, ScanPosition
from trailformat.scan.scanning import scan_range
from trailformat.trail import resync
from trailformat.trail.file import TrailFile


def consistent_ranges(
    trail: TrailFile,
    ranges: Sequence[FileRange],
    ends: Sequence[ScanPosition] | None = None,
) -> list[FileRange]:
    """Return ``ranges`` corrected so that each ends exactly where the next begins, as in one walk from the first.

    ``ends`` are the positions at which scans of the ranges ended; without them the ranges are scanned here. If a range
    does not end at the start of the next one, the walk continues from its end, past starts that it misses, to the first
    start that it reaches or to the end. Ranges that fit are returned unchanged: results of scanning them remain valid.
    """
    fitting: list[FileRange] = []
    number = 0
    start = ranges[0].start if ranges else None
    while start is not None and number < len(ranges):
        is_as_given = start == ranges[number].start
        stop = ranges[number].stop
        end = ends[number] if ends and is_as_given else _end_of(trail, FileRange(start, stop))
        number += 1
        while end.rba != stop and number < len(ranges):
            stop = ranges[number].stop
            number += 1
            if end.rba < stop:
                end = _end_of(trail, FileRange(end, stop))
        fitting.append(FileRange(start, stop))
        start = end
    return fitting


def _end_of(trail: TrailFile, part: FileRange) -> ScanPosition:
    return scan_range(trail, part).run().position


CHAIN = 8
REACH = 1 << 16
WIDE_REACH = 1 << 20
_MOST_STEPS, _MOST_CONTAINERS = 1 << 14, 1 << 5
"""Maximum numbers of candidates and of containing records for one search: damage makes many of the former, hostile
data many of the latter.
"""
_SHORT_RECORD = re.compile(rb"[GF](?=.{3}(?:H|0))", re.DOTALL)
_WIDE_RECORD = re.compile(rb"G(?=[\x40-\x7f\xc0-\xfe].{4}H)", re.DOTALL)
_LENGTHS = tuple(struct.Struct(order.value + "xxH") for order in ByteOrder)
_WIDE_LENGTHS = tuple(struct.Struct(order.value + "xxI") for order in ByteOrder)


def split_points(trail: TrailFile, pieces: int) -> list[int]:
    """Return the starts of pieces of about equal size: 0, then boundaries, ascending; at most ``pieces`` of them."""
    size = trail.size
    points = [0]
    for number in range(1, pieces):
        point = next_boundary(trail, size * number // pieces)
        if point is not None and points[-1] < point < size:
            points.append(point)
    return points


def next_boundary(trail: TrailFile, offset: int) -> int | None:
    """Return the first boundary at or after ``offset``, as defined above; None if none is found."""
    size, buffer = trail.size, trail.bytes
    rba = resync.next_sound(buffer, max(offset, 0), size)
    containers = 0
    for _ in range(_MOST_STEPS):
        if rba is None or containers == _MOST_CONTAINERS:
            return None
        if not _chain_holds(buffer, rba, size, trail.order):
            rba = resync.next_sound(buffer, rba + 1, size)
            continue
        outer_end = _end_of_container(buffer, rba, size)
        if outer_end is None:
            return rba
        containers += 1
        rba = resync.next_sound(buffer, outer_end, size)
    return None


def likely_boundary(trail: TrailFile, offset: int) -> int | None:
    """Return an RBA at or up to REACH after ``offset`` where the chain holds: found faster than a boundary, less sure.

    None if the first candidates fail.
    """
    size, buffer = trail.size, trail.bytes
    for number, rba in enumerate(resync.candidates(buffer, offset, min(offset + REACH, size))):
        if number > CHAIN:
            return None
        if framing.detect_order(buffer, rba, size, trail.order) and _chain_holds(buffer, rba, size, trail.order):
            return rba
    return None


def _chain_holds(buffer: Source, rba: int, end: int, order: ByteOrder) -> bool:
    for _ in range(CHAIN):
        if rba == end:
            return True
        next_order = framing.detect_order(buffer, rba, end, order)
        if next_order is None:
            return _is_half_written(buffer, rba, end)
        order = next_order
        rba += framing.frame_at(buffer, rba, end, order)[0]
    return True


def _is_half_written(buffer: Source, rba: int, end: int) -> bool:
    """Return True if the file ends inside a record that starts here, and no sound record follows."""
    for order in ByteOrder:
        try:
            framing.frame_at(buffer, rba, end, order)
        except PartialRecord:
            return resync.next_sound(buffer, rba + 1, end) is None
        except BadRecord:
            continue
    return False


def _end_of_container(buffer: Source, rba: int, end: int) -> int | None:
    """Return the end of the first sound record that starts within reach before ``rba`` and ends after it, or None."""
    for start in _containers(buffer, rba):
        for order in ByteOrder:
            try:
                length = framing.frame_at(buffer, start, end, order)[0]
            except (BadRecord, PartialRecord):
                continue
            if start + length > rba:
                return start + length
    return None


def _containers(buffer: Source, rba: int) -> Iterator[int]:
    """Yield offsets before ``rba`` whose length, in either byte order, leads past it; wide records first."""
    base = max(0, rba - WIDE_REACH)
    before = copied(buffer, base, rba + 7)
    here = rba - base
    for match in _WIDE_RECORD.finditer(before):
        start = match.start()
        if start < here and any(start + length.unpack_from(before, start)[0] > here for length in _WIDE_LENGTHS):
            yield base + start
    for match in _SHORT_RECORD.finditer(before, max(0, here - REACH), here + 5):
        start = match.start()
        is_short = start < here and not is_wide(before[start + 1])
        if is_short and any(start + length.unpack_from(before, start)[0] > here for length in _LENGTHS):
            yield base + start
