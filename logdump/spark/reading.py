"""Slices to Arrow batches: what a task does."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.spark.columns import BUILDERS
from logdump.spark.columns.places import MOST_BYTES
from logdump.spark.errors import FileChanged, located
from logdump.spark.offered import CORRUPT
from logdump.spark.options import Options
from logdump.spark.planning import Slice
from logdump.spark.rows import Array, OpenSlice, Rows
from logdump.spark.schema import Selected, arrow_schema
from logdump.spark.slice_reading import open_trail, wanted_rows
from trailformat import TrailError
from trailformat.scan import Batch
from trailformat.scan.definitions import learn_definitions

if TYPE_CHECKING:
    from logdump.arrow.tables.layout import TableLayout
    from logdump.spark.pushdown import Pushed

_NEED_DEFINITIONS = frozenset({"before", "after", "problems"})


class Request(NamedTuple):
    """What is asked for.

    Attributes:
        selected: the columns in their order.
        pushed: filters that Spark has pushed down.
        foreseen: under ``rowsOf`` the definitions that the schema was made of, the newest one last; none where the user
            has given the schema.
    """

    selected: tuple[Selected, ...]
    options: Options
    pushed: tuple[Pushed, ...] = ()
    foreseen: tuple[TableLayout, ...] = ()

    @property
    def wanted(self) -> frozenset[str]:
        """The names of the columns that are to be filled."""
        return frozenset(one.column.name for one in self.selected if one.is_wanted)


def read(slices: Sequence[Slice], request: Request) -> Iterator[Any]:
    """The records of the slices, as ``pyarrow.RecordBatch``.

    Raises:
        SourceError: damage under FAILFAST, a file that changed, a value too large, pieces that do not fit together.
    """
    _freeze()
    for part in slices:
        yield from _batches_of(part, request)


@cache
def _freeze() -> None:
    """Keep Spark's worker from looking at every object after each task; what is loaded stays anyway."""
    gc.freeze()


def _batches_of(part: Slice, request: Request) -> Iterator[Any]:
    schema = arrow_schema(request.selected)
    trail = open_trail(part, request.options)
    if isinstance(trail, str):
        yield _row_about_file(part, trail, request, schema)
    elif trail is not None:
        with trail:
            source = OpenSlice(trail, part, request.options, request.wanted)
            if request.options.summary:
                yield from _summary(source, request, schema)
                return
            if request.options.rows_of is not None:
                yield from _rows_of_table(source, request, schema)
                return
            for batch, at in wanted_rows(source):
                if not len(at):
                    continue
                yield from _record_batches(source, batch, at, request, schema)


def _summary(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    from logdump.spark.summary import arrow_rows, summary_of  # noqa: PLC0415 - asked for by COUNT

    yield arrow_rows(summary_of(source, request.wanted), request.selected, schema)


def _rows_of_table(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    from logdump.spark.table_reading import table_batches  # noqa: PLC0415 - asked for by option rowsOf

    try:
        yield from table_batches(source, request, schema)
    except TrailError as error:
        raise FileChanged(located(error, source.part.path)) from None


def _record_batches(source: OpenSlice, batch: Batch, at: Array, request: Request, schema: Any) -> Iterator[Any]:
    try:
        if _NEED_DEFINITIONS & request.wanted:
            learn_definitions(source.trail, batch)
        for some in cut(batch, at, request.options):
            if len(left := _left(source, batch, some, request)):
                yield _record_batch(Rows(source, batch, left), request, schema)
    except TrailError as error:
        raise FileChanged(located(error, source.part.path)) from None


def _record_batch(rows: Rows, request: Request, schema: Any) -> Any:
    arrays = [
        BUILDERS[one.column.name](rows) if one.is_wanted else pa.nulls(len(rows), field.type)
        for one, field in zip(request.selected, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _left(source: OpenSlice, batch: Batch, at: Array, request: Request) -> Array:
    """The rows that the pushed filters leave."""
    for one in request.pushed:
        values = BUILDERS[one.column](Rows(source, batch, at))
        if one.function == "is_in":
            mask = pc.is_in(values, value_set=pa.array(one.value, values.type))
        else:
            mask = pc.call_function(one.function, [values, pa.scalar(one.value, values.type)])
        at = at[mask.fill_null(False).to_numpy(zero_copy_only=False)]  # noqa: FBT003 - what null becomes
    return at


def _row_about_file(part: Slice, reason: str, request: Request, schema: Any) -> Any:
    """The row for a file that cannot be read at all."""
    known = {"file": part.path, "seqno": part.seqno, "file_order": part.file_order, CORRUPT: reason}
    arrays = [
        pa.array([known.get(one.column.name) if one.is_wanted else None], field.type)
        for one, field in zip(request.selected, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def cut(batch: Batch, at: Array, options: Options) -> Iterator[Array]:
    """Rows in lots of at most ``batchRows`` rows and ``batchBytes`` bytes of the trail, but one row at least."""
    ends = np.cumsum(np.asarray(batch.length)[at])
    first = taken = 0
    while first < len(at):
        fitting = int(np.searchsorted(ends, taken + min(options.batch_bytes, MOST_BYTES), side="right"))
        last = max(first + 1, min(first + options.batch_rows, fitting))
        yield at[first:last]
        first, taken = last, int(ends[last - 1])
