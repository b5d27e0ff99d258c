"""Ranges of a file that can be scanned one by one, or side by side, and give together what one scan gives.

A range is right when the walk over the ranges before it ends exactly where it begins, in the byte order with which it
begins: the walk depends on nothing else. :func:`consistent_ranges` sees to that. The columns ``transaction`` count
from 0 in each range; add the ``transactions`` of the scans before. ``names.settle`` joins the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trailformat.scan.batch import BATCH_SIZE
from trailformat.scan.position import ScanPosition
from trailformat.scan.scanning import Scan
from trailformat.trail.file import TrailFile


class FileRange(NamedTuple):
    """From the place ``start`` to before the RBA ``stop``."""

    start: ScanPosition
    stop: int


def scan_range(trail: TrailFile, part: FileRange, *, batch_size: int = BATCH_SIZE) -> Scan:
    """The batches of a range; the next range fits when it begins at their ``position`` at the end."""
    return Scan(trail, part.start, part.stop, batch_size)


def consistent_ranges(
    trail: TrailFile,
    ranges: Sequence[FileRange],
    ends: Sequence[ScanPosition] | None = None,
) -> list[FileRange]:
    """``ranges``, made to fit: each ends exactly where the next begins, as in one walk from the first.

    ``ends`` are the places where scans of the ranges ended; without them the ranges are scanned here. Where one did not
    end at the start of the next, the walk goes on from there, past the starts that it does not meet, until it meets one
    or comes to the end. Ranges that fitted come back unchanged: what was scanned of them stays good.
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
