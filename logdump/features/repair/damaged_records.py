"""The extent of a damaged record, from the intact parts of its frame.

    47 01 1c40 …  [ bytes that look like records ]  … 5a 01 1c40

A record may hold records: a LOB that is a trail. Where its frame is damaged, a search for the next sound record finds
those; its length or its trailer shows that they are data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from logdump.features.repair.byte_ranges import ByteRange
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.codec.tokens import is_wide, length_at, token_places
from trailformat.errors import TrailError
from trailformat.records import framing
from trailformat.records.io_types import METADATA, NOT_TRANSACTIONAL
from trailformat.records.record_header import HEADER_SIZE, RecordHeader, parse_header
from trailformat.trail import resync

_SMALLEST = 8
_MOST_CANDIDATES = 100_000
_FRAMES = ((False, 4), (True, 6))
_FIRST = {framing.RECORD: ord("H"), framing.FILE_HEADER: ord("0")}


def claimed_extent(buffer: Source, rba: int, size: int) -> ByteRange | None:
    """Return the extent of the record at ``rba`` by its length, if its trailer confirms it.

    The tokens together with a sound record after it confirm it too.
    """
    if size - rba < _SMALLEST or buffer[rba] not in _FIRST:
        return None
    for order in ByteOrder:
        length, frame = length_at(buffer, rba, order)
        stop = rba + length
        if 2 * frame < stop - rba <= size - rba and (
            _has_trailer(buffer, ByteRange(rba, stop), frame)
            or (_has_tokens(buffer, ByteRange(rba, stop), frame, order) and _is_followed(buffer, stop, size))
        ):
            return ByteRange(rba, stop)
    return None


def _has_trailer(buffer: Source, span: ByteRange, frame: int) -> bool:
    trailer = buffer[span.stop - frame : span.stop]
    return trailer[:1] == b"Z" and trailer[2:] == buffer[span.start + 2 : span.start + frame]


def _is_followed(buffer: Source, stop: int, size: int) -> bool:
    return stop == size or any(framing.is_sound(buffer, stop, size, order) for order in ByteOrder)


def _has_tokens(buffer: Source, span: ByteRange, frame: int, order: ByteOrder) -> bool:
    try:
        places = token_places(buffer, span.start + frame, span.stop - frame, order)
        tokens = [token for token, _, _, _ in places]
    except TrailError:
        return False
    return len(tokens) > 1 and tokens[0] == _FIRST[buffer[span.start]]


def extents_ending(buffer: Source, stop: int) -> Iterator[ByteRange]:
    """Yield the extents of a record that ends at ``stop``, by the possible trailers there."""
    for wide, frame in _FRAMES:
        trailer = buffer[max(0, stop - frame) : stop]
        if len(trailer) == frame and trailer[:1] == b"Z" and is_wide(trailer[1]) == wide:
            for order in ByteOrder:
                length = order.decode(trailer[2:])
                if 2 * frame < length <= stop:
                    yield ByteRange(stop - length, stop)


def readable_headers(buffer: Source, span: ByteRange, order: ByteOrder) -> Iterator[tuple[int, RecordHeader]]:
    """The headers of metadata records that can be read in damage, with the RBAs of those records.

    Not all places are looked at where very many look like records.
    """
    for rba in islice(resync.candidates(buffer, span.start, span.stop), _MOST_CANDIDATES):
        header = _header_at(buffer, rba, span.stop, order) if buffer[rba] == framing.RECORD else None
        if header is not None and header.io_type == METADATA:
            yield rba, header


def _header_at(buffer: Source, rba: int, stop: int, order: ByteOrder) -> RecordHeader | None:
    token = rba + length_at(buffer, rba, order)[1]
    length, size = length_at(buffer, token, order)
    at = token + size
    if not HEADER_SIZE <= length <= stop - at:
        return None
    return parse_header(buffer[at : at + length], order)


def holds_no_row(buffer: Source, span: ByteRange, size: int) -> bool:
    """Return True if damage is exactly one record that was the file header or of a kind outside of transactions."""
    whole = {claimed_extent(buffer, span.start, size), *extents_ending(buffer, span.stop)}
    if span not in whole:
        return False
    if buffer[span.start] != framing.RECORD:
        return not span.start
    headers = (_header_at(buffer, span.start, span.stop, order) for order in ByteOrder)
    return any(header is not None and header.io_type in NOT_TRANSACTIONAL for header in headers)
