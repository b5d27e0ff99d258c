"""Rows of a batch and the ranges which a Replicat does not apply, with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.records.io_types import NOT_TRANSACTIONAL
from trailformat.scan import RECORD, Batch
from trailformat.transactions.batches import LAST
from trailformat.transactions.not_applied import Ranges

NO_ROW = -1
"""In place of an ending, of what is no row of a transaction."""


def rows_not_applied(ranges: Ranges, batch: Batch, rows: Any = slice(None)) -> Any:
    """The mask of the rows of transactions in these ranges of the batch's file, of all rows or those given."""
    return _are_rows(batch, rows) & (_range_of(ranges, batch, rows) >= 0)


def endings_of_rows(ranges: Ranges, batch: Batch, rows: Any) -> Any:
    """How the transaction of each row ended, by ENDINGS; those outside of the ranges LAST."""
    endings = np.append(np.frombuffer(ranges.endings, np.int8), np.int8(LAST))[_range_of(ranges, batch, rows)]
    return np.where(_are_rows(batch, rows), endings, NO_ROW)


def _are_rows(batch: Batch, rows: Any) -> Any:
    is_outside = np.isin(np.asarray(batch.io_type)[rows], list(NOT_TRANSACTIONAL))
    return (np.asarray(batch.kind)[rows] == RECORD) & ~is_outside


def _range_of(ranges: Ranges, batch: Batch, rows: Any) -> Any:
    """The number of the range in which each row stands; -1 where it stands in none."""
    starts, stops = (np.frombuffer(one, np.int64) for one in (ranges.starts, ranges.stops))
    rbas = np.asarray(batch.rba)[rows]
    number = np.searchsorted(starts, rbas, "right") - 1
    return np.where(rbas < np.append(stops, -1)[number], number, -1)
