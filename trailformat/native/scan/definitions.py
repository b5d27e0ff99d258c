"""The metadata records of a stretch, as machine code."""

from __future__ import annotations

from trailformat.native.constants import IO_TYPE_AT, METADATA, TOKEN_G
from trailformat.native.loads import i64, store64, u8
from trailformat.native.scan.frames import HEAD, frame_in_either


def find_metadata(data: int, stop: int, limit: int, end: int, state: int, found: int, most: int) -> int:
    """Put the RBAs of metadata records to ``found``, int64[most]; returns their number.

    ``state``, int64[2], holds the RBA where the first record begins and the byte order that is tried first; it gets
    those where the walk ends: at or after ``stop``, where no sound record begins, where one reaches beyond ``limit``,
    or where there is no more room. ``data``, ``limit`` and ``end``: see :mod:`.frames`.
    """
    rba, little, count = i64(state, 0), i64(state, 8), 0
    while rba < stop and count < most and (limit - rba >= HEAD or limit >= end):
        order, frame = frame_in_either(data, rba, limit, end, little)
        if frame[0] < 0:
            break
        little = order
        if u8(data, rba) == TOKEN_G and u8(data, frame[1] + IO_TYPE_AT) == METADATA:
            store64(found, 8 * count, rba)
            count += 1
        rba += frame[0]
    store64(state, 0, rba)
    store64(state, 8, little)
    return count
