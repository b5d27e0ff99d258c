"""The frame of a record, for the kernels: sound as :mod:`trailformat.records.framing` defines it.

``data`` is the address where the byte at RBA 0 would stand; the bytes from the first record to before ``limit`` are
there. The file ends at ``end``. Every load lies before ``limit``: ``_length`` looks at the record's length first, and
all others read inside of the record that it has measured.
"""

from __future__ import annotations

from typing import Any

from trailformat.native.constants import (
    FIRST_OF_FILE_HEADER,
    HDR_IND,
    HEADER_SIZE,
    INFO_AT,
    MOST_BYTES,
    MOST_TOKENS,
    NARROW_HEAD,
    SMALLEST,
    SMALLEST_BODY,
    TOKEN_D,
    TOKEN_F,
    TOKEN_G,
    TOKEN_H,
    TOKEN_T,
    TOKEN_Z,
)
from trailformat.native.loads import inlined, u8
from trailformat.native.scan.tokens import head_size, length_at, next_token

HEAD = 64
"""Bytes that hold the length of any record; a kernel has them before it reads one."""


@inlined
def _length(data: int, rba: int, limit: int, end: int, little: int) -> Any:  # noqa: PLR0911 - a list of conditions
    """The length of the record at ``rba`` if all but its tokens is sound; -1: it is not, -2 - n: n bytes are needed."""
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
    """Length (below 0: as _length), header's place and size, offset from ``rba`` and size of payload of D and of T."""
    length = _length(data, rba, limit, end, little)
    header = header_size = data_at = data_size = token_at = token_size = 0
    if length < 0:
        return length, header, header_size, data_at, data_size, token_at, token_size
    size = head_size(u8(data, rba + INFO_AT))
    at, last = rba + size, rba + length - size
    is_record = u8(data, rba) == TOKEN_G
    for number in range(MOST_TOKENS):
        if at + NARROW_HEAD > last:
            break
        kind, payload, size = next_token(data, at, last, little)
        if (kind == -1) | ((kind == TOKEN_T) & (size > MOST_BYTES)):
            break
        if number == 0:
            header, header_size = payload, size
        elif is_record and kind == TOKEN_D and data_at == 0:
            data_at, data_size = payload - rba, size
        elif is_record and kind == TOKEN_T and token_at == 0:
            token_at, token_size = payload - rba, size
        at = payload + size
    if at != last:
        length = -1
    return length, header, header_size, data_at, data_size, token_at, token_size


@inlined
def frame_in_either(data: int, rba: int, limit: int, end: int, first: int) -> Any:
    """The order in which a sound record starts, ``first`` tried first, and its frame."""
    found = _frame(data, rba, limit, end, first)
    if found[0] == -1:
        return 1 - first, _frame(data, rba, limit, end, 1 - first)
    return first, found
