"""The framing of records, laid out by ``spec.record``: the walk over them, forwards, backwards, and after damage.

A record is sound when its length lies inside the file, its trailer repeats that length, and the tokens between them
fill it exactly, the first being ``H`` with 34 bytes or more and ``E`` as its first (for ``F``: the group TrailInfo).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from mmap import mmap

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBytes, Source, around, copied
from trailformat.codec.tokens import TOKENS, WIDE, TokenPlace, is_wide, length_at, walk_tokens
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records import far
from trailformat.records.record_header import HDR_IND, HEADER_SIZE

Buffer = bytes | mmap
Frame = tuple[int, list[TokenPlace]]
"""The length of a record, and the places of its tokens, counted from its first byte."""

RECORD = ord("G")
FILE_HEADER = ord("F")
_TRAILER = ord("Z")
_H, _TOKENS = b"HT"
_TRAIL_INFO = 0x30
SMALLEST = 8
_NARROW = 4
"""Bytes of a token before its payload, where its length has two bytes."""
_SMALLEST_BODY = {RECORD: _NARROW + HEADER_SIZE, FILE_HEADER: _NARROW}
MOST_TOKENS = 64
"""More tokens than any record holds (three, a file header a handful); it keeps walks over garbage short."""
MOST_BYTES = 0xFFFF
"""More bytes than any record header or ``T`` has, which take some hundred; what has more is none."""
_BEGINNINGS = {order: struct.Struct(order.value + "BBHBBHB").unpack_from for order in ByteOrder}
_BEGINNING_SIZE = 9
"""Readers of the token of a record, that of its header, and the first byte of this, all of this size."""
_STARTS = {
    b"G": re.compile(rb"G(?:.{3}|.{5})H(?:.{3}|.{5})E", re.DOTALL),
    b"F": re.compile(rb"F(?:.{3}|.{5})0", re.DOTALL),
}
"""How a record begins, by its first byte: most of what is no record, as zeros, lacks that already."""
_REACH = 13
"""The longest match of them, so that windows can overlap by as much."""
_NEARBY = 1 << 16
_MANY = 1000
"""Places that look like a record and are none, from which on a search by kernels is thought of."""
_NOWHERE = (0, 0)
_FIRST_WINDOW, _WINDOW = 1 << 12, 1 << 20
"""Bytes that are copied to be searched: few at first, because the next record is near more often than not."""


def frame_at(buffer: Source, rba: int, end: int, order: ByteOrder) -> Frame:
    """The frame of the sound record that starts at ``rba``; ``end`` is the length of the buffer.

    Raises:
        PartialRecord: it starts like a record, but its length or its first bytes run past ``end``.
        BadRecord: it is no record.
    """
    piece, base = buffer.around(rba) if isinstance(buffer, FileBytes) else (buffer, 0)
    at, room = rba - base, min(len(piece), end - base)
    # the fast path: a row whose lengths all have two bytes, and which is at hand
    if at + _BEGINNING_SIZE <= room:
        kind, info, length, token, token_info, size, first = _BEGINNINGS[order](piece, at)
        stop = at + length - _NARROW
        if kind == RECORD and token == _H and first == HDR_IND and size >= HEADER_SIZE and stop + _NARROW <= room:
            id_, trailer_info, again = TOKENS[order](piece, stop)
            if id_ == _TRAILER and again == length and not (info | token_info | trailer_info) & WIDE:
                places, reached = walk_tokens(piece, at + 2 * _NARROW + size, stop, order, at, MOST_TOKENS - 1)
                if reached == stop:
                    places.insert(0, (_H, token_info, 2 * _NARROW, size))
                    return length, places
    return _any_frame(buffer, rba, end, order)


def _any_frame(buffer: Source, rba: int, end: int, order: ByteOrder) -> Frame:
    """The frame of a record of any form. Raises like frame_at."""
    piece, base = around(buffer, rba)
    at = rba - base
    length, size = _claimed(piece, at, end - base, order)
    _check_first_token(piece, at, size, end - base, order)
    stop = rba + length - size
    if stop + size > end:
        raise PartialRecord("the file ends inside the record", expected=f"{length} bytes", found=f"{end - rba} bytes")
    trailer = buffer[stop : stop + size]
    if trailer[0] != _TRAILER:
        raise BadRecord("record has no trailer", expected=f"x5a 'Z' at RBA {stop}", found=f"x{trailer[0]:02x}")
    again = order.decode(trailer[2:])
    if is_wide(trailer[1]) != (size > _NARROW) or again != length:
        raise BadRecord("trailer does not repeat the length", expected=str(length), found=str(again))
    places, reached = walk_tokens(buffer, rba + size, stop, order, rba, MOST_TOKENS)
    for token, _, _, token_size in places:
        if token == _TOKENS and token_size > MOST_BYTES:
            found = f"{token_size} bytes"
            raise BadRecord("GGS tokens too long", expected=f"at most {MOST_BYTES} bytes", found=found)
    if reached != stop:
        raise BadRecord("tokens do not fill the record", expected=f"end at RBA {stop}", found=f"RBA {reached}")
    return length, places


def _claimed(piece: Buffer, at: int, end: int, order: ByteOrder) -> tuple[int, int]:
    """The length of the record at ``at`` as its token has it, and the bytes of that token."""
    kind = piece[at]
    if kind not in _SMALLEST_BODY:
        raise BadRecord("no record starts here", expected="header token x47 'G'", found=f"x{kind:02x}")
    if end - at < SMALLEST:
        raise PartialRecord("the file ends inside the record", found=f"{end - at} bytes")
    length, size = length_at(piece, at, order)
    smallest = 2 * size + _SMALLEST_BODY[kind]
    if length < smallest:
        raise BadRecord("record length too small", expected=f"at least {smallest}", found=str(length))
    return length, size


def _check_first_token(piece: Buffer, rba: int, frame: int, end: int, order: ByteOrder) -> None:
    """Look at as much of the first token as lies before ``end``, which is its first byte at least."""
    at = rba + frame
    token = piece[at]
    if piece[rba] == FILE_HEADER:
        if token != _TRAIL_INFO:
            raise BadRecord("file header has no TrailInfo", expected="token x30 '0'", found=f"x{token:02x}")
        return
    if token != _H:
        raise BadRecord("record has no header", expected="token x48 'H'", found=f"x{token:02x}")
    if at + 6 > end:
        return
    length, size = length_at(piece, at, order)
    if length < HEADER_SIZE:
        raise BadRecord("record header too short", expected=f"at least {HEADER_SIZE} bytes", found=f"{length} bytes")
    if length > MOST_BYTES:
        raise BadRecord("record header too long", expected=f"at most {MOST_BYTES} bytes", found=f"{length} bytes")
    first = at + size
    if first < end and piece[first] != HDR_IND:
        raise BadRecord("record header is not sound", expected="Hdr-Ind x45 'E'", found=f"x{piece[first]:02x}")


def is_sound(buffer: Source, rba: int, end: int, order: ByteOrder) -> bool:
    """Whether a sound record starts at ``rba``."""
    return sound_length(buffer, rba, end, order) is not None


def sound_length(buffer: Source, rba: int, end: int, order: ByteOrder) -> int | None:
    """The length of the sound record at ``rba`` that ends before ``end``; None where there is none."""
    try:
        return frame_at(buffer, rba, end, order)[0]
    except (BadRecord, PartialRecord):
        return None


def sound_frame(
    buffer: Source, rba: int, end: int, order: ByteOrder, *, order_known: bool, own: ByteOrder | None = None
) -> tuple[Frame, ByteOrder]:
    """The frame of the sound record at ``rba`` and its byte order, ``order`` tried first; errors are in ``own``.

    Raises:
        PartialRecord: the last record of the file begins there and is not complete.
        BadRecord: no sound record starts there; a length past the end is bad too where sound records follow.
    """
    try:
        return frame_at(buffer, rba, end, order), order
    except (BadRecord, PartialRecord) as error:
        errors = {order: error}
    try:
        return frame_at(buffer, rba, end, order.other), order.other
    except (BadRecord, PartialRecord) as error:
        errors[order.other] = error
    is_told = order_known and buffer[rba] != FILE_HEADER
    told = own or order
    truth = errors[told] if is_told else _error_of_unknown_order(buffer, rba, end, errors, told)
    if isinstance(truth, PartialRecord) and next_sound(buffer, rba, end, order) is not None:
        raise BadRecord("the record's length runs past the end", expected=truth.found, found=truth.expected)
    raise truth


def _error_of_unknown_order(
    buffer: Source, rba: int, end: int, errors: dict[ByteOrder, BadRecord | PartialRecord], first: ByteOrder
) -> BadRecord | PartialRecord:
    """The error where no sound record has shown the byte order; that of ``first`` if none is incomplete."""
    partial = {order: error for order, error in errors.items() if isinstance(error, PartialRecord)}
    if len(partial) == 1:
        return next(iter(partial.values()))
    if not partial:
        return errors[first]
    if buffer[rba] == FILE_HEADER:
        return partial[ByteOrder.BIG]
    token = rba + (6 if (end - rba > 1 and is_wide(buffer[rba + 1])) else 4)
    if token + 6 > end:
        return PartialRecord("the file ends inside the record", found=f"{end - rba} bytes")
    # A record header has a few hundred bytes; its length read in the wrong order is at least x2200.
    head = buffer[token : token + 6]
    return partial[min(ByteOrder, key=lambda order: length_at(head, 0, order)[0])]


def detect_order(buffer: Source, rba: int, end: int, first: ByteOrder = ByteOrder.BIG) -> ByteOrder | None:
    """The order in which a sound record starts at ``rba``, ``first`` tried first; None when it is neither."""
    for order in (first, first.other):
        if is_sound(buffer, rba, end, order):
            return order
    return None


def first_order(buffer: Source, rba: int, end: int) -> ByteOrder | None:
    """The order of the first sound ``G`` record from ``rba`` on; None where there is none within some kilobytes."""
    stop = min(end, rba + _NEARBY)
    at: int | None = rba
    while at is not None and at < stop:
        order = detect_order(buffer, at, end)
        if order is not None and buffer[at] == RECORD:
            return order
        at = next_sound(buffer, at + 1, end, ByteOrder.BIG, stop - at - 1)
    return None


def start_before(buffer: Source, end: int, order: ByteOrder) -> int | None:
    """The RBA of the record whose trailer ends at ``end``, or None when no sound record ends there."""
    for size in (4, 6):
        length = order.decode(buffer[end - size + 2 : end]) if end >= size else 0
        if 0 < length <= end and sound_length(buffer, end - length, end, order) == length:
            return end - length
    return None


def next_sound(buffer: Source, rba: int, end: int, order: ByteOrder, most: int | None = None) -> int | None:
    """The first RBA at or after ``rba`` where a sound record starts, in either byte order; None up to ``end``.

    ``most`` is the number of bytes that are looked at.
    """
    stop = end if most is None else min(end, rba + most)
    known = buffer.barren if isinstance(buffer, FileBytes) else _NOWHERE
    start = known[1] if known[0] <= rba < known[1] else rba
    found = _first_sound(buffer, start, stop, end, order)
    if isinstance(buffer, FileBytes):
        buffer.note_barren(start, found if found is not None else stop if stop == end else stop - _REACH)
    return found


def _first_sound(buffer: Source, start: int, stop: int, end: int, order: ByteOrder) -> int | None:
    for number, at in enumerate(candidates(buffer, start, stop)):
        if number == _MANY and (search := far.search_for(stop - at)) is not None:
            return search(buffer, at, stop, end)
        if _is_start(buffer, at, end, order):
            return at
    return None


def _is_start(buffer: Source, at: int, end: int, order: ByteOrder) -> bool:
    """Whether a sound record starts here in either byte order; decided on a copy, where that has all of it."""
    if end - at < SMALLEST:
        return False
    piece, base = around(buffer, at)
    for each in (order, order.other):
        length, size = length_at(piece, at - base, each)
        is_inside = at - base + length <= len(piece)
        source, place, stop = (piece, at - base, len(piece)) if is_inside else (buffer, at, end)
        is_likely = 2 * size <= length <= end - at and source[place + length - size] == _TRAILER
        if is_likely and is_sound(source, place, stop, each):
            return True
    return False


def previous_sound(buffer: Source, rba: int, end: int, order: ByteOrder, most: int | None = None) -> int | None:
    """The last RBA before ``rba`` where a sound record starts; None when there is none in ``most`` bytes."""
    known = buffer.barren if isinstance(buffer, FileBytes) else _NOWHERE
    last, first = known[0] if known[0] < rba <= known[1] else rba, 0 if most is None else max(0, rba - most)
    stop, size, found = last, _FIRST_WINDOW, None
    while stop > first and found is None:
        start = max(first, stop - size)
        found = _last_sound(buffer, start, stop, end, order)
        stop, size = start, min(2 * size, _WINDOW)
    if isinstance(buffer, FileBytes):
        buffer.note_barren(stop if found is None else found + 1, last)
    return found


def _last_sound(buffer: Source, start: int, stop: int, end: int, order: ByteOrder) -> int | None:
    places = [at for at in candidates(buffer, start, min(end, stop + _REACH)) if at < stop]
    search = far.search_for(stop - start) if len(places) > _MANY else None
    if search is None:
        return next((at for at in reversed(places) if _is_start(buffer, at, end, order)), None)
    found = None
    while stop > start and found is None:
        at = search(buffer, max(start, stop - _FIRST_WINDOW), stop, end)
        while at is not None:
            found = at
            at = search(buffer, at + 1, stop, end)
        stop -= _FIRST_WINDOW
    return found


def candidates(buffer: Source, start: int, end: int) -> Iterator[int]:
    """The places from ``start`` to before ``end`` that look like the beginning of a record."""
    from heapq import merge  # noqa: PLC0415 - damage is rare

    size = _FIRST_WINDOW
    while start < end:
        if size == _WINDOW:
            far.report(start)
        window = copied(buffer, start, min(end, start + size + _REACH))
        for place in merge(*(_places(pattern, window) for first, pattern in _STARTS.items() if first in window)):
            if place >= size:
                break
            yield start + place
        start += size
        size = min(2 * size, _WINDOW)


def _places(pattern: re.Pattern[bytes], window: bytes) -> Iterator[int]:
    position = 0
    while match := pattern.search(window, position):
        yield match.start()
        position = match.start() + 1


def header_at(buffer: Source, rba: int) -> int:
    """The offset of the payload of ``H`` in the sound ``G`` record at ``rba``."""
    token = rba + (6 if is_wide(buffer[rba + 1]) else 4)
    return token + (6 if is_wide(buffer[token + 1]) else 4)
