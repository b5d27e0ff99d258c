"""The kernel that walks over the columns of rows: whether they fill the images, and what sizes they have.

``data`` is the address at which the byte at RBA 0 would be; the rows are sound records whose bytes are available. Which
data are columns is defined in :mod:`trailformat.records.columns`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.constants import COMPRESSED, CONTINUED_AT, INFO_AT, KIND_RECORD
from trailformat.native.loads import AHEAD, fetch, i64, inlined, n32, store8, store64, u8, u16, u32
from trailformat.native.scan.arguments import (
    ASIDE,
    CELL_SIZE,
    FAULTY,
    FREE,
    FULL,
    IS_LIST,
    IS_NULL,
    IS_STRANGE,
    IS_UNPREFIXED,
    IS_VALUE,
    K_ROOM,
    K_START,
    KEY_SIZE,
    L_BITS,
    L_LEAST,
    L_MOST,
    M_DATA_OFFSET,
    M_DATA_SIZE,
    M_IO_TYPE,
    M_KIND,
    M_ORDER,
    M_PARTITION,
    M_RBA,
    M_TABLE,
    NEW_KEY,
    NO_CELLS,
    SOUND,
    STOPPED,
    X_HOLDS,
    X_INDEX,
    X_KEYS,
    X_MARK,
    X_ROW,
    X_STOP,
)
from trailformat.native.scan.columns import next_column
from trailformat.native.scan.tokens import head_size

_WHOLE, _WRONG = -1, -2
"""Results of a walk besides the index of a column without a cell."""
_LINE = 64
"""Size in bytes of a line of the cache."""
_SHORT = 2
"""Size of the shorter length before a before image."""


@inlined
def _bits_of(data: int, offset: int, length: int, little: int) -> Any:
    """Return the IS_ bit or bits of the column with ``length`` bytes at ``offset``; its record has four bytes more."""
    indicator, prefix = u16(data, offset, 0), u16(data, offset + 2, little)
    if length < 2:
        return np.int64(IS_STRANGE)
    if indicator == 0:
        return np.int64(IS_VALUE) + np.int64(IS_UNPREFIXED) * np.int64(prefix + 4 != length)
    return np.int64(IS_NULL) if indicator == 0xFFFF else np.int64(IS_STRANGE)


@inlined
def _note(cell: int, bits: int, length: int) -> None:
    """Add a column to its cell."""
    before = i64(cell, 8 * L_BITS)
    if before | bits != before:
        store64(cell, 8 * L_BITS, before | bits)
    if bits & IS_VALUE:
        if length < i64(cell, 8 * L_LEAST):
            store64(cell, 8 * L_LEAST, length)
        if length > i64(cell, 8 * L_MOST):
            store64(cell, 8 * L_MOST, length)


@inlined
def _is_within(cell: int, bits: int, length: int) -> Any:
    """Return whether a column keeps to the limit in the cell."""
    if bits & i64(cell, 8 * L_BITS):
        return False
    return bits & IS_VALUE == 0 or (i64(cell, 8 * L_LEAST) <= length) & (length <= i64(cell, 8 * L_MOST))


@inlined
def _is_twice(data: int, offset: int, stop: int, little: int, marks: int, mark: int) -> bool:
    """Return whether a column of an image is there twice; ``marks`` gets the mark at the index of each."""
    while offset < stop:
        index, offset, length = next_column(data, offset, stop, little)
        if offset + length > stop:
            break
        if i64(marks, 8 * index) == mark:
            return True
        store64(marks, 8 * index, mark)
        offset += length
    return False


@inlined
def _walk(data: int, offset: int, stop: int, little: int, cells: int, room: int, holds: int) -> Any:
    """Walk over an image; return _WHOLE, _WRONG or the index without a cell, and whether the indexes ascend."""
    result, latest, ascends = _WHOLE, -1, True
    while offset < stop:
        index, offset, length = next_column(data, offset, stop, little)
        if offset + length > stop:
            result = _WRONG
            break
        ascends &= index > latest
        latest = index
        if room != FREE:
            if index >= room:
                result = _WRONG if holds else index
                break
            bits, cell = _bits_of(data, offset, length, little), cells + 8 * CELL_SIZE * index
            if not holds:
                _note(cell, bits, length)
            elif not _is_within(cell, bits, length):
                result = _WRONG
                break
        offset += length
    return result, ascends


@inlined
def _image(data: int, offset: int, stop: int, little: int, cells: int, room: int, marks: int, run: int) -> Any:
    """Walk over an image; return _WHOLE, _WRONG or the index without a cell."""
    result, ascends = _walk(data, offset, stop, little, cells, room, i64(run, 8 * X_HOLDS))
    if not ascends and result == _WHOLE:
        mark = i64(run, 8 * X_MARK) + 1
        store64(run, 8 * X_MARK, mark)
        if _is_twice(data, offset, stop, little, marks, mark):
            result = _WRONG
    return result


@inlined
def _images(
    data: int, offset: int, stop: int, little: int, prefix: int, cells: int, room: int, marks: int, run: int
) -> Any:
    """Walk over the image or images of a row; return as ``_image``."""
    if prefix == 0:
        return _image(data, offset, stop, little, cells, room, marks, run)
    middle = offset + prefix
    if middle > stop:
        return _WRONG
    middle += u16(data, offset, little) if prefix == _SHORT else u32(data, offset, little)
    if middle > stop:
        return _WRONG
    result = _image(data, offset + prefix, middle, little, cells, room, marks, run)
    if result == _WHOLE:
        result = _image(data, middle, stop, little, cells, room, marks, run)
    return result


@inlined
def _is_continued(data: int, rba: int) -> bool:
    header = rba + head_size(u8(data, rba + INFO_AT))
    header += head_size(u8(data, header + INFO_AT))
    return bool(u8(data, header + CONTINUED_AT))


def measure(data: int, columns: int, run: int, forms: int, keys: int, cells: int, marks: int, states: int) -> int:
    """Measure rows from ``run[X_ROW]`` on: set their ``states``, uint8; return the reason for stopping.

    STOPPED: at ``run[X_STOP]``; NEW_KEY: the table of the row at X_ROW has no cells; FULL: its column X_INDEX has none.
    ``forms`` are FORM_BYTES; ``keys``, int64[X_KEYS, KEY_SIZE], are the places of the ``cells``; ``marks``,
    int64[65536], belong to this function. Other arguments: see :mod:`.arguments`.
    """
    row, stop = i64(run, 8 * X_ROW), i64(run, 8 * X_STOP)
    kinds, orders = i64(columns, 8 * M_KIND), i64(columns, 8 * M_ORDER)
    io_types, partitions = i64(columns, 8 * M_IO_TYPE), i64(columns, 8 * M_PARTITION)
    tables, rbas = i64(columns, 8 * M_TABLE), i64(columns, 8 * M_RBA)
    offsets, sizes = i64(columns, 8 * M_DATA_OFFSET), i64(columns, 8 * M_DATA_SIZE)
    status = STOPPED
    while row < stop:
        ahead = min(row + AHEAD, stop - 1)
        begin = i64(rbas, 8 * ahead) + n32(offsets, 4 * ahead)
        fetch(data, begin)
        fetch(data, begin + _LINE)
        form = u8(forms, u8(io_types, row)) if u8(kinds, row) == KIND_RECORD else 0
        if form == 0 or (form == IS_LIST and u8(partitions, row) & COMPRESSED == 0):
            store8(states, row, SOUND)
            row += 1
            continue
        key, rba = i64(tables, 8 * row), i64(rbas, 8 * row)
        if key >= i64(run, 8 * X_KEYS) or i64(keys, 8 * (KEY_SIZE * key + K_START)) == NO_CELLS:
            status = NEW_KEY
            break
        if _is_continued(data, rba):
            store8(states, row, ASIDE)
        else:
            first, room = i64(keys, 8 * (KEY_SIZE * key + K_START)), i64(keys, 8 * (KEY_SIZE * key + K_ROOM))
            begin, prefix = rba + n32(offsets, 4 * row), form & (IS_LIST - 1)
            result = _images(
                data,
                begin,
                begin + n32(sizes, 4 * row),
                u8(orders, row),
                prefix,
                cells + 8 * CELL_SIZE * first,
                room,
                marks,
                run,
            )
            if result >= 0:
                store64(run, 8 * X_INDEX, result)
                status = FULL
                break
            store8(states, row, SOUND if result == _WHOLE else FAULTY)
        row += 1
    store64(run, 8 * X_ROW, row)
    return status
