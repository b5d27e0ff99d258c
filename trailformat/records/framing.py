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
from trailformat.codec.mapped_file import FileBytes, Source, copied
from trailformat.codec.tokens import UNSET, WIDE, TokenPlace, is_wide
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records import far
from trailformat.records.record_header import HDR_IND, HEADER_SIZE

Buffer = bytes | mmap
Usual = tuple[bytes, list[TokenPlace]]
"""The bytes of a record, and the places of its tokens in them."""

RECORD = ord("G")
FILE_HEADER = ord("F")
_TRAILER = ord("Z")
_H, _DATA, _TOKENS = b"HDT"
_TRAIL_INFO = 0x30
SMALLEST = 8
MOST_TOKENS = 64
"""More tokens than any record holds (three, a file header a handful); it keeps walks over garbage short."""
MOST_BYTES = 0xFFFF
"""More bytes than any record header or ``T`` has, which take some hundred; what has more is none."""
_SHORT = {order: struct.Struct(order.value + "H") for order in ByteOrder}
_LONG = {order: struct.Struct(order.value + "I") for order in ByteOrder}
_TOKEN = {order: struct.Struct(order.value + "BBH") for order in ByteOrder}
_BEGINNING = {order: struct.Struct(order.value + "BBHBBHB") for order in ByteOrder}
"""The token of a record, that of its header, and the first byte of this."""
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


def frame_length(buffer: Source, rba: int, end: int, order: ByteOrder) -> int:
    """The length of the sound record that starts at ``rba``; ``end`` is the length of the buffer.

    Raises:
        PartialRecord: it starts like a record, but its length or its first bytes run past ``end``.
        BadRecord: it is no record.
    """
    kind = buffer[rba]
    if kind not in (RECORD, FILE_HEADER):
        raise BadRecord("no record starts here", expected="header token x47 'G'", found=f"x{kind:02x}")
    if end - rba < SMALLEST:
        raise PartialRecord("the file ends inside the record", found=f"{end - rba} bytes")
    wide = is_wide(buffer[rba + 1])
    size = 6 if wide else 4
    length = _read(buffer, rba + 2, order, wide=wide)
    smallest = 2 * size + 4 + (HEADER_SIZE if kind == RECORD else 0)
    if length < smallest:
        raise BadRecord("record length too small", expected=f"at least {smallest}", found=str(length))
    _check_first_token(buffer, rba + size, end, order, kind)
    if rba + length > end:
        raise PartialRecord("the file ends inside the record", expected=f"{length} bytes", found=f"{end - rba} bytes")
    _check_trailer(buffer, rba, length, order, wide=wide)
    _check_tokens(buffer, rba + size, rba + length - size, order)
    return length


def usual_record(buffer: bytes, at: int, order: ByteOrder) -> Usual | None:
    """The bytes of a sound ``G`` record that lies in the buffer from ``at`` on, and the places of its tokens in them.

    None where there is none, and where a length is wide: :func:`frame_length` says what is there, and takes longer.
    """
    beginning, token = _BEGINNING[order], _TOKEN[order].unpack_from
    if at + beginning.size > len(buffer):
        return None
    kind, info, length, header, header_info, size, first = beginning.unpack_from(buffer, at)
    raw = buffer[at : at + length]
    if kind != RECORD or header != _H or first != HDR_IND or size < HEADER_SIZE or not SMALLEST <= length == len(raw):
        return None
    if (info | header_info | raw[-3]) & WIDE or raw[-4] != _TRAILER or raw[-2:] != raw[2:4]:
        return None
    places, place, end = [(_H, 8, size)], 8 + size, length - 4
    for _ in range(MOST_TOKENS - 1):
        if place + 4 > end:
            break
        name, info, size = token(raw, place)
        if info & WIDE:
            return None
        places.append((name, place + 4, size))
        place += 4 + size
    return (raw, places) if place == end else None


def _read(buffer: Source, offset: int, order: ByteOrder, *, wide: bool) -> int:
    return int.from_bytes(buffer[offset : offset + (4 if wide else 2)], order.word)


def claimed_length(buffer: Source, rba: int, order: ByteOrder) -> int:
    """The length that stands in the token of the record at ``rba``; its first 8 bytes are in the buffer."""
    return _read(buffer, rba + 2, order, wide=is_wide(buffer[rba + 1]))


def _check_first_token(buffer: Source, offset: int, end: int, order: ByteOrder, kind: int) -> None:
    """Look at as much of the first token as lies before ``end``, which is its first byte at least."""
    token = buffer[offset]
    if kind == FILE_HEADER:
        if token != _TRAIL_INFO:
            raise BadRecord("file header has no TrailInfo", expected="token x30 '0'", found=f"x{token:02x}")
        return
    if token != _H:
        raise BadRecord("record has no header", expected="token x48 'H'", found=f"x{token:02x}")
    if offset + 6 > end:
        return
    wide = is_wide(buffer[offset + 1])
    length = _read(buffer, offset + 2, order, wide=wide)
    if length < HEADER_SIZE:
        raise BadRecord("record header too short", expected=f"at least {HEADER_SIZE} bytes", found=f"{length} bytes")
    if length > MOST_BYTES:
        raise BadRecord("record header too long", expected=f"at most {MOST_BYTES} bytes", found=f"{length} bytes")
    first = offset + (6 if wide else 4)
    if first < end and buffer[first] != HDR_IND:
        raise BadRecord("record header is not sound", expected="Hdr-Ind x45 'E'", found=f"x{buffer[first]:02x}")


