"""Undecodable parts of a row of a table, and the columns and data of a single row."""

from __future__ import annotations

from typing import NamedTuple

from trailformat import Record, TrailError
from trailformat.changes.row_changes import ColumnChange, row_columns
from trailformat.records.large_record import LargeRecord
from trailformat.trail.row_definitions import RowDefinition

CUT = "its columns continue in the records that follow"
NO_DEFINITION = "no definition of its columns"
NO_COLUMNS = "its data is not a list of columns"


class RowProblem(NamedTuple):
    """An undecodable part: a value, by its column and image, or all data of a record (both None)."""

    column: str | None
    image: str | None
    bytes: bytes
    reason: str


def time_problem(io_time: int) -> RowProblem:
    """IO Time that no calendar has."""
    return RowProblem("time", None, (io_time & (1 << 64) - 1).to_bytes(8, "big"), "outside the years 1 to 9999")


def columns_of(record: Record, known: RowDefinition) -> tuple[tuple[ColumnChange, ...], RowProblem | None]:
    """The columns of a record's images, or why it has none though it has data."""
    try:
        data = record.data if isinstance(record, LargeRecord) else data_of(record)
    except TrailError as error:
        return (), RowProblem(None, None, b"", error.problem)
    if known.table is None:
        return (), RowProblem(None, None, b"", NO_DEFINITION) if data else None
    try:
        columns = row_columns(record, known)
        if columns or not data or record.images is not None:
            return columns, None
    except TrailError as error:
        return (), RowProblem(None, None, data, CUT if record.header.continued else error.problem)
    return (), RowProblem(None, None, data, NO_COLUMNS)


def data_of(record: Record) -> bytes:
    """Return the data of a record; if its tokens are damaged, all bytes from its first token to its trailer.

    Data that are too large are returned as empty.
    """
    try:
        return record.data
    except TrailError:
        return b"" if isinstance(record, LargeRecord) else record.body
