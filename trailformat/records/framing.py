"""The framing of records, laid out by ``spec.record``: the walk over their tokens.

A record is sound when its length is within the file, its trailer repeats that length, and the tokens between them fill
it exactly, the first being ``H`` with 34 bytes or more and a first byte ``E`` (for ``F``: the group TrailInfo).

Kernels frame records in batches with the same numbers, which ``native.constants`` takes from here. This module frames
single records: it reports what is wrong with a record and the places of all its tokens, without the library, which a
command that shows a record need not load. ``tests/trailformat/scan/test_places.py`` compares the places of both.
"""

from __future__ import annotations

import struct
from mmap import mmap

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBytes, Source, around
from trailformat.codec.tokens import (
    INFO_AT,
    LENGTH_AT,
    MOST_NARROW,
    NARROW_HEAD,
    TOKENS,
    WIDE,
    WIDE_HEAD,
    TokenPlace,
    head_size,
    is_wide,
    length_at,
    walk_tokens,
)
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records.record_header import HDR_IND, HEADER_SIZE

Buffer = bytes | mmap
Frame = tuple[int, list[TokenPlace]]
"""The length of a record, and the places of its tokens, counted from its first byte."""

RECORD = ord("G")
FILE_HEADER = ord("F")
HEADER, DATA, TOKENS_TOKEN, TRAILER = b"HDTZ"
FIRST_OF_FILE_HEADER = 0x30
"""Id of the first token in a file header, the group TrailInfo."""
SMALLEST = 2 * NARROW_HEAD
SMALLEST_BODY = NARROW_HEAD
"""Size in bytes of the first token without its payload; the payload of ``H`` has at least HEADER_SIZE bytes."""
_SMALLEST_BODY = {RECORD: SMALLEST_BODY + HEADER_SIZE, FILE_HEADER: SMALLEST_BODY}
MOST_TOKENS = 64
"""More tokens than any record has (three, a file header a handful); limits walks over garbage."""
MOST_BYTES = MOST_NARROW
"""More bytes than any record header or ``T`` has (some hundred); a larger one is damage."""
_BEGINNINGS = {order: struct.Struct(order.value + "BBHBBHB").unpack_from for order in ByteOrder}
_BEGINNING_SIZE = 9
"""Readers of a record's token, its header's token, and the header's first byte; and the size of these."""


def frame_at(buffer: Source, rba: int, end: int, order: ByteOrder) -> Frame:
    """Return the frame of the sound record that starts at ``rba``; ``end`` is the length of the buffer.

    Raises:
        PartialRecord: it starts like a record, but its length or its first bytes run past ``end``.
        BadRecord: no sound record starts there.
    """
    piece, base = buffer.around(rba) if isinstance(buffer, FileBytes) else (buffer, 0)
    offset, room = rba - base, min(len(piece), end - base)
    # the fast path: a record whose lengths all have two bytes, inside of ``piece``
    if offset + _BEGINNING_SIZE <= room:
        kind, info, length, token, token_info, size, first = _BEGINNINGS[order](piece, offset)
        stop = offset + length - NARROW_HEAD
        has_room = offset + HEADER_SIZE < stop <= room - NARROW_HEAD
        if kind == RECORD and token == HEADER and first == HDR_IND and size >= HEADER_SIZE and has_room:
            id_, trailer_info, again = TOKENS[order](piece, stop)
            if id_ == TRAILER and again == length and not (info | token_info | trailer_info) & WIDE:
                places, tokens_end = walk_tokens(
                    piece, offset + 2 * NARROW_HEAD + size, stop, order, offset, MOST_TOKENS - 1
                )
                if tokens_end == stop:
                    places.insert(0, (HEADER, token_info, 2 * NARROW_HEAD, size))
                    return length, places
    return _any_frame(buffer, rba, end, order)


