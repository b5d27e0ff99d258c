"""The request to a task, and how a task cuts its batches to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logdump.arrow.records.columns.header import MOST_BYTES
from logdump.arrow.records.rows import Array
from logdump.arrow.records.schema import Reads, Selected
from logdump.spark.source.options import Options
from trailformat.scan import Batch

if TYPE_CHECKING:
    from logdump.arrow.tables.layout import TableLayout
    from logdump.spark.source.defined_tables import ForeseenTable
    from trailformat.scan import Workers


class Request(NamedTuple):
    """The columns and definitions that a task is to deliver.

    Attributes:
        selected: the columns in their order.
        is_numbered: whether texts that many rows have stay dictionaries, as DuckDB takes them.
        workers: threads that scan a large file; None: the calling one does.
        foreseen: under ``rowsOf`` the definitions that the schema was made of, the newest one last; none where the user
            has given the schema.
        unproven: the table of ``foreseen`` where not all definitions were looked for: each batch is held against it.
    """

    selected: tuple[Selected, ...]
    options: Options
    foreseen: tuple[TableLayout, ...] = ()
    is_numbered: bool = False
    workers: Workers | None = None
    unproven: ForeseenTable | None = None

    @property
    def wanted(self) -> frozenset[str]:
        """The names of the columns that are to be filled."""
        return frozenset(chosen.column.name for chosen in self.selected if chosen.is_wanted)

    @property
    def reads_bytes(self) -> bool:
        """Whether bytes of records are looked at, beyond what a scan finds: by a column, or by a filter."""
        options = self.options
        filters = (options.where, options.start_csn, options.end_csn)
        if options.rows_of is not None or options.changes_of or any(one is not None for one in filters):
            return True
        return any(chosen.is_wanted and chosen.column.reads is not Reads.NOTHING for chosen in self.selected)


def cut(batch: Batch, at: Array, options: Options) -> Iterator[Array]:
    """Rows in lots of at most ``batchRows`` rows and ``batchBytes`` bytes of the trail, but one row at least."""
    most = min(options.batch_bytes, MOST_BYTES)
    if 0 < len(at) <= options.batch_rows and batch.end - int(batch.rba[at[0]]) <= most:
        yield at
        return
    ends = np.cumsum(np.asarray(batch.length)[at])
    first = taken = 0
    while first < len(at):
        fitting = int(np.searchsorted(ends, taken + most, side="right"))
        last = max(first + 1, min(first + options.batch_rows, fitting))
        yield at[first:last]
        first, taken = last, int(ends[last - 1])
