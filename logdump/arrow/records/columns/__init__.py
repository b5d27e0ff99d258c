"""The columns of the data source, each built from rows of a batch on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.arrow.records.columns import endings, header, images, names, places, problems, tokens, transactions
from logdump.arrow.records.rows import Rows

ArrowArray = Any

BUILDERS: dict[str, Callable[[Rows], ArrowArray]] = {
    **places.BUILDERS,
    **header.BUILDERS,
    **names.BUILDERS,
    **transactions.BUILDERS,
    **tokens.BUILDERS,
    **images.BUILDERS,
    **problems.BUILDERS,
    **endings.BUILDERS,
}
"""What makes a ``pyarrow.Array`` of each column."""
