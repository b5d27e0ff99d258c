"""The scan as machine code: numba's kernels over the mapped bytes.

``data`` is the address of the first mapped byte, because numba counts the references of an array at every call; the
caller holds the mapping. Offsets are int64. Every load lies before ``end``: ``_length`` looks at the record's
length first, and all others read inside of the record that it has measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from trailformat.framing import _MOST_TOKENS, FILE_HEADER, RECORD
from trailformat.io_types import METADATA, NOT_TRANSACTIONAL
from trailformat.metadata_kinds import REFERENCE, TABLE
from trailformat.record_header import HDR_IND, HEADER_SIZE
from trailformat.scan.batch import FILE_HEADER as KIND_FILE_HEADER
from trailformat.scan.batch import RECORD as KIND_RECORD
from trailformat.scan.kernel_arguments import (
    C_AUDIT_POS,
    C_AUDIT_RBA,
    C_BEFORE_AFTER,
    C_DATA_OFFSET,
    C_DATA_SIZE,
    C_IO_TIME,
    C_IO_TYPE,
    C_KIND,
    C_LENGTH,
    C_ORDER,
    C_ORIG_NODE,
    C_PARTITION,
    C_RBA,
    C_RECORD_LENGTH,
    C_TABLE,
    C_TOKEN_OFFSET,
    C_TOKEN_SIZE,
    C_TRANS_IND,
    C_TRANSACTION,
    DAMAGED,
    DEFINES,
    HEADER,
    HEADER_LENGTH,
    KNOWN,
    LITTLE,
    NEW_KEY,
    RBA,
    ROW,
    STOPPED,
    TRANSACTIONS,
    WHAT,
)
from trailformat.scan.kernel_loads import CACHE, u8, u16, u32, u64
from trailformat.scan.kernel_names import key_of
from trailformat.transactions import ENDS

_BAD = (-1, 0, 0, 0, 0, 0, 0)
_OUTSIDE = np.array([number in NOT_TRANSACTIONAL for number in range(256)])
_ENDS = np.array([number in ENDS for number in range(256)])


@njit(cache=CACHE, nogil=True, forceinline=True)
def _is_wide(info: int) -> bool:
    return (info & 0x40) != 0 and info != 0xFF


@njit(cache=CACHE, nogil=True, forceinline=True)
def _length(data: int, rba: int, end: int, little: int) -> Any:  # noqa: PLR0911 - a list of conditions
    """The length of the record at ``rba`` when all but its tokens is sound, or -1; framing.frame_length."""
    if end - rba < 8 or (u8(data, rba) != RECORD and u8(data, rba) != FILE_HEADER):
        return -1
    wide = _is_wide(u8(data, rba + 1))
    size = 6 if wide else 4
    length = u32(data, rba + 2, little) if wide else u16(data, rba + 2, little)
    is_header = u8(data, rba) == FILE_HEADER
    if length < 2 * size + 4 + (0 if is_header else HEADER_SIZE) or length > end - rba:
        return -1
    trailer = rba + length - size
    if u8(data, trailer) != 0x5A or _is_wide(u8(data, trailer + 1)) != wide:
        return -1
    if length != (u32(data, trailer + 2, little) if wide else u16(data, trailer + 2, little)):
        return -1
    token = rba + size
    if is_header:
        return length if u8(data, token) == 0x30 else -1
    long = _is_wide(u8(data, token + 1))
    header = u32(data, token + 2, little) if long else u16(data, token + 2, little)
    if u8(data, token) != 0x48 or header < HEADER_SIZE or u8(data, token + (6 if long else 4)) != HDR_IND:
        return -1
    return length


@njit(cache=CACHE, nogil=True, forceinline=True)
def _frame(data: int, rba: int, end: int, little: int) -> Any:
    """Length (-1: not sound), header's place and size, offset from ``rba`` and size of the payloads of D and T."""
    length = _length(data, rba, end, little)
    if length < 0:
        return _BAD
    size = 6 if _is_wide(u8(data, rba + 1)) else 4
    at, last = rba + size, rba + length - size
    header = header_size = data_at = data_size = token_at = token_size = 0
    for number in range(_MOST_TOKENS):
        if at + 4 > last:
            break
        kind = u8(data, at)
        if _is_wide(u8(data, at + 1)):
            if at + 6 > last:
                break
            payload, size = at + 6, u32(data, at + 2, little)
        else:
            payload, size = at + 4, u16(data, at + 2, little)
        if number == 0:
            header, header_size = payload, size
        elif kind == 0x44 and data_at == 0:
            data_at, data_size = payload - rba, size
        elif kind == 0x54 and token_at == 0:
            token_at, token_size = payload - rba, size
        at = payload + size
    if at != last:
        return _BAD
    return length, header, header_size, data_at, data_size, token_at, token_size


