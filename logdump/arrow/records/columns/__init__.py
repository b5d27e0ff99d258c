"""The columns of the data source, each built from rows of a batch on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import pyarrow as pa

from logdump.arrow.records.columns.header import BUILDERS
from logdump.arrow.records.rows import Rows
from trailformat.arrays.arrow import in_type, nulls
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.arrow.records.columns import images, parts

Builder = Callable[[Rows], Any]


def builder_of(name: str) -> Builder:
    """Return the builder of a column's ``pyarrow.Array``; texts that many rows share become dictionaries."""
    return BUILDERS.get(name) or _of_parts()[name]


@cache
def _of_parts() -> Mapping[str, Builder]:
    """Return the builders that parse records or need other records."""
    return images.BUILDERS | parts.BUILDERS


def batch_of_rows(rows: Rows, names: Iterable[str | None], schema: Any) -> Any:
    """Return the rows as a ``pyarrow.RecordBatch`` with the named columns; None gives a column of nulls."""
    arrays = [
        nulls(field.type, len(rows)) if name is None else in_type(builder_of(name)(rows), field.type)
        for name, field in zip(names, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
