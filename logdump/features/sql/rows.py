"""The rows of a result: Python values of Arrow columns."""

from __future__ import annotations

from typing import Any, NamedTuple

from logdump.features.sql.model import RowsShown


class ResultRows(NamedTuple):
    """Rows of a result: a ``pyarrow.RecordBatch``; the first has no rows, and says which columns there are."""

    batch: Any


def no_rows(schema: Any) -> Any:
    """A batch with these columns and no rows."""
    import pyarrow as pa  # noqa: PLC0415 - it is loaded by now

    return pa.RecordBatch.from_pylist([], schema=schema)


def rows_shown(rows: ResultRows) -> RowsShown:
    """The rows as Python values."""
    batch = rows.batch
    return RowsShown(tuple(batch.schema.names), [*zip(*map(_values, batch.columns), strict=True)])


def _values(column: Any) -> list[Any]:
    """The values of an Arrow column; a map is a list of pairs there, and a dictionary here unless a key comes twice."""
    import pyarrow as pa  # noqa: PLC0415 - it is loaded by now

    values: list[Any] = column.to_pylist()
    if not pa.types.is_map(column.type):
        return values
    return [dict(pairs) if pairs is not None and len(dict(pairs)) == len(pairs) else pairs for pairs in values]
