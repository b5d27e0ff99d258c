"""The rows of a result as Python values, and the target at the end of a statement."""

from __future__ import annotations

import enum
import re
from pathlib import Path
from typing import Any, NamedTuple

from logdump.arrow.plain_values import python_values
from logdump.features.sql.model import RowsShown
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of

with on_demand:
    import pyarrow as pa

_FILE = re.compile(
    r"""\sTO\s+(?:"(?P<quoted>(?:[^"]|"")+)"|(?P<plain>[^\s"';]+))(?P<replace>\s+REPLACE)?\s*$""", re.IGNORECASE
)
_FORMAT = re.compile(r"\sFORMAT\s+(?P<name>CSV|JSONL)\s*$", re.IGNORECASE)
_ENDINGS = (".parquet", ".csv", ".jsonl", ".xlsx")


class Output(NamedTuple):
    """The file for a result, and whether it may replace an existing one."""

    path: Path
    replaces: bool


class LineFormat(enum.Enum):
    """The format of printed rows."""

    CSV = "CSV"
    JSONL = "JSONL"


def split_target(statement: str) -> tuple[str, Output | LineFormat | None]:
    """Split ``TO <file> [REPLACE]`` or ``FORMAT {CSV | JSONL}``, with which no query ends, from a statement."""
    format_ = _FORMAT.search(statement)
    if format_ is not None:
        return statement[: format_.start()], LineFormat(format_["name"].upper())
    match = _FILE.search(statement)
    name = ((match["quoted"] or "").replace('""', '"') or match["plain"]) if match else ""
    if match is None or not name.lower().endswith(_ENDINGS):
        return statement, None
    return statement[: match.start()], output_file(name, match["replace"] is not None)


def output_file(name: str, replaces: bool | None) -> Output:  # noqa: FBT001 - a word of the form
    """Return the file for a result."""
    return Output(path_of(name).absolute(), bool(replaces))


class ResultRows(NamedTuple):
    """Rows of a result as a ``pyarrow.RecordBatch``; the first of a result has the columns and no rows."""

    batch: Any


def no_rows(schema: Any) -> Any:
    """Return a batch with these columns and no rows."""
    return pa.RecordBatch.from_pylist([], schema=schema)


def rows_shown(rows: ResultRows) -> RowsShown:
    """Return the rows as Python values."""
    batch = rows.batch
    return RowsShown(tuple(batch.schema.names), [*zip(*map(python_values, batch.columns), strict=True)])
