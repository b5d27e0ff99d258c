"""Whether the CSNs of a batch rise from row to row, told by their bytes, with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.scan import StringColumn
from trailformat.transactions.batches import LAST, TransactionBatch

_Array = np.ndarray[Any, Any]
_ZERO, _NINE = b"09"
_HEXADECIMAL = (b"AF", b"af")


def rising_rows(batch: TransactionBatch) -> tuple[int, int, int] | None:
    """The first and the last whole transaction behind those carried, and how many there are; None where it is unsure.

    Texts of one length compare as their numbers do where each place holds digits of one alphabet, or one character.
    """
    texts = batch.texts
    table = _table(texts) if texts is not None else None
    if table is None:
        return None
    endings, has_begin = (np.asarray(one)[batch.carried :] for one in (batch.columns.endings, batch.columns.has_begin))
    rows = np.flatnonzero((endings == LAST) & (has_begin != 0))
    table = table[rows]
    if not len(rows) or not _is_comparable(table):
        return None
    keys = np.ascontiguousarray(table).view(f"S{table.shape[1]}").ravel()
    if not (keys[1:] > keys[:-1]).all():
        return None
    return int(rows[0]) + batch.carried, int(rows[-1]) + batch.carried, len(rows)


def _table(texts: StringColumn) -> _Array | None:
    """The bytes of each text; None where they differ in length."""
    sizes = np.asarray(texts.sizes)
    width = int(sizes[0])
    if width <= 0 or (sizes != width).any():
        return None
    start = int(texts.starts[0])
    return np.frombuffer(texts.data, np.uint8, len(sizes) * width, start).reshape(len(sizes), width)


def _is_comparable(table: _Array) -> bool:
    is_digit = (table >= _ZERO) & (table <= _NINE)
    others = np.flatnonzero(~is_digit.all(axis=0))
    for at in others.tolist():
        column = table[:, at]
        is_same = (column == column[0]).all()
        if not is_same and not any((is_digit[:, at] | ((column >= a) & (column <= f))).all() for a, f in _HEXADECIMAL):
            return False
    return True
