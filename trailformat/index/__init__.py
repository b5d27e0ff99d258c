"""The sparse index of one file: places of records, sums of tables, damage, the largest transactions.

    from trailformat import TrailFile
    from trailformat.index import build, index_of

    with TrailFile("dirdat/lt000000000") as trail:
        index = index_of(trail)
        for covered in build(trail, index):
            print(covered, index.places.records)
        print(index.places.rba_of(trail, 1000), index.sums.tables)

The index has a checkpoint for every 256th row of the file, and sums. A row is a record or a span of damage; row 0 is
the file header if there is one. Any scan of the file can extend it.
"""

from __future__ import annotations

from trailformat.index.record_index import ROWS_PER_CHECKPOINT, BadSpan, IndexRow, RecordIndex, RestartRow
from trailformat.index.trail_index import (
    Neighbours,
    Sums,
    TableTotals,
    TrailIndex,
    attach,
    build,
    index_of,
    known_index,
    neighbours_of,
    reach,
)
from trailformat.scan.batch import BAD_SPAN
from trailformat.transactions.spans import TransactionSpan

__all__ = [
    "BAD_SPAN",
    "ROWS_PER_CHECKPOINT",
    "BadSpan",
    "IndexRow",
    "Neighbours",
    "RecordIndex",
    "RestartRow",
    "Sums",
    "TableTotals",
    "TrailIndex",
    "TransactionSpan",
    "attach",
    "build",
    "index_of",
    "known_index",
    "neighbours_of",
    "reach",
]
