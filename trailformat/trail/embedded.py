"""Sound records inside a damaged one: they may be its data, as of a trail stored in a column."""

from __future__ import annotations

from trailformat.codec.tokens import length_at
from trailformat.records.framing import RECORD, SMALLEST, detect_order
from trailformat.trail.file import TrailFile


def embedded_up_to(trail: TrailFile, rba: int, good: int) -> int | None:
    """Return the end of the damaged record at ``rba`` by its length, if the next good header is before that.

    A sound record begins there, or the file ends: the bytes before may be data of the damaged record. None if
    there is no evidence. The length is read in the byte order of the file, whatever was read before.
    """
    end, buffer, order = trail.size, trail.bytes, trail.first_order or trail.order
    if end - rba < SMALLEST or buffer[rba] != RECORD:
        return None
    claimed = rba + length_at(buffer, rba, order)[0]
    is_likely = claimed == end or (claimed < end and detect_order(buffer, claimed, end, order) is not None)
    return claimed if is_likely and good < claimed else None
