"""The counting kernel: records by table, partition, type and image, and transactions, without a row for each.

The rules are those of COUNT, see :mod:`trailformat.scan.counting`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.constants import (
    BEFORE_AFTER_AT,
    IO_TIME_AT,
    IO_TYPE_AT,
    KIND_FILE_HEADER,
    KIND_RECORD,
    PARTITION_AT,
    TOKEN_F,
    TRANS_IND_AT,
)
from trailformat.native.loads import i64, inlined, store64, u8, u64
from trailformat.native.scan.arguments import (
    ABOUT,
    BYTES,
    CODE,
    DEFINES,
    ENDED,
    ENDING,
    EXTRA_BYTES,
    FIRST_ENDED,
    FIRST_TIME,
    FLAGS,
    FROM,
    FULL,
    GROUP_SIZE,
    GROUPS,
    HAS_TIME,
    HEADER_BYTES,
    HEADERS,
    INTERVAL,
    IS_OPEN,
    LARGE,
    LARGE_BYTES,
    LARGE_ONES,
    LARGE_RBA,
    LARGE_RECORDS,
    LARGE_SIZE,
    LARGE_TABLES,
    LARGE_TIME,
    MARK,
    MARKS,
    MORE,
    MOST_BYTES,
    MOST_RECORDS,
    NEW_KEY,
    OPEN_BYTES,
    OPEN_RBA,
    OPEN_RECORDS,
    OPEN_TABLES,
    OPEN_TIME,
    ORDINAL,
    OUTSIDE,
    PLACES,
    R_BEFORE_AFTER,
    R_IO_TIME,
    R_IO_TYPE,
    R_KIND,
    R_LENGTH,
    R_PARTITION,
    R_RBA,
    R_RECORD_LENGTH,
    R_TABLE,
    R_TRANS_IND,
    RBA,
    RECORDS,
    ROOM,
    ROW,
    SHIFT,
    STOPPED,
    UNTIL,
    USED,
    VISITS,
    WATCHED,
)
from trailformat.native.scan.fill import is_definition, key_of, lacks_head, next_frame, note_header, record_length

_ODD = np.uint64(0x9E3779B97F4A7C15)
_OTHER_ODD = np.uint64(0xC2B2AE3D27D4EB4F)
_SHIFT = np.uint64(40)


@inlined
def _add(numbers: int, place: int, amount: int) -> None:
    store64(numbers, 8 * place, i64(numbers, 8 * place) + amount)


@inlined
def _group_of(code: int, ordinal: Any, state: int, counting: int) -> Any:
    """Return the address of the group of a code and interval, a new one if needed; 0 if there is no room."""
    groups, mask = i64(counting, 8 * GROUPS), i64(counting, 8 * ROOM) - 1
    slot = np.int64(((np.uint64(code) ^ (np.uint64(ordinal) * _OTHER_ODD)) * _ODD) >> _SHIFT) & mask
    group = groups + 8 * GROUP_SIZE * slot
    group_code = i64(group, 8 * CODE)
    while group_code != 0 and (group_code != code or i64(group, 8 * ORDINAL) != ordinal):
        slot = (slot + 1) & mask
        group = groups + 8 * GROUP_SIZE * slot
        group_code = i64(group, 8 * CODE)
    if group_code == 0:
        if 2 * i64(state, 8 * USED) > mask:
            return 0
        _add(state, USED, 1)
        store64(group, 8 * CODE, code)
        store64(group, 8 * ORDINAL, ordinal)
    return group


@inlined
def _interval_of(time: Any, state: int) -> Any:
    """Return the ordinal of the interval of a time, 0 without intervals; note the first time."""
    length = i64(state, 8 * INTERVAL)
    if length == 0:
        return np.int64(0)
    if i64(state, 8 * HAS_TIME) == 0:
        store64(state, 8 * HAS_TIME, 1)
        store64(state, 8 * FIRST_TIME, time)
    # no difference of times: it may exceed 64 bits
    return np.int64(time // length) - (1 if time % length < i64(state, 8 * SHIFT) else 0)


@inlined
def _join(about: int, size: int, time: Any, rba: int, state: int, counting: int) -> None:
    """Add a record to the open transaction."""
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
def _note_large(state: int, counting: int) -> None:
    """Add the open transaction to the large ones, if it is large."""
    records, size = i64(state, 8 * OPEN_RECORDS), i64(state, 8 * OPEN_BYTES)
    size += i64(state, 8 * EXTRA_BYTES) * records
    if records >= i64(state, 8 * MOST_RECORDS) or size >= i64(state, 8 * MOST_BYTES):
        large = i64(counting, 8 * LARGE) + 8 * LARGE_SIZE * i64(state, 8 * LARGE_ONES)
        _add(state, LARGE_ONES, 1)
        store64(large, 8 * LARGE_TIME, i64(state, 8 * OPEN_TIME))
        store64(large, 8 * LARGE_RBA, i64(state, 8 * OPEN_RBA))
        store64(large, 8 * LARGE_BYTES, size)
        store64(large, 8 * LARGE_RECORDS, records)
        store64(large, 8 * LARGE_TABLES, i64(state, 8 * OPEN_TABLES))


@inlined
def _end(state: int, counting: int) -> Any:
    """End the open transaction; the first one is left to the caller, because it may have begun earlier."""
    if i64(state, 8 * WATCHED) != 0:
        return FIRST_ENDED
    if i64(state, 8 * IS_OPEN) != 0:
        _note_large(state, counting)
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
    key: int,
    partition: Any,
    io_type: Any,
    image: Any,
    trans_ind: Any,
    size: Any,
    time: Any,
    rba: int,
    passes: int,
    state: int,
    flags: int,
    counting: int,
) -> Any:
    """Count a record if it passes; end the transaction that ends with it."""
    about = i64(i64(counting, 8 * ABOUT), 8 * key)
    is_taken = (passes & about & 1 != 0) & (time >= i64(state, 8 * FROM)) & (time <= i64(state, 8 * UNTIL))
    if is_taken:
        code = 1 + (key << 24 | np.int64(partition) << 16 | np.int64(io_type) << 8 | image)
        group = _group_of(code, _interval_of(time, state), state, counting)
        if group == 0:
            return FULL
        _add(group, RECORDS, 1)
        _add(group, BYTES, size)
    if u8(flags, io_type) & OUTSIDE != 0:
        return STOPPED
    if is_taken:
        _join(about, size, time, rba, state, counting)
    return _end(state, counting) if u8(flags, trans_ind) & ENDING != 0 else STOPPED


def count(data: int, limit: int, end: int, stop: int, most: int, state: int, tables: int, counting: int) -> int:
    """Count records from ``state[RBA]`` on, ``state[ROW]`` of them so far; return the reason for stopping."""
    row, rba, places = i64(state, 8 * ROW), i64(state, 8 * RBA), i64(counting, 8 * PLACES)
    flags = i64(tables, 8 * FLAGS)
    status = STOPPED
    while status == STOPPED and row < most and rba < stop:
        if lacks_head(limit, end, state, rba):
            status = MORE
            break
        status, little, frame = next_frame(data, limit, end, state, rba)
        if status != STOPPED:
            break
        if u8(data, rba) == TOKEN_F:
            _add(state, HEADERS, 1)
            _add(state, HEADER_BYTES, frame[0] - 8)
        else:
            key, what = key_of(data, rba + frame[0], frame[1], frame[2], little, tables)
            if key < 0:
                status = NEW_KEY
                note_header(state, frame, little, np.int64(what))
                break
            header = frame[1]
            partition, io_type = u8(data, header + PARTITION_AT), u8(data, header + IO_TYPE_AT)
            image, trans_ind = u8(data, header + BEFORE_AFTER_AT), u8(data, header + TRANS_IND_AT)
            size, time = record_length(data, frame, little), np.int64(u64(data, header + IO_TIME_AT, little))
            status = _take(key, partition, io_type, image, trans_ind, size, time, rba, 1, state, flags, counting)
            if status == FULL:
                break
            if is_definition(data, header, little, key, tables):
                status = DEFINES
                note_header(state, frame, little, key)
        store64(places, 8 * row, rba)
        row += 1
        rba += frame[0]
    store64(state, 8 * ROW, row)
    store64(state, 8 * RBA, rba)
    return status


def count_rows(columns: int, passing: int, rows: int, state: int, flags: int, counting: int) -> int:
    """Count the rows of a batch from ``state[ROW]`` on that pass a mask; return the reason for stopping."""
    row, status = i64(state, 8 * ROW), STOPPED
    kinds, partitions, io_types = i64(columns, 8 * R_KIND), i64(columns, 8 * R_PARTITION), i64(columns, 8 * R_IO_TYPE)
    images, trans_inds = i64(columns, 8 * R_BEFORE_AFTER), i64(columns, 8 * R_TRANS_IND)
    keys, sizes, times = i64(columns, 8 * R_TABLE), i64(columns, 8 * R_RECORD_LENGTH), i64(columns, 8 * R_IO_TIME)
    rbas, lengths = i64(columns, 8 * R_RBA), i64(columns, 8 * R_LENGTH)
    while status == STOPPED and row < rows:
        kind, passes = u8(kinds, row), u8(passing, row)
        if kind == KIND_FILE_HEADER:
            _add(state, HEADERS, passes)
            _add(state, HEADER_BYTES, passes * (i64(lengths, 8 * row) - 8))
        elif kind == KIND_RECORD:
            status = _take(
                i64(keys, 8 * row),
                u8(partitions, row),
                u8(io_types, row),
                u8(images, row),
                u8(trans_inds, row),
                i64(sizes, 8 * row),
                i64(times, 8 * row),
                i64(rbas, 8 * row),
                passes,
                state,
                flags,
                counting,
            )
            if status == FULL:
                break
        row += 1
    store64(state, 8 * ROW, row)
    return status
