"""Columns of values, made into the buffers of arrays; see :mod:`.arguments` for what describes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.arrays.arguments import (
    ALIGNED,
    BYTES,
    C_FORM,
    C_ROWS,
    C_VALID,
    COLUMN_SIZE,
    DATES,
    DECIMALS,
    INTEGERS_2,
    INTEGERS_4,
    INTEGERS_8,
    MOMENTS,
    NUMBERS,
    R_HIGH,
    R_MISSING,
    R_SIZE,
    R_UNDECIDED,
    RESULT_SIZE,
    WIDE_4,
    WIDE_8,
)
from trailformat.native.arrays.bytes import take_bytes
from trailformat.native.arrays.values import take_dates, take_decimals, take_integers, take_moments
from trailformat.native.loads import i64, inlined, store8, store64


@inlined
def _integers(column: int, form: int) -> Any:
    """A loop for each width is faster."""
    if form == INTEGERS_8:
        return take_integers(column, 8, 0)
    if form == INTEGERS_4:
        return take_integers(column, 4, 0)
    if form == INTEGERS_2:
        return take_integers(column, 2, 0)
    if form == WIDE_8:
        return take_integers(column, 8, 1)
    return take_integers(column, 4, 1) if form == WIDE_4 else take_integers(column, 2, 1)


@inlined
def _numbers(column: int, form: int) -> Any:
    if form == DECIMALS:
        return take_decimals(column)
    if form == MOMENTS:
        return take_moments(column)
    return take_dates(column) if form == DATES else _integers(column, form)


def make_columns(table: int, count: int, texts: int, results: int) -> Any:
    """Make the columns described in ``table``, int64[count, COLUMN_SIZE]; BYTES and NUMBERS stand at ``texts`` in turn.

    Fills ``results``, int64[count, RESULT_SIZE]. There is room for all texts, ALIGNED bytes for each column, and SPARE.
    """
    end: Any = np.int64(0)
    for number in range(count):
        column, result = table + 8 * COLUMN_SIZE * number, results + 8 * RESULT_SIZE * number
        for at in range((i64(column, 8 * C_ROWS) + 7) >> 3):
            store8(i64(column, 8 * C_VALID), at, 0)
        form, size, is_high = i64(column, 8 * C_FORM), np.int64(0), False
        if form == BYTES:
            found, size, is_high = take_bytes(column, BYTES, texts + end)
        elif form == NUMBERS:
            found, size, is_high = take_bytes(column, NUMBERS, texts + end)
        else:
            found = _numbers(column, form)
        store64(result, 8 * R_MISSING, found[0])
        store64(result, 8 * R_UNDECIDED, found[1])
        store64(result, 8 * R_SIZE, size)
        store64(result, 8 * R_HIGH, is_high)
        end = (end + size + ALIGNED - 1) & -ALIGNED
    return end
