"""Rows of a batch that lie in ranges which a Replicat does not apply, with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.records.io_types import NOT_TRANSACTIONAL
from trailformat.scan import RECORD, Batch
from trailformat.search.left_out import Ranges


def left_out_rows(ranges: Ranges, batch: Batch) -> Any:
    """The mask of the rows of transactions in these ranges of the batch's file."""
    starts, stops = (np.frombuffer(one, np.int64) for one in ranges)
    rbas = np.asarray(batch.rba)
    stop_at = np.concatenate((np.full(1, -1), stops))[np.searchsorted(starts, rbas, "right")]
    is_row = (np.asarray(batch.kind) == RECORD) & ~np.isin(np.asarray(batch.io_type), list(NOT_TRANSACTIONAL))
    return is_row & (rbas < stop_at)
