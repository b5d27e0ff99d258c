"""The ends of the transactions of records, which require the whole trail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.columns.arrow_values import masked
from logdump.arrow.records.rows import Array, Rows
from trailformat.arrays.arrow import numbered
from trailformat.transactions.batches import ENDINGS, LAST
from trailformat.transactions.not_applied import NO_ROW, endings_of_rows, no_ranges, rows_not_applied

_WORDS = pa.array([ending.value for ending in ENDINGS])


def _endings(rows: Rows) -> Array:
    return endings_of_rows(rows.source.not_applied or no_ranges(), rows.batch, rows.rows)


def _ended(rows: Rows) -> Any:
    endings = _endings(rows)
    return numbered(_WORDS, np.maximum(endings, 0).astype(np.int32), endings != NO_ROW)


def _cut(rows: Rows) -> Any:
    endings = _endings(rows)
    return masked(endings != LAST, endings != NO_ROW)


def _is_effective(rows: Rows) -> Any:
    not_applied = rows_not_applied(rows.source.not_applied or no_ranges(), rows.batch, rows.rows)
    return masked(~not_applied, _endings(rows) != NO_ROW)


BUILDERS = {"ended": _ended, "cut": _cut, "is_effective": _is_effective}
