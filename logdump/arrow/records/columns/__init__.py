"""The columns of the data source, each built from rows of a batch on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import pyarrow as pa

from logdump.arrow.records.columns.header import BUILDERS
from logdump.arrow.records.rows import Rows
from trailformat.arrays.arrow import in_type, nulls

Builder = Callable[[Rows], Any]


def builder_of(name: str) -> Builder:
    """What makes a ``pyarrow.Array`` of a column; texts that many rows have are dictionaries."""
    return BUILDERS.get(name) or _of_parts()[name]


@cache
def _of_parts() -> Mapping[str, Builder]:
    """Those that take records apart, or look at other records."""
    from logdump.arrow.records.columns import images, parts  # noqa: PLC0415 - they load much, and many questions need none

    return images.BUILDERS | parts.BUILDERS


def batch_of_rows(rows: Rows, names: Iterable[str | None], schema: Any) -> Any:
    """The rows as a ``pyarrow.RecordBatch``: the columns of these names, null in place of None."""
    arrays = [
        nulls(field.type, len(rows)) if name is None else in_type(builder_of(name)(rows), field.type)
        for name, field in zip(names, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