def _any_frame(buffer: Source, rba: int, end: int, order: ByteOrder) -> Frame:
    """Return the frame of a record of any form. Raises like frame_at."""
    piece, base = around(buffer, rba)
    offset = rba - base
    length, size = _claimed(piece, offset, end - base, order)
    _check_first_token(piece, offset, size, end - base, order)
    stop = rba + length - size
    if stop + size > end:
        raise PartialRecord("the file ends inside the record", expected=f"{length} bytes", found=f"{end - rba} bytes")
    trailer = buffer[stop : stop + size]
    if trailer[0] != TRAILER:
        raise BadRecord("record has no trailer", expected=f"x5a 'Z' at RBA {stop}", found=f"x{trailer[0]:02x}")
    again = order.decode(trailer[LENGTH_AT:])
    if is_wide(trailer[INFO_AT]) != (size > NARROW_HEAD) or again != length:
        raise BadRecord("trailer does not repeat the length", expected=str(length), found=str(again))
    places, tokens_end = walk_tokens(buffer, rba + size, stop, order, rba, MOST_TOKENS)
    for token, _, _, token_size in places:
        if token == TOKENS_TOKEN and token_size > MOST_BYTES:
            actual = f"{token_size} bytes"
            raise BadRecord("GGS tokens too long", expected=f"at most {MOST_BYTES} bytes", found=actual)
    if tokens_end != stop:
        raise BadRecord("tokens do not fill the record", expected=f"end at RBA {stop}", found=f"RBA {tokens_end}")
    return length, places


def _claimed(piece: Buffer, offset: int, end: int, order: ByteOrder) -> tuple[int, int]:
    """Return the length in the token of the record at ``offset``, and the size of that token."""
    kind = piece[offset]
    if kind not in _SMALLEST_BODY:
        raise BadRecord("no record starts here", expected="header token x47 'G'", found=f"x{kind:02x}")
    if end - offset < SMALLEST:
        raise PartialRecord("the file ends inside the record", found=f"{end - offset} bytes")
    length, size = length_at(piece, offset, order)
    smallest = 2 * size + _SMALLEST_BODY[kind]
    if length < smallest:
        raise BadRecord("record length too small", expected=f"at least {smallest}", found=str(length))
    return length, size


def _check_first_token(piece: Buffer, rba: int, frame: int, end: int, order: ByteOrder) -> None:
    """Check as much of the first token as is before ``end``, at least its first byte."""
    offset = rba + frame
    token = piece[offset]
    if piece[rba] == FILE_HEADER:
        if token != FIRST_OF_FILE_HEADER:
            raise BadRecord("file header has no TrailInfo", expected="token x30 '0'", found=f"x{token:02x}")
        return
    if token != HEADER:
        raise BadRecord("record has no header", expected="token x48 'H'", found=f"x{token:02x}")
    if offset + WIDE_HEAD > end:
        return
    length, size = length_at(piece, offset, order)
    if length < HEADER_SIZE:
        raise BadRecord("record header too short", expected=f"at least {HEADER_SIZE} bytes", found=f"{length} bytes")
    if length > MOST_BYTES:
        raise BadRecord("record header too long", expected=f"at most {MOST_BYTES} bytes", found=f"{length} bytes")
    first = offset + size
    if first < end and piece[first] != HDR_IND:
        raise BadRecord("record header is not sound", expected="Hdr-Ind x45 'E'", found=f"x{piece[first]:02x}")


def is_sound(buffer: Source, rba: int, end: int, order: ByteOrder) -> bool:
    """Return True if a sound record starts at ``rba``."""
    return sound_length(buffer, rba, end, order) is not None


def sound_length(buffer: Source, rba: int, end: int, order: ByteOrder) -> int | None:
    """Return the length of the sound record at ``rba`` that ends at ``end`` or before; None if there is none."""
    try:
        return frame_at(buffer, rba, end, order)[0]
    except (BadRecord, PartialRecord):
        return None


def detect_order(buffer: Source, rba: int, end: int, first: ByteOrder = ByteOrder.BIG) -> ByteOrder | None:
    """Return the order in which a sound record starts at ``rba``, ``first`` tried first; None if in neither."""
    for order in (first, first.other):
        if is_sound(buffer, rba, end, order):
            return order
    return None


def start_before(buffer: Source, end: int, order: ByteOrder) -> int | None:
    """Return the RBA of the record whose trailer ends at ``end``, or None if no sound record ends there."""
    for size in (NARROW_HEAD, WIDE_HEAD):
        length = order.decode(buffer[end - size + LENGTH_AT : end]) if end >= size else 0
        if 0 < length <= end and sound_length(buffer, end - length, end, order) == length:
            return end - length
    return None


def header_at(buffer: Source, rba: int) -> int:
    """Return the offset of the payload of ``H`` in the sound ``G`` record at ``rba``."""
    token = rba + head_size(buffer[rba + INFO_AT])
    return token + head_size(buffer[token + INFO_AT])
