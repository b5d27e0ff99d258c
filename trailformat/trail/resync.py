"""The search for sound records after damage, forwards and backwards, and the errors of unsound ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBytes, Source, copied
from trailformat.codec.on_demand import on_demand
from trailformat.codec.tokens import is_wide, length_at
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records.framing import FILE_HEADER, RECORD, Frame, detect_order, frame_at
from trailformat.trail import command_files

with on_demand:
    import heapq

    from trailformat.native import loaded

_STARTS = {
    b"G": re.compile(rb"G(?:.{3}|.{5})H(?:.{3}|.{5})E", re.DOTALL),
    b"F": re.compile(rb"F(?:.{3}|.{5})0", re.DOTALL),
}
"""Patterns of the beginning of a record, by first byte."""
_REACH = 13
"""Length of their longest match, by which windows overlap."""
_NEARBY = 1 << 16
_NOWHERE = (0, 0)
_FIRST_WINDOW, _WINDOW = 1 << 12, 1 << 20
"""Bytes that are copied for a search: few at first, because the next record is usually near."""
_OVERLAP = 1 << 17
"""Bytes copied after a window: a record that begins in it and has a two-byte length ends there at the latest."""


def sound_frame(
    buffer: Source, rba: int, end: int, order: ByteOrder, *, order_known: bool, own: ByteOrder | None = None
) -> tuple[Frame, ByteOrder]:
    """Return the frame of the sound record at ``rba`` and its byte order; ``order`` is tried first.

    If neither order gives a sound record, the error is that of ``own``, the order of the file; None: that of ``order``.

    Raises:
        PartialRecord: the last record of the file begins there and is incomplete.
        BadRecord: no sound record starts there; a record that extends past the end of the file is bad too if a sound
            record follows.
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
    file_order = own or order
    truth = errors[file_order] if is_told else _error_of_unknown_order(buffer, rba, end, errors, file_order)
    if isinstance(truth, PartialRecord) and next_sound(buffer, rba, end) is not None:
        raise BadRecord("the record extends past the end of the file", expected=truth.found, found=truth.expected)
    raise truth


def _error_of_unknown_order(
    buffer: Source, rba: int, end: int, errors: dict[ByteOrder, BadRecord | PartialRecord], first: ByteOrder
) -> BadRecord | PartialRecord:
    """Return the error if no sound record has shown the byte order; that of ``first`` if neither is PartialRecord."""
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


def first_order(buffer: Source, rba: int, end: int) -> ByteOrder | None:
    """Return the byte order of the first sound ``G`` record from ``rba`` on; None without one in 64 KiB."""
    stop = min(end, rba + _NEARBY)
    place: int | None = rba
    while place is not None and place < stop:
        order = detect_order(buffer, place, end)
        if order is not None and buffer[place] == RECORD:
            return order
        place = next_sound(buffer, place + 1, end, stop - place - 1)
    return None


def next_sound(buffer: Source, rba: int, end: int, most: int | None = None) -> int | None:
    """Return the first RBA at or after ``rba`` where a sound record starts, in either byte order; None without one.

    ``most`` is the number of bytes that are searched; None: up to ``end``.

    Raises:
        CannotRead: the file of the buffer was truncated or can no longer be read.
    """
    stop = end if most is None else min(end, rba + most)
    known = buffer.barren if isinstance(buffer, FileBytes) else _NOWHERE
    start = position = known[1] if known[0] <= rba < known[1] else rba
    size, sound_rba = _FIRST_WINDOW, None
    while position < stop and sound_rba is None:
        if size == _WINDOW:
            command_files.report_search(position)
        here = min(position + size, stop)
        sound_rba = next(_sound_places(buffer, position, here, end), None)
        position, size = here, min(2 * size, _WINDOW)
    if isinstance(buffer, FileBytes):
        buffer.note_barren(start, sound_rba if sound_rba is not None else stop)
    return sound_rba


def previous_sound(buffer: Source, rba: int, end: int, most: int | None = None) -> int | None:
    """Return the last RBA before ``rba`` where a sound record starts; None without one in ``most`` bytes.

    Raises as next_sound.
    """
    known = buffer.barren if isinstance(buffer, FileBytes) else _NOWHERE
    last, first = known[0] if known[0] < rba <= known[1] else rba, 0 if most is None else max(0, rba - most)
    stop, size, sound_rba = last, _FIRST_WINDOW, None
    while stop > first and sound_rba is None:
        if size == _WINDOW:
            command_files.report_search(stop)
        start = max(first, stop - size)
        for place in _sound_places(buffer, start, stop, end):
            sound_rba = place
        stop, size = start, min(2 * size, _WINDOW)
    if isinstance(buffer, FileBytes):
        buffer.note_barren(stop if sound_rba is None else sound_rba + 1, last)
    return sound_rba


def _sound_places(buffer: Source, start: int, stop: int, end: int) -> Iterator[int]:
    """Yield the RBAs from ``start`` to before ``stop``, the bounds of a window, where a sound record starts."""
    next_frame = loaded.kernels()["next_frame"]
    window = copied(buffer, start, min(stop + _OVERLAP, end))
    base, limit = loaded.address_of_bytes(window) - start, start + len(window)
    while start < stop and (rba := next_frame(base, start, stop, limit, end)) != -1:
        # a record that extends past the window is checked in the buffer
        if rba >= 0 or detect_order(buffer, rba := -2 - rba, end) is not None:
            yield rba
        start = rba + 1


def candidates(buffer: Source, start: int, end: int) -> Iterator[int]:
    """Yield the RBAs from ``start`` to before ``end`` whose bytes look like the beginning of a record, ascending."""
    size = _FIRST_WINDOW
    while start < end:
        if size == _WINDOW:
            command_files.report_search(start)
        window = copied(buffer, start, min(end, start + size + _REACH))
        for place in heapq.merge(*(_places(pattern, window) for first, pattern in _STARTS.items() if first in window)):
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
