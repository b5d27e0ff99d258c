"""The sparse index of one file: which record is where, what there is of each table, damage, the largest transactions.

    from trailformat import TrailFile
    from trailformat.index import build, index_of

    with TrailFile("dirdat/lt000000000") as trail:
        index = index_of(trail)
        for covered in build(trail, index):
            print(covered, index.records)
        print(index.rba_of(trail, 1000), index.tables)

It holds a mark for every 256th row of the walk over the file, and sums. A row is a record or a span of damage; row 0 is
the file header where there is one. Whoever walks over a file can feed it in passing.
"""

from __future__ import annotations

from trailformat.index.building import build, reach, search_metadata
from trailformat.index.marks import ROWS_PER_MARK
from trailformat.index.neighbours import Neighbours, neighbours_of
from trailformat.index.places import BadSpan, Places, reason
from trailformat.index.sums import TableTotals
from trailformat.index.trail_index import TrailIndex, attach, index_of, known_index
from trailformat.index.transaction_spans import TransactionSpan
from trailformat.index.walking import Row
from trailformat.scan.batch import BAD_SPAN

__all__ = [
    "BAD_SPAN",
    "ROWS_PER_MARK",
    "BadSpan",
    "Neighbours",
    "Places",
    "Row",
    "TableTotals",
    "TrailIndex",
    "TransactionSpan",
    "attach",
    "build",
    "index_of",
    "known_index",
    "neighbours_of",
    "reach",
    "reason",
    "search_metadata",
]
