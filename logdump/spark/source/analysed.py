"""Option ``analysis``: one task for each trail, whose rows are told of all its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from logdump.arrow.records.objects import Row, column_of
from logdump.arrow.records.schema import arrow_schema
from logdump.spark.analyses.analysed_trail import AnalysedTrail
from logdump.spark.errors import FileChanged, located
from logdump.spark.source.checked_options import analysis_of
from logdump.spark.source.request import Request
from logdump.spark.source.slice import Slice
from trailformat import CannotRead, TrailError


def analysed(files: Sequence[Slice], request: Request) -> Iterator[Any]:
    """The rows of one trail, as ``pyarrow.RecordBatch``.

    Raises:
        SourceError: damage under FAILFAST, a file that changed.
    """
    if not files:
        return
    options = request.options
    rows = analysis_of(options.analysis or "").rows(AnalysedTrail(files, options))
    try:
        while lot := [*islice(rows, options.batch_rows)]:
            yield _batch(lot, request)
    except (TrailError, CannotRead) as error:
        raise FileChanged(located(error, files[0].path)) from None


def _batch(rows: Sequence[Row], request: Request) -> Any:
    schema = arrow_schema(request.selected)
    arrays = [
        column_of(rows, chosen.column) if chosen.is_wanted else pa.nulls(len(rows), field.type)
        for chosen, field in zip(request.selected, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
