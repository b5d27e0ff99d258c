"""The frame of a record, for the kernels: sound as :mod:`trailformat.records.framing` defines it; and walks by frames.

``data`` is the address at which the byte at RBA 0 would be; the bytes from the first record to before ``limit`` are
available. The file ends at ``end``. No load is beyond ``limit``: ``_length`` reads the record's length first, and all
others read inside the record that it has measured.
"""

from __future__ import annotations

from typing import Any

from trailformat.native.constants import (
    CONTINUED_AT,
    FIRST_OF_FILE_HEADER,
    HDR_IND,
    HEADER_SIZE,
    INDEX_SIZE,
    INFO_AT,
    IO_TYPE_AT,
    METADATA,
    MOST_BYTES,
    MOST_TOKENS,
    NAME_IS_INDEX,
    NARROW_HEAD,
    NO_INDEX,
    PARTITION_AT,
    SMALLEST,
    SMALLEST_BODY,
    TOKEN_D,
    TOKEN_F,
    TOKEN_G,
    TOKEN_H,
    TOKEN_T,
    TOKEN_Z,
)
from trailformat.native.loads import AHEAD, fetch, i64, inlined, store8, store64, u8, u16
from trailformat.native.scan.tokens import head_size, length_at, next_token


def read_headers(data: int, starts: int, little: int, rows: int, indexes: int, continued: int) -> int:
    """Fill ``indexes``, int64[rows], and ``continued``, uint8[rows], of the ``G`` records at ``starts``."""
    for row in range(rows):
        fetch(data, i64(starts, 8 * min(row + AHEAD, rows - 1)))
        offset, size, order = i64(starts, 8 * row), 0, u8(little, row)
        for _ in range(2):
            size, head = length_at(data, offset, order)
            offset += head
        has_index = u8(data, offset + PARTITION_AT) & NAME_IS_INDEX and size >= HEADER_SIZE + INDEX_SIZE
        store64(indexes, 8 * row, u16(data, offset + HEADER_SIZE, order) if has_index else NO_INDEX)
        store8(continued, row, 1 if u8(data, offset + CONTINUED_AT) else 0)
    return rows


HEAD = 64
"""Number of bytes that hold the length of any record; a kernel requires them before it reads one."""


@inlined
def _length(data: int, rba: int, limit: int, end: int, little: int) -> Any:  # noqa: PLR0911 - a list of conditions
    """Return the length of the record at ``rba``, tokens unchecked; -1: it is not sound; -2 - n: n bytes are needed."""
    kind = u8(data, rba)
    if end - rba < SMALLEST or (kind != TOKEN_G) & (kind != TOKEN_F):
        return -1
    length, size = length_at(data, rba, little)
    is_header = kind == TOKEN_F
    if length < 2 * size + SMALLEST_BODY + (0 if is_header else HEADER_SIZE) or length > end - rba:
        return -1
    token = rba + size
    if is_header:
        if u8(data, token) != FIRST_OF_FILE_HEADER:
            return -1
    else:
        header, head = length_at(data, token, little)
        if u8(data, token) != TOKEN_H or u8(data, token + head) != HDR_IND:
            return -1
        if (header < HEADER_SIZE) | (header > MOST_BYTES):
            return -1
    if length > limit - rba:
        return -2 - length
    trailer = rba + length - size
    if u8(data, trailer) != TOKEN_Z or head_size(u8(data, trailer + INFO_AT)) != size:
        return -1
    return length if length_at(data, trailer, little)[0] == length else -1


@inlined
def _frame(data: int, rba: int, limit: int, end: int, little: int) -> Any:
    """Return length (below 0: as _length), header's place and size, offset from ``rba`` and size of payload D and T."""
    length = _length(data, rba, limit, end, little)
    header = header_size = data_at = data_size = token_at = token_size = 0
    if length < 0:
        return length, header, header_size, data_at, data_size, token_at, token_size
    size = head_size(u8(data, rba + INFO_AT))
    offset, last = rba + size, rba + length - size
    is_record = u8(data, rba) == TOKEN_G
    for number in range(MOST_TOKENS):
        if offset + NARROW_HEAD > last:
            break
        kind, payload, size = next_token(data, offset, last, little)
        if (kind == -1) | ((kind == TOKEN_T) & (size > MOST_BYTES)):
            break
        if number == 0:
            header, header_size = payload, size
        elif is_record and kind == TOKEN_D and data_at == 0:
            data_at, data_size = payload - rba, size
        elif is_record and kind == TOKEN_T and token_at == 0:
            token_at, token_size = payload - rba, size
        offset = payload + size
    if offset != last:
        length = -1
    return length, header, header_size, data_at, data_size, token_at, token_size


@inlined
def frame_in_either(data: int, rba: int, limit: int, end: int, first: int) -> Any:
    """Return the order in which a sound record starts, ``first`` tried first, and its frame."""
    frame = _frame(data, rba, limit, end, first)
    if frame[0] == -1:
        return 1 - first, _frame(data, rba, limit, end, 1 - first)
    return first, frame


def find_metadata(data: int, stop: int, limit: int, end: int, state: int, rbas: int, most: int) -> int:
    """Write the RBAs of metadata records to ``rbas``, int64[most]; return their number.

    ``state``, int64[2], holds the RBA of the first record and the byte order that is tried first; it gets those at the
    end of the walk: at or after ``stop``, where no sound record begins, where one reaches beyond ``limit``, or where
    ``rbas`` is full. ``data``, ``limit`` and ``end``: see above.
    """
    rba, little, count = i64(state, 0), i64(state, 8), 0
    while rba < stop and count < most and (limit - rba >= HEAD or limit >= end):
        order, frame = frame_in_either(data, rba, limit, end, little)
        if frame[0] < 0:
            break
        little = order
        if u8(data, rba) == TOKEN_G and u8(data, frame[1] + IO_TYPE_AT) == METADATA:
            store64(rbas, 8 * count, rba)
            count += 1
        rba += frame[0]
    store64(state, 0, rba)
    store64(state, 8, little)
    return count


def next_frame(data: int, start: int, stop: int, limit: int, end: int) -> int:
    """Return the first place from ``start`` to before ``stop`` where a sound record starts in either order; -1: none.

    ``data`` is the address at which the byte at RBA 0 would be; the bytes from ``start`` to before ``limit`` are
    available. A place whose record needs more than these is undecided: -2 - place. The file ends at ``end``.
    """
    for rba in range(start, stop):
        kind = u8(data, rba)
        if (kind != TOKEN_G) & (kind != TOKEN_F):
            continue
        _, frame = frame_in_either(data, rba, limit, end, 0)
        if frame[0] >= 0:
            return rba
        if frame[0] != -1:
            return -2 - rba
    return -1