def _check_trailer(buffer: Source, rba: int, length: int, order: ByteOrder, *, wide: bool) -> None:
    at = rba + length - (6 if wide else 4)
    if buffer[at] != _TRAILER:
        raise BadRecord("record has no trailer", expected=f"x5a 'Z' at RBA {at}", found=f"x{buffer[at]:02x}")
    again = _read(buffer, at + 2, order, wide=wide)
    if is_wide(buffer[at + 1]) != wide or again != length:
        raise BadRecord("trailer does not repeat the length", expected=str(length), found=str(again))


def _check_tokens(buffer: Source, offset: int, end: int, order: ByteOrder) -> None:
    short, long = _SHORT[order].unpack_from, _LONG[order].unpack_from
    piece, base = _around(buffer, offset)
    for _ in range(MOST_TOKENS):
        if offset + 4 > end:
            break
        if offset + 6 > base + len(piece):
            piece, base = _around(buffer, offset)
        at = offset - base
        info = piece[at + 1]
        if not info & WIDE or info == UNSET:
            offset += 4 + short(piece, at + 2)[0]
        elif offset + 6 <= end:
            size = long(piece, at + 2)[0]
            if size > MOST_BYTES and piece[at] == _TOKENS:
                raise BadRecord("GGS tokens too long", expected=f"at most {MOST_BYTES} bytes", found=f"{size} bytes")
            offset += 6 + size
        else:
            break
    if offset != end:
        raise BadRecord("tokens do not fill the record", expected=f"end at RBA {end}", found=f"RBA {offset}")


def _around(buffer: Source, place: int) -> tuple[Buffer, int]:
    """Bytes that hold a place and what is near behind it, and the place where they begin."""
    return buffer.around(place) if isinstance(buffer, FileBytes) else (buffer, 0)


def is_sound(buffer: Source, rba: int, end: int, order: ByteOrder) -> bool:
    """Whether a sound record starts at ``rba``."""
    return sound_length(buffer, rba, end, order) is not None


def sound_length(buffer: Source, rba: int, end: int, order: ByteOrder) -> int | None:
    """The length of the sound record at ``rba`` that ends before ``end``; None where there is none."""
    try:
        return frame_length(buffer, rba, end, order)
    except (BadRecord, PartialRecord):
        return None


def sound_frame(
    buffer: Source, rba: int, end: int, order: ByteOrder, *, order_known: bool, own: ByteOrder | None = None
) -> tuple[int, ByteOrder]:
    """The length of the sound record at ``rba`` and its byte order, ``order`` tried first; errors are in ``own``.

    Raises:
        PartialRecord: the last record of the file begins there and is not complete.
        BadRecord: no sound record starts there; a length past the end is bad too where sound records follow.
    """
    errors: dict[ByteOrder, BadRecord | PartialRecord] = {}
    for each in (order, order.other):
        try:
            return frame_length(buffer, rba, end, each), each
        except (BadRecord, PartialRecord) as error:
            errors[each] = error
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
    wide = is_wide(buffer[token + 1])
    return partial[min(ByteOrder, key=lambda order: _read(buffer, token + 2, order, wide=wide))]


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
    for size, wide in ((4, False), (6, True)):
        if end < size:
            continue
        length = _read(buffer, end - size + 2, order, wide=wide)
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
    piece, base = _around(buffer, at)
    wide = is_wide(piece[at - base + 1])
    for each in (order, order.other):
        number = _read(piece, at - base + 2, each, wide=wide)
        is_inside = at - base + number <= len(piece)
        source, place, stop = (piece, at - base, len(piece)) if is_inside else (buffer, at, end)
        is_likely = number <= end - at and _has_trailer(source, place, number, wide=wide)
        if is_likely and is_sound(source, place, stop, each):
            return True
    return False


def _has_trailer(buffer: Source, rba: int, length: int, *, wide: bool) -> bool:
    """Whether the bytes before the end of what may be a record are a trailer that repeats its length."""
    size = 6 if wide else 4
    at = rba + length - size
    if length < 2 * size or buffer[at] != _TRAILER or is_wide(buffer[at + 1]) != wide:
        return False
    return buffer[at + 2 : at + size] == buffer[rba + 2 : rba + size]


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


def header_payload(buffer: Source, rba: int, order: ByteOrder) -> bytes:
    """The payload of ``H`` in the sound ``G`` record at ``rba``."""
    token = rba + (6 if is_wide(buffer[rba + 1]) else 4)
    wide = is_wide(buffer[token + 1])
    start = token + (6 if wide else 4)
    return buffer[start : start + _read(buffer, token + 2, order, wide=wide)]


def payload_places(buffer: Source, rba: int, length: int, order: ByteOrder) -> tuple[int, int, int, int]:
    """Offset from ``rba`` and size of the payload of the first ``D`` of a sound record, and of its first ``T``.

    0, 0 where there is none.
    """
    frame = 6 if is_wide(buffer[rba + 1]) else 4
    short, long = _TOKEN[order].unpack, _LONG[order].unpack
    at, end = rba + frame, rba + length - frame
    data = tokens = (0, 0)
    while at < end:
        token, info, size = short(buffer[at : at + 4])
        if not info & WIDE or info == UNSET:
            at += 4
        else:
            size = long(buffer[at + 2 : at + 6])[0]
            at += 6
        if token == _DATA and not data[0]:
            data = (at - rba, size)
        elif token == _TOKENS and not tokens[0]:
            tokens = (at - rba, size)
        at += size
    return (*data, *tokens)
