"""The scan kernel, which fills the columns of a batch.

The bounds of its loads are explained in :mod:`.frames`, its arguments in :mod:`.arguments`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.constants import (
    AUDIT_POS_AT,
    AUDIT_RBA_AT,
    BEFORE_AFTER_AT,
    HEADER_SIZE,
    INDEX_SIZE,
    IO_TIME_AT,
    IO_TYPE_AT,
    KIND_FILE_HEADER,
    KIND_RECORD,
    METADATA,
    MOST_NARROW,
    NAME_IS_INDEX,
    ORIG_NODE_AT,
    PARTITION_AT,
    RECORD_LENGTH_AT,
    REFERENCE,
    TABLE,
    TOKEN_F,
    TRANS_IND_AT,
)
from trailformat.native.loads import i64, inlined, load64, n64, store8, store32, store64, u8, u16, u32, u64
from trailformat.native.scan.arguments import (
    BY_INDEX,
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
    ENDING,
    FLAGS,
    HASH,
    HASH_SHIFT,
    HEADER,
    HEADER_LENGTH,
    INDEXES,
    KEY,
    KNOWN,
    LITTLE,
    MASK,
    MORE,
    NEED,
    NEW_KEY,
    OUTSIDE,
    RBA,
    RECORD_LITTLE,
    ROW,
    SECRET,
    SLOT_SIZE,
    SLOTS,
    START,
    STOPPED,
    TRANSACTIONS,
    WHAT,
    WORDS,
)
from trailformat.native.scan.frames import HEAD, frame_in_either

_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_U0, _U1, _U7, _U29, _U56 = (np.uint64(number) for number in (0, 1, 7, 29, 56))
_SHIFT = np.uint64(HASH_SHIFT)
_SLOT_BYTES = 8 * SLOT_SIZE


@inlined
def _name_word(data: int, offset: int, left: int, end: int) -> Any:
    """Return the next 8 bytes of a name of at most ``left`` more, zeros from its NUL or its end on."""
    if offset + 8 <= end:
        word = load64(data, offset)
    else:
        word = _U0
        for place in range(min(left, end - offset)):
            word |= np.uint64(u8(data, offset + place)) << np.uint64(8 * place)
    if left < 8:
        word &= (_U1 << np.uint64(8 * left)) - _U1
    zeros = (word - _ONES) & ~word & _HIGHS
    if zeros:
        lowest = zeros & (~zeros + _U1)
        word &= (lowest >> _U7) - _U1
    return word


@inlined
def _hash_of(data: int, offset: int, size: int, end: int, seed: Any) -> Any:
    """Return the keyed hash of the name in the ``size`` bytes at ``offset``; 0 only for the empty name."""
    result = seed
    place = 0
    while place < size:
        word = _name_word(data, offset + place, size - place, end)
        if word == _U0:
            break
        result = (result ^ word) * _ODD
        result ^= result >> _U29
        if word >> _U56 == _U0:
            place = size
        place += 8
    if place == 0:
        return _U0
    return result | _U1


@inlined
def _is_same(data: int, offset: int, size: int, end: int, word_at: int) -> bool:
    """Return whether the name at ``offset`` equals that of the words at the address; a word with a zero ends it."""
    place, is_same, is_more = 0, True, True
    while is_same and is_more:
        word = _name_word(data, offset + place, size - place, end) if place < size else _U0
        is_same = word == load64(word_at, place)
        is_more = word >> _U56 != _U0
        place += 8
    return is_same


@inlined
def key_of_name(data: int, offset: int, size: int, end: int, tables: int) -> Any:
    """Return the key of the name in the ``size`` bytes at ``offset``, -1 if it has none; and its hash."""
    value = _hash_of(data, offset, size, end, n64(tables, 8 * SECRET))
    if value == _U0:
        return 0, value
    slots, mask, words = i64(tables, 8 * SLOTS), i64(tables, 8 * MASK), i64(tables, 8 * WORDS)
    slot = np.int64(value >> _SHIFT) & mask
    while True:
        slot_hash = n64(slots, slot * _SLOT_BYTES + 8 * HASH)
        if slot_hash == _U0:
            return -1, value
        start = i64(slots, slot * _SLOT_BYTES + 8 * START)
        if slot_hash == value and _is_same(data, offset, size, end, words + 8 * start):
            return i64(slots, slot * _SLOT_BYTES + 8 * KEY), value
        slot = (slot + 1) & mask


@inlined
def key_of(data: int, end: int, header: int, size: int, little: int, tables: int) -> Any:
    """Return the key of the table in the header of ``size`` bytes at ``header``, or -1; and its name's hash or index.

    ``tables``: see :mod:`.arguments`.
    """
    offset, size = header + HEADER_SIZE, size - HEADER_SIZE
    if not u8(data, header + PARTITION_AT) & NAME_IS_INDEX:
        return key_of_name(data, offset, size, end, tables)
    if size < INDEX_SIZE:
        return 0, _U0
    index = u16(data, offset, little)
    if index >= i64(tables, 8 * INDEXES):
        return -1, np.uint64(index)
    return i64(i64(tables, 8 * BY_INDEX), 8 * index), np.uint64(index)


@inlined
def next_frame(data: int, limit: int, end: int, state: int, rba: int) -> Any:
    """Return STOPPED, or DAMAGED or MORE if there is no frame at ``rba``; its order; its frame."""
    order = i64(state, 8 * LITTLE)
    first = 0 if rba == 0 and u8(data, rba) == TOKEN_F else order
    little, frame = frame_in_either(data, rba, limit, end, first)
    if frame[0] == -1:
        return DAMAGED, little, frame
    if frame[0] < 0:
        store64(state, 8 * NEED, -2 - frame[0])
        return MORE, little, frame
    if little != first and rba > 0:
        store64(state, 8 * LITTLE, little)
        store64(state, 8 * KNOWN, 1)
    return STOPPED, little, frame


@inlined
def lacks_head(limit: int, end: int, state: int, rba: int) -> bool:
    """Return whether the bytes with the length of the record at ``rba`` are not available yet."""
    if limit - rba >= HEAD or limit >= end:
        return False
    store64(state, 8 * NEED, HEAD)
    return True


@inlined
def note_header(state: int, frame: Any, little: int, what: Any) -> None:
    """Store the position of the header that the caller must read."""
    store64(state, 8 * HEADER, frame[1])
    store64(state, 8 * HEADER_LENGTH, frame[2])
    store64(state, 8 * RECORD_LITTLE, little)
    store64(state, 8 * WHAT, what)


@inlined
def is_definition(data: int, header: int, little: int, key: int, tables: int) -> Any:
    """Return whether the header is that of a reference to a TDR, or of a TDR that changes the name of its index."""
    kind = u8(data, header + ORIG_NODE_AT)
    if u8(data, header + IO_TYPE_AT) != METADATA or (kind != TABLE) & (kind != REFERENCE):
        return False
    if kind == REFERENCE or u8(data, header + PARTITION_AT) & NAME_IS_INDEX:
        return True
    numbers = u32(data, header + AUDIT_RBA_AT, little)
    index = numbers >> 16 if little else numbers & 0xFFFF
    return index >= i64(tables, 8 * INDEXES) or i64(i64(tables, 8 * BY_INDEX), 8 * index) != key


@inlined
def record_length(data: int, frame: Any, little: int) -> Any:
    """Return ``Record.data_length``: the header's field, or the data's size if the field is too small for it."""
    return frame[4] if frame[0] > MOST_NARROW else u16(data, frame[1] + RECORD_LENGTH_AT, little)


@inlined
def _put_header(data: int, frame: Any, little: int, row: int, most: int, columns: int) -> None:
    """Store the columns from the header, without the table."""
    header = frame[1]
    octets, ints, longs = i64(columns, 0) + row, i64(columns, 8) + 4 * row, i64(columns, 16) + 8 * row
    store8(octets, C_KIND * most, KIND_RECORD)
    store8(octets, C_PARTITION * most, u8(data, header + PARTITION_AT))
    store8(octets, C_BEFORE_AFTER * most, u8(data, header + BEFORE_AFTER_AT))
    store8(octets, C_IO_TYPE * most, u8(data, header + IO_TYPE_AT))
    store8(octets, C_ORIG_NODE * most, u8(data, header + ORIG_NODE_AT))
    store8(octets, C_TRANS_IND * most, u8(data, header + TRANS_IND_AT))
    store32(ints, C_AUDIT_RBA * 4 * most, u32(data, header + AUDIT_RBA_AT, little))
    store64(longs, C_RECORD_LENGTH * 8 * most, record_length(data, frame, little))
    store64(longs, C_IO_TIME * 8 * most, np.int64(u64(data, header + IO_TIME_AT, little)))
    store64(longs, C_AUDIT_POS * 8 * most, np.int64(u64(data, header + AUDIT_POS_AT, little)))


@inlined
def _put_no_header(length: int, row: int, most: int, columns: int) -> None:
    """Store the same columns for a file header."""
    octets, ints, longs = i64(columns, 0) + row, i64(columns, 8) + 4 * row, i64(columns, 16) + 8 * row
    store8(octets, C_KIND * most, KIND_FILE_HEADER)
    store8(octets, C_PARTITION * most, 0)
    store8(octets, C_BEFORE_AFTER * most, 0)
    store8(octets, C_IO_TYPE * most, 0)
    store8(octets, C_ORIG_NODE * most, 0)
    store8(octets, C_TRANS_IND * most, 0)
    store32(ints, C_AUDIT_RBA * 4 * most, 0)
    store64(longs, C_RECORD_LENGTH * 8 * most, length - 8)
    store64(longs, C_IO_TIME * 8 * most, 0)
    store64(longs, C_AUDIT_POS * 8 * most, 0)


@inlined
def _put_places(
    rba: int, frame: Any, little: int, key: int, transaction: int, row: int, most: int, columns: int
) -> None:
    octets, ints, longs = i64(columns, 0) + row, i64(columns, 8) + 4 * row, i64(columns, 16) + 8 * row
    store8(octets, C_ORDER * most, little)
    store64(longs, C_RBA * 8 * most, rba)
    store64(longs, C_LENGTH * 8 * most, frame[0])
    store64(longs, C_TABLE * 8 * most, key)
    store64(longs, C_TRANSACTION * 8 * most, transaction)
    store32(ints, C_DATA_OFFSET * 4 * most, frame[3])
    store32(ints, C_DATA_SIZE * 4 * most, frame[4])
    store32(ints, C_TOKEN_OFFSET * 4 * most, frame[5])
    store32(ints, C_TOKEN_SIZE * 4 * most, frame[6])


def fill(data: int, limit: int, end: int, stop: int, most: int, state: int, tables: int, columns: int) -> int:
    """Fill rows from ``state[RBA]``, ``state[ROW]`` on, and update these; return the reason for stopping.

    ``columns`` is the address of the addresses of octets, ints and longs, which have ``most`` rows.
    """
    row, rba, transactions = i64(state, 8 * ROW), i64(state, 8 * RBA), i64(state, 8 * TRANSACTIONS)
    flags = i64(tables, 8 * FLAGS)
    status = STOPPED
    while status == STOPPED and row < most and rba < stop:
        if lacks_head(limit, end, state, rba):
            status = MORE
            break
        status, little, frame = next_frame(data, limit, end, state, rba)
        if status != STOPPED:
            break
        key, transaction = 0, -1
        if u8(data, rba) == TOKEN_F:
            _put_no_header(frame[0], row, most, columns)
        else:
            key, what = key_of(data, rba + frame[0], frame[1], frame[2], little, tables)
            if key < 0:
                status = NEW_KEY
                note_header(state, frame, little, np.int64(what))
                break
            _put_header(data, frame, little, row, most, columns)
            if u8(flags, u8(data, frame[1] + IO_TYPE_AT)) & OUTSIDE == 0:
                transaction = transactions
                transactions += (u8(flags, u8(data, frame[1] + TRANS_IND_AT)) & ENDING) >> 1
            elif is_definition(data, frame[1], little, key, tables):
                status = DEFINES
                note_header(state, frame, little, key)
        _put_places(rba, frame, little, key, transaction, row, most, columns)
        row += 1
        rba += frame[0]
    store64(state, 8 * ROW, row)
    store64(state, 8 * RBA, rba)
    store64(state, 8 * TRANSACTIONS, transactions)
    return status