@njit(cache=CACHE, nogil=True, forceinline=True)
def _frame_in_either(data: int, rba: int, end: int, first: int) -> Any:
    """The order in which a sound record starts, ``first`` tried first, and its frame."""
    found = _frame(data, rba, end, first)
    if found[0] >= 0:
        return first, found
    return 1 - first, _frame(data, rba, end, 1 - first)


@njit(cache=CACHE, nogil=True, forceinline=True)
def _put_header(data: int, at: int, little: int, row: int, octets: Any, ints: Any, longs: Any) -> None:
    """The columns that stand in the header at ``at``, but for the table."""
    octets[C_KIND, row] = KIND_RECORD
    octets[C_PARTITION, row] = u8(data, at + 1)
    octets[C_BEFORE_AFTER, row] = u8(data, at + 3)
    longs[C_RECORD_LENGTH, row] = u16(data, at + 4, little)
    octets[C_IO_TYPE, row] = u8(data, at + 6)
    octets[C_ORIG_NODE, row] = u8(data, at + 7)
    longs[C_IO_TIME, row] = u64(data, at + 8, little)
    longs[C_AUDIT_POS, row] = u64(data, at + 16, little)
    ints[C_AUDIT_RBA, row] = u32(data, at + 24, little)
    octets[C_TRANS_IND, row] = u8(data, at + 28)


@njit(cache=CACHE, nogil=True, forceinline=True)
def _put_others(found: Any, key: int, row: int, longs: Any) -> None:
    """The table, and the length of the data where the header's field is too small for it."""
    longs[C_TABLE, row] = key
    if found[0] > 0xFFFF:
        longs[C_RECORD_LENGTH, row] = found[4]


@njit(cache=CACHE, nogil=True, forceinline=True)
def _put_no_header(length: int, row: int, octets: Any, ints: Any, longs: Any) -> None:
    """The same columns for a file header, and those of its table and its transaction."""
    octets[C_KIND, row], longs[C_TABLE, row], longs[C_TRANSACTION, row] = KIND_FILE_HEADER, 0, -1
    octets[C_PARTITION, row] = octets[C_BEFORE_AFTER, row] = octets[C_IO_TYPE, row] = 0
    octets[C_ORIG_NODE, row] = octets[C_TRANS_IND, row] = 0
    longs[C_RECORD_LENGTH, row] = length - 8
    longs[C_IO_TIME, row] = 0
    longs[C_AUDIT_POS, row] = 0
    ints[C_AUDIT_RBA, row] = 0


@njit(cache=CACHE, nogil=True, forceinline=True)
def _put_places(rba: int, found: Any, row: int, ints: Any, longs: Any) -> None:
    longs[C_RBA, row] = rba
    longs[C_LENGTH, row] = found[0]
    ints[C_DATA_OFFSET, row] = found[3]
    ints[C_DATA_SIZE, row] = found[4]
    ints[C_TOKEN_OFFSET, row] = found[5]
    ints[C_TOKEN_SIZE, row] = found[6]


@njit(cache=CACHE, nogil=True, forceinline=True)
def _is_definition(data: int, header: int) -> Any:
    kind = u8(data, header + 7)
    return u8(data, header + 6) == METADATA and (kind == TABLE) | (kind == REFERENCE)


@njit(cache=CACHE, nogil=True)
def fill(data: int, end: int, stop: int, state: Any, tables: Any, columns: Any) -> int:
    """Fill rows from ``state[RBA]``, ``state[ROW]`` on; returns why it stopped, the state then being that of the place.

    ``data`` is the address of ``end`` bytes; state, tables and columns: see kernel_arguments.
    """
    octets, ints, longs = columns
    row, rba, order, transactions = state[ROW], state[RBA], state[LITTLE], state[TRANSACTIONS]
    most = longs.shape[1]
    status = STOPPED
    while status == STOPPED and row < most and rba < stop:
        is_header = u8(data, rba) == FILE_HEADER
        first = 0 if rba == 0 and is_header else order
        little, found = _frame_in_either(data, rba, end, first)
        if found[0] < 0:
            status = DAMAGED
            break
        if little != first and rba > 0:
            order = little
            state[KNOWN] = 1
        if is_header:
            _put_no_header(found[0], row, octets, ints, longs)
        else:
            key, what = key_of(data, end, found[1], found[2], little, tables)
            if key < 0:
                status, state[WHAT] = NEW_KEY, np.int64(what)
                state[HEADER], state[HEADER_LENGTH] = found[1], found[2]
                break
            _put_header(data, found[1], little, row, octets, ints, longs)
            _put_others(found, key, row, longs)
            is_outside = _OUTSIDE[u8(data, found[1] + 6)]
            longs[C_TRANSACTION, row] = -1 if is_outside else transactions
            transactions += not is_outside and _ENDS[u8(data, found[1] + 28)]
            if is_outside and _is_definition(data, found[1]):
                status = DEFINES
        _put_places(rba, found, row, ints, longs)
        octets[C_ORDER, row] = little
        row += 1
        rba += found[0]
    state[ROW], state[RBA], state[LITTLE], state[TRANSACTIONS] = row, rba, order, transactions
    return status
