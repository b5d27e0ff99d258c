"""Reads slices into Arrow batches, in the tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from logdump.arrow.records.columns import batch_of_rows
from logdump.arrow.records.objects import Row, column_of
from logdump.arrow.records.rows import Array, Rows
from logdump.arrow.records.schema import CORRUPT, arrow_schema
from logdump.tables.analysis import Analysis
from logdump.tables.errors import FileChanged, located
from logdump.tables.slice import Slice
from logdump.tables.slices import OpenSlice, Request, cut, open_trail, wanted_rows
from trailformat import CannotRead, TrailError
from trailformat.codec.on_demand import on_demand
from trailformat.scan import Batch
from trailformat.scan.rows.definitions import learn_definitions

with on_demand:
    from logdump.tables import analysed_trail, change_rows, summary, table_reader

_NEED_DEFINITIONS = frozenset({"before", "after", "problems"})


def read(slices: Sequence[Slice], request: Request) -> Iterator[Any]:
    """Yield the records of the slices as ``pyarrow.RecordBatch``.

    Raises:
        SourceError: damage under FAILFAST, a changed file, a value too large, or slices that do not fit together.
    """
    if request.options.analysis is not None:
        yield from _analysed(slices, request, request.options.analysis)
        return
    if request.options.arrow_batches:
        yield from change_rows.arrow_rows(_read(slices, request))
        return
    if request.options.changes_of and change_rows.are_of_several_tables(request):
        yield from change_rows.mixed(_read(slices, request), arrow_schema(request.selected))
        return
    yield from _read(slices, request)


def _analysed(files: Sequence[Slice], request: Request, analysis: Analysis) -> Iterator[Any]:
    """Yield the rows of option ``analysis`` for one trail, given all its files."""
    if not files:
        return
    rows = analysis.rows(analysed_trail.AnalysedTrail(files, request.options))
    try:
        while lot := [*islice(rows, request.options.batch_rows)]:
            yield _analysis_batch(lot, request)
    except (TrailError, CannotRead) as error:
        raise FileChanged(located(error, files[0].path)) from None


def _analysis_batch(rows: Sequence[Row], request: Request) -> Any:
    schema = arrow_schema(request.selected)
    arrays = [
        column_of(rows, chosen.column) if chosen.is_wanted else pa.nulls(len(rows), field.type)
        for chosen, field in zip(request.selected, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _read(slices: Sequence[Slice], request: Request) -> Iterator[Any]:
    for part in slices:
        try:
            yield from _batches_of(part, request)
        except CannotRead as error:
            raise FileChanged(located(error, part.path)) from None


def _batches_of(part: Slice, request: Request) -> Iterator[Any]:
    schema = arrow_schema(request.selected, is_numbered=request.is_numbered)
    trail = open_trail(part, request.options)
    if isinstance(trail, str):
        yield _row_about_file(part, trail, request, schema)
    elif trail is not None:
        with trail:
            if request.reads_bytes:
                trail.keep_recent()
            source = OpenSlice(trail, part, request.options, request.wanted)
            if request.options.summary:
                yield from _summary(source, request, schema)
                return
            if request.options.rows_of is not None or request.options.changes_of:
                yield from _rows_of_table(source, request, schema)
                return
            for batch, numbers in wanted_rows(source, workers=request.workers):
                if not len(numbers):
                    continue
                yield from _record_batches(source, batch, numbers, request, schema)


def _summary(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    yield summary.arrow_rows(summary.summary_of(source, request.wanted), request.selected, schema)


def _rows_of_table(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    try:
        if request.options.changes_of:
            yield from change_rows.change_batches(source, request, schema)
        else:
            yield from table_reader.table_batches(source, request, schema)
    except TrailError as error:
        raise FileChanged(located(error, source.part.path)) from None


def _record_batches(source: OpenSlice, batch: Batch, numbers: Array, request: Request, schema: Any) -> Iterator[Any]:
    try:
        if _NEED_DEFINITIONS & request.wanted:
            learn_definitions(source.trail, batch)
        for rows in cut(batch, numbers, request.options):
            if len(rows):
                yield _record_batch(Rows(source, batch, rows), request, schema)
    except TrailError as error:
        raise FileChanged(located(error, source.part.path)) from None


def _record_batch(rows: Rows, request: Request, schema: Any) -> Any:
    return batch_of_rows(
        rows, [chosen.column.name if chosen.is_wanted else None for chosen in request.selected], schema
    )


def _row_about_file(part: Slice, reason: str, request: Request, schema: Any) -> Any:
    """Return the row for a file that cannot be read at all."""
    known = {"file": part.path, "seqno": part.seqno, "file_order": part.file_order, CORRUPT: reason}
    arrays = [
        pa.array([known.get(chosen.column.name) if chosen.is_wanted else None], field.type)
        for chosen, field in zip(request.selected, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
