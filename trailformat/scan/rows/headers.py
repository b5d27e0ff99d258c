"""Fields of the headers of many records, read where they stand in the bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.codec.tokens import UNSET, WIDE
from trailformat.records.record_header import HEADER_SIZE, NAME_IS_INDEX

NO_INDEX = -1


def header_positions(view: Any, starts: Any) -> Any:
    """Where the payload of ``H`` begins in each record; ``view`` holds the bytes."""
    at = starts
    for _ in range(2):
        info = view[at + 1]
        at = at + 4 + 2 * ((info & WIDE != 0) & (info != UNSET))
    return at


def indexes_at(view: Any, starts: Any, is_little: Any) -> Any:
    """The table index in the header of each ``G`` record in ``view``, NO_INDEX where it holds a name."""
    header = header_positions(view, starts)
    name = header + HEADER_SIZE
    first, second = view[name].astype(np.int64), view[name + 1].astype(np.int64)
    index = np.where(is_little, second << 8 | first, first << 8 | second)
    return np.where(view[header + 1] & NAME_IS_INDEX != 0, index, NO_INDEX)
