"""Counting as machine code: records by table, partition, type and image, and transactions, without a row for each.

The rules are those of COUNT, see :mod:`trailformat.scan.counting`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.scan.kernels.arguments import (
    ABOUT,
    BYTES,
    CODE,
    DEFINES,
    ENDED,
    ENDING,
    FIRST_ENDED,
    FLAGS,
    FROM,
    FULL,
    GROUP_SIZE,
    GROUPS,
    HEADER_BYTES,
    HEADERS,
    IS_OPEN,
    MARK,
    MARKS,
    MORE,
    NEW_KEY,
    OPEN_BYTES,
    OPEN_RBA,
    OPEN_RECORDS,
    OPEN_TABLES,
    OPEN_TIME,
    OUTSIDE,
    PLACES,
    RBA,
    RECORDS,
    ROOM,
    ROW,
    STOPPED,
    UNTIL,
    USED,
    VISITS,
    WATCHED,
)
from trailformat.scan.kernels.constants import (
    BEFORE_AFTER_AT,
    IO_TIME_AT,
    IO_TYPE_AT,
    PARTITION_AT,
    TOKEN_F,
    TRANS_IND_AT,
)
from trailformat.scan.kernels.fill import is_definition, lacks_head, next_frame, note_header, record_length
from trailformat.scan.kernels.loads import i64, inlined, store64, u8, u64
from trailformat.scan.kernels.names import key_of

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(40)


@inlined
def _add(numbers: int, place: int, amount: int) -> None:
    store64(numbers, 8 * place, i64(numbers, 8 * place) + amount)


@inlined
def _group_of(code: int, state: int, counting: int) -> Any:
    """The address of the group with this code, a new one where there is none; 0 where there is no room for it."""
    groups, mask = i64(counting, 8 * GROUPS), i64(counting, 8 * ROOM) - 1
    slot = np.int64((np.uint64(code) * _ODD) >> _SHIFT) & mask
    group = groups + 8 * GROUP_SIZE * slot
    found = i64(group, 8 * CODE)
    while (found != code) & (found != 0):
        slot = (slot + 1) & mask
        group = groups + 8 * GROUP_SIZE * slot
        found = i64(group, 8 * CODE)
    if found == 0:
        if 2 * i64(state, 8 * USED) > mask:
            return 0
        _add(state, USED, 1)
        store64(group, 8 * CODE, code)
    return group


@inlined
def _join(about: int, size: int, time: int, rba: int, state: int, counting: int) -> None:
    """Take a record into the transaction under way."""
    if i64(state, 8 * IS_OPEN) == 0:
        store64(state, 8 * IS_OPEN, 1)
        store64(state, 8 * OPEN_TIME, time)
        store64(state, 8 * OPEN_RBA, rba)
    _add(state, OPEN_BYTES, size)
    _add(state, OPEN_RECORDS, 1)
    mark, marks = i64(state, 8 * MARK), i64(counting, 8 * MARKS)
    if i64(marks, 8 * (about >> 1)) != mark:
        store64(marks, 8 * (about >> 1), mark)
        _add(state, OPEN_TABLES, 1)


@inlined
def _end(state: int) -> Any:
    """End the transaction under way; the first one is the caller's, because it may have begun before."""
    if i64(state, 8 * WATCHED) != 0:
        return FIRST_ENDED
    if i64(state, 8 * IS_OPEN) != 0:
        _add(state, ENDED, 1)
        _add(state, VISITS, i64(state, 8 * OPEN_TABLES))
        store64(state, 8 * IS_OPEN, 0)
        store64(state, 8 * OPEN_BYTES, 0)
        store64(state, 8 * OPEN_RECORDS, 0)
        store64(state, 8 * OPEN_TABLES, 0)
        _add(state, MARK, 1)
    return STOPPED


@inlined
def _take(
    data: int, rba: int, found: Any, little: int, key: int, time: Any, state: int, flags: int, counting: int
) -> Any:
    """Count a record that is taken; end the transaction that ends with it."""
    header = found[1]
    io_type = u8(data, header + IO_TYPE_AT)
    size = record_length(data, found, little)
    about = i64(i64(counting, 8 * ABOUT), 8 * key)
    is_taken = (about & 1 != 0) & (time >= i64(state, 8 * FROM)) & (time <= i64(state, 8 * UNTIL))
    if is_taken:
        code = 1 + (
            key << 24 | u8(data, header + PARTITION_AT) << 16 | io_type << 8 | u8(data, header + BEFORE_AFTER_AT)
        )
        group = _group_of(code, state, counting)
        if group == 0:
            return FULL
        _add(group, RECORDS, 1)
        _add(group, BYTES, size)
    if u8(flags, io_type) & OUTSIDE != 0:
        return STOPPED
    if is_taken:
        _join(about, size, time, rba, state, counting)
    return _end(state) if u8(flags, u8(data, header + TRANS_IND_AT)) & ENDING != 0 else STOPPED


def count(data: int, limit: int, end: int, stop: int, most: int, state: int, tables: int, counting: int) -> int:
    """Count records from ``state[RBA]`` on, ``state[ROW]`` of them so far; returns why it stopped, as ``fill`` does."""
    row, rba, places = i64(state, 8 * ROW), i64(state, 8 * RBA), i64(counting, 8 * PLACES)
    flags = i64(tables, 8 * FLAGS)
    status = STOPPED
    while status == STOPPED and row < most and rba < stop:
        if lacks_head(limit, end, state, rba):
            status = MORE
            break
        status, little, found = next_frame(data, limit, end, state, rba)
        if status != STOPPED:
            break
        if u8(data, rba) == TOKEN_F:
            _add(state, HEADERS, 1)
            _add(state, HEADER_BYTES, found[0] - 8)
        else:
            key, what = key_of(data, rba + found[0], found[1], found[2], little, tables)
            if key < 0:
                status = NEW_KEY
                note_header(state, found, little, np.int64(what))
                break
            time = np.int64(u64(data, found[1] + IO_TIME_AT, little))
            status = _take(data, rba, found, little, key, time, state, flags, counting)
            if status == FULL:
                break
            if is_definition(data, found[1]):
                status = DEFINES
                note_header(state, found, little, key)
        store64(places, 8 * row, rba)
        row += 1
        rba += found[0]
    store64(state, 8 * ROW, row)
    store64(state, 8 * RBA, rba)
    return status
